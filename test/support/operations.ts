import { isWrite, type Operation } from '../../server/kit/http/operation.ts'
import type { Answer, Tenant } from './harness.ts'
import { bodies, makers } from './samples.ts'

interface Sampled {
  properties: Record<string, { examples?: unknown[] }>
}

/** The collection that an operation belongs to: `contacts` of `/contacts/:id`, `imports` of `/contacts/imports/:id`. */
export function collectionOf({ path }: Operation): string {
  const names = (path.split('/:')[0] ?? '').split('/').filter((name) => name in makers)
  return names.at(-1) ?? path
}

export const hasId = ({ path }: Operation): boolean => path.includes('/:id')

/**
 * The path of an operation, with `id` in its place (of a delivery with its webhook's) and the schema's examples in the
 * others. The maker of a raw operation gives the whole path.
 */
export function addressOf({ kind, path, params }: Operation, id: string): string {
  const { properties } = params as unknown as Sampled
  if (kind === 'raw') return id
  return path
    .replace(':id/deliveries/:delivery_id', ':id')
    .replace(/:(\w+)/g, (_, name) => (name === 'id' ? id : String(properties[name]?.examples?.[0])))
}

export function bodyOf(operation: Operation): object | undefined {
  const { id, kind } = operation
  if (kind !== 'raw' && !(isWrite(operation) && operation.body)) return undefined
  const make = bodies[id]
  if (!make) throw new Error(`test/samples.ts has no body for ${id}`)
  return make()
}

/** Sends a request: with the tenant's key to the base path, or to a raw operation without a key. */
export const request = (
  { kind, method }: Operation,
  tenant: Tenant,
  address: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<Answer> =>
  kind === 'raw' ? tenant.send(`http://host${address}`, body, headers) : tenant.call(method, address, body, headers)

export const successStatus = (operation: Operation): number => (isWrite(operation) ? operation.status : 200)

export function make(operation: Operation, tenant: Tenant): Promise<string> {
  const maker = makers[operation.id] ?? makers[collectionOf(operation)]
  if (!maker) throw new Error(`test/samples.ts makes no ${collectionOf(operation)}`)
  return maker(tenant)
}

/** Whatever must be there before the operation can succeed on that resource. */
export async function prepare({ id, path }: Operation, tenant: Tenant, resource: string): Promise<void> {
  if (['imports.undo', 'imports.run', 'imports.list_rows', 'imports.download_rows'].includes(id)) await tenant.work()
  if (['webhooks.list_deliveries', 'webhooks.list_inbox'].includes(id)) {
    await tenant.call('POST', `/webhooks/${resource}/test`)
    await tenant.work()
  }
  if (id === 'contacts.delete_crm_id') {
    await tenant.call('PUT', path.replace(':id', resource).replace(':system', 'hubspot'), { id: resource })
  }
}
