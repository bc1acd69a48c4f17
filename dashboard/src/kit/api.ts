import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { download, type List, type Query, request, upload, withQuery } from './request.ts'

const base = '/app/api/v1'

/** The public API as the person who is signed in, in one workspace. */
export interface Api {
  workspace: string
  get: <Result>(path: string, query?: Query, signal?: AbortSignal) => Promise<Result>
  list: <Item>(path: string, query?: Query, signal?: AbortSignal) => Promise<List<Item>>
  send: <Result>(method: string, path: string, body?: unknown) => Promise<Result>
  upload: <Result>(path: string, form: FormData, onPercent: (sent: number) => void) => Promise<Result>
  download: (path: string, query: Query) => Promise<void>
}

export function apiOf(workspace: string): Api {
  const get = <Result>(path: string, query?: Query, signal?: AbortSignal) =>
    request<Result>(withQuery(base + path, query), { workspace, ...(signal && { signal }) })
  return {
    workspace,
    get,
    list: <Item>(path: string, query?: Query, signal?: AbortSignal) => get<List<Item>>(path, query, signal),
    send: (method, path, body) => request(base + path, { method, body, workspace }),
    upload: (path, form, onPercent) => upload(base + path, form, workspace, onPercent),
    download: (path, query) => download(withQuery(base + path, query), workspace),
  }
}

/** The workspace that the address names. */
export function useWorkspaceId(): string {
  const { workspace } = useParams({ strict: false })
  if (!workspace) throw new Error('this page is in no workspace')
  return workspace
}

export function useApi(): Api {
  const workspace = useWorkspaceId()
  return useMemo(() => apiOf(workspace), [workspace])
}
