import assert from 'node:assert/strict'
import { removeOld } from '../../../server/erasures/store.ts'
import * as clock from '../../../server/kit/clock.ts'
import { create } from '../conversations.ts'
import { everythingOf } from '../everything.ts'
import type { Server } from '../harness.ts'
import { eraseContact, leaveTraces, number } from '../persons.ts'

/** A person of whom something is everywhere. */
export async function erasePersons(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const { contact } = await leaveTraces(server, tenant)
  await everythingOf(server, tenant, contact.id)
  const { id } = await eraseContact(tenant, contact.id)
  assert.equal((await tenant.call('GET', `/suppressions?phone_number=${encodeURIComponent(number)}`)).status, 200)
  const again = await create(tenant, '/contacts', { phone_number: number })
  for (const status of [202, 200])
    assert.equal((await tenant.call('POST', `/contacts/${again.id}/erase`)).status, status)
  await removeOld(server.at(tenant.id, clock.wall() + 400 * clock.day_ms))
  assert.equal((await tenant.call('GET', `/erasures/${id}`)).status, 404)
}
