import type { SpokenTurn } from '../../conversations/turns.ts'
import { resourceInPieces } from '../../kit/http/envelope.ts'
import type { PiecedContent } from '../../kit/http/file-content.ts'
import type { SpeechPart } from '../../talk/state.ts'
import { wordsOf } from '../../talk/words.ts'
import type { Call } from '../schema.ts'
import { collectCues } from './subtitles.ts'
import { type Format, Transcript, TranscriptTurn } from './transcript-schema.ts'

export interface ToTranscribe {
  call: Pick<Call, 'id' | 'duration_ms' | 'is_test'>
  language: string | null
  turns: SpokenTurn[]
}

/** A transcript whose turns are made while they are read: those of a long call take long. */
export interface LazyTranscript extends Omit<Transcript, 'turns'> {
  turns: Iterable<TranscriptTurn>
}

/** What was said in a call, and when. The same call always gives the same transcript. */
export function transcribe({ call, language, turns }: ToTranscribe): LazyTranscript {
  const timing = call.is_test ? 'exact' : 'estimated'
  const toTurn = ({ speech, tools, ...turn }: SpokenTurn): TranscriptTurn => ({
    ...turn,
    start_ms: startOf(speech),
    end_ms: endOf(speech),
    words: speech.flatMap(wordsOf).map((word) => ({ ...word, timing })),
    tools: tools.map(({ name, status, duration_ms }) => ({ name, status, duration_ms })),
  })
  const in_order = byStart(turns)
  const lazily = { [Symbol.iterator]: () => in_order.values().map(toTurn) }
  return { call_id: call.id, language, duration_ms: call.duration_ms, turns: lazily }
}

const startOf = (speech: SpeechPart[]): number | null => speech.at(0)?.start_ms ?? null
const endOf = (speech: SpeechPart[]): number | null => speech.at(-1)?.end_ms ?? null

/**
 * Orders turns by when they began. A turn gets its number when it is known: someone who takes over may speak before the
 * contact has finished a sentence.
 */
function byStart(turns: SpokenTurn[]): SpokenTurn[] {
  let now_ms = 0
  const timed = turns.map((turn) => {
    const start_ms = startOf(turn.speech) ?? now_ms
    now_ms = Math.max(now_ms, endOf(turn.speech) ?? 0)
    return { turn, start_ms }
  })
  return timed.toSorted((one, other) => one.start_ms - other.start_ms).map(({ turn }) => turn)
}

export const file_types = {
  txt: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
}

/** The transcript in this format, turn by turn. */
export function toContent(transcript: LazyTranscript, format: Format): PiecedContent {
  if (format === 'json') return { file: null, pieces: toJson(transcript, transcript.turns) }
  const write = { txt: toText, srt: toSrt, vtt: toVtt }[format]
  return { file: { content_type: file_types[format], name: `transcript.${format}` }, pieces: write(transcript) }
}

const toJson = resourceInPieces(Transcript, 'turns', TranscriptTurn)

const names = { agent: 'Agent', contact: 'Contact', human: 'Person', system: 'System' }

/** A turn that was not spoken has the time of what was said before. */
function* toText({ turns }: LazyTranscript): Generator<string> {
  let now_ms = 0
  for (const { role, start_ms, end_ms, ...turn } of turns) {
    yield `[${clockTime(start_ms ?? now_ms)}] ${names[role]}: ${wordsIn(turn)}\n`
    now_ms = Math.max(now_ms, end_ms ?? 0)
  }
}

/** A turn that was cut ends with a dash after what was heard. */
function wordsIn({ text, heard, is_interrupted }: Pick<TranscriptTurn, 'text' | 'heard' | 'is_interrupted'>): string {
  const said = (heard ?? text).trim().replace(/\s+/g, ' ')
  return is_interrupted ? `${said}—` : said
}

function* toSrt({ turns }: LazyTranscript): Generator<string> {
  const cues = yield* collectCues(turns)
  for (const [index, { start_ms, end_ms, text }] of cues.entries()) {
    // An arrow would be read as the times of another cue.
    const line = text.replace(/(?<!-)-{2,}>/g, '->')
    yield `${index + 1}\n${preciseTime(start_ms, ',')} --> ${preciseTime(end_ms, ',')}\n${line}\n\n`
  }
}

function* toVtt({ turns }: LazyTranscript): Generator<string> {
  yield 'WEBVTT\n\n'
  const cues = yield* collectCues(turns)
  for (const [index, { role, start_ms, end_ms, text }] of cues.entries()) {
    const times = `${preciseTime(start_ms, '.')} --> ${preciseTime(end_ms, '.')}`
    yield `${index + 1}\n${times}\n<v ${names[role]}>${escapeVtt(text)}\n\n`
  }
}

const escapeVtt = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Writes a time such as 01:02, or 1:01:02 after an hour. */
function clockTime(ms: number): string {
  const { hours, minutes, seconds } = split(ms)
  return `${hours > 0 ? `${hours}:` : ''}${digits(minutes)}:${digits(seconds)}`
}

function preciseTime(ms: number, separator: string): string {
  const { hours, minutes, seconds } = split(ms)
  return `${digits(hours)}:${digits(minutes)}:${digits(seconds)}${separator}${digits(ms % 1_000, 3)}`
}

const split = (ms: number) => ({
  hours: Math.floor(ms / 3_600_000),
  minutes: Math.floor(ms / 60_000) % 60,
  seconds: Math.floor(ms / 1_000) % 60,
})

const digits = (number: number, length = 2): string => String(number).padStart(length, '0')
