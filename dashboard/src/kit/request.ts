import type { Static } from 'typebox'
import type { Pagination as PaginationSchema } from '../../../server/kit/postgres/page.ts'

/** An error response of the server, or with status 0 a network error. */
export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly details: Record<string, unknown>
  readonly retry_after_s: number

  constructor(status: number, code: string, message: string, details = {}, retry_after_s = 0) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.retry_after_s = retry_after_s
  }
}

export type Pagination = Static<typeof PaginationSchema>

export interface List<Item> {
  data: Item[]
  pagination: Pagination
}

export type Query = Record<string, string | number | boolean | string[] | null | undefined>

export interface RequestOptions {
  method?: string
  body?: unknown
  workspace?: string
  signal?: AbortSignal
  /** ETag: the server answers 412 if the resource has changed since. */
  if_match?: string
  /** The bytes to read, as in `bytes=0-43`. */
  range?: string
}

/** Resolves against the page's <base>: the dashboard may be served below a path. */
export const toUrl = (path: string): string => new URL(path.replace(/^\//, ''), document.baseURI).href

/** Whether both URLs have the same scheme, host and port. */
export const isSameOrigin = (one: string, other: string): boolean => URL.parse(one)?.origin === URL.parse(other)?.origin

export const withQuery = (path: string, query: Query = {}): string => {
  const params = new URLSearchParams()
  for (const [name, values] of Object.entries(query)) {
    for (const value of Array.isArray(values) ? values : [values]) {
      if (value !== undefined && value !== null && value !== '') params.append(name, String(value))
    }
  }
  return params.size > 0 ? `${path}?${params}` : path
}

/** Resolves to `data` of the response, and for a list to `data` with `pagination`. */
export const request = async <Result>(path: string, options: RequestOptions = {}): Promise<Result> =>
  (await requestWithEtag<Result>(path, options)).data

export async function requestWithEtag<Result>(
  path: string,
  options: RequestOptions = {},
): Promise<{ data: Result; etag: string }> {
  const response = await send(path, options)
  const envelope = await response.json().catch(() => undefined)
  if (!response.ok || !envelope?.success) throw toProblem(response, envelope)
  return { data: envelope.pagination ? envelope : envelope.data, etag: response.headers.get('etag') ?? '' }
}

const unreachable = () => new Problem(0, 'UNREACHABLE', 'Can’t reach the server. Check your connection.')

async function send(
  path: string,
  { method = 'GET', body, workspace, signal, if_match, range }: RequestOptions,
): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (workspace) headers['x-workspace'] = workspace
  if (if_match) headers['if-match'] = if_match
  if (range) headers.range = range
  try {
    return await fetch(toUrl(path), {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw unreachable()
  }
}

function toProblem(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  envelope: { error?: Partial<Problem> } | undefined,
): Problem {
  const { code = 'UNKNOWN', message, details } = envelope?.error ?? {}
  const retry_after_s = Number(headers.get('retry-after') ?? 0)
  const text = message ?? `The server returned an error (${status}).`
  return new Problem(status, code, text, details, retry_after_s)
}

/** Uses XMLHttpRequest, because `fetch` doesn't report upload progress. */
export function upload<Result>(
  path: string,
  form: FormData,
  workspace: string,
  onProgress: (percent: number) => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest()
    xhr.open('POST', toUrl(path))
    xhr.setRequestHeader('accept', 'application/json')
    xhr.setRequestHeader('x-workspace', workspace)
    xhr.responseType = 'json'
    xhr.upload.onprogress = ({ loaded, total }) => onProgress(Math.round((100 * loaded) / total))
    xhr.onerror = () => reject(unreachable())
    xhr.onload = () => {
      const { status, response } = xhr
      if (response?.success) return resolve(response.data)
      const headers = new Headers({ 'retry-after': xhr.getResponseHeader('retry-after') ?? '0' })
      reject(toProblem({ status, headers }, response))
    }
    xhr.send(form)
  })
}

/** The contents of a file. */
export async function requestBytes(path: string, options: RequestOptions): Promise<ArrayBuffer> {
  const response = await send(path, options)
  if (!response.ok) throw toProblem(response, await response.json().catch(() => undefined))
  return await response.arrayBuffer()
}

/** For elements that load a file by themselves and so can't send headers. */
export function fileUrl(path: string, workspace: string): string {
  const url = new URL(toUrl(path))
  url.searchParams.set('workspace', workspace)
  return url.href
}

/** Lets the browser stream the file to disk. HEAD comes first, so that an error is shown in the page. */
export async function download(path: string, workspace: string): Promise<void> {
  const response = await send(path, { method: 'HEAD', workspace })
  if (!response.ok) throw toProblem(response, undefined)
  const link = document.createElement('a')
  link.href = fileUrl(path, workspace)
  link.download = ''
  link.click()
}
