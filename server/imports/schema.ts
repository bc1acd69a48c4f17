import { type Static, Type } from 'typebox'
import { type Kind, kinds } from '../consent/schema.ts'
import {
  type CustomFieldPath,
  custom_field_path_pattern,
  DefaultCountry,
  type Field,
  fields,
  isCustomFieldPath,
} from '../contacts/schema.ts'
import { check, id, oneOf, optionalText, optionalTimestamp, timestamp } from '../kit/field.ts'
import * as page from '../kit/postgres/page.ts'

export const file_bytes_max = 512 * 1024 * 1024
const rows_max = 10_000
const cell_length_max = 10_000
/** Limits all values of a row in a list, in characters. */
export const shown_length_max = 10_000

/** A field of the contact, or a variable of its enrollment. */
export type MappedField = Field | CustomFieldPath | `variables.${string}`
export type ColumnMapping = Record<string, MappedField | null>

const import_statuses = ['queued', 'running', 'finished', 'canceled', 'failed', 'undoing', 'undone'] as const
const outcomes = ['created', 'updated', 'skipped', 'refused'] as const
export type Outcome = (typeof outcomes)[number]

export const file_example = 'Phone,First Name,Remarks\n+14155550100,Ada,calls back\n'
const mapping_examples = [{ Phone: 'phone_number', 'First Name': 'first_name', Remarks: null }]
const on_conflict = {
  description:
    'If a contact already has the phone number: `skip` the row, or `update` the contact with the values of the row.',
}

const consent = Type.Unsafe<Kind | null>({
  type: ['string', 'null'],
  enum: [...kinds, null],
  description:
    'What the people in the file have agreed to: calls (`voice`), messages (`sms`), or both (`all`). It is recorded for each ' +
    'contact of the file, also for one that a row skips because it exists. Nothing is recorded for what a person has opted out of.',
  examples: [null],
})

const campaign_id = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  format: 'uuid',
  description:
    'A campaign in which each contact of the file is enrolled, also one that a row skips because it exists. Columns named ' +
    '`variables.NAME` are then the variables of the enrollments. Contacts that are enrolled already keep theirs.',
  examples: [null],
})

const options = {
  mapping: Type.Unsafe<ColumnMapping | undefined>({
    title: 'ColumnMapping',
    type: 'object',
    additionalProperties: {
      type: ['string', 'null'],
      pattern: `^(${fields.join('|')}|${custom_field_path_pattern})$`,
      [check]: (value: string) =>
        fields.some((field) => field === value) || isCustomFieldPath(value)
          ? undefined
          : { code: 'enum', message: `must be one of ${fields.join(', ')}, or custom_fields.NAME.` },
    },
    description:
      'The contact field of each column. Name a column by its name or its index, starting at 0; `null` ignores the column. ' +
      'Other columns are matched by common names, such as "Phone", "Mobile number", "E-Mail", "First Name" or "Vorname". Columns ' +
      'named `custom_fields.NAME` are custom fields.',
    examples: mapping_examples,
  }),
  default_country: Type.Unsafe<string | null | undefined>(DefaultCountry),
  on_conflict: oneOf(['skip', 'update'], { default: 'skip', ...on_conflict }),
  consent: Type.Unsafe<Kind | null | undefined>(consent),
  campaign_id: Type.Unsafe<string | null | undefined>(campaign_id),
  is_dry_run: Type.Unsafe<boolean>({
    type: 'boolean',
    default: false,
    description: 'Show what would happen to each row, without writing contacts.',
  }),
  file_name: Type.Unsafe<string | null | undefined>(
    optionalText({
      maxLength: 255,
      description: 'A name to show. The default is the name of the uploaded file.',
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
      description: `At most ${rows_max} rows: objects of texts by column name. \`tags\` are separated by , ; or |. Put a tag that contains one of these in double quotes, and double the quotes inside.`,
      examples: [[{ Phone: '+14155550100', 'First Name': 'Ada', Remarks: 'calls back' }]],
    },
    ...options,
  },
  additionalProperties: false,
})

const count = (description: string, example = 0) => Type.Integer({ description, examples: [example] })

export const Import = Type.Object(
  {
    id: id('The unique id of the import. Treat it as opaque.'),
    status: oneOf(import_statuses, {
      description:
        '`queued`, then `running`, then `finished`, `canceled` or `failed`. An undo changes it to `undoing`, then `undone`.',
      examples: ['finished'],
    }),
    is_dry_run: Type.Boolean({
      description: 'Whether this is a dry run, which writes no contacts.',
      examples: [false],
    }),
    file_name: Type.Unsafe<string | null>({ type: ['string', 'null'], examples: ['people.csv'] }),
    on_conflict: oneOf(['skip', 'update'], { ...on_conflict, examples: ['skip'] }),
    default_country: Type.Unsafe<string | null>({ type: ['string', 'null'], examples: ['US'] }),
    consent,
    campaign_id,
    columns: Type.Array(Type.String(), {
      description: 'The column names from the first row.',
      examples: [['Phone', 'First Name', 'Remarks']],
    }),
    mapping: Type.Unsafe<ColumnMapping>({
      type: 'object',
      additionalProperties: { type: ['string', 'null'] },
      description:
        'The contact field of each column, or with `campaign_id` the variable, such as `variables.slot`; `null` if the column is ' +
        'ignored.',
      examples: mapping_examples,
    }),
    total: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The number of rows.',
      examples: [2],
    }),
    done: count('The number of rows that are processed.', 2),
    created: count('The number of contacts created.', 1),
    updated: count('The number of contacts updated.'),
    skipped: count(
      'The number of rows skipped: an earlier row or a contact has the phone number, or nothing would change.',
    ),
    refused: count('The number of invalid rows.', 1),
    not_enrolled: count(
      'The number of contacts that were imported and not enrolled in the campaign. `error` says why.',
    ),
    undo_skipped: count('The number of contacts that an undo skipped because they were changed after the import.'),
    error: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Why the import failed, or why contacts were not enrolled.',
      examples: [null],
    }),
    created_at: timestamp('When the import was created.'),
    started_at: optionalTimestamp('When it started to run.'),
    finished_at: optionalTimestamp('When it finished, failed or was canceled.'),
    undone_at: optionalTimestamp('When an undo ended.'),
  },
  { title: 'Import' },
)
export type Import = Static<typeof Import>

export const ImportRow = Type.Object(
  {
    id: id('The unique id of the row.'),
    row_number: count('The position in the file, starting at 1. Column names and empty rows are not counted.', 1),
    outcome: oneOf(outcomes, {
      description: 'What happened to the row, or in a dry run what would happen.',
      examples: ['refused'],
    }),
    reason: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Why the row was skipped, refused or not undone.',
      examples: ['phone_number is required.'],
    }),
    contact_id: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid', examples: [null] }),
    values: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: `The cells by column name, up to ${shown_length_max} characters in total; the CSV file has all. Empty after the contact is deleted.`,
      examples: [{ Phone: '', 'First Name': 'Ada', Remarks: 'calls back' }],
    }),
  },
  { title: 'ImportRow' },
)
export type ImportRow = Static<typeof ImportRow>

const outcome = Type.Optional(oneOf(outcomes, { description: 'Only rows with this outcome.' }))

export const ImportQuery = page.query({})
export const RowQuery = page.query({ outcome }, ['row_number', 20])
export type RowQuery = Static<typeof RowQuery>
export const RowFileQuery = Type.Object({ outcome })
