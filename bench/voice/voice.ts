import { randomBytes } from 'node:crypto'
import { sentences } from '../../test/support/sounds.ts'
import { ensureSpeech, speech_folder } from '../../test/support/speech.ts'
import { type VoiceApi, voiceApi } from '../../test/support/voice-calls.ts'
import { type Comparison, formatRow, headerLine } from '../comparison.ts'
import { openDatabase } from '../database.ts'
import { addTenant } from '../fill.ts'
import { residentMegabytes } from '../memory.ts'
import { startServer } from '../processes.ts'
import { measureStages, type Stages } from './stages.ts'
import { measureTurns, type Turns } from './turns.ts'

const texts = [
  'Yes, please.',
  'I would like to make an appointment.',
  'My order has not arrived yet.',
  'Could you tell me your opening hours?',
  'No, thank you.',
  'That sounds good to me.',
  'I have a question about my invoice.',
  'Please call me back this evening.',
]
const reply = 'Good, I have noted that. What else can I do for you?'
const turns_alone = 12
const calls_together = 6
const turns_together = 8
const alone_max_ms = { p50: 1_000, p95: 1_500 }
const together_max_ms = { p95: 2_000 }
/** After the end of speech, by the table of turn taking. Other sentences have longer waits. */
const waits_ms = [300, 600]

export interface Talked {
  table: Comparison[]
  ran_dry: number
  memory_megabytes: number
}

const method = `On this machine, from one run. Parley is one process with offline speech; the people are in another one.
  turns      Someone says a sentence at the socket of a call, at 16 kHz, and an agent with a script answers. Measures the time from the last
             sound of the sentence to the first sound of the answer, as it is played: ${turns_alone} turns in one call, then ${turns_together} in each of
             ${calls_together} calls at once. Only sentences after which an agent waits ${waits_ms.join(' or ')} ms.
  beside     The sum of the stages, each alone: the wait by the table of turn taking, the recogniser on the same sound, the voice on the first
             sentence of the answer up to its first sound. The recogniser runs during the wait, so a turn can take less.
The target follows each figure.
`

/** Measures how soon an agent answers someone who talks to it. */
export async function talking(stack: AsyncDisposableStack, signal: AbortSignal): Promise<Talked> {
  console.log(method)
  await ensureSpeech()
  const sounds = await sentences(texts.map((text) => ({ text, voice: 'slt' })))
  const stages = (await measureStages(sounds, reply)).filter(({ wait_ms }) => waits_ms.includes(wait_ms))
  if (stages.length === 0) throw new Error('no sentence has a short wait')
  const { url, pool } = await openDatabase(stack)
  const server = await startServer(stack, 'bin/parley.mjs', ['serve'], {
    DATABASE_URL: url,
    PORT: '0',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_SECOND: '0',
    SPEECH_DIR: speech_folder,
    DRAIN_SECONDS: '0',
  })
  const tenant = await addTenant(pool, 'Voice')
  const api = voiceApi(() => `http://127.0.0.1:${server.port}`, tenant.token)
  console.log(`${headerLine()}`)
  const table: Comparison[] = []
  const add = (row: Comparison) => {
    table.push(row)
    console.log(formatRow(row))
  }
  const measure = (calls: number, turns: number) => measureAll(api, { calls, turns, stages, signal })
  // The first call loads the models.
  await measure(1, 1)
  const alone = await measure(1, turns_alone)
  const beside = stages.map(({ wait_ms, recognise_ms, voice_ms }) => wait_ms + recognise_ms + voice_ms)
  add(row('one call, median in ms', { ours: at(alone.waits_ms, 0.5), beside: at(beside, 0.5) }, alone_max_ms.p50))
  add(row('one call, 95 % in ms', { ours: at(alone.waits_ms, 0.95), beside: at(beside, 0.95) }, alone_max_ms.p95))
  const together = await measure(calls_together, turns_together)
  const name = `${calls_together} calls at once`
  add(row(`${name}, 95 % in ms`, { ours: at(together.waits_ms, 0.95), beside: at(beside, 0.95) }, together_max_ms.p95))
  const list = (name: keyof Stages) =>
    `${at(
      stages.map((one) => Number(one[name])),
      0.5,
    ).toFixed()} ms`
  console.log(
    `\nThe stages alone, median: wait ${list('wait_ms')}, recogniser ${list('recognise_ms')}, voice ${list('voice_ms')}.`,
  )
  console.log(`With ${name} the median is ${at(together.waits_ms, 0.5).toFixed()} ms.`)
  const ran_dry = alone.ran_dry + together.ran_dry
  const replies = alone.waits_ms.length + together.waits_ms.length
  console.log(
    `Answers in which someone's buffer ran dry: ${ran_dry} of ${replies} (target: none, ${verdict(ran_dry === 0)}).`,
  )
  const memory_megabytes = residentMegabytes(server.pid)
  console.log(`Peak resident memory of Parley, without the process that hears: ${Math.round(memory_megabytes)} MB.`)
  return { table, ran_dry, memory_megabytes }
}

interface Measuring {
  calls: number
  turns: number
  stages: Stages[]
  signal: AbortSignal
}

async function measureAll(api: VoiceApi, { calls, turns, stages, signal }: Measuring): Promise<Turns> {
  const agent_id = await api.addAgent({ start: 'talk', nodes: { talk: { say: reply, else: { go: 'talk' } } } })
  const sounds = stages.map(({ sound }) => sound)
  const all = await Promise.all(
    Array.from({ length: calls }, (_, first) => measureTurns(api, { agent_id, sounds, first, turns, signal })),
  )
  return { waits_ms: all.flatMap((one) => one.waits_ms), ran_dry: all.reduce((sum, one) => sum + one.ran_dry, 0) }
}

function row(name: string, { ours, beside }: { ours: number; beside: number }, max_ms: number): Comparison {
  const target = `below ${max_ms.toLocaleString('en')} ms`
  return { name, ours, beside, ratio: ours / beside, target, is_met: ours < max_ms }
}

const at = (values: number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0

const verdict = (is_met: boolean): string => (is_met ? 'met' : 'missed')
