import { type RefObject, useEffect, useRef, useState } from 'react'
import { showErrorMessage } from '../kit/toast.ts'
import { openTracks, type Track, type Tracks } from './tracks.ts'

/** The time is read this often while the recording plays. */
const tick_ms = 50

export interface Player {
  audio: RefObject<HTMLAudioElement | null>
  time_ms: number
  is_playing: boolean
  /** Whether someone has begun to play. The recording is not requested before. */
  is_wanted: boolean
  muted: Track[]
  toggle: () => void
  /** Moves to a time. With `then_play` it also begins to play. */
  seek: (time_ms: number, then_play?: boolean) => void
  setSpeed: (speed: number) => void
  toggleMuted: (track: Track) => void
  /** Plays from the chosen time, once the audio element has a source. */
  begin: () => void
  /** The audio element gets these. */
  handlers: { onPlay: () => void; onPause: () => void; onSeeked: () => void }
}

/** Controls an audio element, which gets its source when someone wants to play. */
export function usePlayer(): Player {
  const audio = useRef<HTMLAudioElement>(null)
  const tracks = useRef<Tracks>(undefined)
  const [time_ms, setTime] = useState(0)
  const [is_playing, setPlaying] = useState(false)
  const [is_wanted, setWanted] = useState(false)
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
    setWanted(true)
    if (!audio.current?.src) return
    audio.current.play().catch(({ name }: Error) => {
      // A browser may refuse to play without another click, because the first one was before the recording was loaded.
      if (name !== 'AbortError' && name !== 'NotAllowedError') showErrorMessage('The recording couldn’t be played.')
    })
  }
  return {
    audio,
    time_ms,
    is_playing,
    is_wanted,
    muted,
    toggle: () => (audio.current?.paused ? play() : audio.current?.pause()),
    seek: (to_ms, then_play = false) => {
      if (!audio.current) return
      audio.current.currentTime = to_ms / 1000
      setTime(to_ms)
      if (then_play && audio.current.paused) play()
    },
    setSpeed: (speed) => {
      if (!audio.current) return
      audio.current.playbackRate = speed
      // This sets the speed of a source that is loaded later.
      audio.current.defaultPlaybackRate = speed
    },
    toggleMuted: (track) => {
      if (!audio.current) return
      const next = muted.includes(track) ? muted.filter((one) => one !== track) : [...muted, track]
      tracks.current ??= openTracks(audio.current)
      tracks.current.mute(next)
      setMuted(next)
    },
    begin: () => {
      if (!audio.current) return
      audio.current.currentTime = time_ms / 1000
      play()
    },
    handlers: {
      onPlay: () => setPlaying(true),
      onPause: () => {
        setPlaying(false)
        read()
      },
      onSeeked: read,
    },
  }
}
