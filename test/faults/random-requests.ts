import { METHODS } from 'node:http'
import { base_paths, documented_operations } from './document.ts'
import { between, chance, pick, type Random } from './random.ts'
import { type FuzzClient, type FuzzRequest, validRequest } from './requests.ts'
import { anyJson } from './values.ts'

const large_bytes = 1024 * 1024 + 1
const methods = [...METHODS.filter((method) => method !== 'CONNECT'), 'get', 'FOO', 'PROPPATCH2', 'X'.repeat(50)]
const pages = [
  '/',
  '/health',
  '/ready',
  '/metrics',
  '/docs',
  '/openapi.json',
  '/favicon.ico',
  '*',
  '//',
  '/api',
  '/api/v1/',
]
const segments = [
  'contacts',
  'agents',
  'versions',
  'crm_ids',
  '..',
  '.',
  '%2e%2e',
  '',
  '%00',
  '\xff',
  'x'.repeat(600),
  ':id',
  '*',
]
const types = [
  'application/json',
  'application/json;charset="utf8"',
  'text/html',
  '*/*',
  '\xff',
  'application/json, text/plain',
]
const header_names = [
  'Accept',
  'Accept-Encoding',
  'Range',
  'Cookie',
  'Origin',
  'Referer',
  'X-Forwarded-For',
  'X-Http-Method-Override',
  'If-Modified-Since',
  'If-Match',
  'If-None-Match',
  'Idempotency-Key',
  'X-FuzzRequest-Id',
  'Forwarded',
  'TE',
  'Via',
  'Content-Encoding',
  'Expect',
  'Upgrade',
  'Prefer',
  '__proto__',
  'constructor',
  'X',
  'Date',
  'Accept-Version',
]
const header_values = [
  '',
  '*',
  '0',
  '-1',
  'gzip',
  '100-continue',
  'websocket',
  'bytes=0-1',
  '__proto__',
  'a,b,c',
  '\xff\xfe',
  '"',
  '1.x',
  'DELETE',
  '127.0.0.1, ::1',
  'for=unknown',
  `${'x'.repeat(4000)}`,
  'W/"',
  'q=0;q=1',
  'text/html;q=0',
]

/** Any single HTTP request. */
export function randomRequest(client: FuzzClient): FuzzRequest {
  const { random } = client
  const good = validRequest(client)
  const headers: [string, string][] = chance(random, 0.85) ? [...good.headers] : []
  for (let count = between(random, 0, 4); count > 0; count -= 1) {
    headers.push([pick(random, header_names), pick(random, header_values)])
  }
  if (chance(random, 0.2)) headers.push(['Content-Type', pick(random, types)])
  if (chance(random, 0.03)) headers.push(['X-Long', 'x'.repeat(20_000)])
  if (chance(random, 0.03)) headers.push(['Host', 'other.test'])
  return {
    kind: 'random',
    method: chance(random, 0.5) ? good.method : pick(random, methods),
    target: chance(random, 0.5) ? good.target : randomTarget(random),
    headers,
    body: chance(random, 0.5) ? good.body : randomBody(random),
    must_be_rejected: false,
    in_path: {},
    sent_values: {},
  }
}

function randomTarget(random: Random): string {
  if (chance(random, 0.3)) return pick(random, pages)
  const path = `${pick(random, [...base_paths, '', '/api/v2'])}${pick(random, documented_operations).path}`
  const parts = path.split('/')
  parts.splice(between(random, 1, parts.length), between(random, 0, 1), pick(random, segments))
  const absolute = chance(random, 0.05) ? 'http://other.test' : ''
  return `${absolute}${parts.join('/')}${chance(random, 0.3) ? `?${randomBody(random)?.toString('base64url')}` : ''}`
}

function randomBody(random: Random): Buffer | undefined {
  if (chance(random, 0.3)) return undefined
  if (chance(random, 0.02)) return Buffer.alloc(large_bytes, ' ')
  if (chance(random, 0.5)) return Buffer.from(JSON.stringify(anyJson(random, 6)))
  return Buffer.from(Array.from({ length: between(random, 0, 200) }, () => between(random, 0, 255)))
}

/** Removes, repeats or changes some bytes of a request. */
export function corruptBytes(random: Random, bytes: Buffer): Buffer {
  let corrupt = bytes
  for (let count = between(random, 1, 2); count > 0; count -= 1) {
    const at = between(random, 0, corrupt.length)
    const length = pick(random, [1, 1, 2, 10, 100])
    const middle = pick(random, [
      Buffer.alloc(0),
      Buffer.from([between(random, 0, 255)]),
      Buffer.from(
        pick(random, ['\r\n', '\r', '\n', '\0', ' ', ':', 'Content-Length: 3\r\n', 'Transfer-Encoding: chunked\r\n']),
      ),
      corrupt.subarray(at, at + length),
    ])
    corrupt = Buffer.concat([corrupt.subarray(0, at), middle, corrupt.subarray(chance(random, 0.5) ? at : at + length)])
  }
  return chance(random, 0.2) ? corrupt.subarray(0, between(random, 1, corrupt.length)) : corrupt
}
