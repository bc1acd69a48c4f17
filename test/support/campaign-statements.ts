import * as clock from '../../server/kit/clock.ts'
import { advance, newCaller } from './calls.ts'
import { campaign_start, newCampaign, newClaimed, newContacts, request, start } from './dialing.ts'
import type { Server } from './harness.ts'

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
  const live = await server.workspace()
  const claimed = await newClaimed(live, ['01'], { kind: 'voice' })
  await request(live, 'POST', `/campaigns/${claimed.id}/pause`)
}
