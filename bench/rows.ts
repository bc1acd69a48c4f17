import { randomUUID } from 'node:crypto'

/** A workspace with its contacts. The first one has most of the contacts. */
export interface Tenant {
  workspace_id: string
  token: string
  ids: string[]
}

export interface BenchRequest {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  token: string
  headers?: Record<string, string>
  body?: object
  /** A text that only the right response contains. */
  response_contains: string
}

/** One row of the table, with the target ratios to the other servers in requests per second. */
export interface Row {
  name: string
  route: string
  status: number
  targets: { plain: number; bare?: number }
  /** Whether the same request may be sent twice. */
  is_repeatable: boolean
  /** Called with each number only once. */
  request: (tenants: Tenant[], number: number) => BenchRequest
}

const base = '/api/v1'
const pages = 5

export const rows: Row[] = [
  {
    name: 'get by id',
    route: `${base}/contacts/:id`,
    status: 200,
    targets: { plain: 1.8, bare: 0.5 },
    is_repeatable: true,
    request: ([tenant]) => getOne(required(tenant)),
  },
  {
    name: 'get by id over 64 workspaces',
    route: `${base}/contacts/:id`,
    status: 200,
    targets: { plain: 1 },
    is_repeatable: true,
    request: (tenants, number) => getOne(required(tenants[1 + (number % (tenants.length - 1))])),
  },
  {
    name: 'list of 20',
    route: `${base}/contacts`,
    status: 200,
    targets: { plain: 1 },
    is_repeatable: true,
    request: ([tenant]) => {
      const offset = 20 * Math.floor(Math.random() * pages)
      const path = `${base}/contacts?limit=20&offset=${offset}`
      return { method: 'GET', path, token: required(tenant).token, response_contains: `"offset":${offset},` }
    },
  },
  {
    name: 'update',
    route: `${base}/contacts/:id`,
    status: 200,
    targets: { plain: 0.6 },
    is_repeatable: true,
    request: ([tenant], number) => {
      const { token, ids } = required(tenant)
      const body = { company: `Northwind ${number}`, notes: 'Prefers to be called in the morning.' }
      const path = `${base}/contacts/${pickRandom(ids)}`
      return { method: 'PATCH', path, token, body, response_contains: `"company":"${body.company}"` }
    },
  },
  {
    name: 'create with an Idempotency-Key',
    route: `${base}/contacts`,
    status: 201,
    targets: { plain: 0.5 },
    is_repeatable: false,
    request: ([tenant], number) => {
      const headers = { 'idempotency-key': randomUUID() }
      const body = newContact(number)
      const response_contains = `"phone_number":"${body.phone_number}"`
      return {
        method: 'POST',
        path: `${base}/contacts`,
        token: required(tenant).token,
        headers,
        body,
        response_contains,
      }
    },
  },
]

function getOne({ token, ids }: Tenant): BenchRequest {
  const id = pickRandom(ids)
  return { method: 'GET', path: `${base}/contacts/${id}`, token, response_contains: `"id":"${id}"` }
}

export const pickRandom = (values: string[]): string => required(values[Math.floor(Math.random() * values.length)])

function newContact(number: number) {
  return {
    phone_number: `+49${15_000_000_000 + scatter(number)}`,
    first_name: 'Grace',
    last_name: `Hopper ${number}`,
    email: `grace.hopper.${number}@example.com`,
    company: 'Eckert-Mauchly',
    tags: ['newsletter', 'trial'],
  }
}

/** Maps each number to another one below 1,000,000,000, without order, like phone numbers. */
export const scatter = (number: number): number => (number * 387_420_489) % 1_000_000_000

export function toBytes({ method, path, token, headers = {}, body }: BenchRequest): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  const body_headers = body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  const lines = { host: '127.0.0.1', authorization: `Bearer ${token}`, ...headers, ...body_headers }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${text}`)
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is no data to request')
  return value
}
