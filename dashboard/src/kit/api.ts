import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { download, type List, Problem, type Query, request, requestWithEtag, upload, withQuery } from './request.ts'

const base = '/app/api/v1'
/** How often a change is tried when others are faster. */
const tries_max = 5

/** The public API as the person who is signed in, in one workspace. */
export interface Api {
  workspace: string
  get: <Result>(path: string, query?: Query, signal?: AbortSignal) => Promise<Result>
  list: <Item>(path: string, query?: Query, signal?: AbortSignal) => Promise<List<Item>>
  send: <Result>(method: string, path: string, body?: unknown) => Promise<Result>
  /**
   * Reads a resource, and sends what is to be changed in it as it is then, or nothing when that is undefined. When someone
   * else has changed it in between, all of it again, a few times.
   */
  change: <Resource>(path: string, changesOf: (now: Resource) => object | undefined) => Promise<Resource>
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
    change: (path, changesOf) => change(base + path, workspace, changesOf),
    upload: (path, form, onPercent) => upload(base + path, form, workspace, onPercent),
    download: (path, query) => download(withQuery(base + path, query), workspace),
  }
}

async function change<Resource>(
  path: string,
  workspace: string,
  changesOf: (now: Resource) => object | undefined,
  tries_left = tries_max,
): Promise<Resource> {
  const { data, etag } = await requestWithEtag<Resource>(path, { workspace })
  const body = changesOf(data)
  if (body === undefined) return data
  try {
    return await request<Resource>(path, { method: 'PATCH', body, workspace, if_match: etag })
  } catch (error) {
    const is_stale = error instanceof Problem && error.status === 412
    if (!is_stale) throw error
    if (tries_left === 1) throw new Problem(412, error.code, 'Someone else is editing this. Try again.')
    return await change(path, workspace, changesOf, tries_left - 1)
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
