import { METHODS } from 'node:http'
import { availableParallelism } from 'node:os'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { openConcurrencyLimit } from '../limits/concurrency.ts'
import { openDelayedRejection } from '../limits/delayed-rejection.ts'
import { queuePerKey } from '../limits/key-queues.ts'
import type { Log } from '../log.ts'
import type { Pool } from '../postgres/pool.ts'
import * as problem from '../problem.ts'
import { admission, unhurried } from './admission.ts'
import { answerAndDrain } from './body/drain.ts'
import type { Door } from './door.ts'
import { endpoint } from './endpoint.ts'
import { isEndless, type Operation, type Tools } from './operation.ts'
import type { Give, Parts } from './request.ts'
import { downloads_of_one_max, type Stay, type Streams, streams_of_one_max, welcome } from './stream-limits.ts'
import { perCaller, plainWriter, writer } from './write.ts'

type Run = ReturnType<typeof endpoint>

export interface DoorOptions {
  doors: Door[]
  pool: Pool
  rate_limit_per_second: number
  tools: Tools
  log: Log
}

/** Of all workspaces together. Half of it, for one, is what a key may ask for in a second by default. */
const requests_at_once_max = 2_000
/** Of all inlets together, and of one caller. */
const inlet_requests_at_once_max = 1_000
const inlet_requests_of_one_max = 200
/** Of one workspace, so that they leave connections to others, and its dear ones a processor too. */
const lists_at_once_max = 3
const dear_at_once_max = Math.min(lists_at_once_max, Math.max(1, availableParallelism() - 1))
/** Every method that Node reads; CONNECT asks for a tunnel and never gets to a route. */
export const methods = METHODS.filter((method) => method !== 'CONNECT')

/** All doors lead to the same rooms: what limits requests counts them together. */
export function addDoors(
  app: FastifyInstance,
  give: Give,
  streams: Streams,
  downloads: Streams,
  { doors, pool, tools, log, rate_limit_per_second }: DoorOptions,
): void {
  const write = writer(pool, tools)
  const reads = { lists: queuePerKey(lists_at_once_max), dear: queuePerKey(dear_at_once_max) }
  const turnAway = openDelayedRejection()
  const admit = admission(rate_limit_per_second, turnAway)
  const places = openConcurrencyLimit(requests_at_once_max)
  const inlet_places = openConcurrencyLimit(inlet_requests_at_once_max, inlet_requests_of_one_max)
  const writeFromInlet = writer(pool, tools, perCaller())
  for (const door of doors) addOperations(door)

  function addOperations(door: Door): void {
    const writeHere = door.is_plain ? plainWriter(pool, tools) : door.is_inlet ? writeFromInlet : write
    for (const operation of door.operations) addOperation(door, operation, writeHere)
    // What a parameter is called makes no other path.
    for (const [path, group] of Map.groupBy(door.operations, ({ path }) => path.replace(/:\w+/g, ':name'))) {
      const allowed = group.map(({ method }) => method)
      for (const prefix of door.served_at) refuseOtherMethods(app, prefix + path, allowed)
    }
  }

  function addOperation(door: Door, operation: Operation, writeHere: typeof write): void {
    const run = endpoint(operation, door.base_path, pool, writeHere, reads, tools, log)
    const { is_inlet = false } = door
    const slots = is_inlet ? inlet_places : places
    const stream = operation.file && (isEndless(operation) ? listener(door, operation, run) : downloader(run))
    for (const prefix of door.served_at) {
      app.route<Parts>({
        method: operation.method,
        url: prefix + operation.path,
        onRequest: (request, reply, done) => admit(door, operation, request, reply, done),
        handler: (request, reply) => {
          if (stream?.(request, reply)) return
          const { id, caller, raw, params, query, body } = request
          const taker = is_inlet ? caller.id : caller.workspace || caller.id
          const refuse = (error: unknown) => {
            const answer = () => void reply.send(error)
            if (!operation.upload || isTimeout(error)) return answer()
            void answerAndDrain(raw, reply.raw, operation.upload.bytes_max, answer).finally(() =>
              unhurried.delete(raw.socket),
            )
          }
          if (!slots.acquire(taker)) return turnAway(() => refuse(problem.overloaded()))
          const leave = () => slots.release(taker)
          run({ id, caller, raw, params, query, body }).then(
            (answer) => {
              leave()
              if (operation.upload) unhurried.delete(raw.socket)
              give(request, reply, answer)
            },
            (error: unknown) => {
              leave()
              refuse(error)
            },
          )
        },
      })
    }
  }

  /** An answer without an end has a place of another kind, and keeps it until then. */
  function listener(door: Door, operation: Operation, run: Run) {
    return (request: FastifyRequest<Parts>, reply: FastifyReply): boolean => {
      const { caller, knock } = request
      const isWelcome = welcome(async (now) => {
        const again = await door.identify(knock, now, true)
        return again?.workspace === caller.workspace && again.scopes.has(operation.scope)
      })
      const place = enter(streams, request, reply, () => problem.tooManyStreams(streams_of_one_max))
      if (place) send(request, reply, run, { signal: place.signal, isWelcome })
      return true
    }
  }

  /** A download holds its slot until its client has all of it, or has gone. False for a HEAD, which is none. */
  function downloader(run: Run) {
    return (request: FastifyRequest<Parts>, reply: FastifyReply): boolean => {
      if (request.method === 'HEAD') return false
      const slot = enter(downloads, request, reply, () => problem.tooManyDownloads(downloads_of_one_max))
      if (!slot) return true
      // Also when the service stops: a client of HTTP/1.0 takes an orderly end of the connection for the end of the file.
      slot.signal.addEventListener('abort', () => {
        if (!reply.raw.writableFinished) request.raw.socket.resetAndDestroy()
      })
      send(request, reply, run, { signal: slot.signal, isWelcome: async () => true })
      return true
    }
  }

  function enter(among: Streams, { caller }: FastifyRequest, reply: FastifyReply, tooMany: () => problem.Problem) {
    // Gone while it was looked up who it is: nothing would tell when to give back the place.
    if (reply.raw.closed) return undefined
    const place = among.enter(caller.workspace)
    // Not when the stream is closed: that waits for what it waits for.
    if (place) reply.raw.once('close', () => place.abort())
    else turnAway(() => void reply.send(tooMany()))
    return place
  }

  function send(request: FastifyRequest<Parts>, reply: FastifyReply, run: Run, stay: Stay): void {
    const { id, caller, raw, params, query } = request
    run({ id, caller, raw, params, query, body: undefined, stay }).then(
      (answer) => give(request, reply, answer),
      (error: unknown) => void reply.send(error),
    )
  }
}

/** Nothing more comes, and the answer ends the connection. */
const isTimeout = (error: unknown): boolean => error instanceof problem.Problem && error.code === 'REQUEST_TIMEOUT'

export function refuseOtherMethods(app: FastifyInstance, url: string, allowed: string[]): void {
  const all_allowed = allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed
  app.route({
    method: methods.filter((method) => !all_allowed.includes(method)),
    url,
    onRequest: async (request) => {
      throw problem.methodNotAllowed(request.method, all_allowed.join(', '))
    },
    handler: () => undefined,
  })
}
