import { useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { AgentWithDraft } from '../../../server/agents/schema.ts'
import { isStale, useApi } from '../kit/api.ts'
import { useOnReconnect } from '../kit/connection.ts'
import { changedFields, isSame } from '../kit/merge.ts'
import { ParleyError } from '../kit/request.ts'
import { agentQuery, type DraftValues, draft_fields, type LoadedAgent, toChange, toValues } from './draft.ts'

/** Saves when nothing was typed for this long. */
const quiet_ms = 700
/** Saves again this long after a network or server error. */
const retry_ms = 5_000
/** Limits the saves of one run, while others change the agent or the person keeps typing. */
const saves_max = 10

export type SaveState = 'saved' | 'unsaved' | 'saving' | 'failed' | 'conflict'

interface Conflict {
  fields: (keyof DraftValues)[]
  mine: DraftValues
  theirs: DraftValues
}

export interface Draft {
  values: DraftValues
  change: (changed: Partial<DraftValues>) => void
  state: SaveState
  /** The reason why the draft could not be saved. */
  error: unknown
  conflict: Conflict | undefined
  resolve: (choice: 'mine' | 'theirs') => void
  /** Saves at once. Resolves to whether all of the draft is saved. */
  save: () => Promise<boolean>
  /** Blocked while the person is leaving, and the draft can't be saved. */
  leaving: { status: 'blocked' | 'idle'; proceed: (() => void) | undefined; reset: (() => void) | undefined }
}

/** Makes the error for actions that need a saved draft. */
export const draftNotSaved = () =>
  new ParleyError({ code: 'VALIDATION_ERROR', message: 'The draft isn’t saved. Fix its errors first.', status: 400 })

interface Base extends LoadedAgent {
  /** The values that the server has, as they were typed here. */
  values: DraftValues
}

const toBase = (loaded: LoadedAgent): Base => ({ ...loaded, values: toValues(loaded.data) })

/** Edits an agent's draft, which saves itself. */
export function useDraft(loaded: LoadedAgent): Draft {
  const api = useApi()
  const client = useQueryClient()
  const { queryKey } = agentQuery(api, loaded.data.id)
  const path = `/agents/${loaded.data.id}`
  const [values, setValues] = useState(() => toValues(loaded.data))
  const [state, setState] = useState<SaveState>('saved')
  const [error, setError] = useState<unknown>()
  const [conflict, setConflict] = useState<Conflict>()
  const base = useRef<Base>(undefined)
  base.current ??= toBase(loaded)
  const current = useRef(values)
  const running = useRef<Promise<boolean>>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const set = (next: DraftValues) => {
    current.current = next
    setValues(next)
  }
  const unsaved = () => changedFields(base.current?.values ?? current.current, current.current)
  const isUnsaved = () => Object.keys(unsaved()).length > 0
  const saveLater = (delay_ms: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void save(), delay_ms)
  }

  function save(): Promise<boolean> {
    clearTimeout(timer.current)
    running.current ??= saveAll().finally(() => {
      running.current = undefined
    })
    return running.current
  }

  async function saveAll(): Promise<boolean> {
    try {
      for (let saves = 0; saves < saves_max; saves += 1) {
        if (!isUnsaved()) break
        setState('saving')
        if (!(await saveOnce())) return false
      }
    } catch (reason) {
      setError(reason)
      setState('failed')
      if (reason instanceof ParleyError && (reason.status === 0 || reason.status >= 500)) saveLater(retry_ms)
      return false
    }
    setError(undefined)
    setState(isUnsaved() ? 'unsaved' : 'saved')
    if (isUnsaved()) saveLater(quiet_ms)
    return !isUnsaved()
  }

  /** Saves once. Resolves to false if the person has to choose. */
  async function saveOnce(): Promise<boolean> {
    const wanted = current.current
    const body = toChange(unsaved())
    try {
      const saved = await api.sendWithEtag<AgentWithDraft>('PATCH', path, body, base.current?.etag)
      base.current = { ...saved, values: wanted }
      client.setQueryData(queryKey, saved)
      return true
    } catch (reason) {
      if (!isStale(reason)) throw reason
      return merge(await api.sendWithEtag<AgentWithDraft>('GET', path))
    }
  }

  /** Merges what others have changed in other fields. Returns false if the same fields are in conflict. */
  function merge(latest: LoadedAgent): boolean {
    const mine = current.current
    const changed = unsaved()
    const before = toValues((base.current ?? latest).data)
    const theirs = toValues(latest.data)
    const fields = draft_fields.filter(
      (field) => field in changed && !isSame(before[field], theirs[field]) && !isSame(mine[field], theirs[field]),
    )
    base.current = toBase(latest)
    set({ ...theirs, ...changed })
    client.setQueryData(queryKey, latest)
    if (fields.length === 0) return true
    setConflict({ fields, mine, theirs })
    setState('conflict')
    return false
  }

  const change = (changed: Partial<DraftValues>) => {
    set({ ...current.current, ...changed })
    setState('unsaved')
    saveLater(quiet_ms)
  }
  const resolve = (choice: 'mine' | 'theirs') => {
    if (!conflict) return
    const { fields, theirs } = conflict
    if (choice === 'theirs') {
      set({ ...current.current, ...Object.fromEntries(fields.map((field) => [field, theirs[field]])) })
    }
    setConflict(undefined)
    void save()
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: what others have saved is shown when it was read
  useEffect(() => {
    // A response may be older than the last save.
    if (isUnsaved() || running.current || !base.current) return
    if (loaded.data.updated_at <= base.current.data.updated_at) return
    base.current = toBase(loaded)
    set(base.current.values)
  }, [loaded])
  useEffect(() => () => clearTimeout(timer.current), [])
  useOnReconnect(() => {
    if (state === 'failed') void save()
  })
  const leaving = useBlocker({
    shouldBlockFn: async () => !(await save()),
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  })
  return { values, change, state, error, conflict, resolve, save, leaving }
}
