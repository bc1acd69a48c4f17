import assert from 'node:assert/strict'
import { endAttempts } from '../../../server/campaigns/dial/ends.ts'
import { inTransaction } from '../../../server/kit/at.ts'
import * as clock from '../../../server/kit/clock.ts'
import { newId } from '../../../server/kit/id.ts'
import { sql } from '../../../server/kit/postgres/sql.ts'
import { advance, newCaller } from '../calls.ts'
import { addContacts, createCampaign, createContacts, enroll, fill } from '../campaigns.ts'
import { campaign_start, newCampaign, newClaimed, newContacts, request, start } from '../dialing.ts'
import type { Server } from '../harness.ts'

const minute_ms = 60_000
const two_days_s = 2 * 86_400

const notice = { start: 'tell', nodes: { tell: { say: 'Your parcel arrives tomorrow.', go: '@end' } } }
const calls_back = {
  start: 'promise',
  nodes: {
    promise: { tool: 'schedule_callback', with: { at: '{{callback_at}}' }, ok: 'bye', failed: 'bye' },
    bye: { say: 'Goodbye.', go: '@end' },
  },
}

/** Campaigns that call and write, by themselves and ahead of the clock, and one that is paused. */
export async function dialCampaigns(server: Server): Promise<void> {
  const tenant = await server.workspace()
  await tenant.addTestClock(campaign_start)
  const contacts = await newContacts(tenant, ['00', '01', '02'])
  await request(tenant, 'POST', `/contacts/${contacts[0].id}/consents`, { kind: 'sms', status: 'revoked' })
  const { id } = await start(tenant, await newCampaign(tenant, contacts))
  await request(tenant, 'PATCH', `/campaigns/${id}`, { holidays: ['2027-12-25'] })
  await request(tenant, 'PATCH', `/contacts/${contacts[1].id}`, { time_zone: 'America/Detroit' })
  await advance(tenant, two_days_s)
  const callback_at = clock.iso(campaign_start + 3 * clock.day_ms)
  const agent_id = await newCaller(tenant, { script: calls_back })
  const starts_at = clock.iso(campaign_start + two_days_s * 1_000 + minute_ms)
  await start(tenant, await newCampaign(tenant, contacts, { agent_id, variables: { callback_at }, starts_at }))
  const writes = { kind: 'sms', agent_id: await newCaller(tenant, { script: notice }) }
  await start(tenant, await newCampaign(tenant, contacts, writes))
  await advance(tenant, two_days_s)
  const at = server.at(tenant.id)
  const corrected = { outcome: 'voicemail' as const, refined_from: 'answered' as const, is_opt_out: false }
  await inTransaction(at, (at) =>
    endAttempts(at, [{ id: newId(), campaign_id: id, ended_at: campaign_start, ...corrected }]),
  )
  const live = await server.workspace()
  const claimed = await newClaimed(live, ['01'], { kind: 'voice' })
  await request(live, 'POST', `/campaigns/${claimed.id}/pause`)
}

/** A campaign from its beginning to its deletion. */
export async function runCampaigns(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const { id: workspace, call, work } = tenant
  const starts_at = clock.iso(clock.wall() + clock.day_ms)
  const campaign = await createCampaign(tenant, { starts_at })
  const [contact_id = '', other_id = ''] = await createContacts(tenant, 2)
  await enroll(tenant, campaign.id, { contact_ids: [contact_id, other_id] })
  const path = `/campaigns/${campaign.id}`
  for (const query of ['', 'status=pending', `contact_id=${contact_id}`])
    await call('GET', `${path}/enrollments?${query}`)
  await call('GET', '/campaigns?status=draft')
  const { id, contact_id: enrolled_id } = (await call('GET', `${path}/enrollments`)).body.data[0]
  await call('POST', `/contacts/${enrolled_id}/consents`, { kind: 'all', status: 'revoked' })
  assert.equal((await call('GET', `/enrollments/${id}/explain`)).status, 200)
  for (const verb of ['start', 'pause', 'resume']) assert.equal((await call('POST', `${path}/${verb}`)).status, 200)
  await call('PATCH', path, { starts_at: null })
  for (const verb of ['pause', 'resume']) await call('POST', `${path}/${verb}`)
  await call('POST', `/enrollments/${id}/skip`)
  await server.pool.run(
    sql`update enrollments set last_call_id = ${newId()}, last_conversation_id = ${newId()} where workspace_id = ${workspace}`,
  )
  await call('GET', `${path}/report`)
  await addContacts(server, workspace, 3_100)
  await fill(server, tenant, campaign.id, 1_000_000 - 2_000)
  assert.equal((await enroll(tenant, campaign.id, { filter: {} })).status, 202)
  await work()
  await call('DELETE', `/contacts/${contact_id}`)
  await call('POST', `${path}/cancel`)
  const draft = await createCampaign(tenant)
  await call('POST', `/campaigns/${draft.id}/start`)
  await enroll(tenant, draft.id, { contact_ids: [other_id] })
  await call('DELETE', `/agents/${draft.agent_id}`)
  await call('DELETE', `/campaigns/${draft.id}`)
  await work()
}
