import { Client, ConnectionError, type Page, ParleyError } from '../../../sdk/src/index.ts'

export { ParleyError }

export type List<Item> = Page<Item>
export type Pagination = Page<unknown>['pagination']

export type Query = Record<string, string | number | boolean | string[] | null | undefined>

/** People see an error instead of waiting longer than this for the next attempt. */
const retry_after_max_s = 5

/** Makes a URL from the page's <base>, because the dashboard may be served below a path. */
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

/**
 * Sends requests as the signed-in person. It repeats none of them by itself: the query client repeats reads, and waits
 * while the browser is offline, and operations of `/app` take no idempotency keys.
 */
export const createClient = (workspace?: string): Client =>
  new Client({
    baseUrl: toUrl(''),
    maxRetries: 0,
    maxRetryAfter: retry_after_max_s,
    ...(workspace !== undefined && { headers: { 'x-workspace': workspace } }),
  })

/** Uploads a file with XMLHttpRequest, because `fetch` doesn't report progress. */
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
    xhr.onerror = () => reject(new ConnectionError({ code: 'CONNECTION_FAILED', message: 'The upload failed.' }))
    xhr.onload = () => {
      const { status, response } = xhr
      if (response?.success) return resolve(response.data)
      reject(new ParleyError({ code: 'UNEXPECTED_ANSWER', message: '', ...response?.error, status }))
    }
    xhr.send(form)
  })
}

/** Makes a URL for elements that load a file by themselves and so can't send headers. */
export function fileUrl(path: string, workspace: string): string {
  const url = new URL(toUrl(path))
  url.searchParams.set('workspace', workspace)
  return url.href
}

/** Lets the browser stream the file to disk. */
export function saveFile(url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  link.click()
}
