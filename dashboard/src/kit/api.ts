import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import {
  download,
  fileUrl,
  type List,
  Problem,
  type Query,
  request,
  requestBytes,
  requestWithEtag,
  upload,
  withQuery,
} from './request.ts'

const base = '/app/api/v1'
/** Attempts of an update while others keep changing the resource. */
const tries_max = 5

/** Calls the public API as the signed-in person, in one workspace. */
export interface Api {
  workspace: string
  get: <Result>(path: string, query?: Query, signal?: AbortSignal) => Promise<Result>
  list: <Item>(path: string, query?: Query, signal?: AbortSignal) => Promise<List<Item>>
  send: <Result>(method: string, path: string, body?: unknown) => Promise<Result>
  /** With `if_match`, it fails with 412 if someone else has changed the resource. */
  sendWithEtag: <Result>(
    method: string,
    path: string,
    body?: unknown,
    if_match?: string,
  ) => Promise<{ data: Result; etag: string }>
  /**
   * Reads a resource and patches it with the result of `toChanges`; undefined: nothing to change. Starts over when someone
   * else has changed the resource in between.
   */
  update: <Resource>(path: string, toChanges: (current: Resource) => object | undefined) => Promise<Resource>
  upload: <Result>(path: string, form: FormData, onProgress: (percent: number) => void) => Promise<Result>
  download: (path: string, query: Query) => Promise<void>
  /** The contents of a file, or a range of them such as `bytes=0-43`. */
  bytes: (path: string, options: { range?: string; signal: AbortSignal }) => Promise<ArrayBuffer>
  /** Where an element of the page finds a file. */
  fileUrl: (path: string) => string
}

export function createApi(workspace: string): Api {
  const get = <Result>(path: string, query?: Query, signal?: AbortSignal) =>
    request<Result>(withQuery(base + path, query), { workspace, ...(signal && { signal }) })
  return {
    workspace,
    get,
    list: <Item>(path: string, query?: Query, signal?: AbortSignal) => get<List<Item>>(path, query, signal),
    send: (method, path, body) => request(base + path, { method, body, workspace }),
    sendWithEtag: (method, path, body, if_match) =>
      requestWithEtag(base + path, { method, body, workspace, ...(if_match && { if_match }) }),
    update: (path, toChanges) => update(base + path, workspace, toChanges),
    upload: (path, form, onProgress) => upload(base + path, form, workspace, onProgress),
    download: (path, query) => download(withQuery(base + path, query), workspace),
    bytes: (path, options) => requestBytes(base + path, { ...options, workspace }),
    fileUrl: (path) => fileUrl(base + path, workspace),
  }
}

/** Whether someone else has changed the resource. */
export const isStale = (error: unknown): error is Problem => error instanceof Problem && error.status === 412

async function update<Resource>(
  path: string,
  workspace: string,
  toChanges: (current: Resource) => object | undefined,
  tries_left = tries_max,
): Promise<Resource> {
  const { data, etag } = await requestWithEtag<Resource>(path, { workspace })
  const body = toChanges(data)
  if (body === undefined) return data
  try {
    return await request<Resource>(path, { method: 'PATCH', body, workspace, if_match: etag })
  } catch (error) {
    if (!isStale(error)) throw error
    if (tries_left === 1) throw new Problem(412, error.code, 'Someone else is editing this. Try again.')
    return await update(path, workspace, toChanges, tries_left - 1)
  }
}

/** The workspace in the page's URL. */
export function useWorkspaceId(): string {
  const { workspace } = useParams({ strict: false })
  if (!workspace) throw new Error('this page is outside of a workspace')
  return workspace
}

export function useApi(): Api {
  const workspace = useWorkspaceId()
  return useMemo(() => createApi(workspace), [workspace])
}
