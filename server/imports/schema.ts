import { type Static, Type } from 'typebox'
import { DefaultCountry, type Field, fields } from '../contacts/schema.ts'
import { id, oneOf, optionalText, optionalTimestamp, timestamp } from '../kit/field.ts'
import * as page from '../kit/postgres/page.ts'

export const file_bytes_max = 512 * 1024 * 1024
const rows_max = 10_000
const cell_length_max = 10_000
/** Of a row, in a list of a hundred. */
export const shown_length_max = 10_000

export type Mapping = Record<string, Field | null>

export const statuses = ['queued', 'running', 'finished', 'canceled', 'failed', 'undoing', 'undone'] as const
export const outcomes = ['created', 'updated', 'skipped', 'refused'] as const
export type Outcome = (typeof outcomes)[number]

export const file_example = 'Phone,First Name,Remarks\n+14155550100,Ada,calls back\n'
const mapping_examples = [{ Phone: 'phone_number', 'First Name': 'first_name', Remarks: null }]
const on_conflict = {
  description:
    'What to do with a phone number that a contact has: leave it, or update it with the fields that the row gives.',
}

const options = {
  mapping: Type.Unsafe<Mapping | undefined>({
    type: 'object',
    additionalProperties: { type: ['string', 'null'], enum: [...fields, null] },
    description:
      'Which field each column goes into, by its name or its place from 0; `null` leaves it out. Columns that are not ' +
      'named here are matched by their names: "Phone", "Mobile number", "E-Mail", "First Name", "Vorname" and such.',
    examples: mapping_examples,
  }),
  default_country: Type.Unsafe<string | null | undefined>(DefaultCountry),
  on_conflict: oneOf(['skip', 'update'], { default: 'skip', ...on_conflict }),
  is_dry_run: Type.Unsafe<boolean>({
    type: 'boolean',
    default: false,
    description: 'Only find out what would happen to each row: no contact is written.',
  }),
  file_name: Type.Unsafe<string | null | undefined>(
    optionalText({
      maxLength: 255,
      description: "To be shown; a file's own name otherwise.",
      examples: ['people.csv'],
    }),
  ),
}

export const ImportOptions = Type.Unsafe<Static<Type.TObject<typeof options>>>({
  title: 'ImportOptions',
  type: 'object',
  properties: options,
  additionalProperties: false,
})
export type ImportOptions = Static<typeof ImportOptions>

const cell = { type: ['string', 'null'], maxLength: cell_length_max, multiline: true }

export const NewImport = Type.Unsafe<ImportOptions & { rows?: Record<string, string | null>[] }>({
  title: 'NewImport',
  type: 'object',
  required: ['rows'],
  properties: {
    rows: {
      type: 'array',
      maxItems: rows_max,
      items: { type: 'object', additionalProperties: cell },
      description: `At most ${rows_max}, each with texts by the names of their columns. \`tags\` are separated by , ; or |; a tag that holds one of these stands in double quotes, with those inside doubled.`,
      examples: [[{ Phone: '+14155550100', 'First Name': 'Ada', Remarks: 'calls back' }]],
    },
    ...options,
  },
  additionalProperties: false,
})

const count = (description: string, example = 0) => Type.Integer({ description, examples: [example] })

export const Import = Type.Object(
  {
    id: id('Unique identifier; treat it as opaque.'),
    status: oneOf(statuses, {
      description:
        '`queued`, then `running`, then `finished`; or `canceled`, or `failed` when it could not go on. After an undo ' +
        '`undoing`, then `undone`.',
      examples: ['finished'],
    }),
    is_dry_run: Type.Boolean({ description: 'Whether no contact is written.', examples: [false] }),
    file_name: Type.Unsafe<string | null>({ type: ['string', 'null'], examples: ['people.csv'] }),
    on_conflict: oneOf(['skip', 'update'], { ...on_conflict, examples: ['skip'] }),
    default_country: Type.Unsafe<string | null>({ type: ['string', 'null'], examples: ['US'] }),
    columns: Type.Array(Type.String(), {
      description: 'As named in the first row.',
      examples: [['Phone', 'First Name', 'Remarks']],
    }),
    mapping: Type.Unsafe<Mapping>({
      type: 'object',
      additionalProperties: { type: ['string', 'null'] },
      description: 'The field that each column goes into.',
      examples: mapping_examples,
    }),
    total: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'How many rows there are.',
      examples: [2],
    }),
    done: count('How many of them are done.', 2),
    created: count('How many contacts it made.', 1),
    updated: count('How many contacts it changed.'),
    skipped: count('How many rows had a number that is known, or that an earlier row has.'),
    refused: count('How many rows have faults.', 1),
    undo_skipped: count('How many contacts an undo left, since they were changed after the import.'),
    error: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Why it `failed`.', examples: [null] }),
    created_at: timestamp('When it was asked for.'),
    started_at: optionalTimestamp('When it began to run.'),
    finished_at: optionalTimestamp('When it ended, in whatever way.'),
    undone_at: optionalTimestamp('When an undo of it ended.'),
  },
  { title: 'Import' },
)
export type Import = Static<typeof Import>

export const ImportRow = Type.Object(
  {
    id: id('Unique identifier.'),
    row_number: count('From 1, without the row of column names and without empty rows.', 1),
    outcome: oneOf(outcomes, { description: 'In a dry run: what would happen.', examples: ['refused'] }),
    reason: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Why it was skipped or refused, or was not undone.',
      examples: ['phone_number is required.'],
    }),
    contact_id: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid', examples: [null] }),
    values: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: `Its texts by column, up to ${shown_length_max} characters in all: the CSV has the rest. None once the contact was deleted.`,
      examples: [{ Phone: '', 'First Name': 'Ada', Remarks: 'calls back' }],
    }),
  },
  { title: 'ImportRow' },
)
export type ImportRow = Static<typeof ImportRow>

const outcome = Type.Optional(oneOf(outcomes, { description: 'Only rows with this outcome.' }))

export const ImportQuery = page.query({})
export const RowQuery = page.query({ outcome })
export type RowQuery = Static<typeof RowQuery>
export const RowFileQuery = Type.Object({ outcome })
