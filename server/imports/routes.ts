import { ById } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import * as files from './files.ts'
import * as rows from './rows.ts'
import * as schema from './schema.ts'
import * as imports from './store.ts'

const path = '/contacts/imports'

export const operations: operation.Operation[] = [
  operation.write({
    id: 'imports.create',
    method: 'POST',
    path,
    scope: 'contacts:write',
    summary: 'Import contacts',
    description:
      'A CSV file as `multipart/form-data` with the parts `file` (at most 512 MiB) and `options` (JSON), or rows as JSON. ' +
      'The first row of a file names its columns; UTF-8 and UTF-16, commas, semicolons and tabs are told apart by themselves. ' +
      'It runs in the background: ask for it until its `status` is `finished`, `canceled` or `failed`. The contacts have the source `import`. ' +
      'With `is_dry_run` nothing is written: its rows say what would happen, and "Run a dry run in earnest" does it. ' +
      'A cell that is empty gives no field. `tags` are separated by `,`, `;` or `|`; a tag that holds one of these stands in ' +
      'double quotes, with those inside doubled, as the export writes it. A number without a country code is completed with ' +
      '`default_country`, if that has numbers of such a length. Of rows with the same number the first counts. A row may have ' +
      '200 cells and 256 k characters, a file 200 columns; a file that is not text is refused. File and rows are kept for 30 ' +
      'days, those of a dry run for 7. An `Idempotency-Key` compares the SHA-256 of the parts.',
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
    run: (at, { body, file }) => imports.create(at, { input: body, file }),
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
    description: '`done` of `total` rows tell how far it is.',
    params: ById,
    response: schema.Import,
    run: (at, { params }) => imports.get(at, params.id),
  }),
  operation.list({
    id: 'imports.list_rows',
    path: `${path}/:id/rows`,
    scope: 'contacts:read',
    summary: 'List the rows of an import',
    description: 'What became of each row, in their order, as far as it is done.',
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
      'With their own columns and then the `reason`: mend the refused ones, and import them again. Cells of a row that has more of them than ' +
      'there are columns stand after the reason, under no name; as long as they are there, the row is refused again.',
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
    description: 'It stops after the batch that is under way. What is done stays, and can be undone.',
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
      'In the background: contacts that it created are deleted, those that it updated get their values back. One that was ' +
      'changed since stays as it is: `undo_skipped` counts them, and their rows say so. A dry run has nothing to undo: undo the ' +
      'import that running it created.',
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
    summary: 'Run a dry run in earnest',
    description:
      'Creates a new import, with an id of its own, of the same file with the same options, once the dry run is finished.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: schema.Import,
    status: 201,
    run: (at, { params }) => imports.runDryRun(at, params.id),
  }),
]
