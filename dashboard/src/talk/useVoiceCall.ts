import { useEffect, useRef, useState } from 'react'
import type * as voice from '../../../voice/src/types.ts'
import { toUrl } from '../kit/request.ts'

/** Keeps more words than anyone reads; a call can last for hours. */
const words_max = 500

/** Loads the module that customers' pages import. */
const loadVoice = (): Promise<typeof voice> => import(/* @vite-ignore */ toUrl('/voice.js'))

export interface VoiceView {
  state: voice.VoiceState | 'idle'
  words: voice.Words[]
  latency_ms: number | undefined
  is_muted: boolean
  error: voice.VoiceError | undefined
  end_reason: string | undefined
  /** The id of the call, which stays after its end. */
  call_id: string | undefined
  call: voice.VoiceCall | undefined
  begin: (options: voice.ConnectOptions) => Promise<void>
  setMuted: (is_muted: boolean) => void
}

const idle = { state: 'idle', words: [], latency_ms: undefined, error: undefined, end_reason: undefined } as const

type ShownCall = Pick<VoiceView, 'state' | 'words' | 'latency_ms' | 'error' | 'end_reason'>

/** Makes calls from this page. A call ends when the component goes. */
export function useVoiceCall(): VoiceView {
  const [shown, setShown] = useState<ShownCall>({ ...idle, words: [] })
  const [call, setCall] = useState<voice.VoiceCall>()
  const [is_muted, setIsMuted] = useState(false)
  const current = useRef<voice.VoiceCall>(undefined)
  useEffect(() => {
    // The module is loaded before the click, because browsers forget a click that was long ago.
    loadVoice().catch(() => {})
    return () => current.current?.hangUp()
  }, [])
  const change = (changed: Partial<ShownCall>) => setShown((before) => ({ ...before, ...changed }))
  const begin = async (options: voice.ConnectOptions) => {
    const { connect } = await loadVoice()
    const begun = connect(options)
    current.current = begun
    setCall(begun)
    setIsMuted(false)
    setShown({ ...idle, state: 'connecting', words: [] })
    begun.on('state', (state) => change({ state, end_reason: begun.end_reason }))
    begun.on('error', (error) => change({ error }))
    begun.on('latency', (latency_ms) => change({ latency_ms }))
    begun.on('words', (said) => setShown((before) => ({ ...before, words: addWords(before.words, said) })))
  }
  const setMuted = (next: boolean) => {
    if (next) call?.mute()
    else call?.unmute()
    setIsMuted(next)
  }
  return { ...shown, call, call_id: call?.call_id, is_muted, begin, setMuted }
}

/** Adds words. Words that are not final are replaced by the next ones of the same role. */
function addWords(before: voice.Words[], said: voice.Words): voice.Words[] {
  const index = before.findLastIndex(({ role, is_final }) => role === said.role && !is_final)
  return index < 0 ? [...before, said].slice(-words_max) : before.with(index, said)
}
