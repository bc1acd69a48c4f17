import { useEffect, useRef, useState } from 'react'
import { addressOf, type Query, withQuery } from './request.ts'

export type StreamState = 'connecting' | 'live'

interface StreamOptions<Message> {
  path: string
  query: Query
  types: readonly string[]
  onOpen: () => unknown
  onMessage: (message: Message) => unknown
}

/** Server-sent events of these types, for as long as the page is shown. The browser connects again by itself, from where it was. */
export function useStream<Message>(workspace: string, options: StreamOptions<Message>): StreamState {
  const [state, setState] = useState<StreamState>('connecting')
  const newest = useRef(options)
  newest.current = options
  // An EventSource can't send headers.
  const address = addressOf(withQuery(`/app/api/v1${options.path}`, { ...options.query, workspace }))
  useEffect(() => {
    let source: EventSource | undefined
    let again: ReturnType<typeof setTimeout> | undefined
    const hear = ({ data }: MessageEvent<string>) => newest.current.onMessage(JSON.parse(data) as Message)
    const connect = () => {
      source = new EventSource(address)
      source.onopen = () => {
        setState('live')
        newest.current.onOpen()
      }
      source.onerror = () => {
        setState('connecting')
        // After a refusal the browser gives up.
        if (source?.readyState === EventSource.CLOSED) again = setTimeout(connect, retry_ms)
      }
      for (const type of newest.current.types) source.addEventListener(type, hear)
    }
    connect()
    return () => {
      clearTimeout(again)
      source?.close()
    }
  }, [address])
  return state
}

const retry_ms = 5_000
