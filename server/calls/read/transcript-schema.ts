import { type Static, Type } from 'typebox'
import { Turn } from '../../conversations/schema.ts'
import { id, oneOf, optionalText } from '../../kit/field.ts'

const formats = ['json', 'txt', 'srt', 'vtt'] as const
export type Format = (typeof formats)[number]

const milliseconds = (description: string, example: number | null) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], description, examples: [example] })

const Word = Type.Object({
  text: Type.String({ examples: ['Hello,'] }),
  start_ms: Type.Integer({ description: 'Since the answer.', examples: [400] }),
  end_ms: Type.Integer({ examples: [820] }),
  timing: oneOf(['exact', 'estimated'], {
    description: '`exact` for simulated calls. Otherwise a word gets a share of the time of its sentence.',
    examples: ['exact'],
  }),
})

const { seq, role, text, heard, is_interrupted, finish_reason, latency } = Turn.properties

export const TranscriptTurn = Type.Object({
  seq,
  role,
  text,
  heard,
  is_interrupted,
  finish_reason,
  start_ms: milliseconds('When it began, since the answer. `null` for what was not spoken.', 400),
  end_ms: milliseconds('When it ended.', 2_300),
  words: Type.Array(Word, { description: 'What was spoken, word by word.' }),
  tools: Type.Array(
    Type.Object({
      name: Type.String({ examples: ['book_slot'] }),
      status: Type.String({ examples: ['succeeded'] }),
      duration_ms: milliseconds('How long it took.', 120),
    }),
    { description: 'The tools that the agent used.' },
  ),
  latency,
})
export type TranscriptTurn = Static<typeof TranscriptTurn>

export const Transcript = Type.Object(
  {
    call_id: id('The call.'),
    language: optionalText({ description: 'The language of the agent. `null` if it was deleted.', examples: ['en'] }),
    duration_ms: milliseconds('From the answer to the end.', 62_480),
    turns: Type.Array(TranscriptTurn, { description: 'By when they began.' }),
  },
  { title: 'Transcript' },
)
export type Transcript = Static<typeof Transcript>

export const TranscriptQuery = Type.Object({
  format: Type.Optional(
    oneOf(formats, {
      description: '`txt`: plain text. `srt`, `vtt`: subtitles of what was heard. By default `json`.',
      examples: ['json'],
    }),
  ),
})
export type TranscriptQuery = Static<typeof TranscriptQuery>
