import assert from 'node:assert/strict'
import { newCaller } from './calls.ts'
import type { Tenant } from './harness.ts'

/** The clocks of these tests begin on a Monday at nine in New York. */
export const campaign_start = Date.parse('2027-03-01T14:00:00.000Z')

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type Data = any

export async function request({ call }: Tenant, method: string, path: string, body?: object): Promise<Data> {
  const answer = await call(method, path, body)
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
  return answer.body.data
}

/** Contacts in New York whose numbers end with these digits, each with its own number. */
export async function newContacts(tenant: Tenant, endings: string[], fields: object = {}): Promise<Data[]> {
  const contacts: Data[] = []
  for (const [index, ending] of endings.entries()) {
    const phone_number = `+1212${String(5_550_000 + index * 100 + Number(ending)).padStart(7, '0')}`
    contacts.push(
      await request(tenant, 'POST', '/contacts', { phone_number, time_zone: 'America/New_York', ...fields }),
    )
  }
  return contacts
}

/** A campaign with these contacts, as a draft. */
export async function newCampaign(tenant: Tenant, contacts: Data[], fields: object = {}): Promise<Data> {
  const agent_id = await newCaller(tenant)
  const campaign = await request(tenant, 'POST', '/campaigns', { name: 'Spring', kind: 'voice', agent_id, ...fields })
  if (contacts.length > 0) {
    const contact_ids = contacts.map(({ id }) => id)
    await request(tenant, 'POST', `/campaigns/${campaign.id}/enrollments`, { contact_ids })
  }
  return campaign
}

export const start = (tenant: Tenant, { id }: Data): Promise<Data> => request(tenant, 'POST', `/campaigns/${id}/start`)

export const getCampaign = (tenant: Tenant, { id }: Data): Promise<Data> => request(tenant, 'GET', `/campaigns/${id}`)

export async function enrollmentsOf(tenant: Tenant, { id }: Data): Promise<Data[]> {
  return request(tenant, 'GET', `/campaigns/${id}/enrollments?limit=100`)
}

export const always = [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], start: '00:00', end: '24:00' }]

/** Runs due work until the condition holds. */
export async function workUntil(tenant: Tenant, holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await tenant.work()
}

/**
 * A campaign of a live workspace, with simulated people at any hour. Its attempts are claimed and have not gone out: the dialer
 * decides last when due work is run.
 */
export async function newClaimed(
  tenant: Tenant,
  endings: string[],
  fields: { kind: 'voice' | 'sms' } & Record<string, unknown>,
): Promise<Data> {
  await request(tenant, 'PATCH', '/workspace', { settings: { quiet_hours: { start: '00:00', end: '24:00' } } })
  const channel = await tenant.addChannel({ kind: fields.kind, provider: 'simulator', address: '+14155550100' })
  const campaign = await newCampaign(tenant, await newContacts(tenant, endings), {
    channel_ids: [channel.id],
    windows: always,
    pacing: { starts_per_second: 100 },
    ...fields,
  })
  await start(tenant, campaign)
  const isClaimed = async () => (await enrollmentsOf(tenant, campaign)).every(({ status }) => status === 'dialing')
  await workUntil(tenant, isClaimed)
  return campaign
}
