import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openOfflineSpeech } from '../../server/audio/offline-speech.ts'
import { openLog } from '../../server/kit/log.ts'
import { readWav, writeWav } from '../../server/kit/sound/wav.ts'
import { microphone_rate, sentence } from '../support/microphone.ts'
import { until } from '../support/model-servers.ts'
import { requireSpeech, speech_folder } from '../support/speech.ts'
import { plainWords } from '../support/spoken-answers.ts'

requireSpeech()
const speech = openOfflineSpeech({ folder: speech_folder, log: openLog('silent') })
after(() => speech.close())

const frame_samples = 512

async function hearAll(samples: Int16Array): Promise<number[]> {
  const detector = speech.openDetector()
  const heard: number[] = []
  for (let start = 0; start + frame_samples <= samples.length; start += frame_samples)
    heard.push(await detector.hear(Float32Array.from(samples.subarray(start, start + frame_samples), toFloat)))
  detector.close()
  return heard
}

const toFloat = (sample: number) => sample / 32_768

const recognise = async (samples: Int16Array, options: { signal?: AbortSignal; rate?: number } = {}) => {
  const { signal, rate = microphone_rate } = options
  const audio = writeWav(samples, rate)
  const { model } = speech.listening()
  return model.doGenerate({ audio, mediaType: 'audio/wav', ...(signal && { abortSignal: signal }) })
}

test('what a voice says is recognised', async () => {
  const { text, language, durationInSeconds } = await recognise(await sentence('I want to cancel my appointment.'))
  assert.equal(plainWords(text), 'i want to cancel my appointment')
  assert.equal(language, 'en')
  assert.ok(Number(durationInSeconds) > 2)
})

test('what hears reports nothing to anyone', async () => {
  await recognise(await sentence('Yes.'))
  const [pid] = hearingProcesses()
  assert.ok(pid)
  // The runtime's telemetry begins with this file.
  assert.ok(!fs.existsSync(path.join(os.tmpdir(), `mat-debug-${pid}.log`)))
})

test('short answers in noise are recognised', async () => {
  for (const [answer, voice] of [
    ['No, thank you.', 'kal16'],
    ['Tomorrow at nine.', 'slt'],
  ] as const) {
    const { text } = await recognise(await sentence(answer, { voice, noise_db: 20 }))
    assert.equal(plainWords(text), plainWords(answer))
  }
})

test('sound of 8 kHz is recognised too', async () => {
  const samples = await sentence('Can I speak to a person?', { voice: 'kal16' })
  const half = samples.filter((_, index) => index % 2 === 0)
  const { text } = await recognise(half, { rate: microphone_rate / 2 })
  assert.match(plainWords(text), /speak to a person/)
})

test('the detector hears speech and no noise', async () => {
  const spoken = await hearAll(await sentence('Yes, please.', { before_ms: 600, after_ms: 0 }))
  assert.ok(Math.max(...spoken.slice(0, 12)) < 0.3, `before: ${spoken.slice(0, 12)}`)
  assert.ok(spoken.filter((probability) => probability > 0.5).length > 15, `speech: ${spoken}`)
})

test('a recognition that is aborted rejects, and the next one works', async () => {
  const samples = await sentence('I have a question about my order.')
  const stop = new AbortController()
  const aborted = recognise(samples, { signal: stop.signal })
  setImmediate(() => stop.abort(new Error('no longer needed')))
  await assert.rejects(aborted, /no longer needed/)
  assert.match(plainWords((await recognise(samples)).text), /my order/)
})

test('a call can not ask for more than a few phrases at once, and others get their turn', async () => {
  const samples = await sentence('Yes.')
  const audio = writeWav(samples, microphone_rate)
  const { model } = speech.listening()
  const many = await Promise.allSettled(
    Array.from({ length: 8 }, () => model.doGenerate({ audio, mediaType: 'audio/wav' })),
  )
  assert.equal(many.filter(({ status }) => status === 'rejected').length, 4)
  assert.match((await recognise(samples)).text, /yes/i)
})

test('requests in flight reject when the process crashes, and the next one waits for a new process', async () => {
  const samples = await sentence('I have a question about my order.')
  await recognise(samples)
  const in_flight = recognise(samples)
  await new Promise(setImmediate)
  for (const pid of hearingProcesses()) process.kill(pid, 'SIGKILL')
  await assert.rejects(in_flight, /crashed/)
  assert.match(plainWords((await recognise(samples)).text), /my order/)
})

test('a process that hangs is ended, also when nobody waits for its words any more', async () => {
  const samples = await sentence('I have a question about my order.')
  await recognise(samples)
  const [pid] = hearingProcesses()
  assert.ok(pid)
  process.kill(pid, 'SIGSTOP')
  const stop = new AbortController()
  const hanging = recognise(samples, { signal: stop.signal })
  setImmediate(() => stop.abort(new Error('no longer needed')))
  await assert.rejects(hanging, /no longer needed/)
  await until(async () => {
    await sleep(50)
    return !isRunning(pid)
  })
  assert.match(plainWords((await recognise(samples)).text), /my order/)
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The processes that hear, of this one. */
const hearingProcesses = (): number[] =>
  execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...words]) => Number(parent) === process.pid && words.join(' ').includes('hearing-process.ts'))
    .map(([pid]) => Number(pid))

test('a voice gives the times of its words', async () => {
  const text = 'Your table for 2 is booked tomorrow at 9:30, okay?'
  const { model, voice = '' } = speech.speaking(null)
  const { audio, providerMetadata } = await model.doGenerate({ text, voice, outputFormat: 'wav' })
  assert.ok(audio instanceof Uint8Array)
  const { samples, sample_rate } = readWav(audio)
  const length_ms = (1_000 * samples.length) / sample_rate
  // This is what the interface of speech.ts says.
  const words = providerMetadata?.offline?.words as { text: string; start_ms: number; end_ms: number }[]
  assert.equal(words.map((word) => word.text).join(' '), text)
  let last_ms = 0
  for (const { start_ms, end_ms } of words) {
    assert.ok(start_ms >= last_ms && end_ms > start_ms && end_ms <= length_ms, JSON.stringify(words))
    last_ms = end_ms
  }
  assert.ok((words[0]?.start_ms ?? 1_000) < 50, 'it begins at once')
  // What is cut at a word's end is heard as the words until then.
  const cut = words.findIndex((word) => word.text === 'tomorrow')
  const heard = samples.slice(0, ((words[cut]?.end_ms ?? 0) * sample_rate) / 1_000)
  assert.match(plainWords((await recognise(heard, { rate: sample_rate })).text), /booked to ?morrow$/)
})

test('a voice speaks faster, and a long text', async () => {
  const { model } = speech.speaking('kal')
  const lengthOf = async (text: string, speed?: number) => {
    const { audio } = await model.doGenerate({ text, voice: 'kal', ...(speed && { speed }) })
    assert.ok(audio instanceof Uint8Array)
    return readWav(audio).samples.length
  }
  const text = 'Thank you for calling, how can I help you?'
  const natural = await lengthOf(text)
  assert.ok((await lengthOf(text, 2)) < 0.65 * natural)
  assert.ok((await lengthOf(`${text} `.repeat(12))) > 10 * natural)
})

test('a text without words, or in other letters, gives silence and no error', async () => {
  const { model } = speech.speaking('kal')
  for (const text of ['', ' … ', '👍', '你好']) {
    const { audio } = await model.doGenerate({ text, voice: 'kal' })
    assert.ok(audio instanceof Uint8Array, text)
  }
})

test('without an install it speaks, hears loudness, and does not recognise', async () => {
  const missing = openOfflineSpeech({ folder: '/nowhere/speech', log: openLog('silent') })
  assert.equal(missing.isInstalled(), false)
  assert.throws(() => missing.listening(), /not installed/)
  const samples = await sentence('Yes, please.', { before_ms: 600, noise_db: 30 })
  const detector = missing.openDetector()
  const heard: number[] = []
  for (let start = 0; start + frame_samples <= samples.length; start += frame_samples)
    heard.push(await detector.hear(Float32Array.from(samples.subarray(start, start + frame_samples), toFloat)))
  assert.ok(Math.max(...heard.slice(8, 16)) < 0.5, `${heard}`)
  assert.ok(heard.filter((probability) => probability > 0.5).length > 10, `${heard}`)
  await missing.close()
  await missing.close()
})

test('after a close nothing is said any more, not even what waited', async () => {
  const closed = openOfflineSpeech({ folder: '/nowhere/speech', log: openLog('silent') })
  const { model } = closed.speaking('kal')
  const say = async (text: string) => model.doGenerate({ text, voice: 'kal' })
  await say('Hello.')
  const waiting = ['One.', 'Two.', 'Three.'].map(say)
  const results = Promise.allSettled(waiting)
  await new Promise(setImmediate)
  await closed.close()
  for (const { status } of await results) assert.equal(status, 'rejected')
  closed.prepare()
  await assert.rejects(say('Four.'), /closed/)
})
