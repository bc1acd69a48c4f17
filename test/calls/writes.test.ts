import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallLine, CallLineEvent, Carrier } from '../../server/calls/carrier.ts'
import { changed } from '../../server/calls/changed.ts'
import { claim } from '../../server/calls/claim.ts'
import { calling } from '../../server/calls/work.ts'
import { on, openHooks } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { openLog } from '../../server/kit/log.ts'
import { simulator } from '../../server/lines/simulator/carrier.ts'
import { appointment_script, getCall, newCaller, placeCall, turnsOf } from '../support/calls.ts'
import { create } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'

const server = await serve()
const log = openLog('silent')

/** A live call that this process has leased. */
async function claimCall(tenant: Tenant, call: object) {
  const { id: channel_id } = await tenant.addChannel({ kind: 'voice', provider: 'simulator' })
  const placed = await placeCall(tenant, { channel_id, ...call })
  const at = { ...server.at(tenant.id), now: clock.wall() }
  const [claimed] = await claim(at, { slots: 1, claimed: new Set() })
  assert.ok(claimed)
  assert.equal(claimed.id, placed.id)
  return { at, claimed, placed, channel_id }
}

const context = { isStopping: () => false, onProgress: () => {}, log }

test('a call of which each save takes long has each turn once, in order, and whole', async () => {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant)
  const { at, claimed, placed } = await claimCall(tenant, { agent_id, to: '+14155550100', simulate: '00' })
  const tx: typeof at.db.tx = async (...options) => {
    const written = await at.db.tx(...options)
    await sleep(150)
    return written
  }
  const slow = { ...at, db: Object.assign(Object.create(at.db), { tx }) }
  // Of the time of the call, each save takes six seconds.
  const carrier = { ...simulator, speed: 40 }
  await calling({ pool: server.pool, carrier, log }).run(slow, claimed, context)
  const { conversation_id, turn_count } = await getCall(tenant, placed.id)
  const turns: { seq: number; role: string; text: string; heard: string }[] = await turnsOf(tenant, conversation_id)
  assert.deepEqual(
    turns.map(({ seq }) => seq),
    Array.from({ length: turn_count }, (_, index) => index + 1),
  )
  const said = turns.filter(({ role }) => role === 'agent')
  // On a busy machine the agent also asks for a moment.
  assert.ok(said[0]?.text.endsWith(appointment_script.nodes.greet.say), said[0]?.text)
  assert.ok(said.at(-1)?.text.endsWith(appointment_script.nodes.booked.say), said.at(-1)?.text)
  assert.deepEqual(
    said.map(({ heard }) => heard),
    said.map(({ text }) => text),
  )
})

/** A line on which the contact says this at once. */
function lineOf(text: string): CallLine {
  let events: CallLineEvent[] | undefined
  const nothing = () => {}
  const take = (at: number): CallLineEvent[] => {
    if (events) return []
    const part = { text, start_ms: 0, end_ms: 500 }
    events = [
      { at, type: 'answered' },
      { at, type: 'speech_started' },
      { at, type: 'heard', text, part },
      { at, type: 'speech_stopped' },
    ]
    return events
  }
  return {
    get next_at() {
      return events ? undefined : 0
    },
    ...{ take, say: nothing, endReply: nothing, clear: nothing, press: nothing, transfer: nothing, hangUp: nothing },
    ...{ readPlayed: () => undefined, save: () => null },
  }
}

test('who has said so is never called again, also if the database fails while it is written', async () => {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant)
  const contact = await create(tenant, '/contacts', { phone_number: '+14155550100' })
  const { at, claimed, placed, channel_id } = await claimCall(tenant, { agent_id, contact_id: contact.id })
  const carrier: Carrier = {
    dial: async () => lineOf('Please stop calling me.'),
    reopen: () => assert.fail('only test workspaces do'),
    find: async () => [],
  }
  let failures = 0
  const fail = () => {
    failures += 1
    throw new Error('terminating connection due to administrator command')
  }
  const failing = {
    ...at,
    hooks: openHooks([on(changed, async (_at, [call]) => (call?.is_opt_out ? fail() : undefined))]),
    db: Object.assign(Object.create(at.db), {
      // The first attempt after the failed save fails, too.
      tx: async (...options: Parameters<typeof at.db.tx>) => (failures === 1 ? fail() : at.db.tx(...options)),
    }),
  }
  const work = calling({ pool: server.pool, carrier, log })
  await assert.rejects(work.run(failing, claimed, context), /administrator command/)
  assert.equal(failures, 2)
  const again = await tenant.call('POST', '/calls', { agent_id, to: placed.to, channel_id })
  assert.deepEqual([again.status, again.body.error.details.rule], [409, 'opted_out'])
  const { data } = (await tenant.call('GET', '/consents')).body
  assert.equal(data.length, 1)
  assert.partialDeepStrictEqual(data[0], {
    contact_id: contact.id,
    kind: 'all',
    status: 'revoked',
    source: 'voice_request',
  })
})
