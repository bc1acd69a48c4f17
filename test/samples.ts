import type { Tenant } from './harness.ts'

let count = 0

/** A number that no other call gives in this process; workspaces keep the processes apart. */
export function phoneNumber(): string {
  count += 1
  return `+1415${String(count).padStart(7, '0')}`
}

export const newContact = (said: object = {}) => ({ phone_number: phoneNumber(), ...said })

export const newAgent = (said: object = {}) => ({ name: 'Reception', instructions: 'Greet the caller.', ...said })

export const newApiKey = (said: object = {}) => ({ name: 'CRM sync', scopes: ['contacts:read'], ...said })

export const newImport = (said: object = {}) => ({ rows: [{ Phone: phoneNumber() }], ...said })

/**
 * One maker for each noun that stands in an address, by the name of its collection: gives the id of a new one. By the
 * name of an operation, where only some of them will do.
 */
export const makers: Record<string, (tenant: Tenant) => Promise<string>> = {
  contacts: async ({ call }) => (await call('POST', '/contacts', newContact())).body.data.id,
  imports: async ({ call }) => (await call('POST', '/contacts/imports', newImport())).body.data.id,
  'imports.run': async ({ call }) =>
    (await call('POST', '/contacts/imports', newImport({ is_dry_run: true }))).body.data.id,
  agents: async ({ call }) => (await call('POST', '/agents', newAgent())).body.data.id,
  events: async ({ call }) => {
    await call('POST', '/contacts', newContact())
    return (await call('GET', '/events?limit=1')).body.data[0].id
  },
  overview: async ({ call }) => (await call('POST', '/contacts', newContact())).body.data.id,
  api_keys: async ({ call }) => (await call('POST', '/api_keys', newApiKey())).body.data.id,
}

/** A body that each operation which takes one accepts. */
export const bodies: Record<string, () => object> = {
  'contacts.create': newContact,
  'contacts.update': () => ({ first_name: 'Ada' }),
  'contacts.set_crm_id': () => ({ id: phoneNumber() }),
  'imports.create': newImport,
  'agents.create': newAgent,
  'api_keys.create': newApiKey,
  'api_keys.rotate': () => ({ overlap_seconds: 60 }),
}
