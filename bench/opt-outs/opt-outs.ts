import fs from 'node:fs'
import { readPhrases } from '../../server/consent/spoken.ts'
import { askingOf } from '../../server/consent/written.ts'
import { languages } from '../../server/languages/languages.ts'
import { alternate, type Comparison, formatRow, headerLine } from '../comparison.ts'

const samples = 9
const start_max_ms = 250
const rate_min = 15_000
const slowest_max_ms = 5
/** Of the time for a text of half the length. It would be 4, if each word were compared with each other. */
const growth_max = 3
/** Longer texts are not read as a whole. */
const long = 1_999
const slow_texts = 20

const method = `In the processor time of this process, from one run, with the sentences of test/languages/opt-outs in all languages.
  start      Reads the phrases, once.
  rate       Messages a second, once all patterns are compiled, beside JSON.parse of the same messages. Median of ${samples}; they take turns.
  slowest    In ms, of each of these sentences and of its first words, repeated for ${long} characters, beside the same text with half the
             length.
The target follows each figure.
`

interface Said {
  opt_outs: string[]
  asks: string[]
  others: string[]
  reminders: string[]
}

/** Measures how fast messages are read that may be opt-outs. */
export async function reading(_: AsyncDisposableStack, signal: AbortSignal): Promise<{ table: Comparison[] }> {
  console.log(method)
  const start_ms = cpuMs(readPhrases)
  const said = languages.map(({ tag }) => readSaid(tag))
  const ordinary = said.flatMap(({ others, reminders }) => [...others, ...reminders])
  const meant = said.flatMap(({ opt_outs, asks }) => [...opt_outs, ...asks])
  const start = { name: 'start in ms', ours: start_ms, beside: start_max_ms, ratio: start_ms / start_max_ms }
  const table = [
    { ...start, target: `below ${start_max_ms} ms`, is_met: start_ms < start_max_ms },
    await rateOf('ordinary messages a second', ordinary, signal),
    await rateOf('opt-outs a second', meant, signal),
    await slowestOf([...ordinary, ...meant], signal),
  ]
  console.log(headerLine())
  for (const row of table) console.log(formatRow(row))
  return { table }
}

function readSaid(tag: string): Said {
  const file = new URL(`../../test/languages/opt-outs/${tag}.json`, import.meta.url)
  return JSON.parse(fs.readFileSync(file, 'utf8'))
}

const ask = (text: string): void => void askingOf(text, { by_sms: true })

async function rateOf(name: string, texts: string[], signal: AbortSignal): Promise<Comparison> {
  const bodies = texts.map((text) => JSON.stringify({ text }))
  const [ours = 0, beside = 0] = await alternate(
    samples,
    async () => perSecond(texts, ask, signal),
    async () => perSecond(bodies, JSON.parse, signal),
  )
  return { name, ours, beside, ratio: ours / beside, target: `at least ${rate_min}`, is_met: ours >= rate_min }
}

function perSecond(texts: string[], read: (text: string) => void, signal: AbortSignal): number {
  signal.throwIfAborted()
  const ms = cpuMs(() => {
    for (const text of texts) read(text)
  })
  return (texts.length / ms) * 1000
}

async function slowestOf(sentences: string[], signal: AbortSignal): Promise<Comparison> {
  const timed = sentences.flatMap(beginningsOf).map((words) => {
    signal.throwIfAborted()
    const text = repeated(words, long)
    ask(text)
    return { words, ms: Math.min(...[1, 2, 3].map(() => cpuMs(() => ask(text)))) }
  })
  const slow = timed.sort((one, other) => other.ms - one.ms).slice(0, slow_texts)
  const rows: Comparison[] = []
  for (const { words } of slow) {
    const texts = [repeated(words, long), repeated(words, long / 2)]
    const [ours = 0, beside = 0] = await alternate(samples, ...texts.map((text) => async () => cpuMs(() => ask(text))))
    const ratio = ours / beside
    const is_met = ours < slowest_max_ms && ratio <= growth_max
    const target = `below ${slowest_max_ms} ms, at most ${growth_max}`
    rows.push({ name: `slowest in ms: ${words.slice(0, 25)}`, ours, beside, ratio, target, is_met })
  }
  const worst = rows.find(({ is_met }) => !is_met) ?? rows.sort((one, other) => other.ours - one.ours)[0]
  if (!worst) throw new Error('there are no sentences')
  return worst
}

/** As one sentence, the text and its first words. */
function beginningsOf(text: string): string[] {
  const words = text.split(/[\s.,!?。、！？،؟।]+/u).filter((word) => word !== '')
  return [...new Set([words.length, Math.ceil(words.length / 2), 1])].map((count) => words.slice(0, count).join(' '))
}

const repeated = (words: string, length: number): string => `${words} `.repeat(length).slice(0, length)

function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
