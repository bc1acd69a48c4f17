import { availableParallelism } from 'node:os'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Service } from '../at.ts'
import * as clock from '../clock.ts'
import { openConcurrencyLimit } from '../limits/concurrency.ts'
import { openDelayedRejection } from '../limits/delayed-rejection.ts'
import { openQueuePerKey } from '../limits/key-queues.ts'
import type { Log } from '../log.ts'
import * as problem from '../problem.ts'
import { openAdmission, upload_sockets } from './admission.ts'
import type { Door } from './door.ts'
import { type Endpoint, endpoint } from './endpoint.ts'
import { type Operation, uploadOf } from './operation.ts'
import type { RejectOtherMethods } from './other-methods.ts'
import { type KeptRequest, kept, type RequestParts, type SendAnswer } from './request.ts'
import { streamHandlers } from './stream-handlers.ts'
import type { Streams } from './stream-limits.ts'
import type { IncomingRequest } from './valid-request.ts'
import { directWriter, queuePerCaller, writer } from './write.ts'

export interface DoorOptions {
  doors: Door[]
  service: Service
  rate_limit_per_second: number
  log: Log
}

/** What doors share with the rest of the server. */
interface DoorParts {
  rejectOtherMethods: RejectOtherMethods
  sendAnswer: SendAnswer
  streamsOf: (door: Door) => Streams
  downloads: Streams
  waits: Streams
}

/**
 * Requests of all workspaces that may run at once. One workspace may use half: as many as a key may send in a second by
 * default.
 */
const requests_max = 2_000
/**
 * Lists that a workspace may run at once, which leaves connections to others. Expensive lists also leave a processor
 * free.
 */
const lists_max = 3
/** Large resources that a workspace may read at once. Each is held in memory, and they share the processor. */
const large_gets_max = 2
const large_get_wait_max_ms = 20_000
const expensive_lists_max = Math.min(lists_max, Math.max(1, availableParallelism() - 1))

/**
 * Adds the routes of all doors. Doors without a `concurrency` share one limit. Returns a function that rejects the requests that
 * still wait for another server.
 */
export function addDoors(
  app: FastifyInstance,
  { rejectOtherMethods, sendAnswer, streamsOf, downloads, waits }: DoorParts,
  { doors, service, log, rate_limit_per_second }: DoorOptions,
): () => void {
  const remote_requests = new Set<() => void>()
  const large_gets = openQueuePerKey(large_gets_max, { wait_max_ms: large_get_wait_max_ms })
  const lists = openQueuePerKey(lists_max)
  const expensive_lists = openQueuePerKey(expensive_lists_max)
  const rejectLater = openDelayedRejection()
  const { admitTo, countParts } = openAdmission(rate_limit_per_second, rejectLater, service.pool)
  const shared_slots = openConcurrencyLimit(requests_max)
  const shared_write = writer(service)
  for (const door of doors) addDoor(door)
  return () => {
    for (const reject of remote_requests) reject()
    remote_requests.clear()
  }

  function addDoor(door: Door): void {
    const { concurrency, opens_own_transactions } = door
    const write = opens_own_transactions
      ? directWriter(service)
      : concurrency
        ? writer(service, queuePerCaller())
        : shared_write
    const slots = concurrency ? openConcurrencyLimit(concurrency.max, concurrency.per_caller_max) : shared_slots
    const own_lists = concurrency ? openQueuePerKey(lists_max) : lists
    for (const operation of door.operations) {
      const { base_path, has_no_idempotency_keys = false } = door
      const queues = { large_gets, lists: own_lists, expensive_lists }
      const context = { base_path, has_no_idempotency_keys, service, write, ...queues, log }
      addOperation(door, operation, endpoint(operation, context), slots)
    }
    // Paths that differ only in the names of parameters are the same.
    for (const [path, group] of Map.groupBy(door.operations, ({ path }) => path.replace(/:\w+/g, ':name'))) {
      const allowed = group.map(({ method }) => method)
      for (const prefix of door.served_at) rejectOtherMethods(prefix + path, allowed)
    }
  }

  function addOperation(door: Door, operation: Operation, run: Endpoint, slots: typeof shared_slots): void {
    const handler = handlerFor(door, operation, run, slots)
    for (const prefix of door.served_at) {
      app.route<RequestParts>({
        method: operation.method,
        url: prefix + operation.path,
        onRequest: admitTo(door, operation),
        handler: (request, reply) => handler(kept(request), reply),
      })
    }
  }

  function handlerFor(door: Door, operation: Operation, run: Endpoint, slots: typeof shared_slots) {
    const answer = limited(door, operation, run, slots)
    const streams = streamsOf(door)
    const { subscribe, download } = streamHandlers({ run, sendAnswer, streams, downloads, rejectLater })
    if (operation.kind === 'stream') {
      return (request: KeptRequest, reply: FastifyReply) => subscribe(door, operation, request, reply)
    }
    if (operation.kind !== 'file') return answer
    return (request: KeptRequest, reply: FastifyReply) =>
      request.method === 'HEAD' ? answer(request, reply) : download(request, reply)
  }

  /** Runs the request when there is a free slot, and rejects it otherwise. */
  function limited(door: Door, operation: Operation, run: Endpoint, slots: typeof shared_slots) {
    const upload = uploadOf(operation)
    const begins_without_slot = operation.kind === 'raw' && operation.before !== undefined
    const is_remote =
      (operation.kind === 'write' && operation.is_remote) ||
      (operation.kind === 'get' && operation.runRemote !== undefined)
    return (request: KeptRequest, reply: FastifyReply): void => {
      const { id, caller, head, raw, params, query, body } = request
      const key = door.concurrency ? caller.id : caller.workspace || caller.id
      const fail = (error: unknown) => {
        if (upload) upload_sockets.delete(raw.socket)
        reply.send(error)
      }
      let has_slot = !begins_without_slot && slots.acquire(key)
      if (!has_slot && !begins_without_slot) {
        rejectLater(() => fail(problem.overloaded('too_many_requests')))
        return
      }
      const takeSlot = () => {
        has_slot = has_slot || slots.acquire(key)
        if (!has_slot) throw problem.overloaded('too_many_requests')
      }
      const release = () => {
        if (has_slot) slots.release(key)
        has_slot = false
      }
      const waitOutside: IncomingRequest['waitOutside'] = async (wait) => {
        const waiting = reply.raw.closed ? undefined : waits.open(caller.workspace, caller.workspace)
        if (!waiting) throw problem.overloaded('too_many_waiting')
        const end = () => waiting.abort()
        reply.raw.once('close', end)
        release()
        await wait(waiting.signal).finally(end)
        reply.raw.off('close', end)
        const again = await door.identify(request.head, clock.wall(), { is_recheck: true })
        const may_read = operation.kind !== 'raw' && again?.scopes.has(operation.scope)
        if (!may_read || again?.workspace !== caller.workspace) throw problem.unauthorized()
        takeSlot()
      }
      const reject = () => fail(problem.stopping())
      if (is_remote) remote_requests.add(reject)
      const isRejected = () => is_remote && !remote_requests.delete(reject)
      const incoming = { id, caller, client: head, raw, params, query, body, takeSlot, waitOutside }
      run({ ...incoming, countParts: (count) => countParts(door, caller, count, reply) }).then(
        (answer) => {
          release()
          if (upload) upload_sockets.delete(raw.socket)
          if (!isRejected()) sendAnswer(request, reply, answer)
        },
        (error: unknown) => {
          release()
          if (!isRejected()) fail(error)
        },
      )
    }
  }
}
