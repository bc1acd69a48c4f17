import { randomUUID } from 'node:crypto'

/** A workspace as the load sees it. The first of all holds most of the contacts. */
export interface Tenant {
  workspace_id: string
  token: string
  ids: string[]
}

export interface Ask {
  method: 'GET' | 'POST' | 'PATCH'
  /** Below the base address. */
  path: string
  token: string
  headers?: Record<string, string>
  body?: object
  /** What the right answer to just this one says. */
  answer_holds: string
}

/** One line of the table: what is asked, and how many times a peer's requests a second Parley is to answer. */
export interface Row {
  name: string
  route: string
  status: number
  to_reach: { plain: number; bare?: number }
  /** Whether the same request may be sent twice. */
  is_repeatable: boolean
  /** The request of this number, which is never given twice. */
  ask: (tenants: Tenant[], number: number) => Ask
}

const base = '/api/v1'
const pages = 5

export const rows: Row[] = [
  {
    name: 'get by id',
    route: `${base}/contacts/:id`,
    status: 200,
    to_reach: { plain: 1.8, bare: 0.5 },
    is_repeatable: true,
    ask: ([tenant]) => askForOne(given(tenant)),
  },
  {
    name: 'get by id over 64 workspaces',
    route: `${base}/contacts/:id`,
    status: 200,
    to_reach: { plain: 1 },
    is_repeatable: true,
    ask: (tenants, number) => askForOne(given(tenants[1 + (number % (tenants.length - 1))])),
  },
  {
    name: 'list of 20',
    route: `${base}/contacts`,
    status: 200,
    to_reach: { plain: 1 },
    is_repeatable: true,
    ask: ([tenant]) => {
      const offset = 20 * Math.floor(Math.random() * pages)
      const path = `${base}/contacts?limit=20&offset=${offset}`
      return { method: 'GET', path, token: given(tenant).token, answer_holds: `"offset":${offset},` }
    },
  },
  {
    name: 'update',
    route: `${base}/contacts/:id`,
    status: 200,
    to_reach: { plain: 0.6 },
    is_repeatable: true,
    ask: ([tenant], number) => {
      const { token, ids } = given(tenant)
      const body = { company: `Northwind ${number}`, notes: 'Prefers to be called in the morning.' }
      const path = `${base}/contacts/${anyOf(ids)}`
      return { method: 'PATCH', path, token, body, answer_holds: `"company":"${body.company}"` }
    },
  },
  {
    name: 'create with an Idempotency-Key',
    route: `${base}/contacts`,
    status: 201,
    to_reach: { plain: 0.5 },
    is_repeatable: false,
    ask: ([tenant], number) => {
      const headers = { 'idempotency-key': randomUUID() }
      const body = newContact(number)
      const answer_holds = `"phone_number":"${body.phone_number}"`
      return { method: 'POST', path: `${base}/contacts`, token: given(tenant).token, headers, body, answer_holds }
    },
  },
]

function askForOne({ token, ids }: Tenant): Ask {
  const id = anyOf(ids)
  return { method: 'GET', path: `${base}/contacts/${id}`, token, answer_holds: `"id":"${id}"` }
}

export const anyOf = (values: string[]): string => given(values[Math.floor(Math.random() * values.length)])

function newContact(number: number) {
  return {
    phone_number: `+49${15_000_000_000 + scattered(number)}`,
    first_name: 'Grace',
    last_name: `Hopper ${number}`,
    email: `grace.hopper.${number}@example.com`,
    company: 'Eckert-Mauchly',
    tags: ['newsletter', 'trial'],
  }
}

/** Another number below 1,000,000,000 for each, in no order, as phone numbers come. */
export const scattered = (number: number): number => (number * 387_420_489) % 1_000_000_000

export function bytesOf({ method, path, token, headers = {}, body }: Ask): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  const of_body = body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  const lines = { host: '127.0.0.1', authorization: `Bearer ${token}`, ...headers, ...of_body }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${text}`)
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is nothing to ask for')
  return value
}
