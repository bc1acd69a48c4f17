import { Anchor, Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { AgentWithDraft } from '../../../server/agents/schema.ts'
import { latencyText, state_texts } from '../../../voice/src/texts.ts'
import type { Place, Words as Said, VoiceCall } from '../../../voice/src/types.ts'
import { draftNotSaved } from '../agents/useDraft.ts'
import { browser_end_reason_names } from '../calls/call.ts'
import { useApi } from '../kit/api.ts'
import { errorMessage } from '../kit/error-messages.ts'
import { FollowingSection } from '../kit/FollowingSection.tsx'
import { HangUpIcon, MicrophoneIcon } from '../kit/icons.tsx'
import { ParleyError } from '../kit/request.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { SpeechCard } from '../speech/SpeechCard.tsx'
import { speechQuery } from '../speech/speech.ts'
import { Keypad } from './Keypad.tsx'
import styles from './talk.module.css'
import { useVoiceCall, type VoiceView } from './useVoiceCall.ts'

interface TalkProps {
  agent: AgentWithDraft
  contact_id?: string | undefined
  save: () => Promise<boolean>
  onTalking: (is_talking: boolean) => void
}

export function Talk({ agent, contact_id, save, onTalking }: TalkProps) {
  const api = useApi()
  const client = useQueryClient()
  const view = useVoiceCall()
  const { data: speech } = useQuery(speechQuery(api.workspace))
  const [problem, setProblem] = useState<unknown>()
  const [is_starting, setStarting] = useState(false)
  const was_clicked = useRef(false)
  const [is_keypad_open, setKeypadOpen] = useState(false)
  const is_talking = view.state !== 'idle' && view.state !== 'ended'
  useEffect(() => {
    onTalking(is_talking)
    return () => onTalking(false)
  }, [is_talking, onTalking])
  const is_connected = is_talking && view.call_id !== undefined
  const area = useRef<HTMLDivElement>(null)
  const main_button = useRef<HTMLButtonElement>(null)
  const was_talking = useRef(is_talking)
  useEffect(() => {
    // The button that had the focus is gone, so the main button gets it.
    if (was_talking.current !== is_talking) main_button.current?.focus()
    was_talking.current = is_talking
  }, [is_talking])

  const place = async (): Promise<Place> => {
    try {
      if (!(await save())) throw draftNotSaved()
      const body = { agent_id: agent.id, contact_id, use_draft: true, is_test: true }
      return await api.send<Place>('POST', '/calls/web', body)
    } catch (error) {
      setProblem(error)
      // Speech may have been removed since its state was read.
      if (isNotInstalled(error)) void client.invalidateQueries(speechQuery(api.workspace))
      throw error
    }
  }
  /** Begins the call. Without speech the call is placed first, so that nobody is asked for a microphone in vain. */
  const begin = async () => {
    // A second click may come before the button is shown as loading.
    if (was_clicked.current) return
    was_clicked.current = true
    setProblem(undefined)
    setKeypadOpen(false)
    setStarting(true)
    try {
      const is_certain = speech === undefined || speech.status === 'installed'
      await view.begin(is_certain ? { place } : await place())
    } catch (error) {
      setProblem((before: unknown) => before ?? error)
    } finally {
      was_clicked.current = false
      setStarting(false)
    }
  }

  if (isNotInstalled(problem) && speech?.status !== 'installed') return <SpeechCard />
  return (
    <div ref={area} className={styles.talk}>
      {view.call_id === undefined ? <Introduction agent={agent} /> : <Words words={view.words} />}
      <ErrorAlert>{!isNotInstalled(problem) && describeError(problem, view)}</ErrorAlert>
      <p className={styles.state} role="status">
        {describeState(view)}
      </p>
      {view.call && is_connected && (
        <>
          <Level call={view.call} latency_ms={view.latency_ms} />
          <Keypad call={view.call} is_open={is_keypad_open} area={area} />
        </>
      )}
      <div className={styles.actions}>
        {is_talking ? (
          <>
            <Button
              variant={view.is_muted ? 'filled' : 'default'}
              color="gray"
              aria-pressed={view.is_muted}
              onClick={() => view.setMuted(!view.is_muted)}
            >
              {view.is_muted ? 'Muted' : 'Mute'}
            </Button>
            {is_connected && (
              <Button
                variant="default"
                aria-expanded={is_keypad_open}
                aria-controls="keypad"
                onClick={() => setKeypadOpen(!is_keypad_open)}
              >
                Keypad
              </Button>
            )}
            <Button
              ref={main_button}
              color="red"
              leftSection={<HangUpIcon size={17} />}
              onClick={() => view.call?.hangUp()}
            >
              End call
            </Button>
          </>
        ) : (
          <Button
            ref={main_button}
            leftSection={<MicrophoneIcon size={17} />}
            loading={is_starting}
            data-autofocus
            onClick={() => void begin()}
          >
            {view.call_id === undefined ? 'Talk' : 'Talk again'}
          </Button>
        )}
      </div>
      {view.state === 'ended' && view.call_id !== undefined && (
        <Anchor
          fz={14}
          renderRoot={(props) => (
            <Link
              to="/w/$workspace/calls/$call_id"
              params={{ workspace: api.workspace, call_id: view.call_id ?? '' }}
              {...props}
            />
          )}
        >
          Open the call
        </Anchor>
      )}
    </div>
  )
}

const Introduction = ({ agent: { draft } }: { agent: AgentWithDraft }) => (
  <p className={styles.introduction}>
    You talk to the draft, as a contact would. When you press Talk, your browser asks for your microphone. It is used
    during the call only. {draft.recording.is_on ? 'The call is recorded.' : 'The call is not recorded.'} It counts as a
    test.
  </p>
)

/** Shows the level, which changes too often to go through React. */
function Level({ call, latency_ms }: { call: VoiceCall; latency_ms: number | undefined }) {
  const meter = useRef<HTMLMeterElement>(null)
  useEffect(
    () =>
      call.on('level', (level) => {
        if (meter.current) meter.current.value = level
      }),
    [call],
  )
  return (
    <div className={styles.level}>
      <meter ref={meter} aria-label="Microphone level" min={0} max={1} value={0} />
      <p className={styles.latency}>{latency_ms !== undefined && latencyText(latency_ms)}</p>
    </div>
  )
}

const isNotInstalled = (error: unknown): boolean =>
  error instanceof ParleyError && error.details.reason === 'speech_not_installed'

/** Describes an error. A problem of the server is also the call's error. */
const describeError = (problem: unknown, { error }: VoiceView): string | undefined =>
  problem === undefined ? error?.message : errorMessage(problem)

function describeState({ state, end_reason, error }: VoiceView): string {
  if (state === 'idle') return ''
  if (state !== 'ended') return state_texts[state]
  if (error) return ''
  if (end_reason === 'contact_hung_up') return 'You ended the call.'
  const names: Record<string, string | undefined> = browser_end_reason_names
  const reason = end_reason === undefined ? undefined : names[end_reason]
  return reason === undefined ? state_texts.ended : `${state_texts.ended} ${reason}.`
}

/** Shows what is said, as it is said. */
const Words = ({ words }: { words: Said[] }) => (
  <FollowingSection label="Transcript" className={styles.transcript}>
    <div role="log" className={styles.words}>
      {words.map(({ role, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: words are only added at the end
        <p key={index} className={styles.said} data-role={role}>
          <span className={styles.who}>{role === 'agent' ? 'Agent' : 'You'}</span>
          {text}
        </p>
      ))}
    </div>
  </FollowingSection>
)
