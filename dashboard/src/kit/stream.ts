import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type Query, toUrl, withQuery } from './request.ts'
import { session_query } from './session.ts'

export type StreamState = 'connecting' | 'connected'

export interface Message {
  type: string
  data: unknown
}

interface StreamOptions<Received extends Message> {
  path: string
  query?: Query
  types: readonly Received['type'][]
  /** The stream has started. Earlier messages are not received. */
  onOpen?: () => unknown
  /** Batched, in the order received. */
  onMessages: (messages: Received[]) => unknown
}

const retry_ms = 5_000
/** Limits how often the page renders under load. */
const batch_ms = 100

/**
 * Receives server-sent events while the page is visible: browsers allow few connections per server across all tabs. When
 * a connection is lost, the browser reconnects and resumes by itself.
 */
export function useStream<Received extends Message>(workspace: string, options: StreamOptions<Received>): StreamState {
  const client = useQueryClient()
  const [state, setState] = useState<StreamState>('connecting')
  const latest = useRef(options)
  latest.current = options
  // An EventSource can't send headers.
  const url = toUrl(withQuery(`/app/api/v1${options.path}`, { ...options.query, workspace }))
  useEffect(() => {
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
    const connect = () => {
      const connection = new EventSource(url)
      source = connection
      connection.addEventListener('open', () => latest.current.onOpen?.(), { once: true })
      connection.onopen = () => setState('connected')
      connection.onerror = () => {
        setState('connecting')
        if (connection.readyState !== EventSource.CLOSED) return
        // After an error response the browser gives up without a reason: the session may have ended.
        void client.invalidateQueries(session_query)
        retry_timer = setTimeout(connect, retry_ms)
      }
      for (const type of latest.current.types) connection.addEventListener(type, receive)
    }
    const close = () => {
      clearTimeout(retry_timer)
      clearTimeout(batch_timer)
      batch_timer = undefined
      batch = []
      source?.close()
    }
    const reconnect = () => {
      close()
      setState('connecting')
      if (document.visibilityState === 'visible') connect()
    }
    reconnect()
    document.addEventListener('visibilitychange', reconnect)
    return () => {
      document.removeEventListener('visibilitychange', reconnect)
      close()
    }
  }, [url, client])
  return state
}
