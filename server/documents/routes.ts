import { ById, Deleted } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import { isId } from '../kit/id.ts'
import * as files from './files.ts'
import * as schema from './schema.ts'
import { searchWithAnswer } from './search.ts'
import * as documents from './store.ts'
import * as unanswered from './unanswered.ts'

const path = '/documents'

/** Splits a list of a query. Empty items count for nothing. */
const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

export const operations: operation.Operation[] = [
  operation.write({
    id: 'documents.create',
    method: 'POST',
    path,
    scope: 'documents:write',
    summary: 'Add a document',
    description:
      'Something that agents can look up: see "Knowledge" in the guide. Send a file as `multipart/form-data` with the parts `file` ' +
      '(text, Markdown, HTML, PDF, Word or CSV, at most 20 MB) and `options` (JSON), or send `text` or `url` as JSON. The ' +
      'document is read in the background: get it until its `status` is `ready` or `failed`.\n\n' +
      'A workspace can have 1,000 documents, with 200,000 passages and 500 MB together. A `url` is fetched once, and again when ' +
      'you refresh the document. It must lead to a public address, also where it redirects.',
    body: schema.NewDocument,
    upload: {
      content_type: 'text/markdown',
      options: schema.DocumentOptions,
      example: schema.file_example,
      bytes_max: schema.file_bytes_max,
      store: files.store,
      discard: files.discard,
    },
    errors: ['CONFLICT', 'INVALID_STATE'],
    response: schema.Document,
    status: 201,
    before: async (at, { body, file }) => (file ? undefined : documents.check(at, body)),
    run: (at, { body, file }) => documents.create(at, { input: body, file }),
  }),
  operation.list({
    id: 'documents.list',
    path,
    scope: 'documents:read',
    summary: 'List documents',
    description: 'Newest first.',
    query: schema.DocumentQuery,
    items: schema.Document,
    run: (at, { query }) => documents.list(at, query),
  }),
  operation.get({
    id: 'documents.search',
    path: `${path}/search`,
    scope: 'documents:read',
    tool: {
      name: 'search_documents',
      description: 'Returns the passages of documents that an agent would find for a question.',
    },
    summary: 'Search documents',
    description:
      'Shows what an agent would find. If the default provider, or else another one, has an `embedding_model`, the best 200 ' +
      'passages are ranked by what they mean.',
    query: schema.SearchQuery,
    response: schema.SearchResult,
    runRemote: (at, { query: { query, tags, document_ids, limit } }) =>
      searchWithAnswer(at, {
        query,
        limit,
        scope: {
          ...(tags !== undefined && { tags: listOf(tags) }),
          ...(document_ids !== undefined && { document_ids: listOf(document_ids).filter(isId) }),
        },
      }),
  }),
  operation.list({
    id: 'documents.list_unanswered',
    path: `${path}/unanswered`,
    scope: 'documents:read',
    summary: 'List unanswered questions',
    description:
      'What agents have looked up and not found in the last 30 days, newest first. Questions of a conversation are deleted when ' +
      'it is redacted.',
    query: schema.QuestionQuery,
    items: schema.Question,
    run: (at, { query }) => unanswered.list(at, query),
  }),
  operation.get({
    id: 'documents.get',
    path: `${path}/:id`,
    scope: 'documents:read',
    summary: 'Get a document',
    params: ById,
    response: schema.Document,
    run: (at, { params }) => documents.get(at, params.id),
  }),
  operation.write({
    id: 'documents.update',
    method: 'PATCH',
    path: `${path}/:id`,
    scope: 'documents:write',
    summary: 'Update a document',
    description:
      'Fields that are not sent keep their values. With a new name or language the document is read again; until then it is found ' +
      'as before.',
    params: ById,
    body: schema.DocumentChange,
    errors: ['CONFLICT'],
    response: schema.Document,
    run: (at, { params, body, isCurrent }) => documents.update(at, { id: params.id, change: body, isCurrent }),
  }),
  operation.write({
    id: 'documents.refresh',
    method: 'POST',
    path: `${path}/:id/refresh`,
    scope: 'documents:write',
    summary: 'Refresh a document',
    description:
      'Fetches a document from its URL again. What was read before is found until then, and also if that fails: then `error` says ' +
      'why. Documents from files and texts can not be refreshed.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: schema.Document,
    status: 202,
    run: (at, { params }) => documents.refresh(at, params.id),
  }),
  operation.write({
    id: 'documents.delete',
    method: 'DELETE',
    path: `${path}/:id`,
    scope: 'documents:write',
    summary: 'Delete a document',
    description:
      'Fails with `details.used_by` while the draft, the deployed version or the candidate of an agent names it by its id.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: Deleted,
    run: (at, { params, isCurrent }) => documents.remove(at, { id: params.id, isCurrent }),
  }),
]
