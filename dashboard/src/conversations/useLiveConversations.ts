import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { callsKey } from '../calls/call.ts'
import { consentsKey } from '../consent/consent.ts'
import { useEvents } from '../events/workspace-events.tsx'
import { useApi } from '../kit/api.ts'
import { useConnection } from '../kit/connection.ts'
import { useSteadyRefresh } from '../kit/useSteadyRefresh.ts'
import { formatWaiting, inboxQuery, listKey } from './conversation.ts'
import { playTone, useIsSoundOn } from './sound.ts'

/** A stream that takes longer has failed. */
const connect_within_ms = 1_000
/** The list is read this often while the page is hidden and has no stream. */
const poll_ms = 30_000

/** Keeps all lists of conversations, calls and consents up to date, and plays a sound when one is handed over. */
export function useLiveConversations(): void {
  const api = useApi()
  const client = useQueryClient()
  const refresh = useSteadyRefresh(() =>
    Promise.all([
      client.invalidateQueries({ queryKey: listKey(api) }),
      // A call is a conversation once it is dialled.
      client.invalidateQueries({ queryKey: callsKey(api) }),
      // Words such as STOP change consents.
      client.invalidateQueries({ queryKey: consentsKey(api) }),
    ]),
  )
  const state = useEvents({ type: 'conversation.*', onOpen: refresh, onEvents: refresh })
  const { check } = useConnection()
  useEffect(() => {
    // The connection is checked, because a lost stream is the only sign of a stopped server on a page that asks for
    // nothing.
    if (state === 'connected') return
    const look = setInterval(() => document.visibilityState === 'visible' && void check(), connect_within_ms)
    return () => clearInterval(look)
  }, [state, check])
  useSound()
}

function useSound(): void {
  const api = useApi()
  const [is_on] = useIsSoundOn()
  const { data } = useQuery({ ...inboxQuery(api), refetchInterval: poll_ms, refetchIntervalInBackground: true })
  const known = useRef<Set<string>>(undefined)
  useEffect(() => {
    if (!data) return
    const before = known.current
    const ids = data.data.map(({ id }) => id)
    if (is_on && before && ids.some((id) => !before.has(id))) playTone()
    known.current = new Set(ids)
  }, [data, is_on])
}

/** Returns how many conversations wait for a person: "7", "100+", nothing for none. */
export function useWaitingCount(): string {
  const { data } = useQuery(inboxQuery(useApi()))
  return data ? formatWaiting(data) : ''
}
