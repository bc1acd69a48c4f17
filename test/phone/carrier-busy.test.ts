import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { openPhoneNetwork } from '../peers/phone.ts'
import { getCall, newCaller, placeCall } from '../support/calls.ts'
import { always, enrollmentsOf, newCampaign, request, start, workUntil } from '../support/dialing.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, testPool } from '../support/harness.ts'
import { listCalls, newPhoneChannel } from '../support/phone.ts'
import { phoneNumber } from '../support/samples.ts'

/* The carrier has too much to do (429), and is asked again later. Meanwhile nobody may be called any more. */

const server = await openServer(testPool())
after(server.close)
addFakeSpeech(server)
let is_busy = true
/** Called when the carrier is asked to dial. */
let onDial = () => {}
const network = await openPhoneNetwork({
  personFor: () => ({ takes: 'busy' }),
  troubleFor(kind) {
    if (kind === 'dial') onDial()
    return is_busy && kind === 'dial' ? { status: 429 } : undefined
  },
})
after(() => network.close())

async function openWorld() {
  is_busy = true
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant)
  const channel = await newPhoneChannel(server, tenant, { network, agent_id })
  const contact = await request(tenant, 'POST', '/contacts', { phone_number: phoneNumber(), time_zone: 'UTC' })
  const wasDialed = () => network.calls.some(({ to }) => to === contact.phone_number)
  const setHours = (quiet_hours: object) => request(tenant, 'PATCH', '/workspace', { settings: { quiet_hours } })
  return { tenant, agent_id, channel_id: channel.id, contact, wasDialed, setHours }
}

/** A campaign whose only call waits for the carrier. */
async function openCampaign() {
  const world = await openWorld()
  const { tenant, agent_id, channel_id, contact, setHours } = world
  await setHours({ start: '00:00', end: '24:00' })
  const campaign = await newCampaign(tenant, [contact], {
    agent_id,
    channel_ids: [channel_id],
    windows: always,
  })
  await start(tenant, campaign)
  const callsOf = () => listCalls(tenant, `campaign_id=${campaign.id}`)
  return { ...world, campaign, path: `/campaigns/${campaign.id}`, callsOf }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
const outcomeOf = ({ status, outcome, end_reason }: any) => [status, outcome, end_reason]

for (const verb of ['pause', 'cancel'])
  test(`a call that waits for the carrier is not dialled after a ${verb} of its campaign`, async () => {
    const { tenant, campaign, path, callsOf, wasDialed } = await openCampaign()
    await workUntil(tenant, async () => (await callsOf())[0]?.started_at != null)
    await request(tenant, 'POST', `${path}/${verb}`)
    is_busy = false
    await tenant.work(Date.now() + 4_000)
    assert.equal(wasDialed(), false)
    assert.deepEqual((await callsOf()).map(outcomeOf), [['failed', 'error', 'carrier_error']])
    const [{ status, attempts }] = await enrollmentsOf(tenant, campaign)
    assert.deepEqual([status, attempts], [verb === 'pause' ? 'waiting' : 'canceled', 1])
  })

test('a call that the carrier refuses for now during the pause of its campaign is not dialled after it', async () => {
  const { tenant, path, callsOf, wasDialed } = await openCampaign()
  const asked = new Promise<void>((resolve) => {
    onDial = resolve
  })
  network.options.answerAfter = () => 500
  const working = workUntil(tenant, async () => (await callsOf())[0]?.started_at != null)
  await asked
  await request(tenant, 'POST', `${path}/pause`)
  await working
  delete network.options.answerAfter
  is_busy = false
  await tenant.work(Date.now() + 4_000)
  assert.equal(wasDialed(), false)
  assert.deepEqual((await callsOf()).map(outcomeOf), [['failed', 'error', 'carrier_error']])
})

test('a call that waits for the carrier is dialled within its time, and not later', async () => {
  for (const [late_ms, is_dialed] of [
    [4_000, true],
    [11_000, false],
  ] as const) {
    const { tenant, callsOf, wasDialed } = await openCampaign()
    await workUntil(tenant, async () => (await callsOf())[0]?.started_at != null)
    is_busy = false
    await tenant.work(Date.now() + late_ms)
    assert.equal(wasDialed(), is_dialed)
    if (!is_dialed) assert.deepEqual((await callsOf()).map(outcomeOf), [['failed', 'error', 'carrier_error']])
  }
})

test('a call that keeps quiet hours and waits for the carrier is not dialled when they are over', async () => {
  for (const is_over of [false, true]) {
    const { tenant, agent_id, channel_id, contact, setHours, wasDialed } = await openWorld()
    const { id } = await placeCall(tenant, { agent_id, contact_id: contact.id, channel_id })
    await tenant.work()
    // As those that `schedule_callback` places.
    await server.pool.run(sql`update calls set keeps_quiet_hours = true where workspace_id = ${tenant.id}`)
    const is_morning = new Date().getUTCHours() < 12
    const other_hours = is_morning ? { start: '14:00', end: '15:00' } : { start: '02:00', end: '03:00' }
    await setHours(is_over ? other_hours : { start: '00:00', end: '24:00' })
    is_busy = false
    await tenant.work(Date.now() + 4_000)
    assert.equal(wasDialed(), !is_over)
    if (is_over) assert.deepEqual(outcomeOf(await getCall(tenant, id)), ['canceled', 'canceled', 'canceled'])
  }
})
