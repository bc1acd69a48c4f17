import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { app_page_headers } from './browser.ts'
import { chooseEncoding, type Encoding, encodings } from './compression.ts'
import { matchesWeakly } from './etag.ts'

/** A built web application: its files, and one page for every other URL, since it has its own router. */
export interface StaticSite {
  /** Undefined if the site has no response for this request. */
  answer: (request: SiteRequest) => SiteAnswer | undefined
}

export interface SiteRequest {
  method: string
  url: string
  headers: Record<string, string | string[] | undefined>
}

export interface SiteAnswer {
  status: number
  headers: Record<string, string>
  body: string | Buffer
}

interface SiteFile {
  body: Buffer
  etag: string
  headers: Record<string, string>
}

const content_types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.ts': 'text/plain; charset=utf-8',
}
const extensions: Record<Encoding, string> = { br: '.br', gzip: '.gz' }
/** Names that contain a hash of the content. */
const hashed_name = /-[\w-]{8}\.\w+$/

/**
 * Reads all files into memory, so that a later build doesn't change what a running server serves. Paths below `api_paths`
 * never get the page: an unknown URL there is a client's mistake.
 */
export function readStaticSite(folder: string, base_path: string, api_paths: string[]): StaticSite {
  const answerFile = readStaticFiles(folder)
  const page = readPage(folder, base_path)

  function answer({ method, url, headers }: SiteRequest): SiteAnswer | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined
    const pathname = url.split('?', 1)[0] ?? ''
    const file = answerFile(pathname, headers)
    if (file) return file
    const is_api = api_paths.some((api) => pathname === api || pathname.startsWith(`${api}/`))
    const is_page = pathname === '/' || (acceptsHtml(headers) && !is_api && !pathname.startsWith('/assets/'))
    return is_page && page ? answerWith(page, headers) : undefined
  }

  return { answer }
}

/** Reads the files below `assets` into memory. The returned function answers `/assets/...`, compressed if the client accepts it. */
export function readStaticFiles(
  folder: string,
): (pathname: string, headers: SiteRequest['headers']) => SiteAnswer | undefined {
  const files = readFiles(folder)
  return (pathname, headers) => {
    const available = encodings.filter((name) => files.has(pathname + extensions[name]))
    const encoding = chooseEncoding(String(headers['accept-encoding'] ?? ''), available)
    const file = files.get(pathname + (encoding ? extensions[encoding] : ''))
    return file && answerWith(file, headers, encoding)
  }
}

const acceptsHtml = ({ accept }: SiteRequest['headers']): boolean => String(accept ?? '').includes('text/html')

function answerWith(file: SiteFile, request_headers: SiteRequest['headers'], encoding?: string): SiteAnswer {
  const headers = {
    ...file.headers,
    etag: file.etag,
    vary: 'accept-encoding',
    ...(encoding && { 'content-encoding': encoding }),
  }
  const is_known = matchesWeakly(String(request_headers['if-none-match'] ?? ''), file.etag)
  return { status: is_known ? 304 : 200, headers, body: is_known ? '' : file.body }
}

function readFiles(folder: string): Map<string, SiteFile> {
  const names = fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  const paths = names.map((name) => name.replaceAll(path.sep, '/')).filter((name) => /^assets\/.*\.\w+$/.test(name))
  return new Map(paths.map((name) => [`/${name}`, toSiteFile(name, fs.readFileSync(path.join(folder, name)))]))
}

function readPage(folder: string, base_path: string): SiteFile | undefined {
  const name = path.join(folder, 'index.html')
  if (!fs.existsSync(name)) return undefined
  const text = fs.readFileSync(name, 'utf8').replace('<base href="/"', `<base href="${encodeURI(base_path)}/"`)
  const file = toSiteFile('index.html', Buffer.from(text))
  return { ...file, headers: { ...file.headers, ...app_page_headers } }
}

function toSiteFile(name: string, body: Buffer): SiteFile {
  const uncompressed_name = name.replace(/\.(br|gz)$/, '')
  const content_type = content_types[path.extname(uncompressed_name)] ?? 'application/octet-stream'
  const cache_control = hashed_name.test(uncompressed_name) ? 'public, max-age=31536000, immutable' : 'no-cache'
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  return { body, etag, headers: { 'content-type': content_type, 'cache-control': cache_control } }
}
