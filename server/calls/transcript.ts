import type { SpokenTurn } from '../conversations/spoken.ts'
import type { TextFile } from '../kit/http/file-content.ts'
import type { Call } from './schema.ts'
import { cuesOf } from './subtitles.ts'
import type { Format, Transcript, TranscriptTurn } from './transcript-schema.ts'
import { wordsOf } from './words.ts'

export interface ToTranscribe {
  call: Pick<Call, 'id' | 'duration_ms' | 'is_test'>
  language: string | null
  turns: SpokenTurn[]
}

/** What was said in a call, and when. The same call always gives the same transcript. */
export function transcribe({ call, language, turns }: ToTranscribe): Transcript {
  const timing = call.is_test ? 'exact' : 'estimated'
  const toTurn = ({ speech, tools, ...turn }: SpokenTurn): TranscriptTurn => ({
    ...turn,
    start_ms: speech.at(0)?.start_ms ?? null,
    end_ms: speech.at(-1)?.end_ms ?? null,
    words: speech.flatMap(wordsOf).map((word) => ({ ...word, timing })),
    tools: tools.map(({ name, status, duration_ms }) => ({ name, status, duration_ms })),
  })
  return { call_id: call.id, language, duration_ms: call.duration_ms, turns: byStart(turns.map(toTurn)) }
}

/** A turn gets its number when it is known: someone who takes over may speak before the contact has finished a sentence. */
function byStart(turns: TranscriptTurn[]): TranscriptTurn[] {
  let now_ms = 0
  const timed = turns.map((turn) => {
    const start_ms = turn.start_ms ?? now_ms
    now_ms = Math.max(now_ms, turn.end_ms ?? 0)
    return { turn, start_ms }
  })
  return timed.toSorted((one, other) => one.start_ms - other.start_ms).map(({ turn }) => turn)
}

export const file_types = {
  txt: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
}

export function toFile(transcript: Transcript, format: Exclude<Format, 'json'>): TextFile {
  const write = { txt: toText, srt: toSrt, vtt: toVtt }[format]
  return { content_type: file_types[format], name: `transcript.${format}`, text: write(transcript) }
}

export const names = { agent: 'Agent', contact: 'Contact', human: 'Person', system: 'System' }

/** What was not spoken has the time of what was said before. */
function toText({ turns }: Transcript): string {
  let now_ms = 0
  const lines = turns.map(({ role, start_ms, end_ms, ...turn }) => {
    const line = `[${clockTime(start_ms ?? now_ms)}] ${names[role]}: ${wordsIn(turn)}\n`
    now_ms = Math.max(now_ms, end_ms ?? 0)
    return line
  })
  return lines.join('')
}

/** A turn that was cut ends with a dash after what was heard. */
function wordsIn({ text, heard, is_interrupted }: Pick<TranscriptTurn, 'text' | 'heard' | 'is_interrupted'>): string {
  const said = (heard ?? text).trim().replace(/\s+/g, ' ')
  return is_interrupted ? `${said}—` : said
}

const toSrt = (transcript: Transcript): string =>
  cuesOf(transcript)
    .map(({ start_ms, end_ms, text }, index) => {
      // An arrow would be read as the times of another cue.
      const line = text.replace(/(?<!-)-{2,}>/g, '->')
      return `${index + 1}\n${preciseTime(start_ms, ',')} --> ${preciseTime(end_ms, ',')}\n${line}\n\n`
    })
    .join('')

function toVtt(transcript: Transcript): string {
  const cues = cuesOf(transcript).map(({ role, start_ms, end_ms, text }, index) => {
    const times = `${preciseTime(start_ms, '.')} --> ${preciseTime(end_ms, '.')}`
    return `${index + 1}\n${times}\n<v ${names[role]}>${escapeVtt(text)}\n\n`
  })
  return `WEBVTT\n\n${cues.join('')}`
}

const escapeVtt = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Such as 01:02, or 1:01:02 after an hour. */
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
