import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { dashboardHeaders } from './browser.ts'
import { isKnown } from './etag.ts'

/** A built web application: its files, and one page for every other address, since it routes by itself. */
export interface Site {
  /** Undefined when the site has nothing to say to this request. */
  answer: (request: SiteRequest) => SiteAnswer | undefined
}

export interface SiteAnswer {
  status: number
  headers: Record<string, string>
  body: string | Buffer
}

export interface SiteRequest {
  method: string
  url: string
  headers: Record<string, string | string[] | undefined>
}

interface File {
  body: Buffer
  etag: string
  headers: Record<string, string>
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const encodings = { br: '.br', gzip: '.gz' }
/** A name that changes with what the file holds. */
const hashed = /-[\w-]{8}\.\w+$/

/** Reads the site whole, so that a later build doesn't change what a running server gives. */
export function readSite(folder: string, base_path: string, own_paths: string[]): Site {
  const files = readFiles(folder)
  const page = pageOf(folder, base_path)

  function answer({ method, url, headers }: SiteRequest): SiteAnswer | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined
    const address = url.split('?', 1)[0] ?? ''
    const accepts = (name: string, value: string) => String(headers[name] ?? '').includes(value)
    const encoding = Object.entries(encodings).find(
      ([name, ending]) => accepts('accept-encoding', name) && files.has(address + ending),
    )
    const file = files.get(address + (encoding?.[1] ?? ''))
    if (file) return give(file, headers, encoding?.[0])
    const is_ours = own_paths.some((own) => address === own || address.startsWith(`${own}/`))
    const is_page = address === '/' || (accepts('accept', 'text/html') && !is_ours && !address.startsWith('/assets/'))
    return is_page && page ? give(page, headers) : undefined
  }

  return { answer }
}

function give(file: File, asked: SiteRequest['headers'], encoding?: string): SiteAnswer {
  const headers = {
    ...file.headers,
    etag: file.etag,
    vary: 'accept-encoding',
    ...(encoding && { 'content-encoding': encoding }),
  }
  const is_known = isKnown(String(asked['if-none-match'] ?? ''), file.etag)
  return { status: is_known ? 304 : 200, headers, body: is_known ? '' : file.body }
}

function readFiles(folder: string): Map<string, File> {
  const names = fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  const paths = names.map((name) => name.replaceAll(path.sep, '/')).filter((name) => /^assets\/.*\.\w+$/.test(name))
  return new Map(paths.map((name) => [`/${name}`, fileOf(name, fs.readFileSync(path.join(folder, name)))]))
}

function pageOf(folder: string, base_path: string): File | undefined {
  const name = path.join(folder, 'index.html')
  if (!fs.existsSync(name)) return undefined
  const text = fs.readFileSync(name, 'utf8').replace('<base href="/"', `<base href="${encodeURI(base_path)}/"`)
  const file = fileOf('index.html', Buffer.from(text))
  return { ...file, headers: { ...file.headers, ...dashboardHeaders } }
}

function fileOf(name: string, body: Buffer): File {
  const plain = name.replace(/\.(br|gz)$/, '')
  const type = types[path.extname(plain)] ?? 'application/octet-stream'
  const caching = hashed.test(plain) ? 'public, max-age=31536000, immutable' : 'no-cache'
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  return { body, etag, headers: { 'content-type': type, 'cache-control': caching } }
}
