import assert from 'node:assert/strict'
import { queueAgain } from '../../../server/erasures/again.ts'
import { exportAll } from '../../../server/erasures/export.ts'
import { readProgress, removeOld } from '../../../server/erasures/store.ts'
import { inTransaction } from '../../../server/kit/at.ts'
import * as clock from '../../../server/kit/clock.ts'
import { newId } from '../../../server/kit/id.ts'
import { create } from '../conversations.ts'
import { everythingOf } from '../everything.ts'
import type { Server } from '../harness.ts'
import { eraseContact, leaveTraces, number } from '../persons.ts'

/** Erases a person of whom something is everywhere. */
export async function erasePersons(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const { contact } = await leaveTraces(server, tenant)
  await everythingOf(server, tenant, contact.id)
  const { id } = await eraseContact(tenant, contact.id)
  assert.equal((await tenant.call('GET', `/suppressions?phone_number=${encodeURIComponent(number)}`)).status, 200)
  const again = await create(tenant, '/contacts', { phone_number: number })
  for (const status of [202, 200])
    assert.equal((await tenant.call('POST', `/contacts/${again.id}/erase`)).status, status)
  const at = server.at(tenant.id)
  const exported = await exportAll(at)
  // The erasures look as if the backup were from before: the erasure isn't known, and its contact isn't there.
  const erasures = exported.erasures.map((one) => ({ ...one, id: newId(), contact_id: newId() }))
  const queued = await inTransaction(at, (at) => queueAgain(at, { ...exported, erasures }, { backed_up_at: 0 }))
  assert.equal(queued, erasures.length)
  assert.ok((await readProgress(at)).running > 0)
  await removeOld(server.at(tenant.id, clock.wall() + 400 * clock.day_ms))
  assert.equal((await tenant.call('GET', `/erasures/${id}`)).status, 404)
}
