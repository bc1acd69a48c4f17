import { removeOld } from '../../../server/agent-tests/retention.ts'
import { work } from '../../../server/agent-tests/work.ts'
import { inTransaction } from '../../../server/kit/at.ts'
import * as clock from '../../../server/kit/clock.ts'
import { newId } from '../../../server/kit/id.ts'
import { sql } from '../../../server/kit/postgres/sql.ts'
import { addTest, desk_script, newDesk, runTests, startRun } from '../agent-tests.ts'
import { create } from '../conversations.ts'
import type { Server } from '../harness.ts'
import { newContact } from '../samples.ts'

/** Plays tests, reports and erases them, and asks whether they are required. */
export async function testAgents(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const { call } = tenant
  const id = await newDesk(tenant)
  const expect = [{ type: 'says', any_of: ['never'] }]
  await addTest(tenant, id, { steps: [{ says: 'When are you open?', expect }] })
  await addTest(tenant, id, { kind: 'simulation', persona: { goal: 'Book.' } })
  const run = await runTests(tenant, id)
  await call('GET', `/test_runs/${run.id}?format=junit`)
  await call('GET', `/test_runs/${run.id}/results?status=failed`)
  await call('POST', `/conversations/${run.results[0].conversation_id}/redact`)
  await call('PATCH', `/agents/${id}`, { deploy_requires: 'tests', instructions: 'Be short.' })
  await call('POST', `/agents/${id}/versions`, { deploy: true })
  await call('GET', `/agents/${id}/test_gate`)
  const passing = await create(tenant, '/agents', { name: 'Says anything', script: desk_script, tools: ['book_slot'] })
  await addTest(tenant, passing.id, { steps: [{ says: 'Hello' }] })
  await runTests(tenant, passing.id, { use_draft: true })
  await call('GET', `/agents/${passing.id}/test_gate`)
  const { id: left } = await startRun(tenant, id)
  const token = newId()
  await server.pool.run(
    sql`update test_runs set lease_token = ${token} where workspace_id = ${tenant.id} and id = ${left}`,
  )
  const lease = { workspace: tenant.id, id: left, due_at: clock.iso(0), token }
  await inTransaction(server.at(tenant.id), async (at) => work.giveUp?.(at, lease))
}

/** Makes a test of a conversation, says conversations again, and forgets them in every way. */
export async function replayConversations(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const { call, work } = tenant
  const agent_id = await newDesk(tenant)
  const contact_id = (await call('POST', '/contacts', newContact())).body.data.id
  const { id } = (await call('POST', '/conversations', { agent_id, contact_id, message: 'When are you open?' })).body
    .data
  await work()
  await call('POST', `/conversations/${id}/close`)
  await call('POST', `/conversations/${id}/make_test`)
  await runTests(tenant, agent_id, { replay: { last: 1 } })
  await startRun(tenant, agent_id, { replay: { last: 1 } })
  // The conversation loses its contact, as if it had been linked to another contact meanwhile.
  await server.pool.run(
    sql`update conversations set contact_id = null where workspace_id = ${tenant.id} and id = ${id}`,
  )
  await work()
  await removeOld(server.at(tenant.id, clock.wall() + 31 * clock.day_ms))
  await runTests(tenant, agent_id, { replay: { last: 1 } })
  await call('DELETE', `/contacts/${contact_id}`)
  await call('POST', `/conversations/${id}/redact`)
}
