import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useClaims } from './claims.ts'
import { toUrl, withQuery } from './request.ts'
import { session_query } from './session.ts'

export type StreamState = 'connecting' | 'connected'

export interface Message {
  type: string
  data: unknown
}

interface StreamOptions<Received extends Message> {
  path: string
  types: readonly Received['type'][]
  /** Is called with messages in batches, in the order received. */
  onMessages: (messages: Received[]) => unknown
  /** Reads what the stream would say. It is called again and again while other windows use all connections. */
  onPoll: () => unknown
}

const retry_ms = 5_000
/** Limits how often the page renders under load. */
export const batch_ms = 100
/** Without a connection for a stream, the page polls this often. */
export const poll_ms = 3_000
/** All windows of the browser share these connections. */
const connections = ['stream-1', 'stream-2']

/**
 * Receives server-sent events while the page is visible. Over HTTP/1.1 browsers allow six connections per server across all windows,
 * so streams use two of them, and another two are for the events of workspaces. When a connection is lost, the browser reconnects and
 * resumes by itself.
 */
export function useStream<Received extends Message>(workspace: string, options: StreamOptions<Received>): StreamState {
  const client = useQueryClient()
  const claims = useClaims()
  const [state, setState] = useState<StreamState>('connecting')
  const latest = useRef(options)
  latest.current = options
  // The workspace is in the URL, because an EventSource can't send headers.
  const url = toUrl(withQuery(`/app/api/v1${options.path}`, { workspace }))
  useEffect(() => {
    let endClaim = () => {}
    let poll_timer: ReturnType<typeof setInterval> | undefined
    let source: EventSource | undefined
    let retry_timer: ReturnType<typeof setTimeout> | undefined
    let batch_timer: ReturnType<typeof setTimeout> | undefined
    let batch: Received[] = []
    const flush = () => {
      batch_timer = undefined
      latest.current.onMessages(batch)
      batch = []
    }
    const receive = ({ type, data }: MessageEvent<string>) => {
      batch.push({ type, data: JSON.parse(data) } as Received)
      batch_timer ??= setTimeout(flush, batch_ms)
    }
    const poll = () => {
      poll_timer = setInterval(() => latest.current.onPoll(), poll_ms)
    }
    const connect = () => {
      clearInterval(poll_timer)
      const connection = new EventSource(url)
      source = connection
      connection.onopen = () => setState('connected')
      connection.onerror = () => {
        setState('connecting')
        if (connection.readyState !== EventSource.CLOSED) return
        // The session may have ended: after an error response the browser gives up without a reason.
        void client.invalidateQueries(session_query)
        retry_timer = setTimeout(connect, retry_ms)
      }
      for (const type of latest.current.types) connection.addEventListener(type, receive)
    }
    const disconnect = () => {
      clearInterval(poll_timer)
      clearTimeout(retry_timer)
      clearTimeout(batch_timer)
      batch_timer = undefined
      batch = []
      source?.close()
    }
    const onLost = () => {
      disconnect()
      setState('connecting')
      poll()
    }
    const close = () => {
      endClaim()
      disconnect()
    }
    const reopen = () => {
      close()
      setState('connecting')
      if (document.visibilityState !== 'visible') return
      poll()
      endClaim = claims.claim({ names: connections, onHeld: connect, onLost })
    }
    reopen()
    document.addEventListener('visibilitychange', reopen)
    return () => {
      document.removeEventListener('visibilitychange', reopen)
      close()
    }
  }, [url, client, claims])
  return state
}
