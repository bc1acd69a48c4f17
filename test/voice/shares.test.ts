import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as channels from '../../server/channels/store.ts'
import type { Config } from '../../server/config.ts'
import { inTransaction } from '../../server/kit/at.ts'
import { close_codes } from '../../server/lines/browser/protocol.ts'
import { openPhoneNetwork } from '../peers/phone.ts'
import { ended, getCall, newCaller, placeCall } from '../support/calls.ts'
import { copyTemplate } from '../support/database.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, type Server, type Tenant, testPool } from '../support/harness.ts'
import { newPhoneChannel } from '../support/phone.ts'
import { phoneNumber } from '../support/samples.ts'
import { own_number } from '../support/sms.ts'
import { openVoiceClient, type Place, placeWebCall } from '../support/voice-client.ts'

/* How the room of a process for live calls is shared. */

const network = await openPhoneNetwork({ personFor: () => ({ takes: 'no_answer' }) })
after(() => network.close())
/** The voice channels of others count: one database has none but those of its test. */
const [shared, alone] = await Promise.all([copyTemplate('shares'), copyTemplate('shares_alone')])
const servers: Server[] = []
after(async () => {
  // They end the calls that are left.
  await Promise.all(servers.map(({ close }) => close()))
  await Promise.all([shared.drop(), alone.drop()])
})

async function openWorld(settings: Partial<Config>, { url } = shared) {
  const server = await openServer(testPool(url), { trust_proxy: ['127.0.0.1'], ...settings })
  servers.push(server)
  addFakeSpeech(server)
  return { server, newTalker: (options?: { has_channel: boolean }) => newTalker(server, options) }
}

/** A workspace in which people talk. */
async function newTalker(server: Server, { has_channel } = { has_channel: true }) {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, { greeting: 'Hello.', model: null })
  const addChannel = () => tenant.addChannel({ kind: 'voice', provider: 'web', agent_id })
  if (has_channel) await addChannel()
  return {
    tenant,
    agent_id,
    addChannel,
    place: () => placeWebCall(tenant, { agent_id }),
    ask: () => tenant.call('POST', '/calls/web', { agent_id }),
  }
}

type Talker = Awaited<ReturnType<typeof newTalker>>

/** Opens the sockets at the same moment, and returns the ids of the calls that have room. The others hear that it is busy. */
async function open(places: Place[]): Promise<string[]> {
  const opened = await Promise.all(
    places.map(async (place) => {
      const client = openVoiceClient(place, { is_live: false })
      const is_ready = await client.next('ready').then(
        () => true,
        () => false,
      )
      if (!is_ready) assert.equal(await client.closed, close_codes.busy)
      return is_ready ? place.call.id : []
    }),
  )
  return opened.flat()
}

const openMany = async ({ place }: Talker, count: number): Promise<string[]> =>
  open(await Promise.all(Array.from({ length: count }, place)))

async function assertRefused({ ask }: Pick<Talker, 'ask'>, message: RegExp): Promise<void> {
  const { status, headers, body } = await ask()
  assert.deepEqual([status, headers.get('retry-after')], [503, '10'])
  assert.match(body.error.message, message)
}

async function hangUp({ tenant }: { tenant: Tenant }, id: string | undefined): Promise<void> {
  await tenant.call('POST', `/calls/${id}/hang_up`)
  await ended(tenant, String(id))
}

const reserved = /kept for workspaces without a live call/
const full = /^This process has as many live calls/

test('a quarter of the room is for workspaces without a live call', async () => {
  const { newTalker } = await openWorld({ live_calls_max: 8 })
  const [one, other, third] = [await newTalker(), await newTalker(), await newTalker({ has_channel: false })]
  const calls = await openMany(one, 10)
  assert.equal(calls.length, 6)
  await assertRefused(one, reserved)
  assert.equal((await openMany(other, 2)).length, 1)
  await assertRefused(other, reserved)
  assert.equal((await openMany(third, 1)).length, 1)
  await assertRefused(await newTalker(), full)
  for (const id of calls.slice(0, 2)) await hangUp(one, id)
  await assertRefused(one, reserved)
  await hangUp(one, calls[2])
  assert.equal((await openMany(other, 2)).length, 1)
})

test('at least one place is', async () => {
  const { newTalker } = await openWorld({ live_calls_max: 2 })
  const [one, other] = [await newTalker(), await newTalker()]
  assert.equal((await openMany(one, 2)).length, 1)
  assert.equal((await openMany(other, 2)).length, 1)
})

test('a workspace has all the room while no other one has a voice channel that works', async () => {
  const { server, newTalker } = await openWorld({ live_calls_max: 2 }, alone)
  const [one, other] = [await newTalker(), await newTalker({ has_channel: false })]
  const { id } = await other.addChannel()
  await inTransaction(server.at(other.tenant.id), (at) =>
    channels.update(at, { id, change: { status: 'disabled' }, isCurrent: () => true }),
  )
  const test_workspace = await server.workspace(Date.now())
  const agent_id = await newCaller(test_workspace, { greeting: 'Hello.' })
  await test_workspace.addChannel({ kind: 'voice', provider: 'simulator', agent_id })
  assert.equal((await openMany(one, 2)).length, 2)
  await assertRefused(one, full)
})

test('LIVE_CALLS_WORKSPACE_MAX bounds a workspace', async () => {
  const { newTalker } = await openWorld({ live_calls_max: 8, live_calls_workspace_max: 2 })
  const [one, other] = [await newTalker(), await newTalker()]
  assert.equal((await openMany(one, 4)).length, 2)
  await assertRefused(one, /^This workspace has as many live calls/)
  assert.equal((await openMany(other, 4)).length, 2)
})

test('visitors of one web channel have half of the share of their workspace', async () => {
  const { server, newTalker } = await openWorld({ live_calls_max: 8, live_calls_workspace_max: 5 })
  const talker = await newTalker({ has_channel: false })
  let networks = 0
  const visit = async (page: string) => {
    networks += 1
    return server.fetch('POST', `${new URL(page).pathname}/calls`, {}, { 'x-forwarded-for': `203.0.113.${networks}` })
  }
  const visitMany = async (page: string, count: number) => {
    const answers = await Promise.all(Array.from({ length: count }, () => visit(page)))
    for (const { status, text } of answers) assert.equal(status, 201, text)
    return open(answers.map(({ body }) => body.data))
  }
  const page = (await talker.addChannel()).public_url ?? ''
  assert.equal((await visitMany(page, 4)).length, 2)
  await assertRefused({ ask: () => visit(page) }, /^This channel has as many live calls/)
  assert.equal((await visitMany((await talker.addChannel()).public_url ?? '', 1)).length, 1)
  assert.equal((await openMany(talker, 3)).length, 2)
})

test('calls that come in hear that it is busy, and those to be dialled wait', async () => {
  const { server, newTalker } = await openWorld({ live_calls_max: 4 })
  const [one, other] = [await newTalker(), await newTalker()]
  const numbers = [own_number, phoneNumber()]
  const lines = await Promise.all(
    [one, other].map(({ tenant, agent_id }, index) =>
      newPhoneChannel(server, tenant, { network, agent_id, address: numbers[index] ?? '' }),
    ),
  )
  const callIn = (index: number) =>
    network.call({ from: phoneNumber(), to: numbers[index] ?? '', webhook_url: lines[index]?.inbound_url })
  const { tenant, agent_id } = one
  const to = phoneNumber()
  await openMany(one, 1)
  await placeCall(tenant, { agent_id, to, channel_id: lines[0]?.id })
  await tenant.work()
  assert.equal(network.calls.filter((phone) => phone.to === to).length, 1)
  const phone = callIn(0)
  await phone.untilStreaming()
  assert.deepEqual(await callIn(0).ended, { status: 'busy', ended_by: 'service' })
  const waiting = await placeCall(tenant, { agent_id, to: phoneNumber(), channel_id: lines[0]?.id })
  await tenant.work()
  assert.equal((await getCall(tenant, waiting.id)).status, 'queued')
  const another = callIn(1)
  await another.untilStreaming()
  for (const { person } of [phone, another]) await person.hangUp()
})
