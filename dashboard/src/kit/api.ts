import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { createClient, fileUrl, type List, ParleyError, type Query, saveFile, upload, withQuery } from './request.ts'

const base = '/app/api/v1'
/** Attempts of an update while others keep changing the resource. */
const tries_max = 5
/** Repeats of a request. A POST keeps its idempotency key, so that nothing is done twice. */
const repeats_max = 2

type Changes = object | undefined

/** Calls the public API as the signed-in person, in one workspace. */
export interface Api {
  workspace: string
  get: <Result>(path: string, query?: Query, signal?: AbortSignal) => Promise<Result>
  list: <Item>(path: string, query?: Query, signal?: AbortSignal) => Promise<List<Item>>
  send: <Result>(method: string, path: string, body?: object) => Promise<Result>
  /** Sends a request. With `if_match`, it fails with 412 if someone else has changed the resource. */
  sendWithEtag: <Result>(
    method: string,
    path: string,
    body?: object,
    if_match?: string,
  ) => Promise<{ data: Result; etag: string }>
  /**
   * Reads a resource and patches it with the result of `toChanges`, or not at all if that is undefined. Starts over
   * when someone else has changed the resource in between. A form asks about fields that both have changed:
   * `useConflicts`.
   */
  update: <Resource>(path: string, toChanges: (current: Resource) => Changes | Promise<Changes>) => Promise<Resource>
  upload: <Result>(path: string, form: FormData, onProgress: (percent: number) => void) => Promise<Result>
  download: (path: string, query: Query) => Promise<void>
  /** Reads the contents of a file. */
  bytes: (path: string, signal: AbortSignal) => Promise<ArrayBuffer>
  /** Asks for a file without its contents. Rejects if the file can't be had. */
  head: (path: string, signal: AbortSignal) => Promise<unknown>
  /** Returns the URL by which an element of the page loads a file. */
  fileUrl: (path: string) => string
}

export function createApi(workspace: string): Api {
  const client = createClient(workspace)
  const send = <Result>(method: string, path: string, body?: object, ifMatch?: string) =>
    client.send<Result>(method, base + path, body, { ifMatch, ...(method !== 'GET' && { maxRetries: repeats_max }) })
  const api: Api = {
    workspace,
    get: (path, query, signal) => client.get(withQuery(base + path, query), {}, { signal }),
    list: (path, query, signal) => client.list(withQuery(base + path, query), {}, { signal }),
    send: (method, path, body) => send(method, path, body),
    sendWithEtag: async <Result>(method: string, path: string, body?: object, if_match?: string) => {
      const { data, response } = await send<Result>(method, path, body, if_match).withResponse()
      return { data, etag: response.headers.get('etag') ?? '' }
    },
    update: (path, toChanges) => update(api, path, toChanges),
    upload: (path, form, onProgress) => upload(base + path, form, workspace, onProgress),
    download: async (path, query) => {
      const file = withQuery(base + path, query)
      // HEAD comes first, so that an error is shown in the page.
      await client.head(file)
      saveFile(fileUrl(file, workspace))
    },
    bytes: async (path, signal) => (await client.file(base + path, {}, { signal })).arrayBuffer(),
    head: (path, signal) => client.head(base + path, {}, { signal }),
    fileUrl: (path) => fileUrl(base + path, workspace),
  }
  return api
}

/** Whether someone else has changed the resource. */
export const isStale = (error: unknown): error is ParleyError => error instanceof ParleyError && error.status === 412

async function update<Resource>(
  api: Api,
  path: string,
  toChanges: (current: Resource) => Changes | Promise<Changes>,
  tries_left = tries_max,
): Promise<Resource> {
  const { data, etag } = await api.sendWithEtag<Resource>('GET', path)
  const body = await toChanges(data)
  if (body === undefined) return data
  try {
    return (await api.sendWithEtag<Resource>('PATCH', path, body, etag)).data
  } catch (error) {
    if (!isStale(error)) throw error
    if (tries_left === 1) throw new ParleyError({ ...error, message: 'Someone else is editing this. Try again.' })
    return await update(api, path, toChanges, tries_left - 1)
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
