import { useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { formatDuration } from '../kit/format.ts'
import styles from './calls.module.css'
import type { Peaks } from './recording.ts'
import { tracks } from './tracks.ts'
import type { TranscriptTurn } from './transcript.ts'

const bar_px = 2
const gap_px = 1
/** A bar is at least this high, so that silence is a line. */
const bar_height_min_px = 1
/** An arrow key moves the time by this much. */
const step_ms = 5_000
/** The height of a turn while there are no peaks. */
const turn_level = 0.4

interface WaveformProps {
  /** The peaks of both tracks. Without them, the waveform shows who spoke when. */
  peaks: Peaks[] | null
  turns: TranscriptTurn[]
  duration_ms: number
  time_ms: number
  onSeek: (time_ms: number) => void
}

/** Draws both tracks of a recording: the contact above, the agent below. A click or the arrow keys seek. */
export function Waveform({ peaks, turns, duration_ms, time_ms, onSeek }: WaveformProps) {
  const { ref: frame, width, height } = useElementSize<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const color_scheme = useComputedColorScheme()
  const levels = peaks ?? tracks.map((track) => levelsOf(turns, track, duration_ms))
  // biome-ignore lint/correctness/useExhaustiveDependencies: `levels` follows from the others
  useEffect(() => {
    if (canvas.current && width > 0) draw(canvas.current, { width, height, levels, played: time_ms / duration_ms })
  }, [peaks, turns, duration_ms, time_ms, width, height, color_scheme])
  const onKeyDown = (event: KeyboardEvent) => {
    const by_ms = { ArrowLeft: -step_ms, ArrowDown: -step_ms, ArrowRight: step_ms, ArrowUp: step_ms }[event.key]
    if (by_ms === undefined) return
    event.preventDefault()
    onSeek(Math.min(Math.max(0, time_ms + by_ms), duration_ms))
  }
  return (
    <div className={styles.waveform} ref={frame}>
      <canvas ref={canvas} />
      <input
        type="range"
        aria-label="Position"
        aria-valuetext={`${formatDuration(time_ms)} of ${formatDuration(duration_ms)}`}
        min={0}
        max={duration_ms}
        step={10}
        value={Math.round(time_ms)}
        onChange={({ currentTarget }) => onSeek(Number(currentTarget.value))}
        onKeyDown={onKeyDown}
      />
    </div>
  )
}

const level_count = 400

/** Makes levels from the transcript, which show who spoke when. */
function levelsOf(turns: TranscriptTurn[], track: (typeof tracks)[number], duration_ms: number): Peaks {
  const own = turns.filter(({ role }) => (role === 'contact') === (track === 'contact') && role !== 'system')
  return Array.from({ length: level_count }, (_, index) => {
    const time_ms = ((index + 0.5) / level_count) * duration_ms
    const is_speaking = own.some(
      ({ start_ms, end_ms }) => start_ms !== null && end_ms !== null && start_ms <= time_ms && time_ms < end_ms,
    )
    return is_speaking ? turn_level : 0
  })
}

interface Drawing {
  width: number
  height: number
  levels: Peaks[]
  /** The part that has been played, from 0 to 1. */
  played: number
}

function draw(canvas: HTMLCanvasElement, { width, height, levels, played }: Drawing): void {
  const context = canvas.getContext('2d')
  if (!context) return
  const scale = devicePixelRatio
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  context.scale(scale, scale)
  const style = getComputedStyle(canvas)
  const track_height = height / levels.length
  const bars = Math.floor(width / (bar_px + gap_px))
  for (const [track, peaks] of levels.entries()) {
    const middle = track_height * (track + 0.5)
    for (let bar = 0; bar < bars; bar += 1) {
      const peak = loudest(peaks, bar / bars, (bar + 1) / bars)
      const bar_height = Math.max(bar_height_min_px, peak * (track_height - 2))
      const is_played = bar / bars < played
      context.fillStyle = style.getPropertyValue(is_played ? `--${tracks[track]}` : `--${tracks[track]}-rest`)
      context.fillRect(bar * (bar_px + gap_px), middle - bar_height / 2, bar_px, bar_height)
    }
  }
}

function loudest(peaks: Peaks, from: number, to: number): number {
  const start = Math.floor(from * peaks.length)
  return Math.max(...peaks.slice(start, Math.max(start + 1, Math.floor(to * peaks.length))))
}
