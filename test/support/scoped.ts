import {
  owner_operations as all_owner_operations,
  person_operations as all_person_operations,
  operations,
} from '../../server/api.ts'
import type { Operation } from '../../server/kit/http/operation.ts'
import type { Tenant } from './harness.ts'
import { newIntegration, newWebhook, phoneNumber } from './samples.ts'

type Raw = Extract<Operation, { kind: 'raw' }>
export type Scoped = Exclude<Operation, Raw>

const isRaw = (operation: Operation): operation is Raw => operation.kind === 'raw'
const isScoped = (operation: Operation): operation is Scoped => !isRaw(operation)

/** Operations that a key or a session may call, by scope. */
export const scoped_operations: Scoped[] = operations.filter(isScoped)

export const person_operations: Scoped[] = all_person_operations.filter(isScoped)
if (person_operations.length !== all_person_operations.length) throw new Error('an operation of people is raw')

/** Operations of the session API that API keys can't call. */
export const owner_operations: Scoped[] = all_owner_operations.filter(isScoped)

/** Operations that anyone may call who knows the token in their path. */
export const raw_operations: Raw[] = operations.filter(isRaw)

/** For each raw operation, a resource that it serves: the URL's path, and a body that it accepts. */
const raw_targets: Record<string, (tenant: Tenant) => Promise<{ url: string; body: object }>> = {
  'integrations.receive': async ({ call }) => {
    const { url } = (await call('POST', '/integrations', newIntegration())).body.data
    return { url, body: { phone: phoneNumber() } }
  },
  'webhooks.receive': async ({ call }) => {
    const { url } = (await call('POST', '/webhooks', newWebhook({ url: 'inbox' }))).body.data
    return { url, body: {} }
  },
}

export async function newRawTarget({ id }: Raw, tenant: Tenant): Promise<{ path: string; body: object }> {
  const create = raw_targets[id]
  if (!create) throw new Error(`raw_targets has no resource for ${id}`)
  const { url, body } = await create(tenant)
  return { path: new URL(url, 'http://127.0.0.1').pathname, body }
}
