import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as retention from '../../server/conversations/erase.ts'
import * as clock from '../../server/kit/clock.ts'
import { begin, create, get, newAgent, say } from '../support/conversations.ts'
import { serve } from '../support/harness.ts'
import { newContact } from '../support/samples.ts'

const server = await serve()

test('lists and totals leave trials out unless they are asked for', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant)
  const trial = await begin(tenant, agent_id, { is_test: true, message: 'Hello' })
  const real = await begin(tenant, agent_id, { use_draft: true })
  assert.deepEqual([trial.is_test, real.is_test], [true, false])
  const list = async (query: string) => {
    const { body, text } = await tenant.call('GET', `/conversations?${query}`)
    assert.ok(body.pagination, text)
    return [body.pagination.total, body.data.map(({ id }: { id: string }) => id)]
  }
  for (const filter of ['limit=9', 'status=open', `agent_id=${agent_id}`, `agent_id=${agent_id}&status=open`]) {
    assert.deepEqual(await list(filter), [1, [real.id]], filter)
    assert.deepEqual(await list(`${filter}&is_test=false`), [1, [real.id]], filter)
    assert.deepEqual(await list(`${filter}&is_test=true`), [1, [trial.id]], filter)
  }
  assert.equal((await tenant.call('GET', '/conversations?is_test=1')).status, 400)
  for (const { id } of [trial, real]) await tenant.call('POST', `/conversations/${id}/hand_over`)
  assert.deepEqual(await list('status=handed_over&sort=waiting_since'), [1, [real.id]])
  for (const { id } of [trial, real]) await tenant.call('POST', `/conversations/${id}/close`)
  assert.deepEqual(await list('status=closed'), [1, [real.id]])
  assert.equal((await get(tenant, trial.id)).is_test, true)
})

test('totals stay right when old trials are deleted, and events say what is a trial', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant)
  const trial = await begin(tenant, agent_id, { is_test: true })
  for (const { id } of [trial, await begin(tenant, agent_id)]) await tenant.call('POST', `/conversations/${id}/close`)
  const { body } = await tenant.call('GET', '/events?type=conversation.started')
  assert.deepEqual(
    body.data.map(({ data }: { data: { is_test: boolean } }) => data.is_test),
    [false, true],
  )
  const later = { ...server.at(tenant.id), now: clock.wall() + 3 * clock.day_ms }
  await retention.removeOld(later, { conversations_keep_days: 1, tool_runs_keep_days: null })
  assert.equal((await tenant.call('GET', '/conversations')).body.pagination.total, 0)
})

test('a trial with a contact does not count as contact with them', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant)
  const { id: contact_id } = await create(tenant, '/contacts', newContact())
  const { id } = await begin(tenant, agent_id, { contact_id, is_test: true, message: 'Hello' })
  await say(tenant, id, 'Hello?')
  const lastContact = async () => (await tenant.call('GET', `/contacts/${contact_id}`)).body.data.last_contact_at
  assert.equal(await lastContact(), null)
  await begin(tenant, agent_id, { contact_id, message: 'Hello' })
  assert.notEqual(await lastContact(), null)
})

test('a trial is not sent by SMS', async () => {
  const tenant = await server.workspace()
  const { id: channel_id } = await tenant.addChannel()
  const { id: contact_id } = await create(tenant, '/contacts', newContact())
  const agent_id = await newAgent(tenant)
  const { status, body } = await tenant.call('POST', '/conversations', {
    agent_id,
    channel_id,
    contact_id,
    is_test: true,
  })
  assert.equal(status, 400)
  assert.deepEqual(
    body.error.details.fields.map(({ path }: { path: string }) => path),
    ['is_test'],
  )
})
