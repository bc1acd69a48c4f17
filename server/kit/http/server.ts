import type { FastifyInstance } from 'fastify'
import { requestIds } from '../id.ts'
import { type Log, oncePerSecond } from '../log.ts'
import * as problem from '../problem.ts'
import { createApp, type Upgrades } from './app.ts'
import { addCors } from './cors.ts'
import type { Door } from './door.ts'
import { addDoors, type DoorOptions } from './doors.ts'
import { failure } from './envelope.ts'
import { toProblem } from './errors.ts'
import { closeGracefully } from './graceful-shutdown.ts'
import { openOtherMethods } from './other-methods.ts'
import { type AddPage, pageAdder } from './pages.ts'
import type { SendAnswer } from './request.ts'
import { createSender } from './send.ts'
import type { StaticSite } from './static-site.ts'
import {
  downloads_max,
  downloads_per_workspace_max,
  openStreams,
  type Streams,
  streams_max,
  streams_per_workspace_max,
  waits_max,
  waits_per_workspace_max,
} from './stream-limits.ts'

export interface HttpOptions extends DoorOptions {
  trust_proxy: string[]
  /** Below these paths, a slash at the end of a path changes nothing, and pages of `cors_origins` may send requests. */
  public_paths?: string[]
  /** See `CorsOptions`. */
  cors_origins?: string[]
  /** Answers requests that match no route. */
  site: StaticSite
  upgrades?: Upgrades
  limits: HttpLimits
}

export interface HttpLimits {
  /** Resets the connection of a file or stream if its client reads nothing for this long. */
  stalled_after_ms?: number
}

export type { FastifyInstance }

const stalled_after_ms_default = 60_000

export interface Http {
  app: FastifyInstance
  addPage: AddPage
  /** Finishes requests in flight, ends streams and closes all connections. */
  stop: () => Promise<void>
  isStopping: () => boolean
}

/** The web server with all operations. */
export function openHttp(options: HttpOptions): Http {
  const { log, trust_proxy, public_paths = [], cors_origins = [], service } = options
  const { stalled_after_ms = stalled_after_ms_default } = options.limits
  let is_stopping = false
  const isStopping = () => is_stopping
  const { metrics, traces } = service.tools
  const sendAnswer = createSender({ log, metrics, traces, stalled_after_ms, isStopping })
  const { upgrades = {} } = options
  const app = createApp({ trust_proxy, public_paths, newRequestId: requestIds(), sendAnswer, log, traces, upgrades })
  addCors(app, sendAnswer, { origins: cors_origins, paths: public_paths })
  app.setNotFoundHandler((request, reply) =>
    sendAnswer(request, reply, options.site.answer(request) ?? failure(problem.notFound(), request.id)),
  )
  answerErrors(app, sendAnswer, log)
  const shared_streams = openStreams(streams_max, streams_per_workspace_max)
  const own_streams = new Map(
    options.doors.flatMap((door) => (door.streams ? [[door, openDoorStreams(door.streams)]] : [])),
  )
  const streamsOf = (door: Door): Streams => own_streams.get(door) ?? shared_streams
  const downloads = openStreams(downloads_max, downloads_per_workspace_max)
  const waits = openStreams(waits_max, waits_per_workspace_max)
  const endStreams = () => {
    for (const streams of [shared_streams, waits, ...own_streams.values()]) streams.endAll()
  }
  app.addHook('preClose', async () => endStreams())
  const rejectOtherMethods = openOtherMethods(app)
  const rejectRemote = addDoors(app, { rejectOtherMethods, sendAnswer, streamsOf, downloads, waits }, options)
  const stop = () => {
    is_stopping = true
    endStreams()
    const endRest = () => {
      downloads.endAll()
      rejectRemote()
    }
    return closeGracefully(app.server, () => app.close(), endRest)
  }
  return { app, addPage: pageAdder(app, rejectOtherMethods, sendAnswer), stop, isStopping }
}

const openDoorStreams = ({ max, per_workspace_max, per_caller_max }: NonNullable<Door['streams']>): Streams =>
  openStreams(max, per_workspace_max, per_caller_max)

function answerErrors(app: FastifyInstance, sendAnswer: SendAnswer, log: Log): void {
  const logUnavailable = oncePerSecond<problem.Problem>(({ message, cause }, count) =>
    log.warn({ count, reason: cause instanceof Error ? cause.message : message }, 'answered 503'),
  )
  app.setErrorHandler((error, request, reply) => {
    const has_disconnected = request.raw.destroyed && !request.raw.complete
    const rejection = has_disconnected
      ? problem.malformedRequest()
      : request.is404
        ? problem.notFound()
        : toProblem(error)
    // If the database is down or the service is overloaded, all requests fail at once and a stack explains nothing.
    if (rejection.status === 503) logUnavailable(rejection)
    else if (rejection.status >= 500)
      log.error({ err: error, request_id: request.id, route: request.routeOptions.url }, rejection.message)
    sendAnswer(request, reply, failure(rejection, request.id))
  })
}
