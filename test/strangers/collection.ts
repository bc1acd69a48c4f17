import fs from 'node:fs'
import { operations } from '../../server/api.ts'
import type { Operation } from '../../server/kit/http/operation.ts'
import type { Tenant } from '../support/harness.ts'
import { collectionOf } from '../support/operations.ts'
import { makers } from '../support/samples.ts'
import { workFile } from './tools.ts'

/** The parts of a Postman collection that are filled in. */
export interface Item {
  name: string
  item?: Item[]
  request?: {
    method: string
    url: { host: string[]; path: string[]; query?: Field[]; variable?: Field[] }
    header?: Field[]
    body?: { mode: string; raw?: string; formdata?: (Field & { type: string; src?: string })[] }
  }
}

interface Field {
  key: string
  value: string | null
}

export interface Collection {
  item: Item[]
  variable: Field[]
  auth?: unknown
}

type Request = NonNullable<Item['request']>

/** A request of the collection, with the operation that it calls. */
export interface Call {
  operation: Operation
  item: Item
  request: Request
}

export const callsIn = (items: Item[]): Call[] =>
  items.flatMap((item) => {
    const { request } = item
    if (!request) return callsIn(item.item ?? [])
    // The server of operations without a key is `/`, which gives an empty part.
    request.url.path = request.url.path.filter((part) => part !== '')
    const address = `/${request.url.path.join('/')}`
    const operation = operations.find(({ method, path }) => method === request.method && path === address)
    if (!operation) throw new Error(`${request.method} ${address} is no operation`)
    return [{ operation, item, request }]
  })

const order = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** What reads comes before what changes, and that before what deletes: all use the same resources. */
export const inOrder = (calls: Call[]): Call[] =>
  calls.toSorted((one, other) => order.indexOf(one.request.method) - order.indexOf(other.request.method))

/** The ids of one resource of each kind: what someone would copy into the collection by hand. */
export async function makeIds(tenant: Tenant, calls: Call[]): Promise<(operation: Operation) => string> {
  const ids = new Map<string, string>()
  for (const { operation } of calls) {
    const name = idsName(operation)
    const make = makers[name]
    if (!make) throw new Error(`test/support/samples.ts has no maker for ${name}`)
    if (!ids.has(name)) ids.set(name, await make(tenant))
  }
  return (operation) => ids.get(idsName(operation)) ?? ''
}

/** Operations with two ids, and those without a key, have makers of their own. Agents need a version to deploy. */
function idsName(operation: Operation): string {
  const collection = collectionOf(operation)
  if (operation.kind === 'raw' || /:\w+_id/.test(operation.path)) return operation.id
  return collection === 'agents' ? 'agents.deploy' : collection
}

/** Fills in a request. `known` has the ids that bodies refer to. */
export function fillIn({ operation, request }: Call, resource: string, known: Record<string, string>): void {
  const { url, header = [], body } = request
  const address = operation.kind === 'raw' ? new URL(resource, 'http://host').pathname : undefined
  const parts = operation.path.split('/')
  const [id = '', , part_id = ''] = resource.split('/')
  for (const variable of url.variable ?? []) {
    if (address) variable.value = address.split('/')[parts.indexOf(`:${variable.key}`)] ?? ''
    else if (variable.key === 'id') variable.value = id
    else if (variable.key.endsWith('_id')) variable.value = part_id
  }
  if (address) url.host = ['{{rootUrl}}']
  // An event, of which a list shows what came after it. The cursor belongs to another order.
  const after = url.query?.find(({ key, value }) => key === 'after' && value?.includes('-'))
  if (after) url.query = url.query?.filter(({ key }) => key !== 'after') ?? []
  // An upsert creates or updates, and the contact exists by then.
  if (request.method === 'PUT') request.header = header.filter(({ key }) => key !== 'If-None-Match')
  for (const one of header) if (one.key === 'Idempotency-Key') one.value = '{{$guid}}'
  if (body?.raw) body.raw = JSON.stringify(withIds(JSON.parse(body.raw), known))
  for (const field of body?.formdata ?? []) {
    if (field.type !== 'file') continue
    field.src = workFile('contacts.csv')
    fs.writeFileSync(field.src, 'Phone,First name\n+14155550177,Grace\n')
  }
}

function withIds(value: unknown, known: Record<string, string>): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).map(([name, member]) => {
    if (name in known && typeof member === 'string') return [name, known[name]]
    const one = known[name.replace(/s$/, '')]
    return [name, one !== undefined && Array.isArray(member) ? [one] : member]
  })
  return Object.fromEntries(members)
}
