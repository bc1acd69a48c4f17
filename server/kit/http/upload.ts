import type { Readable } from 'node:stream'
import type { At } from '../at.ts'
import { isId } from '../id.ts'
import { isObject } from '../json.ts'
import type { Log } from '../log.ts'
import { invalidJson } from '../problem.ts'
import { readForm } from './body/form.ts'
import { parseJsonBody } from './body/read-json.ts'
import type { Answer } from './envelope.ts'
import { headerValues } from './headers.ts'
import { fingerprintOf, type KeyedRequest, readKey } from './idempotency.ts'
import type { ValidRequest, Write, WriteMany } from './operation.ts'
import type { PendingWrite } from './pending-write.ts'
import type { Upload } from './uploaded-file.ts'
import { type IncomingRequest, requestWithBody } from './valid-request.ts'

interface Receiving {
  operation: Write
  upload: Upload
  incoming: IncomingRequest
  body: Readable
  answer: (result: unknown) => Answer
}

/** Stores the file before the write's transaction begins, since an upload may take long. The write then takes it over. */
export async function receiveUpload(
  { operation, upload, incoming, body, answer }: Receiving,
  at: At,
  write: (write: PendingWrite) => Promise<Answer>,
  log: Log,
): Promise<Answer> {
  const keys = headerValues(incoming.raw, 'idempotency-key')
  const key = keys.length > 0 ? readKey(keys) : undefined
  // A failure is only logged: the response is decided by then, and retention deletes a file that stays behind.
  const discard = (id: string) =>
    upload.discard(at, id).catch((error: unknown) => {
      log.warn({ err: error, request_id: incoming.id, file: id }, 'could not remove an uploaded file')
    })
  const form = await readForm(incoming.raw.headers, body, {
    bytes_max: upload.bytes_max,
    store: (bytes) => upload.store(at, bytes),
    discard,
  })
  try {
    const json = form.options === undefined ? {} : parseOptions(form.options)
    const file = { id: form.stored_id, name: form.file_name }
    const request = { ...requestWithBody(operation, incoming, upload.options, json), file }
    const keyed = key === undefined ? undefined : keyedRequest(operation, request, key, form.hashes, form.file_name)
    return await write({ operation, request, keyed, answer })
  } finally {
    await discard(form.stored_id)
  }
}

function parseOptions(options: Buffer): unknown {
  if (options.length === 0) throw invalidJson('options is empty. Send a JSON object, or leave the part out.')
  return parseJsonBody(options, 'options')
}

/** The caller is part of the fingerprint when the response contains a secret, so that nobody else can replay it. */
export const keyedRequest = (
  { id, is_secret }: Write | WriteMany,
  { params, caller }: ValidRequest,
  key: string,
  ...sent: unknown[]
): KeyedRequest => {
  const resource_id = isObject(params) ? params.id : undefined
  return {
    key,
    fingerprint: fingerprintOf(id, params, ...sent, ...(is_secret ? [caller.id] : [])),
    resource_id: typeof resource_id === 'string' && isId(resource_id) ? resource_id : undefined,
  }
}
