import { readSamples } from '../../kit/sound/wav.ts'
import type { Speaking } from '../../models/speech.ts'
import type { Resampler } from '../resampler.ts'
import { type Clip, openClipSound, readClipSound } from './clip.ts'

interface SpeakOptions {
  /** The sample rate of the wire. */
  rate: number
  openResampler: (from_rate: number) => Resampler
  abortSignal: AbortSignal
  /** Called when there is more sound, and not all yet. */
  onProgress: () => void
}

/** Has the voice speak the words of the clip. Sound that streams is in the clip while it comes. Nothing changes after an abort. */
export async function speakClip(clip: Clip, speaking: Speaking, options: SpeakOptions): Promise<void> {
  const { rate, openResampler, abortSignal, onProgress } = options
  const { model, voice, speed, language } = speaking
  const settings = { ...(voice && { voice }), ...(speed && { speed }), ...(language && { language }), abortSignal }
  const { text } = clip
  if (text === '') {
    clip.is_over = true
    return
  }
  if (!model.doStream) {
    const result = await model.doGenerate({ text, outputFormat: 'wav', ...settings })
    const sound = readClipSound(result, { text, rate, openResampler })
    if (!abortSignal.aborted) clip.sound = sound
    return
  }
  const { sound, push, end } = openClipSound({ text, rate, openResampler })
  const { stream } = await model.doStream({ text: ReadableStream.from([{ type: 'text', text } as const]), ...settings })
  for await (const part of stream) {
    if (abortSignal.aborted) return
    if (part.type === 'error') throw part.error
    if (part.type !== 'audio') continue
    const bytes = typeof part.audio === 'string' ? Buffer.from(part.audio, 'base64') : part.audio
    push(readSamples(bytes), part.audioFormat.rate ?? rate)
    if (sound.samples.length > 0) clip.sound = sound
    onProgress()
  }
  if (abortSignal.aborted) return
  end()
  clip.sound = sound
}
