import { type Static, Type } from 'typebox'
import {
  allOptional,
  body,
  check,
  id,
  idFilter,
  language_tag,
  multiline,
  oneOf,
  optionalText,
  optionalTimestamp,
  sample_id,
  text,
  timestamp,
} from '../kit/field.ts'
import * as page from '../kit/postgres/page.ts'

export const documents_max = 1_000
export const passages_max = 200_000
/** Limits all files of a workspace. */
export const stored_bytes_max = 500 * 1024 * 1024
export const file_bytes_max = 20 * 1024 * 1024
export const name_length_max = 200
/** Limits a question, in characters. */
export const query_length_max = 500
const tags_max = 20

const statuses = ['processing', 'ready', 'failed'] as const
const sources = ['text', 'file', 'url'] as const
export const file_example = '# Opening hours\n\nWe are open from Monday to Friday, 9:00 to 18:00.\n'

const name_text = {
  maxLength: name_length_max,
  description: 'Unique in the workspace. People see it where an answer names its source.',
  examples: ['Opening hours'],
}
const language_text = {
  ...language_tag,
  description: 'The language of the text, as a BCP 47 tag: its words are found in all their forms. `en` by default.',
  examples: ['en'],
}
export const tag = text({
  maxLength: 50,
  examples: ['shop'],
  [check]: (value) => (value.includes(',') ? { code: 'format', message: 'must not contain a comma.' } : undefined),
})
const tags = (description: string) => Type.Array(tag, { maxItems: tags_max, description, examples: [['shop']] })
const tags_text = 'Agents can be given all documents with a tag.'
const url_text = {
  maxLength: 2_000,
  description: 'The URL of a page or a file on a public host.',
  examples: ['https://shop.example/hours'],
}

const count = (description: string, example: number) => Type.Integer({ description, examples: [example] })

export const Document = Type.Object(
  {
    id: id('The unique id of the document. Treat it as opaque.'),
    name: Type.String(name_text),
    language: Type.String(language_text),
    source: oneOf(sources, { description: 'Where it comes from.', examples: ['text'] }),
    url: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The URL that it was fetched from. `null` for others.',
      examples: [null],
    }),
    tags: tags(tags_text),
    status: oneOf(statuses, {
      description:
        '`processing`: it is being read. `ready`: agents find it. `failed`: it could not be read, see `error`. A document that was ' +
        'ready stays so while it is read again, also if that fails.',
      examples: ['ready'],
    }),
    error: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Why it could not be read. Of a document that is `ready`: why it could not be read again.',
      examples: [null],
    }),
    bytes: count('The size of the file.', 66),
    characters: count('The length of the text.', 48),
    passages: count('The number of passages that can be found.', 1),
    fetched_at: optionalTimestamp('When it was last fetched from its URL.'),
    created_at: timestamp('When the document was created.'),
    updated_at: timestamp('When the document was last changed or read.'),
  },
  { title: 'Document' },
)
export type Document = Static<typeof Document>

const changeable = {
  name: text(name_text),
  language: text(language_text),
  tags: tags(`${tags_text} At most ${tags_max}.`),
}

const optional_name = optionalText({
  ...name_text,
  description: `${name_text.description} By default the name of the file, or the URL.`,
})

const options = {
  name: Type.Optional(optional_name),
  language: Type.Optional(changeable.language),
  tags: Type.Optional(changeable.tags),
}

export const DocumentOptions = Type.Object(options, { title: 'DocumentOptions', additionalProperties: false })
export type DocumentOptions = Static<typeof DocumentOptions>

export const NewDocument = Type.Unsafe<DocumentOptions & { text?: string; url?: string }>({
  title: 'NewDocument',
  type: 'object',
  properties: {
    ...options,
    text: {
      ...text({ ...multiline, maxLength: 1_000_000, description: 'The text, in Markdown. Needs a `name`.' }),
      examples: [file_example],
    },
    url: text(url_text),
  },
  additionalProperties: false,
  examples: [{ name: 'Opening hours', text: file_example }],
})
export type NewDocument = Static<typeof NewDocument>

export const DocumentChange = body('DocumentChange', allOptional(changeable), Document)
export type DocumentChange = Static<typeof DocumentChange>

export const DocumentQuery = page.query({
  status: Type.Optional(oneOf(statuses, { description: 'Only documents with this status.' })),
  tag: Type.Optional(Type.String({ maxLength: 50, description: 'Only documents with this tag.', examples: ['shop'] })),
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'Only documents whose name contains this.', examples: ['hours'] }),
  ),
})
export type DocumentQuery = Static<typeof DocumentQuery>

export const Citation = Type.Object(
  {
    document_id: id('The document.'),
    passage_id: id('The passage. When the document is read again, it has new ones.'),
    title: Type.String({ description: 'The name of the document, then the headings.', examples: ['Opening hours'] }),
    url: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The URL of the document, if it was fetched from one.',
      examples: [null],
    }),
  },
  { title: 'Citation' },
)
export type Citation = Static<typeof Citation>

export const SearchQuery = Type.Object({
  query: text({ maxLength: query_length_max, description: 'A question, or words.', examples: ['When are you open?'] }),
  tags: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: 'Only documents with one of these tags, separated by commas.',
      examples: ['shop,prices'],
    }),
  ),
  document_ids: Type.Optional(
    Type.String({
      maxLength: 4_000,
      description: 'Only these documents: ids, separated by commas.',
      examples: [sample_id],
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 20, default: 5, description: 'How many passages to return.' }),
})
export type SearchQuery = Static<typeof SearchQuery>

export const Passage = Type.Object(
  {
    id: id('The unique id of the passage.'),
    document_id: id('The document that it is part of.'),
    title: Type.String({ description: 'The name of the document.', examples: ['Opening hours'] }),
    heading: Type.String({ description: 'The headings above it, from the highest.', examples: [''] }),
    text: Type.String({ examples: ['We are open from Monday to Friday, 9:00 to 18:00.'] }),
    url: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The URL of the document.',
      examples: [null],
    }),
    score: Type.Number({
      description:
        'How much of what was asked the passage has, from 0 to 1: rare words count more. A script answers from 0.6.',
      examples: [0.82],
    }),
  },
  { title: 'Passage' },
)
export type Passage = Static<typeof Passage>

export const SearchResult = Type.Object(
  {
    passages: Type.Array(Passage, { description: 'The best first.' }),
    answer: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'What a script would answer. `null` if it would go to `else`.',
      examples: ['We are open from Monday to Friday, 9:00 to 18:00.'],
    }),
  },
  { title: 'DocumentSearch' },
)
export type SearchResult = Static<typeof SearchResult>

export const Question = Type.Object(
  {
    id: id('The unique id of the question.'),
    question: Type.String({ description: 'What the agent was looking for.', examples: ['Do you sell gift cards?'] }),
    agent_id: id('The agent.'),
    conversation_id: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'uuid',
      description: 'The conversation.',
      examples: [null],
    }),
    created_at: timestamp('When it was asked.'),
  },
  { title: 'UnansweredQuestion' },
)
export type Question = Static<typeof Question>

export const QuestionQuery = page.query({ agent_id: idFilter('Only questions to this agent.') })
export type QuestionQuery = Static<typeof QuestionQuery>

/** The documents that an agent may look up: all with one of the tags, or these. */
export interface Scope {
  tags?: string[]
  document_ids?: string[]
}
