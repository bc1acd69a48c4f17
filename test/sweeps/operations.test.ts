import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from '../support/harness.ts'
import { leaveEntry, type Succeeded } from '../support/rules/audit.ts'
import { compareETags, refuseStaleChanges } from '../support/rules/conditions.ts'
import { describeAnswer, describeErrors } from '../support/rules/contract.ts'
import { acceptExamples, acceptParameters } from '../support/rules/examples.ts'
import { acceptOwnScopes, refuseOtherKeys } from '../support/rules/keys.ts'
import { acceptRoles, refuseOtherRoles } from '../support/rules/roles.ts'
import { refuseOtherSessions } from '../support/rules/sessions.ts'
import { hideFromOtherTenants, refuseOtherTenants } from '../support/rules/tenants.ts'
import { owner_operations, raw_operations, type Scoped, scoped_operations } from '../support/scoped.ts'
import { openRows, openWorlds, type Worlds } from '../support/worlds.ts'

/** What holds for all operations. Requests that are refused share a workspace, and so does the first that succeeds. */

// The limit is never reached: its headers are part of the answers.
const server = await serve({ rate_limit_per_second: 100_000 })
const worldsOf = await openWorlds(server)
const rowsOf = await openRows(server)

for (const operation of scoped_operations) {
  const worlds = worldsOf(operation)
  refuseOtherKeys(worlds)
  refuseOtherTenants(worlds)
  describeErrors(worlds)
  refusePersons(worlds)
  describeAnswer(worlds)
  acceptPersons(worlds)
  acceptExamples(worlds)
  acceptParameters(worlds)
  compareETags(worlds)
  refuseStaleChanges(worlds)
  hideFromOtherTenants(worlds)
  acceptOwnScopes(worlds)
}

for (const operation of owner_operations) {
  const worlds = worldsOf(operation)
  refusePersons(worlds)
  acceptPersons(worlds)
}

for (const operation of raw_operations) {
  const worlds = worldsOf(operation)
  describeErrors(worlds)
  describeAnswer(worlds)
  acceptExamples(worlds)
  acceptParameters(worlds)
}

function refusePersons(worlds: Worlds<Scoped>): void {
  refuseOtherSessions(worlds)
  refuseOtherRoles(worlds)

  test(`${worlds.operation.id} changes nothing when it is refused`, async () => {
    const { tenant, rows } = await worlds.first()
    assert.deepEqual(await rowsOf(tenant.id), rows)
  })
}

function acceptPersons(worlds: Worlds<Scoped>): void {
  let succeeded: Succeeded
  acceptRoles(worlds, (world, answer) => {
    succeeded = { ...world, answer }
  })
  leaveEntry(worlds, () => succeeded)
}
