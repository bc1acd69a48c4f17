import { ActionIcon } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type { Call } from '../../../server/calls/schema.ts'
import { CallStatus } from '../calls/CallStatus.tsx'
import { timeOf, toNamed } from '../calls/call.ts'
import { recordingPath } from '../calls/recording.ts'
import { useContactName } from '../conversations/useContactName.ts'
import { type Api, useApi, useWorkspaceId } from '../kit/api.ts'
import { formatDuration } from '../kit/format.ts'
import { PauseIcon, PlayIcon } from '../kit/icons.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { useCanEdit, useIsTest } from '../kit/session.ts'
import { showErrorMessage } from '../kit/toast.ts'
import styles from './home.module.css'
import { homeKey, refetch_ms } from './queries.ts'

const shown_max = 8

export const lastCallsQuery = (api: Api) =>
  queryOptions({
    queryKey: [...homeKey(api), 'calls'],
    queryFn: ({ signal }) => api.list<Call>('/calls', { limit: shown_max }, signal),
    refetchInterval: refetch_ms,
  })

/** Lists the last calls. One recording plays at a time. */
export function LastCalls() {
  const api = useApi()
  const { data } = useQuery(lastCallsQuery(api))
  const is_test_workspace = useIsTest()
  const audio = useRef<HTMLAudioElement>(null)
  const [playing, setPlaying] = useState<string>()
  if (!data || data.data.length === 0) return null
  const toggle = (call: Call) => {
    if (!audio.current) return
    if (playing === call.id) return audio.current.pause()
    audio.current.src = api.fileUrl(recordingPath(call))
    setPlaying(call.id)
    audio.current.play().catch(({ name }: Error) => {
      if (name === 'AbortError') return
      setPlaying(undefined)
      showErrorMessage('The recording couldn’t be played.')
    })
  }
  return (
    <section aria-label="Last calls">
      <div className={styles.headingLine}>
        <h2 className={styles.heading}>Last calls</h2>
        {!is_test_workspace && data.data.some(({ is_test }) => is_test) && (
          <span className={styles.quiet}>Figures leave out tests.</span>
        )}
      </div>
      <ul className={styles.list}>
        {data.data.map((call) => (
          <CallLine key={call.id} call={call} is_playing={playing === call.id} toggle={() => toggle(call)} />
        ))}
      </ul>
      {/* biome-ignore lint/a11y/useMediaCaption: its words are on the page of the call */}
      <audio ref={audio} onPause={() => setPlaying(undefined)} onEnded={() => setPlaying(undefined)} />
    </section>
  )
}

interface CallLineProps {
  call: Call
  is_playing: boolean
  toggle: () => void
}

function CallLine({ call, is_playing, toggle }: CallLineProps) {
  const workspace = useWorkspaceId()
  const can_listen = useCanEdit() && call.recording.status === 'ready'
  const name = useContactName(toNamed(call))
  return (
    <li className={styles.call}>
      <span className={styles.play}>
        {can_listen && (
          <ActionIcon
            variant="subtle"
            size={26}
            aria-label={`${is_playing ? 'Pause' : 'Play'} the call with ${name}`}
            onClick={toggle}
          >
            {is_playing ? <PauseIcon size={15} /> : <PlayIcon size={15} />}
          </ActionIcon>
        )}
      </span>
      <Link to="/w/$workspace/calls/$call_id" params={{ workspace, call_id: call.id }}>
        {name}
      </Link>
      <CallStatus call={call} />
      <span className={styles.cut} title={call.agent_name}>
        {call.is_test && 'Test · '}
        {call.agent_name}
      </span>
      <span className={styles.number}>{call.duration_ms === null ? '' : formatDuration(call.duration_ms)}</span>
      <span className={styles.when}>
        <RelativeTime time={timeOf(call)} />
      </span>
    </li>
  )
}
