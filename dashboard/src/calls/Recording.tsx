import { ActionIcon, Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Call } from '../../../server/calls/schema.ts'
import { useApi } from '../kit/api.ts'
import { errorMessage } from '../kit/error-messages.ts'
import { formatDuration } from '../kit/format.ts'
import { MutedIcon, PauseIcon, PlayIcon, SpeakerIcon } from '../kit/icons.tsx'
import { useCanEdit } from '../kit/session.ts'
import styles from './calls.module.css'
import { isRendering, type Peaks, recordingPath, recordingQuery } from './recording.ts'
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

/** The player, or why there is none. */
export function Recording(props: RecordingProps) {
  const { status } = props.call.recording
  const can_listen = useCanEdit()
  if (props.call.answered_at === null) return null
  if (status === 'ready' || status === 'rendering') {
    return can_listen ? <ReadyRecording {...props} /> : <Note>Your role can’t play recordings.</Note>
  }
  if (status === 'deleted') return <Note>The recording has been deleted.</Note>
  if (status === 'failed') return <Note>The recording failed.</Note>
  return <Note>This call was not recorded.</Note>
}

const Note = ({ children }: { children: ReactNode }) => <p className={styles.note}>{children}</p>

function ReadyRecording(props: RecordingProps) {
  const { data: peaks, error, failureReason, refetch } = useQuery(recordingQuery(useApi(), props.call))
  if (peaks !== undefined) return <PlayerView {...props} peaks={peaks} />
  if (!error) {
    const text = isRendering(failureReason) ? 'The recording is being prepared…' : 'Loading the recording…'
    return (
      <p className={styles.note} role="status">
        {text}
      </p>
    )
  }
  return (
    <p className={styles.note} role="alert">
      {isRendering(error) ? 'The recording is still being prepared.' : `No recording: ${errorMessage(error)}`}{' '}
      <Button variant="default" size="xs" onClick={() => void refetch()}>
        Try again
      </Button>
    </p>
  )
}

const speeds = [
  { value: '0.75', label: '0.75×' },
  { value: '1', label: '1×' },
  { value: '1.25', label: '1.25×' },
  { value: '1.5', label: '1.5×' },
  { value: '2', label: '2×' },
]

function PlayerView({ call, player, turns, contact, peaks }: RecordingProps & { peaks: Peaks[] | null }) {
  const api = useApi()
  const [speed, setSpeed] = useState('1')
  const duration_ms = call.recording.duration_ms ?? call.duration_ms ?? 0
  const names: Record<Track, string> = { contact, agent: call.agent_name }
  const label = player.is_playing ? 'Pause' : 'Play'
  return (
    <section className={styles.player} aria-label="Recording">
      <audio
        ref={player.audio}
        src={api.fileUrl(recordingPath(call))}
        preload="metadata"
        data-loaded={player.is_loaded}
        {...player.handlers}
      />
      <ActionIcon size={40} radius="xl" aria-label={label} onClick={player.toggle}>
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
      <Waveform peaks={peaks} turns={turns} duration_ms={duration_ms} time_ms={player.time_ms} onSeek={player.seek} />
    </section>
  )
}

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
