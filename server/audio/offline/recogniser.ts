import { heard_rate } from '../../kit/sound/rates.ts'
import { expected_words } from './expected-words.ts'
import { floats, loadOnnx, output, requireFrom, type Tensor, type Tensors } from './onnx.ts'
import { models } from './parts.ts'
import { highPass, normalize, reduceNoise } from './quiet.ts'

/** Recognises English speech with Moonshine tiny. */
export interface Recogniser {
  /** Recognises a phrase. An abort rejects with the signal's reason. */
  recognise: (phrase: Phrase, signal: AbortSignal) => Promise<string>
}

export interface Phrase {
  /** Samples at 16 kHz, from -1 to 1. */
  samples: Float32Array
  /** Set when others wait: then uncertain results are not searched more carefully. */
  is_hurried: boolean
}

const layers = 6
const heads = 8
const head_size = 36
const start_token = 1
const end_token = 2
/** The model was trained for six tokens a second; numbers and short words need more. */
const tokens_per_second = 7
const tokens_min = 6
/** How many beginnings of the text are followed at once in a careful search, which takes three times as long as a quick one. */
const careful_beams = 4
/** A quick search is nearly always right if the mean logarithm of its tokens' probabilities is above this. */
const sure = -0.4
/** What each token of an expected word adds in a careful search. */
const expected_bonus = 1
/** Expected tokens count if their logit is at most this much below the likeliest one's. */
const expected_below = 5
/**
 * Longer phrases are searched quickly only: they give the model enough context, and the careful search would take
 * seconds.
 */
const careful_max_samples = 8 * heard_rate

const past_names = Array.from({ length: layers }, (_, layer) => layer).flatMap((layer) =>
  ['decoder', 'encoder'].flatMap((side) => ['key', 'value'].map((kind) => `${layer}.${side}.${kind}`)),
)

interface Tokenizer {
  encode: (text: string, add_bos: boolean, add_space: boolean) => number[]
  decode: (tokens: number[], add_bos: boolean, add_space: boolean) => string
}

interface Search {
  beams: number
  /** The length of the phrase, in samples. */
  length: number
  signal: AbortSignal
}

/** A possible beginning of the text. */
interface Hypothesis {
  tokens: number[]
  /** The logarithm of the text's probability, and what expected words add to it. */
  score: number
  /** The expected word that the text may be in the middle of. `unearned` is taken back if it isn't. */
  word: Word
  unearned: number
}

/** The beginning of an expected word, with the tokens that may follow. */
interface Word {
  next: Map<number, Word>
  is_whole: boolean
}

export async function openRecogniser(folder: string): Promise<Recogniser> {
  const { Tensor, open } = loadOnnx(folder)
  const encoder = await open(models.encoder)
  const decoder = await open(models.decoder)
  const tokenizer_file = requireFrom(folder).resolve('llama-tokenizer-js')
  const { default: tokenizer } = (await import(tokenizer_file)) as { default: Tokenizer }
  const expected = newWord()
  for (const word of expected_words) addWord(expected, tokenizer.encode(word, false, true))
  const nothing_expected = newWord()

  /**
   * Recognises a phrase. In quiet rooms a quick search is enough. Phrases that it is unsure about are searched
   * carefully, with the background noise and with less of it: the more probable text of the two is right more often
   * than either.
   */
  async function recognise({ samples, is_hurried }: Phrase, signal: AbortSignal): Promise<string> {
    const filtered = highPass(samples)
    const quiet = await encode(normalize(reduceNoise(filtered)))
    const quick = await decode(quiet, { beams: 1, length: samples.length, signal })
    if (average(quick) >= sure || is_hurried || samples.length > careful_max_samples) return toText(quick)
    const careful = { beams: careful_beams, length: samples.length, signal }
    const first = await decode(quiet, careful)
    const second = await decode(await encode(normalize(filtered)), careful)
    return toText(average(first) >= average(second) ? first : second)
  }

  const toText = ({ tokens }: Hypothesis): string =>
    tokenizer
      .decode(
        tokens.filter((token) => token !== end_token),
        false,
        true,
      )
      .trim()

  async function encode(samples: Float32Array): Promise<Tensor> {
    const encoded = await encoder.run({ input_values: new Tensor('float32', samples, [1, samples.length]) })
    return output(encoded, 'last_hidden_state')
  }

  async function decode(hidden: Tensor, { beams, length, signal }: Search): Promise<Hypothesis> {
    const tokens_max = Math.max(tokens_min, Math.ceil((length / heard_rate) * tokens_per_second))
    const nothing = new Tensor('float32', new Float32Array(), [0, heads, 1, head_size])
    let past: Tensors = Object.fromEntries(past_names.map((name) => [name, nothing]))
    let hidden_of_all = hidden
    const words = beams > 1 ? expected : nothing_expected
    let open_ones: Hypothesis[] = [{ tokens: [], score: 0, word: words, unearned: 0 }]
    const ended: Hypothesis[] = []
    for (let count = 0; count < tokens_max; count += 1) {
      signal.throwIfAborted()
      const is_first = count === 0
      const last = open_ones.map(({ tokens }) => BigInt(tokens.at(-1) ?? start_token))
      const decoded = await decoder.run({
        input_ids: new Tensor('int64', BigInt64Array.from(last), [last.length, 1]),
        encoder_hidden_states: hidden_of_all,
        use_cache_branch: new Tensor('bool', Uint8Array.of(is_first ? 0 : 1), [1]),
        ...Object.fromEntries(past_names.map((name) => [`past_key_values.${name}`, past[name] ?? nothing])),
      })
      const next = likeliest(open_ones, floats(output(decoded, 'logits')), { beams, words })
      ended.push(...next.filter(({ tokens }) => tokens.at(-1) === end_token))
      const going_on = next.filter(({ tokens }) => tokens.at(-1) !== end_token)
      if (going_on.length === 0 || ended.length >= beams) break
      open_ones = going_on
      const parents = going_on.map(({ parent }) => parent)
      const pick = (tensor: Tensor) => pickRows(tensor, parents)
      past = Object.fromEntries(
        past_names.map((name): [string, Tensor] => {
          // The encoder's part of the cache stays the same.
          const is_new = is_first || name.includes('decoder')
          return [name, pick(is_new ? output(decoded, `present.${name}`) : (past[name] ?? nothing))]
        }),
      )
      hidden_of_all = pickRows(hidden_of_all, parents)
    }
    const [best] = (ended.length > 0 ? ended : open_ones).toSorted((one, other) => average(other) - average(one))
    return best ?? { tokens: [], score: 0, word: words, unearned: 0 }
  }

  /** Returns the rows of a batch in another order, some of them twice and some not at all. */
  function pickRows(tensor: Tensor, rows: number[]): Tensor {
    const [count = 1, ...shape] = tensor.dims
    if (count === rows.length && rows.every((row, index) => row === index)) return tensor
    const data = floats(tensor)
    const size = data.length / count
    const picked = new Float32Array(size * rows.length)
    for (const [index, row] of rows.entries()) picked.set(data.subarray(row * size, (row + 1) * size), index * size)
    return new Tensor('float32', picked, [rows.length, ...shape])
  }

  return { recognise }
}

const newWord = (): Word => ({ next: new Map(), is_whole: false })

function addWord(words: Word, tokens: number[]): void {
  let word = words
  for (const token of tokens) {
    const next = word.next.get(token) ?? newWord()
    word.next.set(token, next)
    word = next
  }
  word.is_whole = true
}

/** The score for each token, the end included: long texts are less probable than short ones, but not worse. */
const average = ({ tokens, score }: Hypothesis): number => score / Math.max(1, tokens.length)

type Next = Hypothesis & { parent: number }

/** Returns the most likely continuations of all hypotheses. */
function likeliest(
  hypotheses: Hypothesis[],
  logits: Float32Array,
  { beams, words }: { beams: number; words: Word },
): Next[] {
  const size = logits.length / hypotheses.length
  const all = hypotheses.flatMap((hypothesis, parent) => {
    const row = logits.subarray(parent * size, (parent + 1) * size)
    const total = logSum(row)
    // The end is barred as the first token: without this, soft speech often gives nothing at all.
    const barred = hypothesis.tokens.length === 0 ? end_token : -1
    const tokens = new Set(largest(row, beams, barred))
    const least = (row[largest(row, 1, barred)[0] ?? 0] ?? 0) - expected_below
    for (const { next } of [hypothesis.word, words])
      for (const token of next.keys()) if ((row[token] ?? least) > least) tokens.add(token)
    return Array.from(tokens, (token): Next => {
      const { bonus, ...word } = followWord(hypothesis, token, words)
      const score = hypothesis.score + (row[token] ?? 0) - total + bonus
      return { parent, tokens: [...hypothesis.tokens, token], score, ...word }
    })
  })
  return all.toSorted((one, other) => other.score - one.score).slice(0, beams)
}

/** Returns what a token adds as a part of an expected word. The beginning of one counts only if the rest follows. */
function followWord({ word, unearned }: Hypothesis, token: number, words: Word) {
  const inside = word.next.get(token)
  const started = inside ?? words.next.get(token)
  const lost = inside ? 0 : unearned
  if (!started) return { bonus: -lost, word: words, unearned: 0 }
  const open = (inside ? unearned : 0) + expected_bonus
  return { bonus: expected_bonus - lost, word: started, unearned: started.is_whole ? 0 : open }
}

function logSum(logits: Float32Array): number {
  let max = Number.NEGATIVE_INFINITY
  for (const logit of logits) if (logit > max) max = logit
  let sum = 0
  for (const logit of logits) sum += Math.exp(logit - max)
  return max + Math.log(sum)
}

/** Returns the places of the largest logits. */
function largest(logits: Float32Array, count: number, barred: number): number[] {
  const found: number[] = []
  let least = Number.NEGATIVE_INFINITY
  for (let token = 0; token < logits.length; token += 1) {
    const logit = logits[token] ?? 0
    if (token === barred || (found.length === count && logit <= least)) continue
    found.push(token)
    found.sort((one, other) => (logits[other] ?? 0) - (logits[one] ?? 0))
    if (found.length > count) found.pop()
    if (found.length === count) least = logits[found[count - 1] ?? 0] ?? 0
  }
  return found
}
