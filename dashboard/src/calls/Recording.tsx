import { ActionIcon, Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import type { Call } from '../../../server/calls/schema.ts'
import { useApi } from '../kit/api.ts'
import { errorMessage } from '../kit/error-messages.ts'
import { formatDuration } from '../kit/format.ts'
import { MutedIcon, PauseIcon, PlayIcon, SpeakerIcon } from '../kit/icons.tsx'
import { useCanEdit } from '../kit/session.ts'
import styles from './calls.module.css'
import { durationOf, isRendering, recordingPath, recordingQuery } from './recording.ts'
import { type Track, tracks } from './tracks.ts'
import type { TranscriptTurn } from './transcript.ts'
import type { Player } from './usePlayer.ts'
import { Waveform } from './Waveform.tsx'

interface RecordingProps {
  call: Call
  player: Player
  turns: TranscriptTurn[]
  contact: string
}

/** Whether the call has a recording to play, for people who may hear it. */
export const canPlay = ({ answered_at, recording }: Pick<Call, 'answered_at' | 'recording'>): boolean =>
  answered_at !== null && (recording.status === 'ready' || recording.status === 'rendering')

/** Shows the player, or why there is none. */
export function Recording(props: RecordingProps) {
  const { status } = props.call.recording
  const can_listen = useCanEdit()
  if (props.call.answered_at === null) return null
  if (canPlay(props.call)) {
    return can_listen ? <PlayerView {...props} /> : <Note>Your role can’t play recordings.</Note>
  }
  if (status === 'deleted') return <Note>The recording has been deleted.</Note>
  if (status === 'failed') return <Note>The recording failed.</Note>
  return <Note>This call was not recorded.</Note>
}

const Note = ({ children }: { children: ReactNode }) => <p className={styles.note}>{children}</p>

const speeds = [
  { value: '0.75', label: '0.75×' },
  { value: '1', label: '1×' },
  { value: '1.25', label: '1.25×' },
  { value: '1.5', label: '1.5×' },
  { value: '2', label: '2×' },
]

function PlayerView({ call, player, turns, contact }: RecordingProps) {
  const api = useApi()
  const [speed, setSpeed] = useState('1')
  const loading = useQuery({ ...recordingQuery(api, call), enabled: player.is_wanted })
  const { data: loaded, isFetching: is_loading, failureReason } = loading
  const file_url = useObjectUrl(loaded?.file)
  const source = loaded?.file === null ? api.fileUrl(recordingPath(call)) : file_url
  // biome-ignore lint/correctness/useExhaustiveDependencies: it begins once, from the time that is chosen by then
  useEffect(() => {
    if (source) player.begin()
  }, [source])
  const duration_ms = durationOf(call)
  const names: Record<Track, string> = { contact, agent: call.agent_name }
  const label = player.is_playing ? 'Pause' : 'Play'
  return (
    <section className={styles.player} aria-label="Recording">
      <audio ref={player.audio} src={source} preload="none" {...player.handlers} />
      <ActionIcon size={40} radius="xl" aria-label={label} loading={is_loading} onClick={player.toggle}>
        {player.is_playing ? <PauseIcon size={20} /> : <PlayIcon size={20} />}
      </ActionIcon>
      <span className={styles.time}>
        {formatDuration(player.time_ms)} / {formatDuration(duration_ms)}
      </span>
      {tracks.map((track) => (
        <MuteButton key={track} name={names[track]} track={track} player={player} />
      ))}
      <NativeSelect
        className={styles.speed}
        size="xs"
        aria-label="Speed"
        data={speeds}
        value={speed}
        onChange={({ currentTarget: { value } }) => {
          setSpeed(value)
          player.setSpeed(Number(value))
        }}
      />
      <Waveform
        peaks={loaded?.peaks ?? null}
        turns={turns}
        duration_ms={duration_ms}
        time_ms={player.time_ms}
        onSeek={player.seek}
      />
      {is_loading && (
        <p className={styles.loading} role="status">
          {isRendering(failureReason) ? 'The recording is being prepared…' : 'Loading the recording…'}
        </p>
      )}
      {loading.error && <LoadFailed error={loading.error} retry={loading.refetch} />}
    </section>
  )
}

/** Returns the address of a file in memory. It is valid while the component is shown. */
function useObjectUrl(file: Blob | null | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!file) return
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return url
}

const LoadFailed = ({ error, retry }: { error: Error; retry: () => unknown }) => (
  <p className={styles.loading} role="alert">
    {isRendering(error) ? 'The recording is still being prepared.' : `No recording: ${errorMessage(error)}`}{' '}
    <Button variant="default" size="xs" onClick={() => void retry()}>
      Try again
    </Button>
  </p>
)

function MuteButton({ name, track, player }: { name: string; track: Track; player: Player }) {
  const is_muted = player.muted.includes(track)
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-xs"
      className={styles.mute}
      data-track={track}
      leftSection={is_muted ? <MutedIcon size={15} /> : <SpeakerIcon size={15} />}
      aria-label={`Mute ${name}`}
      title={is_muted ? `${name} is muted` : `Mute ${name}`}
      aria-pressed={is_muted}
      onClick={() => player.toggleMuted(track)}
    >
      {name}
    </Button>
  )
}
