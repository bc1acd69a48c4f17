import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import * as clock from '../clock.ts'
import type { Log } from '../log.ts'
import type { Pool } from '../postgres/pool.ts'
import { invalid, notFound, preconditionFailed } from '../problem.ts'
import { readForm } from './body/form.ts'
import { assertShallow, readJson } from './body/read-json.ts'
import { type Answer, envelope, type StreamedAnswer } from './envelope.ts'
import { etagOf, isKnown, matches } from './etag.ts'
import { headerOf, sentOf } from './headers.ts'
import { type Claim, fingerprintOf, isKept, keyOf } from './idempotency.ts'
import {
  type At,
  type Call,
  type Caller,
  isEndless,
  type Listener,
  type Operation,
  type Tools,
  type Upload,
} from './operation.ts'
import { openBody } from './stream-body.ts'
import type { Stay } from './stream-limits.ts'
import { assertChecked, type Schema, validate, validateQuery } from './validate.ts'
import type { Write } from './write.ts'

/** A HEAD reads the first piece only. */
const unlimited: Stay = { signal: new AbortController().signal, isWelcome: async () => true }

/** A request that was let in, before anything of it was looked at. */
export interface Arrival {
  id: string
  caller: Caller
  raw: IncomingMessage
  params: Record<string, string>
  query: Record<string, string | string[]>
  /** A stream when it is a form. */
  body: Buffer | Readable | undefined
  /** When the answer is sent as it is made: until when it goes on. */
  stay?: Stay
}

type Lane = <T>(workspace: string, read: () => Promise<T>) => Promise<T>

/** Where lists wait until few enough of their workspace are under way. */
export interface Lanes {
  lists: Lane
  dear: Lane
}

/** Makes the way of a request from an operation: check, carry out, put into the envelope. */
export function endpoint(
  operation: Operation,
  base: string,
  pool: Pool,
  write: (write: Write) => Promise<Answer>,
  { lists, dear }: Lanes,
  tools: Tools,
  log: Log,
): (arrival: Arrival) => Promise<Answer | StreamedAnswer> {
  const { run, stream, upload, params, query, body } = operation
  for (const schema of [params, query, body ?? {}, upload?.options ?? {}]) assertChecked(schema)
  const answer = envelope(operation, base)
  const atOf = ({ workspace }: Caller): At => ({ db: pool, workspace, now: clock.now(), tools })

  if (stream) {
    return async (arrival) => {
      const call = callOf(operation, arrival, undefined)
      const { workspace } = arrival.caller
      const { stay = unlimited } = arrival
      const queue = operation.isDear(call.query) ? dear : lists
      const body = await openBody(stream(atOf(arrival.caller), call), stay, {
        inQueue: (read) => queue(workspace, read),
        is_endless: isEndless(operation),
      })
      return { status: operation.status, headers: headersOf(operation), body }
    }
  }

  if (operation.method === 'GET') {
    return async (arrival) => {
      const call = callOf(operation, arrival, undefined)
      const { workspace } = arrival.caller
      const read = () => Promise.resolve(run?.(atOf(arrival.caller), call))
      const lane = operation.isDear(call.query) ? dear : lists
      const resource = await (operation.is_list ? lane(workspace, read) : read())
      const found = answer(resource)
      const { etag } = found.headers
      const asked = headerOf(arrival.raw, 'if-match')
      if (asked !== undefined && etag && !matches(asked, etag)) throw preconditionFailed()
      const known = headerOf(arrival.raw, 'if-none-match')
      return known !== undefined && etag && isKnown(known, etag) ? { ...found, status: 304, body: '' } : found
    }
  }

  return async (arrival) => {
    if (upload && arrival.body instanceof Readable) return receive(operation, upload, arrival, arrival.body)
    if (operation.is_raw) return write({ operation, call: rawCallOf(operation, arrival), claim: undefined, answer })
    const json = operation.body && readJson(arrival.body)
    const call = callOf(operation, arrival, json)
    // Only in members that are ignored: what is read has no such depth.
    assertShallow(json)
    const keys = operation.method === 'POST' ? sentOf(arrival.raw, 'idempotency-key') : []
    const claim = keys.length > 0 ? { key: keyOf(keys), fingerprint: printOf(operation, call, json) } : undefined
    if (operation.before && !(await isAnswered(arrival.caller, claim))) {
      await operation.before(atOf(arrival.caller), call)
    }
    return write({ operation, call, claim, answer })
  }

  /** A replay is not checked anew: the answer is the first one, whatever has changed since. */
  async function isAnswered({ workspace }: Caller, claim: Claim | undefined): Promise<boolean> {
    return claim !== undefined && isKept(pool, workspace, claim.key, clock.now())
  }

  /** The file is kept before the write begins, which may take its time; the write then takes it over, or nobody does. */
  async function receive(operation: Operation, upload: Upload, arrival: Arrival, body: Readable): Promise<Answer> {
    const at = atOf(arrival.caller)
    const keys = sentOf(arrival.raw, 'idempotency-key')
    const key = keys.length > 0 ? keyOf(keys) : undefined
    // By then it is decided what the caller is told: a file that stays is removed by retention.
    const letGo = (kept: string) =>
      upload.letGo(at, kept).catch((error: unknown) => {
        log.warn({ err: error, request_id: arrival.id, file: kept }, 'could not remove an uploaded file')
      })
    const form = await readForm(arrival.raw.headers, body, {
      bytes_max: upload.bytes_max,
      keep: (bytes) => upload.keep(at, bytes),
      letGo,
    })
    try {
      const json = form.options === undefined ? {} : readJson(form.options, 'options')
      const file = { id: form.kept, name: form.file_name }
      const call = { ...callOf({ ...operation, body: upload.options }, arrival, json), file }
      const claim = key && { key, fingerprint: printOf(operation, call, form.hashes, form.file_name) }
      return await write({ operation, call, claim: claim || undefined, answer })
    } finally {
      await letGo(form.kept)
    }
  }
}

/** With an answer that shows a secret the caller counts: for another one it is another request. */
const printOf = ({ id, is_secret }: Operation, { params, caller }: Call, ...sent: unknown[]): string =>
  fingerprintOf(id, params, ...sent, ...(is_secret ? [caller.id] : []))

const headersOf = ({ file }: Operation): Record<string, string> => ({
  'content-type': file?.content_type ?? '',
  ...(file?.name === undefined
    ? // The connection ends with it, and proxies pass on what comes when it comes.
      { connection: 'close', 'x-accel-buffering': 'no' }
    : { 'content-disposition': `attachment; filename="${file.name}"` }),
})

function callOf({ params, query, body, state }: Operation, arrival: Arrival, json: unknown): Call {
  const in_path = validate(params as Schema, arrival.params)
  // Text is trimmed elsewhere, but a path with blanks is another path.
  for (const [path, said] of Object.entries(arrival.params)) {
    if (said === said.trim()) continue
    in_path.faults.push({ path, code: 'format', message: `${path} may not begin or end with blanks.` })
  }
  // One with an id or a token that is none leads nowhere, as one with an unknown one.
  if (in_path.faults.some(({ path }) => /^(\w+_)?(id|token)$/.test(path))) throw notFound()
  const in_query = validateQuery(query as Schema, arrival.query)
  const in_body = body ? validate(body as Schema, json) : { value: {}, faults: [] }
  const faults = [...in_path.faults, ...in_query.faults, ...in_body.faults]
  if (faults.length > 0) throw invalid(faults)
  const if_match = headerOf(arrival.raw, 'if-match')
  return {
    caller: arrival.caller,
    request_id: arrival.id,
    params: in_path.value,
    query: in_query.value,
    body: in_body.value,
    file: undefined,
    raw: undefined,
    is_current: (resource) => if_match === undefined || !state || matches(if_match, etagOf(state(resource))),
    listener: arrival.stay ? listenerOf(arrival.raw, arrival.stay) : nobody,
  }
}

function rawCallOf(operation: Operation, arrival: Arrival): Call {
  const { raw, body } = arrival
  const sent = (header: string) => sentOf(raw, header)
  const bytes = body instanceof Buffer ? body : Buffer.alloc(0)
  return { ...callOf(operation, arrival, undefined), raw: { sent, bytes } }
}

const nobody: Listener = { last_event_id: undefined, signal: unlimited.signal }

const listenerOf = (raw: IncomingMessage, { signal }: Stay): Listener => ({
  last_event_id: headerOf(raw, 'last-event-id') || undefined,
  signal,
})
