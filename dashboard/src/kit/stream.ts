import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { addressOf, type Query, withQuery } from './request.ts'
import { session_query } from './session.ts'

export type StreamState = 'connecting' | 'live'

interface StreamOptions<Message> {
  path: string
  query: Query
  types: readonly string[]
  /** It begins now: what came before is not heard. */
  onBegin: () => unknown
  /** Those that came in a short while, in their order. */
  onMessages: (messages: Message[]) => unknown
}

const retry_ms = 5_000
/** What is shown changes at most so often, however much comes. */
const gather_ms = 100

/**
 * Server-sent events of these types, for as long as the page can be seen: browsers have few connections to one server, for
 * all of their tabs. When one is lost, the browser connects again by itself, from where it was.
 */
export function useStream<Message>(workspace: string, options: StreamOptions<Message>): StreamState {
  const client = useQueryClient()
  const [state, setState] = useState<StreamState>('connecting')
  const newest = useRef(options)
  newest.current = options
  // An EventSource can't send headers.
  const address = addressOf(withQuery(`/app/api/v1${options.path}`, { ...options.query, workspace }))
  useEffect(() => {
    let source: EventSource | undefined
    let again: ReturnType<typeof setTimeout> | undefined
    let telling: ReturnType<typeof setTimeout> | undefined
    let heard: Message[] = []
    const tell = () => {
      telling = undefined
      newest.current.onMessages(heard)
      heard = []
    }
    const hear = ({ data }: MessageEvent<string>) => {
      heard.push(JSON.parse(data) as Message)
      telling ??= setTimeout(tell, gather_ms)
    }
    const connect = () => {
      const own = new EventSource(address)
      source = own
      own.addEventListener('open', () => newest.current.onBegin(), { once: true })
      own.onopen = () => setState('live')
      own.onerror = () => {
        setState('connecting')
        if (own.readyState !== EventSource.CLOSED) return
        // After a refusal the browser gives up, and doesn't say why: perhaps the session has ended.
        void client.invalidateQueries(session_query)
        again = setTimeout(connect, retry_ms)
      }
      for (const type of newest.current.types) own.addEventListener(type, hear)
    }
    const close = () => {
      clearTimeout(again)
      clearTimeout(telling)
      telling = undefined
      heard = []
      source?.close()
    }
    const look = () => {
      close()
      setState('connecting')
      if (document.visibilityState === 'visible') connect()
    }
    look()
    document.addEventListener('visibilitychange', look)
    return () => {
      document.removeEventListener('visibilitychange', look)
      close()
    }
  }, [address, client])
  return state
}
