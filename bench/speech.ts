/**
 * Measures offline speech alone: node bin/run.mjs bench/speech.ts [answers]. With "answers" it also counts how many of the spoken
 * answers are understood in quiet and noisy rooms, which takes minutes.
 */
import { execFileSync } from 'node:child_process'
import { type OfflineSpeech, openOfflineSpeech } from '../server/audio/offline-speech.ts'
import { openLog } from '../server/kit/log.ts'
import { writeWav } from '../server/kit/sound/wav.ts'
import { microphone_rate, type Room, sentence } from '../test/support/microphone.ts'
import { closeShared } from '../test/support/shared.ts'
import { ensureSpeech, speech_folder } from '../test/support/speech.ts'
import { plainWords, spoken_answers } from '../test/support/spoken-answers.ts'

const frame_samples = 512
const frame_ms = (1_000 * frame_samples) / microphone_rate
const calls = 6
/** The agent's voice is slt, unless its configuration says otherwise. */
const voices = ['kal16', 'rms', 'awb']
const rooms: Record<string, Room> = {
  quiet: {},
  'white noise, 20 dB': { noise_db: 20 },
  'white noise, 10 dB': { noise_db: 10 },
  'white noise, 5 dB': { noise_db: 5 },
  'voices, 20 dB': { noise_db: 20, noise: 'babble' },
  'voices, 10 dB': { noise_db: 10, noise: 'babble' },
  'voices, 5 dB': { noise_db: 5, noise: 'babble' },
}

const now = (): number => performance.now()
const print = (name: string, value: string | number, unit = 'ms') =>
  console.log(`${name.padEnd(44)} ${typeof value === 'number' ? value.toFixed(1) : value} ${unit}`)

function percentile(values: number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0
}

async function time(work: () => PromiseLike<unknown>): Promise<number> {
  const began = now()
  await work()
  return now() - began
}

const frameOf = (samples: Int16Array, start: number): Float32Array =>
  Float32Array.from({ length: frame_samples }, (_, index) => (samples[(start + index) % samples.length] ?? 0) / 32_768)

const recognise = (speech: OfflineSpeech, samples: Int16Array) => {
  const audio = writeWav(samples, microphone_rate)
  return speech.listening().model.doGenerate({ audio, mediaType: 'audio/wav' })
}

async function measureAlone(speech: OfflineSpeech): Promise<void> {
  const short = await sentence('Yes, tomorrow at nine.')
  const long = await sentence('I would like a table for two tomorrow at nine, under the name of Johnson.')
  const detector = speech.openDetector()
  print('start of the process, to the first frame', await time(() => detector.hear(frameOf(short, 0))))
  print('and to the first phrase', await time(() => recognise(speech, short)))
  const frames: number[] = []
  for (let start = 0; start < 500 * frame_samples; start += frame_samples)
    frames.push(await time(() => detector.hear(frameOf(long, start))))
  detector.close()
  print('detector, a frame of 32 ms, median', percentile(frames, 0.5))
  for (const samples of [short, long]) {
    const times: number[] = []
    for (let count = 0; count < 5; count += 1) times.push(await time(() => recognise(speech, samples)))
    print(`recogniser, ${(samples.length / microphone_rate).toFixed(1)} s of sound, median`, percentile(times, 0.5))
  }
  for (const voice of ['slt', 'kal']) {
    const { model } = speech.speaking(voice)
    const times: number[] = []
    for (let count = 0; count < 5; count += 1)
      times.push(await time(() => model.doGenerate({ text: 'We are open from nine to six.', voice })))
    print(`voice ${voice}, "We are open from nine to six.", median`, percentile(times, 0.5))
  }
  print('memory of the process that hears', readMemory(), 'MB')
}

/** Six calls send frames in real time, and each recognises a phrase every three seconds. */
async function measureTogether(speech: OfflineSpeech): Promise<void> {
  const samples = await sentence('I want to cancel my appointment.')
  const lags: number[] = []
  const phrases: number[] = []
  const began = now()
  const talk = async (call: number) => {
    const detector = speech.openDetector()
    const listening = speech.listening()
    const recognising: Promise<unknown>[] = []
    for (let frame = 0; frame < 300; frame += 1) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, began + frame * frame_ms - now())))
      const sent = now()
      void detector.hear(frameOf(samples, frame * frame_samples)).then(() => lags.push(now() - sent))
      if (frame % 94 !== call * 10) continue
      const audio = writeWav(samples, microphone_rate)
      const phrase = time(() => listening.model.doGenerate({ audio, mediaType: 'audio/wav' }))
      recognising.push(phrase.then((took) => phrases.push(took)))
    }
    await Promise.all(recognising)
    detector.close()
  }
  await Promise.all(Array.from({ length: calls }, (_, call) => talk(call)))
  print(`${calls} calls: a frame, p50`, percentile(lags, 0.5))
  print(`${calls} calls: a frame, p99`, percentile(lags, 0.99))
  print(`${calls} calls: a phrase, p50`, percentile(phrases, 0.5))
  print(`${calls} calls: a phrase, p95`, percentile(phrases, 0.95))
}

function readMemory(): string {
  const lines = execFileSync('ps', ['-eo', 'ppid=,rss=,args='], { encoding: 'utf8' }).split('\n')
  const own = lines.find((line) => line.includes('hearing-process.ts') && Number.parseInt(line, 10) === process.pid)
  return (Number(own?.trim().split(/\s+/)[1] ?? 0) / 1_000).toFixed(0)
}

async function countAnswers(speech: OfflineSpeech): Promise<void> {
  for (const [name, room] of Object.entries(rooms)) {
    const wrong: string[] = []
    for (const [index, { text, right }] of spoken_answers.entries()) {
      const voice = voices[index % voices.length] ?? ''
      const heard = await recognise(speech, await sentence(text, { voice, ...room }))
      if (!right.test(plainWords(heard.text))) wrong.push(`${voice}: ${text} -> ${heard.text}`)
    }
    const count = spoken_answers.length
    print(name, `${count - wrong.length} of ${count}`, 'answers right')
    if (process.argv.includes('--wrong')) console.log(wrong.map((line) => `    ${line}`).join('\n'))
  }
}

await ensureSpeech()
const speech = openOfflineSpeech({ folder: speech_folder, log: openLog('warn') })
await measureAlone(speech)
await measureTogether(speech)
if (process.argv.includes('answers')) await countAnswers(speech)
await speech.close()
await closeShared()
