import wavefile from 'wavefile'
import { openOfflineSpeech } from '../../server/audio/offline-speech.ts'
import { openLog } from '../../server/kit/log.ts'
import { settleTime } from '../../server/talk/turn-taking.ts'
import { toWav, withSilence } from '../../test/support/ears.ts'
import { loud_above } from '../../test/support/sounds.ts'
import { speech_folder } from '../../test/support/speech.ts'
import { alternate, timed } from '../comparison.ts'

/** How long each stage of an answer to this sentence takes when nothing else runs. */
export interface Stages {
  sound: Int16Array
  /** The agent waits this long after the last sound, in case there is more. */
  wait_ms: number
  recognise_ms: number
  /** From the request to the first sound. */
  voice_ms: number
}

const samples = 3

export async function measureStages(sounds: Int16Array[], reply: string): Promise<Stages[]> {
  const speech = openOfflineSpeech({ folder: speech_folder, log: openLog('error') })
  try {
    const { model: recogniser } = speech.listening()
    const { model: speaker, voice } = speech.speaking('slt')
    const [first_sentence = reply] = /^.*?[.!?]/.exec(reply) ?? []
    const speak = () =>
      speaker.doGenerate({ text: first_sentence, outputFormat: 'wav', ...(voice !== undefined && { voice }) })
    const { audio } = await speak()
    const lead_ms = silenceBefore(audio)
    const stages: Stages[] = []
    for (const sound of sounds) {
      const request = { audio: toWav(withSilence(sound)), mediaType: 'audio/wav' }
      const { text } = await recogniser.doGenerate(request)
      const [recognise_ms = 0, speak_ms = 0] = await alternate(
        samples,
        () => timed(async () => recogniser.doGenerate(request)),
        () => timed(async () => speak()),
      )
      stages.push({ sound, wait_ms: settleTime(text), recognise_ms, voice_ms: speak_ms + lead_ms })
    }
    return stages
  } finally {
    await speech.close()
  }
}

function silenceBefore(audio: Uint8Array | string): number {
  const wav = new wavefile.WaveFile(typeof audio === 'string' ? Buffer.from(audio, 'base64') : audio)
  const made = wav.getSamples(true, Int16Array)
  const start = made.findIndex((sample) => Math.abs(sample) > loud_above)
  return (start * 1_000) / Object(wav.fmt).sampleRate
}
