import { isWrite, type Operation } from '../../server/kit/http/operation.ts'
import type { Answer, Tenant } from './harness.ts'
import { untilRendered } from './recorded-calls.ts'
import { bodies, makers } from './samples.ts'

interface ParamsSchema {
  properties: Record<string, { examples?: unknown[]; default?: unknown }>
  required?: string[]
}

/** The collection of an operation: `contacts` for `/contacts/:id`, `imports` for `/contacts/imports/:id`. */
export function collectionOf({ path }: Operation): string {
  const names = (path.split('/:')[0] ?? '').split('/').filter((name) => name in makers)
  return names.at(-1) ?? path
}

export const hasId = ({ path }: Operation): boolean => path.includes('/:id')

/**
 * The path of an operation with `id` filled in (for a part of a resource it includes both ids) and the schema's examples for
 * the other parameters, and for those that its query needs. The maker of a raw operation returns the whole path.
 */
export function pathFor({ kind, path, params, query }: Operation, id: string): string {
  const { properties } = params as unknown as ParamsSchema
  if (kind === 'raw') return id
  const asked = query as unknown as ParamsSchema
  const needed = (asked.required ?? []).filter((name) => asked.properties[name]?.default === undefined)
  const values = new URLSearchParams(needed.map((name) => [name, String(asked.properties[name]?.examples?.[0])]))
  return (
    path
      .replace(/:id\/\w+\/:\w+_id/, ':id')
      .replace(/:(\w+)/g, (_, name) => (name === 'id' ? id : String(properties[name]?.examples?.[0]))) +
    (needed.length > 0 ? `?${values}` : '')
  )
}

export function sampleBody(operation: Operation): object | undefined {
  const { id, kind } = operation
  if (kind !== 'raw' && !(isWrite(operation) && operation.body)) return undefined
  const make = bodies[id]
  if (!make) throw new Error(`test/support/samples.ts has no body for ${id}`)
  return make()
}

/** Sends a request with the tenant's key, or without a key to a raw operation. */
export const sendRequest = (
  { kind, method }: Operation,
  tenant: Tenant,
  address: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<Answer> =>
  kind === 'raw' ? tenant.send(`http://host${address}`, body, headers) : tenant.call(method, address, body, headers)

export const successStatus = (operation: Operation): number => (isWrite(operation) ? operation.status : 200)

export function makeSample(operation: Operation, tenant: Tenant): Promise<string> {
  const maker = makers[operation.id] ?? makers[collectionOf(operation)]
  if (!maker) throw new Error(`test/support/samples.ts has no maker for ${collectionOf(operation)}`)
  return maker(tenant)
}

/** Makes something for several tests when the first of them wants it. */
export function makeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Brings the resource into a state in which the operation succeeds. */
export async function prepare({ id, path }: Operation, tenant: Tenant, resource: string): Promise<void> {
  if (['imports.undo', 'imports.run', 'imports.list_rows', 'imports.download_rows'].includes(id)) await tenant.work()
  if (['webhooks.list_deliveries', 'webhooks.list_inbox'].includes(id)) {
    await tenant.call('POST', `/webhooks/${resource}/test`)
    await tenant.work()
  }
  if (id === 'calls.get_recording') await untilRendered(() => tenant.call('GET', `/calls/${resource}/recording`))
  if (id === 'contacts.delete_crm_id') {
    await tenant.call('PUT', path.replace(':id', resource).replace(':system', 'hubspot'), { id: resource })
  }
}
