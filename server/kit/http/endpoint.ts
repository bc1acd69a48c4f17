import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type At, type AtOutside, atCaller, type Service } from '../at.ts'
import type { Log } from '../log.ts'
import { disconnected, preconditionFailed } from '../problem.ts'
import { batchAnswer, runPartsSeparately } from './batch.ts'
import { mayOmitBody } from './body/may-omit.ts'
import { assertNotTooDeep, letOthersParse, parseJsonBody } from './body/read-json.ts'
import { type Answer, pageAnswer, resourceAnswer, type StreamedAnswer } from './envelope.ts'
import { matchesStrongly, matchesWeakly } from './etag.ts'
import { fileHeaders, piecedAnswer, storedFileAnswer } from './file-answers.ts'
import { allHeaders, headerValues, readHeader } from './headers.ts'
import { hasStoredAnswer, type KeyedRequest, readKey } from './idempotency.ts'
import type * as kinds from './operation.ts'
import { bodyOf, type Caller, type Operation, uploadOf } from './operation.ts'
import type { PendingWrite } from './pending-write.ts'
import type { RawAnswer } from './raw.ts'
import { reportServed } from './served.ts'
import { openStreamBody } from './stream-body.ts'
import { unlimited } from './stream-limits.ts'
import { keyedRequest, receiveUpload } from './upload.ts'
import { type IncomingRequest, requestWithBody, requestWithoutBody } from './valid-request.ts'
import { assertSupportedSchema } from './validate.ts'

export type Endpoint = (incoming: IncomingRequest) => Promise<Answer | StreamedAnswer>

/** Runs work when little enough work of the same workspace is running. */
type RunInQueue = <T>(workspace: string, work: () => Promise<T>) => Promise<T>

export interface EndpointContext {
  base_path: string
  has_no_idempotency_keys: boolean
  service: Service
  write: (write: PendingWrite) => Promise<Answer>
  large_gets: RunInQueue
  lists: RunInQueue
  expensive_lists: RunInQueue
  log: Log
}

/** Makes the handler of an operation: validate, run, put the result into the envelope. */
export function endpoint(operation: Operation, context: EndpointContext): Endpoint {
  const schemas = [operation.params, operation.query, bodyOf(operation), uploadOf(operation)?.options]
  for (const schema of schemas) if (schema) assertSupportedSchema(schema)
  switch (operation.kind) {
    case 'get':
      return whileResponsive(getEndpoint(operation, context), context)
    case 'list':
      return listEndpoint(operation, context)
    case 'write':
    case 'write_many':
      return writeEndpoint(operation, context)
    case 'file':
      return whileResponsive(fileEndpoint(operation, context), context)
    case 'stream':
      return whileResponsive(streamEndpoint(operation, context), context)
    case 'raw':
      return rawEndpoint(operation, context)
  }
}

/**
 * Rejects a read when the database stops answering, until the first byte is sent. A result that comes later is dropped.
 */
function whileResponsive(read: Endpoint, { service }: EndpointContext): Endpoint {
  return (incoming) => {
    const reading = read(incoming)
    return service.pool
      .whileResponsive(() => reading)
      .catch((error: unknown) => {
        reading.then(({ body }) => body instanceof Readable && body.destroy()).catch(() => {})
        throw error
      })
  }
}

function getEndpoint(operation: kinds.Get, context: EndpointContext): Endpoint {
  const answer = resourceAnswer(operation, context.base_path)
  return async (incoming) => {
    const request = requestWithoutBody(operation, incoming)
    const found = await find(await atCaller(context.service, incoming.caller), request, incoming.raw)
    const { etag = '' } = found.headers
    const if_match = readHeader(incoming.raw, 'if-match')
    if (if_match !== undefined && !matchesStrongly(if_match, etag)) throw preconditionFailed()
    const if_none_match = readHeader(incoming.raw, 'if-none-match')
    if (if_none_match === undefined || !matchesWeakly(if_none_match, etag)) return found
    const { 'content-length': _length, ...headers } = found.headers
    return { status: 304, headers, body: '' }
  }

  async function find(
    at: AtOutside,
    request: kinds.ValidRequest,
    raw: IncomingMessage,
  ): Promise<Answer | StreamedAnswer> {
    const { id, is_expensive, run, runInPieces, runRemote } = operation
    if (runInPieces) return context.large_gets(at.workspace, async () => piecedAnswer(await runInPieces(at, request)))
    const read = runRemote
      ? () => whileConnected(raw, (signal) => runRemote(at, request, signal))
      : run && (() => run(at, request))
    if (!read) throw new Error(`${id} has no run`)
    return answer(await (is_expensive ? context.expensive_lists(at.workspace, read) : read()))
  }
}

function listEndpoint(operation: kinds.List, context: EndpointContext): Endpoint {
  const answer = pageAnswer(operation)
  return async (incoming) => {
    const request = requestWithoutBody(operation, incoming)
    const queue = queueFor(operation, request.query, context)
    const at = () => atCaller(context.service, incoming.caller)
    const wait = operation.wait?.(await at(), request)
    if (wait) await incoming.waitOutside?.(wait)
    const run = async () => operation.run(await at(), request)
    return answer(await context.service.pool.whileResponsive(() => queue(incoming.caller.workspace, run)))
  }
}

const queueFor = ({ isExpensive }: kinds.List | kinds.File, query: unknown, context: EndpointContext): RunInQueue =>
  isExpensive(query) ? context.expensive_lists : context.lists

function writeEndpoint(operation: kinds.Write | kinds.WriteMany, context: EndpointContext): Endpoint {
  const { service, write, has_no_idempotency_keys } = context
  const takes_key = operation.method === 'POST' && !has_no_idempotency_keys
  const answer = resourceAnswer(operation, context.base_path)
  const may_omit_body = mayOmitBody(operation)
  return async (incoming) => {
    if (operation.kind === 'write' && operation.upload && incoming.body instanceof Readable) {
      const upload = { operation, upload: operation.upload, incoming, body: incoming.body, answer }
      return receiveUpload(upload, await atCaller(service, incoming.caller), write, context.log)
    }
    await letOthersParse(incoming.body)
    const json = operation.body && (may_omit_body && isEmpty(incoming.body) ? {} : parseJsonBody(incoming.body))
    const request = requestWithBody(operation, incoming, operation.body, json)
    // Fields that are ignored are not validated, and may nest too deeply to be fingerprinted.
    assertNotTooDeep(json)
    const keys = takes_key ? headerValues(incoming.raw, 'idempotency-key') : []
    const keyed = keys.length > 0 ? keyedRequest(operation, request, readKey(keys), json) : undefined
    const batch = operation.kind === 'write' && operation.batch?.(request)
    if (batch) {
      incoming.countParts?.(batch.parts.length)
      const pending = { ...batch, operation, request, keyed, base_path: context.base_path }
      if (!batch.is_atomic) return runPartsSeparately(await atCaller(service, incoming.caller), pending, write)
      // `runPartsInTransaction` returns the answers of the parts.
      return write({ operation, request, keyed, answer: (parts) => batchAnswer(parts as Answer[]), batch: pending })
    }
    const { before } = operation
    const prepare = async () => {
      const at = await atCaller(service, incoming.caller)
      request.prepared = await whileConnected(incoming.raw, async (signal) => before?.(at, request, signal))
    }
    const pending = { operation, request, keyed, answer: (result: unknown) => answer(result, request.params) }
    if (keyed && operation.kind === 'write' && operation.is_remote) return write({ ...pending, runRemote: prepare })
    if (before && !(await isReplay(incoming.caller, keyed))) await prepare()
    return write(pending)
  }

  /** Whether the request is a replay, which returns the stored response, whatever has changed since. */
  async function isReplay(caller: Caller, keyed: KeyedRequest | undefined): Promise<boolean> {
    return keyed !== undefined && hasStoredAnswer(await atCaller(service, caller), keyed.key)
  }
}

const isEmpty = (body: IncomingRequest['body']): boolean => !body || (body instanceof Buffer && body.length === 0)

function fileEndpoint(operation: kinds.File, context: EndpointContext): Endpoint {
  const headers = fileHeaders(operation.file)
  return async (incoming) => {
    const request = requestWithoutBody(operation, incoming)
    if (operation.open) {
      const at = await atCaller(context.service, incoming.caller)
      const answer = await storedFileAnswer(incoming.raw, headers, await operation.open(at, request))
      return answer.status < 300 ? reported(at, request, answer) : answer
    }
    if (!operation.run) throw new Error(`${operation.id} has neither run nor open`)
    const queue = queueFor(operation, request.query, context)
    const at = await atCaller(context.service, incoming.caller)
    const body = await openStreamBody(operation.run(at, request), incoming.limits ?? unlimited, {
      inQueue: (read) => queue(incoming.caller.workspace, read),
    })
    return reported(at, request, { status: 200, headers, body })

    /** Reports the file before its first byte is sent: a file that can't be reported is not sent. */
    async function reported<A extends Answer | StreamedAnswer>(
      at: At,
      request: kinds.ValidRequest,
      answer: A,
    ): Promise<A> {
      if (incoming.raw.method === 'HEAD') return answer
      const is_continued = continues(answer)
      try {
        await reportServed(at, [{ operation, request, result: undefined, is_continued }])
        return answer
      } catch (error) {
        if (answer.body instanceof Readable) answer.body.destroy()
        throw error
      }
    }
  }
}

const continues = ({ status, headers }: Answer | StreamedAnswer): boolean =>
  status === 206 && !headers['content-range']?.startsWith('bytes 0-')

function streamEndpoint(operation: kinds.Stream, context: EndpointContext): Endpoint {
  const headers = {
    'content-type': operation.stream.content_type,
    connection: 'close',
    // Tells proxies to pass on each chunk at once.
    'x-accel-buffering': 'no',
  }
  return async (incoming) => {
    const { limits = unlimited } = incoming
    const request = requestWithoutBody(operation, incoming)
    const last_event_id = readHeader(incoming.raw, 'last-event-id') || undefined
    const subscriber = { last_event_id, signal: limits.signal }
    const chunks = operation.run(await atCaller(context.service, incoming.caller), request, subscriber)
    const body = await openStreamBody(chunks, limits, {
      inQueue: (read) => context.lists(incoming.caller.workspace, read),
      is_endless: true,
    })
    return { status: 200, headers, body }
  }
}

function rawEndpoint(operation: kinds.Raw, context: EndpointContext): Endpoint {
  return async (incoming) => {
    const bytes = incoming.body instanceof Buffer ? incoming.body : Buffer.alloc(0)
    const raw = { headers: allHeaders(incoming.raw), bytes }
    let delay_ms = 0
    const answer = (result: unknown): Answer => {
      // `run` of a raw operation always returns a RawAnswer.
      const { status, body, ...more } = result as RawAnswer
      delay_ms = more.delay_ms ?? 0
      if ('content_type' in body) return { status, headers: { 'content-type': body.content_type }, body: body.text }
      return { status, headers: {}, body: JSON.stringify(body) }
    }
    const request = requestWithoutBody(operation, incoming)
    if (operation.before)
      request.prepared = await operation.before(await atCaller(context.service, incoming.caller), request, raw)
    incoming.takeSlot?.()
    const answered = await context.write({ operation, request, raw, keyed: undefined, answer })
    if (delay_ms > 0) await waitWhileConnected(incoming.raw, delay_ms)
    return answered
  }
}

/** The signal is aborted when the client disconnects. */
async function whileConnected<T>({ socket }: IncomingMessage, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const connection = new AbortController()
  const abort = () => connection.abort(disconnected())
  if (socket.destroyed) abort()
  socket.once('close', abort)
  return run(connection.signal).finally(() => socket.off('close', abort))
}

async function waitWhileConnected({ socket }: IncomingMessage, wait_ms: number): Promise<void> {
  const done = new AbortController()
  const { signal } = done
  const disconnected = socket.destroyed ? undefined : once(socket, 'close', { signal })
  await Promise.race([sleep(wait_ms, undefined, { ref: false, signal }), disconnected]).catch(() => {})
  done.abort()
}
