import * as api_keys from '../server/api-keys/store.ts'
import { newToken } from '../server/api-keys/token.ts'
import { readConfig } from '../server/config.ts'
import type { NewContact } from '../server/contacts/schema.ts'
import * as contacts from '../server/contacts/store.ts'
import { atWall, inTransaction, type Service } from '../server/kit/at.ts'
import * as clock from '../server/kit/clock.ts'
import type { Pool } from '../server/kit/postgres/pool.ts'
import { openService } from '../server/service.ts'
import * as workspaces from '../server/workspaces/store.ts'
import { scatter, type Tenant } from './rows.ts'

const first_workspace_contacts = 100_000
const other_workspace_contacts = 1_000
const other_workspaces = 64
/** Contacts in one transaction. */
export const batch_size = 1_000
const workers = 2
const hour_ms = 60 * 60 * 1000

/** Fills the workspaces with the same verbs that serve clients, so that counts and search tables are correct. */
export async function fill(pool: Pool, signal: AbortSignal): Promise<Tenant[]> {
  const tenants = [await addTenant(pool, workspaces.default_name)]
  for (let number = 1; number <= other_workspaces; number += 1)
    tenants.push(await addTenant(pool, `Workspace ${number}`))
  const parts = tenants.flatMap((tenant, index) => {
    const count = index === 0 ? first_workspace_contacts : other_workspace_contacts
    return Array.from({ length: count / batch_size }, (_, part) => ({ tenant, start: part * batch_size }))
  })
  const service = serviceOn(pool)
  const rest = parts.values()
  const work = async () => {
    for (const { tenant, start } of rest) {
      signal.throwIfAborted()
      const now = clock.wall() - hour_ms * (first_workspace_contacts - start)
      tenant.ids.push(...(await addContacts(service, tenant.workspace_id, start, now)))
    }
  }
  // Waits for all workers, so that none still writes when the database is dropped after an error.
  const ends = await Promise.allSettled(Array.from({ length: workers }, work))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  await pool.script('vacuum analyze')
  await pool.script('checkpoint')
  return tenants
}

/** For calling verbs without a server. */
export const serviceOn = (pool: Pool, config = readConfig()): Service => openService(pool, config, () => '')

export function addTenant(pool: Pool, name: string): Promise<Tenant> {
  return inTransaction(atWall(serviceOn(pool), ''), async (at) => {
    const workspace = await workspaces.create(at, { name })
    if (!workspace) throw new Error(`the workspace ${name} already exists`)
    const token = newToken()
    const key = { name: 'Load', scopes: null, expires_at: null }
    await api_keys.create({ ...at, workspace: workspace.id }, { token, key })
    return { workspace_id: workspace.id, token, ids: [] }
  })
}

/** Creates a batch of contacts, numbered from `start`, and returns their ids. */
export async function addContacts(service: Service, workspace: string, start: number, now: number): Promise<string[]> {
  const inputs = Array.from({ length: batch_size }, (_, index) => ({
    ...sampleContact(start + index),
    source: 'import' as const,
  }))
  const created = await inTransaction(atWall(service, workspace, now), (at) => contacts.create(at, inputs))
  return created.map((contact) => {
    if (contact instanceof Error) throw contact
    return contact.id
  })
}

const first_names = ['Ada', 'Grace', 'José', 'Mary', 'Søren', 'Wei', 'Amara', 'Noor', 'Élodie', 'Kofi', 'Yuki', 'Lars']
const last_names = ['Lovelace', 'Hopper', 'García', 'Jackson', 'Kierkegaard', 'Zhang', 'Okafor', 'Haddad', 'Müller']
const companies = ['Analytical Engines', 'Northwind', 'Acme', 'Globex', 'Initech', 'Umbrella', 'Hooli']
const tags = ['vip', 'newsletter', 'trial', 'churned', 'Partner', 'lead', 'EMEA', 'APAC']

function sampleContact(number: number): NewContact & { source: 'import' } {
  const first_name = pick(first_names, number)
  const last_name = pick(last_names, number * 7)
  const has_email = number % 10 < 7
  const has_company = number % 2 === 0
  return {
    phone_number: `+1${2_000_000_000 + scatter(number)}`,
    first_name,
    last_name: `${last_name}-${number.toString(36)}`,
    ...(has_email && { email: `contact.${number}@${pick(companies, number * 3).replace(' ', '-')}.example` }),
    ...(has_company && { company: pick(companies, number * 5) }),
    ...(number % 5 === 0 && { notes: 'Met at the trade fair; wants a call back about the yearly plan in spring.' }),
    source: 'import',
    tags: tags.filter((_, index) => (number >> index) % 4 === 0).slice(0, 3),
  }
}

function pick(values: string[], number: number): string {
  return values[number % values.length] ?? ''
}
