import type { Static } from 'typebox'
import type { Pagination as PaginationSchema } from '../../../server/kit/postgres/page.ts'

/** What the server refused, or why it could not be reached. */
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

export interface Asked {
  method?: string
  body?: unknown
  workspace?: string
  signal?: AbortSignal
  /** Refused with 412 when it has another ETag by now. */
  if_match?: string
}

/** The path may stand behind another one: the page says where it is served. */
export const addressOf = (path: string): string => new URL(path.replace(/^\//, ''), document.baseURI).href

export const withQuery = (path: string, query: Query = {}): string => {
  const words = new URLSearchParams()
  for (const [name, said] of Object.entries(query)) {
    for (const value of Array.isArray(said) ? said : [said]) {
      if (value !== undefined && value !== null && value !== '') words.append(name, String(value))
    }
  }
  return words.size > 0 ? `${path}?${words}` : path
}

/** The envelope's content: `data` of one thing, `data` with `pagination` of a list. */
export const request = async <Result>(path: string, asked: Asked = {}): Promise<Result> =>
  (await requestWithEtag<Result>(path, asked)).data

export async function requestWithEtag<Result>(
  path: string,
  asked: Asked = {},
): Promise<{ data: Result; etag: string }> {
  const answer = await send(path, asked)
  const envelope = await answer.json().catch(() => undefined)
  if (!answer.ok || !envelope?.success) throw problemOf(answer, envelope)
  return { data: envelope.pagination ? envelope : envelope.data, etag: answer.headers.get('etag') ?? '' }
}

const unreachable = () => new Problem(0, 'UNREACHABLE', 'Can’t reach the server. Check your connection.')

async function send(path: string, { method = 'GET', body, workspace, signal, if_match }: Asked): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (workspace) headers['x-workspace'] = workspace
  if (if_match) headers['if-match'] = if_match
  try {
    return await fetch(addressOf(path), {
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

function problemOf(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  envelope: { error?: Partial<Problem> } | undefined,
): Problem {
  const { code = 'UNKNOWN', message, details } = envelope?.error ?? {}
  const retry_after_s = Number(headers.get('retry-after') ?? 0)
  const said = message ?? `The server returned an error (${status}).`
  return new Problem(status, code, said, details, retry_after_s)
}

/** Says how much has gone, of 100, which `fetch` can't. */
export function upload<Result>(
  path: string,
  form: FormData,
  workspace: string,
  onPercent: (sent: number) => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const asked = new XMLHttpRequest()
    asked.open('POST', addressOf(path))
    asked.setRequestHeader('accept', 'application/json')
    asked.setRequestHeader('x-workspace', workspace)
    asked.responseType = 'json'
    asked.upload.onprogress = ({ loaded, total }) => onPercent(Math.round((100 * loaded) / total))
    asked.onerror = () => reject(unreachable())
    asked.onload = () => {
      const { status, response } = asked
      if (response?.success) return resolve(response.data)
      const headers = new Headers({ 'retry-after': asked.getResponseHeader('retry-after') ?? '0' })
      reject(problemOf({ status, headers }, response))
    }
    asked.send(form)
  })
}

/** Has the browser save what the address gives, as it comes, once the server has said that it will. */
export async function download(path: string, workspace: string): Promise<void> {
  const answer = await send(path, { method: 'HEAD', workspace })
  if (!answer.ok) throw problemOf(answer, undefined)
  const url = new URL(addressOf(path))
  url.searchParams.set('workspace', workspace)
  const link = document.createElement('a')
  link.href = url.href
  link.download = ''
  link.click()
}
