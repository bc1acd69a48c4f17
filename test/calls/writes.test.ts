import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallLine, CallLineEvent, Carrier } from '../../server/calls/carrier.ts'
import { claim } from '../../server/calls/claim.ts'
import { changed } from '../../server/calls/store.ts'
import { calling } from '../../server/calls/work.ts'
import { conversationWatch } from '../../server/conversations/stream.ts'
import { on, openHooks } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { openLog } from '../../server/kit/log.ts'
import { simulator } from '../../server/lines/simulator/carrier.ts'
import { appointment_script, getCall, newCaller, placeCall, turnsOf } from '../support/calls.ts'
import { create } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { withTool } from '../support/with-tool.ts'

const server = await serve()
const log = openLog('silent')

/** Live calls that this process has leased. */
async function claimCalls(tenant: Tenant, calls: object[]) {
  const { id: channel_id } = await tenant.addChannel({ kind: 'voice', provider: 'simulator' })
  const placed = await Promise.all(calls.map((call) => placeCall(tenant, { channel_id, ...call })))
  const at = { ...server.at(tenant.id), now: clock.wall() }
  const claimed = await claim(at, { slots: calls.length, claimed: new Set() })
  assert.deepEqual(claimed.map(({ id }) => id).sort(), placed.map(({ id }) => id).sort())
  return { at, claimed, placed, channel_id }
}

const context = { isStopping: () => false, onProgress: () => {}, log }

test('calls of which each save takes long have each turn once, in order, and whole', async () => {
  const tenant = await server.workspace()
  const { greet, booked } = appointment_script.nodes
  const note = { tool: 'update_contact', with: { company: 'Acme' }, ok: 'booked', failed: 'booked' }
  const nodes = { greet: { say: greet.say, else: { go: 'note' } }, note, booked }
  const agent_id = await newCaller(tenant, { script: { start: 'greet', nodes }, contact_fields: ['company'] })
  const wanted = [1, 2, 3, 4, 5, 6].map(async (index) => {
    const contact = await create(tenant, '/contacts', { phone_number: `+1415555010${index}` })
    return { agent_id, contact_id: contact.id, simulate: '00' }
  })
  const { at, claimed, placed } = await claimCalls(tenant, await Promise.all(wanted))
  const tx: typeof at.db.tx = async (...options) => {
    const written = await at.db.tx(...options)
    await sleep(100)
    return written
  }
  const slow = { ...at, db: Object.assign(Object.create(at.db), { tx }) }
  // Of the time of the calls, each save takes most of a second.
  const work = calling({ pool: server.pool, carrier: { ...simulator, speed: 8 }, log })
  await Promise.all(claimed.map((one) => work.run(slow, one, context)))
  for (const { id } of placed) {
    const { conversation_id, turn_count } = await getCall(tenant, id)
    const turns: { seq: number; role: string; text: string }[] = await turnsOf(tenant, conversation_id)
    assert.deepEqual(
      turns.map(({ seq }) => seq),
      Array.from({ length: turn_count }, (_, index) => index + 1),
    )
    // On a busy machine the agent also asks for a moment, or whether someone is there.
    for (const { say } of [greet, booked]) {
      const said = turns.filter(({ role, text }) => role === 'agent' && text.endsWith(say))
      assert.equal(said.length, 1, say)
    }
    assert.ok(turns.some(({ role }) => role === 'contact'))
  }
})

test('a call goes on while the database does not say what people have written', async () => {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant)
  const { at, claimed, placed } = await claimCalls(tenant, [{ agent_id, to: '+14155550100', simulate: '00' }])
  const [call] = claimed
  assert.ok(call)
  const watch = { ...conversationWatch.of(at), readSnapshot: () => new Promise<undefined>(() => {}) }
  const work = calling({ pool: server.pool, carrier: { ...simulator, speed: 20 }, log })
  await work.run(withTool(at, conversationWatch, watch), call, context)
  const { status, conversation_id } = await getCall(tenant, placed[0]?.id)
  assert.equal(status, 'completed')
  const turns: { text: string }[] = await turnsOf(tenant, conversation_id)
  assert.ok(turns.at(-1)?.text.endsWith(appointment_script.nodes.booked.say))
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
    take,
    say: nothing,
    endReply: nothing,
    clear: nothing,
    press: nothing,
    transfer: nothing,
    hangUp: nothing,
    readPlayed: () => undefined,
    save: () => null,
  }
}

test('who has said so is never called again, also if the database fails while it is written', async () => {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant)
  const contact = await create(tenant, '/contacts', { phone_number: '+14155550100' })
  const { at, claimed, placed, channel_id } = await claimCalls(tenant, [{ agent_id, contact_id: contact.id }])
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
  const [call] = claimed
  assert.ok(call)
  await assert.rejects(work.run(failing, call, context), /administrator command/)
  assert.equal(failures, 2)
  const again = await tenant.call('POST', '/calls', { agent_id, to: placed[0]?.to, channel_id })
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
