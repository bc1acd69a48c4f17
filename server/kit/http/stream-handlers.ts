import type { FastifyReply } from 'fastify'
import type { RejectLater } from '../limits/delayed-rejection.ts'
import * as problem from '../problem.ts'
import type { Door } from './door.ts'
import type { Endpoint } from './endpoint.ts'
import type { Stream } from './operation.ts'
import type { KeptRequest, SendAnswer } from './request.ts'
import {
  createContinueCheck,
  downloads_per_workspace_max,
  type StreamLimits,
  type Streams,
  streams_per_workspace_max,
} from './stream-limits.ts'

interface StreamOptions {
  run: Endpoint
  sendAnswer: SendAnswer
  streams: Streams
  downloads: Streams
  rejectLater: RejectLater
}

/** Files and streams have separate concurrency limits, and hold their slots until they end. */
export function streamHandlers({ run, sendAnswer, streams, downloads, rejectLater }: StreamOptions) {
  function subscribe(door: Door, operation: Stream, request: KeptRequest, reply: FastifyReply): void {
    const { caller, head } = request
    const mayContinue = createContinueCheck(async (now) => {
      const again = await door.identify(head, now, { is_recheck: true })
      return again?.workspace === caller.workspace && again.scopes.has(operation.scope)
    })
    const tooMany = () =>
      door.streams ? problem.overloaded('too_many_streams') : problem.tooManyStreams(streams_per_workspace_max)
    const slot = acquire(streams, request, reply, tooMany)
    if (slot) send(request, reply, { signal: slot.signal, mayContinue })
  }

  function download(request: KeptRequest, reply: FastifyReply): void {
    const slot = acquire(downloads, request, reply, () => problem.tooManyDownloads(downloads_per_workspace_max))
    if (!slot) return
    // Resets the connection also when the service stops: HTTP/1.0 clients take an orderly close for the end of the file.
    slot.signal.addEventListener('abort', () => {
      if (!reply.raw.writableFinished) request.raw.socket.resetAndDestroy()
    })
    send(request, reply, { signal: slot.signal, mayContinue: async () => true })
  }

  function acquire(slots: Streams, { caller }: KeptRequest, reply: FastifyReply, tooMany: () => problem.Problem) {
    // The client disconnected while it was identified: no event would release the slot.
    if (reply.raw.closed) return undefined
    const slot = slots.open(caller.workspace, caller.id)
    // The slot is not released on the body's close, which waits for the next chunk.
    if (slot) reply.raw.once('close', () => slot.abort())
    else rejectLater(() => void reply.send(tooMany()))
    return slot
  }

  function send(request: KeptRequest, reply: FastifyReply, limits: StreamLimits): void {
    const { id, caller, head, raw, params, query } = request
    run({ id, caller, client: head, raw, params, query, body: undefined, limits }).then(
      (answer) => sendAnswer(request, reply, answer),
      (error: unknown) => void reply.send(error),
    )
  }

  return { subscribe, download }
}
