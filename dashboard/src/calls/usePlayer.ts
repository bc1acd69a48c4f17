import { type RefObject, useEffect, useRef, useState } from 'react'
import { showErrorMessage } from '../kit/toast.ts'
import { openTracks, type Track, type Tracks } from './tracks.ts'

/** How often the time is read while it plays. */
const tick_ms = 50

export interface Player {
  audio: RefObject<HTMLAudioElement | null>
  time_ms: number
  is_playing: boolean
  is_loaded: boolean
  muted: Track[]
  toggle: () => void
  /** With `then_play` it also begins to play. */
  seek: (time_ms: number, then_play?: boolean) => void
  setSpeed: (speed: number) => void
  toggleMuted: (track: Track) => void
  /** To be passed to the audio element. */
  handlers: { onPlay: () => void; onPause: () => void; onSeeked: () => void; onLoadedMetadata: () => void }
}

/** Controls an audio element. */
export function usePlayer(): Player {
  const audio = useRef<HTMLAudioElement>(null)
  const tracks = useRef<Tracks>(undefined)
  const [time_ms, setTime] = useState(0)
  const [is_playing, setPlaying] = useState(false)
  const [is_loaded, setLoaded] = useState(false)
  const [muted, setMuted] = useState<Track[]>([])
  const read = () => setTime((audio.current?.currentTime ?? 0) * 1000)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `read` only uses what never changes
  useEffect(() => {
    if (!is_playing) return
    const timer = setInterval(read, tick_ms)
    return () => clearInterval(timer)
  }, [is_playing])
  useEffect(() => () => void tracks.current?.close(), [])
  const play = () => {
    audio.current?.play().catch((error: Error) => {
      if (error.name !== 'AbortError') showErrorMessage('The recording couldn’t be played.')
    })
  }
  return {
    audio,
    time_ms,
    is_playing,
    is_loaded,
    muted,
    toggle: () => (audio.current?.paused ? play() : audio.current?.pause()),
    seek: (to_ms, then_play = false) => {
      if (!audio.current) return
      audio.current.currentTime = to_ms / 1000
      setTime(to_ms)
      if (then_play && audio.current.paused) play()
    },
    setSpeed: (speed) => {
      if (audio.current) audio.current.playbackRate = speed
    },
    toggleMuted: (track) => {
      if (!audio.current) return
      const next = muted.includes(track) ? muted.filter((one) => one !== track) : [...muted, track]
      tracks.current ??= openTracks(audio.current)
      tracks.current.mute(next)
      setMuted(next)
    },
    handlers: {
      onPlay: () => setPlaying(true),
      onPause: () => {
        setPlaying(false)
        read()
      },
      onSeeked: read,
      onLoadedMetadata: () => setLoaded(true),
    },
  }
}
