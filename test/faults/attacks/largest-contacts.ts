import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, openClient } from '../client.ts'
import type { Tenant } from '../service.ts'
import type { Attack } from './attack.ts'

/** Two chunks of an export, with more custom fields than an export has columns. */
const contacts = { long: 200, short: 40 }
const at_once = { long: 4, short: 2 }
const fields_each = 50
const names_in_use = 1_050
/** Each is doubled in a CSV file. */
const value = '"'.repeat(500)
/** Just below what a body may have. */
const contacts_per_body = 18
const batch_max = 100
const retry_after_ms = 200

const customFields = (contact: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: fields_each }, (_, index) => [`f${(contact * fields_each + index) % names_in_use}`, value]),
  )

const phoneNumber = (contact: number): string => `+1415${String(5_550_000 + contact)}`

/** Contacts with as many custom fields as they may have, in the largest batches and in exports. */
export const attack: Attack = {
  name: 'batches and exports of the largest contacts',
  async run({ stack, url, attacker, is_long }) {
    const count = is_long ? contacts.long : contacts.short
    const numbers = Array.from({ length: count }, (_, index) => index)
    const clients = Array.from({ length: is_long ? at_once.long : at_once.short }, () => openClient(url, attacker.key))
    for (const client of clients) stack.defer(client.close)
    const inParallel = <T>(run: (client: Client, index: number) => Promise<T>) => Promise.all(clients.map(run))
    const bodies = Array.from({ length: Math.ceil(count / contacts_per_body) }, (_, index) =>
      numbers.slice(index * contacts_per_body, (index + 1) * contacts_per_body).map((contact) => ({
        op: 'upsert',
        phone_number: phoneNumber(contact),
        data: { custom_fields: customFields(contact) },
      })),
    )
    await inParallel(async (client, own) => {
      for (const [index, operations] of bodies.entries())
        if (index % clients.length === own) await sendBatch(client, operations, index % 2 === 0)
    })
    // Small requests with the largest responses.
    await inParallel(async (client, own) => {
      const operations = numbers.slice(own * batch_max, (own + 1) * batch_max).map((contact) => ({
        op: 'upsert',
        phone_number: phoneNumber(contact),
        data: { company: 'Acme' },
      }))
      if (operations.length > 0) for (const atomic of [true, false]) await sendBatch(client, operations, atomic)
    })
    const lengths = await inParallel(() => exportLength(url, attacker))
    for (const length of lengths)
      assert.ok(length > count * fields_each * value.length, `an export has ${length} characters`)
  },
}

async function exportLength(url: string, { key }: Tenant): Promise<number> {
  const read = () => fetch(`${url}/api/v1/contacts/export`, { headers: { authorization: `Bearer ${key}` } })
  const response = await whenNotBusy(read)
  assert.equal(response.status, 200)
  return (await response.text()).length
}

async function sendBatch({ call }: Client, operations: object[], atomic: boolean): Promise<void> {
  const { status, body } = await whenNotBusy(() => call('POST', '/contacts/batch', { operations, atomic }))
  assert.equal(status, 200, JSON.stringify(body))
  for (const { status, error } of body.data.results) assert.ok(status < 300, JSON.stringify(error))
}

/** Repeats a request while too many others of the workspace are before it. */
async function whenNotBusy<R extends { status: number }>(send: () => Promise<R>): Promise<R> {
  for (;;) {
    const response = await send()
    if (response.status !== 503) return response
    await sleep(retry_after_ms)
  }
}
