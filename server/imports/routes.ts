import { ById } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import { forbidden } from '../kit/problem.ts'
import * as files from './files.ts'
import * as rows from './rows.ts'
import * as schema from './schema.ts'
import * as imports from './store.ts'

const path = '/contacts/imports'
const consent_scope = 'consents:write'
const campaign_scope = 'campaigns:write'

export const operations: operation.Operation[] = [
  operation.write({
    id: 'imports.create',
    method: 'POST',
    path,
    scope: 'contacts:write',
    summary: 'Import contacts',
    description:
      'Send a CSV file as `multipart/form-data` with the parts `file` (at most 512 MiB) and `options` (JSON), or send rows as ' +
      'JSON. The first row of a file contains the column names. The encoding (UTF-8 or UTF-16) and the delimiter (comma, ' +
      'semicolon or tab) are detected. The import runs in the background: get it until its `status` is `finished`, `canceled` ' +
      'or `failed`. New contacts have the source `import`.\n\n' +
      'With `is_dry_run` no contacts are written: the rows show what would happen, and "Run the import" then imports them.\n\n' +
      'Empty cells leave fields unchanged. `tags` are separated by `,`, `;` or `|`; put a tag that contains one of these in ' +
      'double quotes and double the quotes inside, as the export does. A phone number without a country code is read as a ' +
      'number of `default_country`, if its length is possible there. Of rows with the same phone number only the first is ' +
      'imported.\n\n' +
      'With `consent` the people in the file are recorded in the consent ledger as having agreed, with the source `import` and ' +
      'the id of the import as evidence. This needs the scope `consents:write`. Who has opted out stays opted out. A dry run ' +
      'records nothing. An undo leaves the entries in the ledger.\n\n' +
      'With `campaign_id` the contacts of the file are enrolled in the campaign, with the columns named `variables.NAME` as their ' +
      'variables. This needs the scope `campaigns:write`. If the campaign ends meanwhile or is full, the other contacts are ' +
      'imported without it: `not_enrolled` counts them, and `error` says why. An undo leaves contacts that ' +
      'existed before in the campaign.\n\n' +
      'A row may have 200 cells and 256 k characters, and a file 200 columns. The file and its rows are kept for 30 days, ' +
      'those of a dry run for 7. An `Idempotency-Key` compares the SHA-256 of the parts.',
    body: schema.NewImport,
    upload: {
      content_type: 'text/csv',
      options: schema.ImportOptions,
      example: schema.file_example,
      bytes_max: schema.file_bytes_max,
      store: files.store,
      discard: files.discard,
    },
    response: schema.Import,
    status: 201,
    run: (at, { body, file, caller }) => {
      if (body.consent && !caller.scopes.has(consent_scope)) throw forbidden(consent_scope)
      if (body.campaign_id && !caller.scopes.has(campaign_scope)) throw forbidden(campaign_scope)
      return imports.create(at, { input: body, file })
    },
  }),
  operation.list({
    id: 'imports.list',
    path,
    scope: 'contacts:read',
    summary: 'List imports',
    description: 'Newest first.',
    query: schema.ImportQuery,
    items: schema.Import,
    run: (at, { query }) => imports.list(at, query),
  }),
  operation.get({
    id: 'imports.get',
    path: `${path}/:id`,
    scope: 'contacts:read',
    summary: 'Get an import',
    description: '`done` and `total` show the progress.',
    params: ById,
    response: schema.Import,
    run: (at, { params }) => imports.get(at, params.id),
  }),
  operation.list({
    id: 'imports.list_rows',
    path: `${path}/:id/rows`,
    scope: 'contacts:read',
    summary: 'List the rows of an import',
    description: 'The outcome of each row so far, in the order of the file.',
    params: ById,
    query: schema.RowQuery,
    items: schema.ImportRow,
    isExpensive: () => true,
    run: (at, { params, query }) => rows.list(at, { id: params.id, query }),
  }),
  operation.file({
    id: 'imports.download_rows',
    path: `${path}/:id/rows.csv`,
    scope: 'contacts:read',
    summary: 'Download the rows of an import',
    description:
      'A CSV file with the columns of the import and the column `reason`. Correct the refused rows and import them again. If a ' +
      'row has more cells than there are columns, the extra cells follow the reason, without a column name. Remove them, or the ' +
      'row is refused again.',
    params: ById,
    query: schema.RowFileQuery,
    file: {
      content_type: 'text/csv; charset=utf-8',
      name: 'rows.csv',
      example: 'Phone,reason\r\n,phone_number is required.\r\n',
    },
    isExpensive: () => true,
    run: (at, { params, query }) => rows.listCsv(at, { id: params.id, outcome: query.outcome }),
  }),
  operation.write({
    id: 'imports.cancel',
    method: 'POST',
    path: `${path}/:id/cancel`,
    scope: 'contacts:write',
    summary: 'Cancel an import',
    description: 'The import stops after the current batch. Contacts imported so far stay. You can undo the import.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: schema.Import,
    run: (at, { params }) => imports.cancel(at, params.id),
  }),
  operation.write({
    id: 'imports.undo',
    method: 'POST',
    path: `${path}/:id/undo`,
    scope: 'contacts:write',
    summary: 'Undo an import',
    description:
      'Runs in the background. Deletes the contacts that the import created, and restores those that it updated. Contacts that ' +
      'were changed after the import are skipped: `undo_skipped` counts them, and their rows have a `reason`. A dry run has ' +
      'nothing to undo: undo the import that was created by running it.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: schema.Import,
    run: (at, { params }) => imports.undo(at, params.id),
  }),
  operation.write({
    id: 'imports.run',
    method: 'POST',
    path: `${path}/:id/run`,
    scope: 'contacts:write',
    summary: 'Run the import',
    description: 'Creates an import from a finished dry run, with the same file and options.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: schema.Import,
    status: 201,
    run: (at, { params }) => imports.runDryRun(at, params.id),
  }),
]
