import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Fragment, useContext, useEffect, useMemo, useRef, useState } from 'react'
import type { AgentWithDraft } from '../../../server/agents/schema.ts'
import { AgentTabs } from '../agent-tests/AgentTabs.tsx'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { formErrors } from '../kit/error-messages.ts'
import { BreadcrumbContext, useTitle } from '../kit/Page.tsx'
import { Status } from '../kit/Status.tsx'
import { useCanEdit, useIsOwner } from '../kit/session.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { AgentActions } from './AgentActions.tsx'
import { AgentSettings } from './AgentSettings.tsx'
import { AgentText, type TextKind } from './AgentText.tsx'
import styles from './agents.module.css'
import { isEmpty } from './Changes.tsx'
import { DraftConflict } from './DraftConflict.tsx'
import { agentQuery, type DraftValues, draft_fields, draft_labels, type LoadedAgent } from './draft.ts'
import { Segments } from './Segments.tsx'
import { describeGreeting, parseScript } from './script/script.ts'
import { TestChat } from './TestChat.tsx'
import { type Draft, type SaveState, useDraft } from './useDraft.ts'
import { Versions } from './Versions.tsx'
import { differenceQuery } from './versions.ts'

export function AgentPage() {
  const api = useApi()
  const { id } = useParams({ from: '/w/$workspace/agents/$id' })
  const { data, error, refetch } = useQuery(agentQuery(api, id))
  useTitle(data?.data.name ?? 'Agent')
  if (data) return <AgentEditor key={id} loaded={data} />
  return (
    <div className={styles.waiting}>
      {error ? <LoadError error={error} retry={refetch} noun="Agent" /> : <LoadingSkeleton lines={6} />}
    </div>
  )
}

/** Edits an agent. Narrow screens show one pane at a time. */
function AgentEditor({ loaded }: { loaded: LoadedAgent }) {
  const can_edit = useCanEdit()
  const draft = useDraft(loaded)
  const agent = loaded.data
  const is_changed = useIsChanged(agent)
  const { script: text, greeting } = draft.values
  const script = useMemo(() => (text === null ? undefined : parseScript(text)), [text])
  const [pane, setPane] = useState('text')
  const [part, setPart] = useState('settings')
  const [text_kind, setTextKind] = useState<TextKind>()
  const wrong = wrongFields(draft)
  const frame = useRef<HTMLDivElement>(null)
  const [sought, setSought] = useState<{ pane: string; is_focused: boolean }>()
  const open = (field: DraftField, is_focused: boolean) => {
    const place = placeOf(field)
    setPane(place.pane)
    if (place.part) setPart(place.part)
    if (place.text) setTextKind(place.text)
    setSought({ pane: place.pane, is_focused })
  }
  // The field can be found only after its pane is rendered.
  useEffect(() => {
    if (!sought) return
    const found = frame.current?.querySelector<HTMLElement>(
      `[data-name=${sought.pane}] :is([aria-invalid=true], [role=alert])`,
    )
    found?.scrollIntoView({ block: 'nearest' })
    if (sought.is_focused) found?.focus()
  }, [sought])
  const opened = useRef(new Set<DraftField>())
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another field turns out to be wrong
  useEffect(() => {
    if (draft.state === 'saved') opened.current.clear()
    // Each field is opened once, so that what is typed in other fields until it is mended stays in view.
    const field = wrong.find((one) => !opened.current.has(one))
    if (!field) return
    opened.current.add(field)
    open(field, false)
  }, [draft.state, wrong.join(' ')])
  // The step in which the script is in the test chat.
  const [step, setStep] = useState<string>()
  return (
    <div className={styles.editor} data-fills-page data-pane={pane} ref={frame}>
      <header className={styles.editorHead}>
        <div className={styles.editorTitle}>
          {useContext(BreadcrumbContext)}
          <h1>{agent.name}</h1>
        </div>
        <LiveStatus agent={agent} is_changed={is_changed} />
        {can_edit && <SaveStatus draft={draft} wrong={wrong} onOpen={(field) => open(field, true)} />}
        {can_edit && (
          <div className={styles.editorActions}>
            <AgentActions agent={agent} is_changed={is_changed} save={draft.save} />
          </div>
        )}
      </header>
      <div className={styles.editorTabs}>
        <CannotAnswer agent={agent} />
        <AgentTabs />
      </div>
      <Segments
        className={styles.paneChoice}
        fullWidth
        aria-label="Pane"
        data={[
          { value: 'settings', label: 'Settings' },
          { value: 'text', label: draft.values.script === null ? 'Instructions' : 'Script' },
          ...(can_edit ? [{ value: 'chat', label: 'Test chat' }] : []),
        ]}
        value={pane}
        onChange={setPane}
      />
      <div className={styles.pane} data-name="settings">
        <div className={styles.paneHead}>
          <Segments
            size="sm"
            aria-label="Settings or versions"
            data={[
              { value: 'settings', label: 'Settings' },
              { value: 'versions', label: 'Versions' },
            ]}
            value={part}
            onChange={setPart}
          />
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it */}
        <section className={styles.scrolled} tabIndex={0} aria-label={part === 'settings' ? 'Settings' : 'Versions'}>
          {part === 'settings' ? (
            <AgentSettings
              draft={draft}
              greeting_hint={script ? describeGreeting(script, greeting) : 'The first words of the agent.'}
              is_read_only={!can_edit}
            />
          ) : (
            <Versions agent={agent} />
          )}
        </section>
      </div>
      <section className={styles.pane} data-name="text" aria-label="What the agent says">
        <AgentText
          draft={draft}
          script={script}
          step={step}
          is_read_only={!can_edit}
          chosen={text_kind}
          onChoose={setTextKind}
        />
      </section>
      {can_edit && (
        <section className={styles.pane} data-name="chat" aria-label="Test chat">
          <TestChat agent={agent} draft={draft} onStep={setStep} />
        </section>
      )}
      <DraftConflict draft={draft} />
      <LeaveDialog draft={draft} />
    </div>
  )
}

const LeaveDialog = ({ draft: { leaving } }: { draft: Draft }) => (
  <ConfirmDialog
    is_open={leaving.status === 'blocked'}
    title="Discard changes?"
    confirm_label="Discard changes"
    onClose={() => leaving.reset?.()}
    onConfirm={async () => leaving.proceed?.()}
  >
    The draft can’t be saved.
  </ConfirmDialog>
)

/** Whether the draft differs from what is live. It may equal a version that isn't. */
function useIsChanged(agent: AgentWithDraft): boolean {
  const live = agent.deployed_version.id
  const { data } = useQuery({
    ...differenceQuery(useApi(), agent, { from: live, to: 'draft' }),
    enabled: !agent.has_unpublished_changes,
  })
  return agent.has_unpublished_changes || (data !== undefined && !isEmpty(data))
}

/** "Live v2 · v3 for 20 % · draft changed". */
function LiveStatus({ agent, is_changed }: { agent: AgentWithDraft; is_changed: boolean }) {
  const { deployed_version, candidate } = agent
  const facts = [
    `Live ${deployed_version.version_label}`,
    ...(candidate ? [`${candidate.version.version_label} for ${candidate.percent} %`] : []),
    ...(is_changed ? ['draft changed'] : []),
  ]
  const tone = is_changed ? 'warning' : 'success'
  if (agent.can_answer) return <Status tone={tone}>{facts.join(' · ')}</Status>
  return <Status tone="danger">{['Can’t answer', ...facts].join(' · ')}</Status>
}

/** Says why the agent can't answer, and where that is mended. */
function CannotAnswer({ agent }: { agent: AgentWithDraft }) {
  const workspace = useWorkspaceId()
  const is_owner = useIsOwner()
  if (agent.cannot_answer_reason === null) return null
  return (
    <p className={styles.cannotAnswer}>
      {agent.cannot_answer_reason}{' '}
      {is_owner ? (
        <Anchor
          fz="inherit"
          underline="always"
          renderRoot={(props) => <Link to="/w/$workspace/settings/providers" params={{ workspace }} {...props} />}
        >
          Set up a model provider
        </Anchor>
      ) : (
        'An owner can set up a model provider.'
      )}
    </p>
  )
}

const state_names: Record<SaveState, string> = {
  saved: 'Saved',
  unsaved: 'Saving…',
  saving: 'Saving…',
  failed: 'Not saved',
  conflict: 'Not saved',
}

interface SaveStatusProps {
  draft: Draft
  wrong: DraftField[]
  onOpen: (field: DraftField) => void
}

/** Names the fields with errors. What is wrong with a field is shown beside it. */
function SaveStatus({ draft, wrong, onOpen }: SaveStatusProps) {
  const { state, error } = draft
  const reason = error instanceof SyntaxError ? undefined : formErrors(error, shownFields(draft)).message
  const is_failed = state === 'failed' || state === 'conflict'
  return (
    <span className={styles.saveState} role="status" data-failed={is_failed}>
      {state_names[state]}
      {state === 'failed' && reason && `: ${reason.replace(/\.$/, '')}`}
      {state === 'failed' && wrong.length > 0 && (
        <>
          . Check{' '}
          {wrong.map((field, index) => (
            <Fragment key={field}>
              {index > 0 && ', '}
              <button type="button" className={styles.wrongField} onClick={() => onOpen(field)}>
                {draft_labels[field]}
              </button>
            </Fragment>
          ))}
        </>
      )}
    </span>
  )
}

type DraftField = keyof DraftValues

/** Lists the fields in the order in which they are shown. An agent with a script has no model. */
const shownFields = ({ values }: Draft): DraftField[] =>
  values.script === null
    ? draft_fields
    : draft_fields.filter((field) => field !== 'model' && field !== 'model_settings')

function wrongFields(draft: Draft): DraftField[] {
  const { state, error } = draft
  if (state !== 'failed') return []
  if (error instanceof SyntaxError) return ['script']
  const shown = shownFields(draft)
  const { fields } = formErrors(error, shown)
  return shown.filter((field) => fields[field] !== undefined)
}

interface Place {
  /** The pane in which the field is on narrow screens. */
  pane: string
  part?: string
  text?: TextKind
}

const placeOf = (field: DraftField): Place =>
  field === 'instructions' || field === 'script'
    ? { pane: 'text', text: field }
    : { pane: 'settings', part: 'settings' }
