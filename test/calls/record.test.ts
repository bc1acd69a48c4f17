import assert from 'node:assert/strict'
import { test } from 'node:test'
import { complete } from '../../server/agents/configuration.ts'
import type { CallLine, CallLineEvent, Carrier } from '../../server/calls/carrier.ts'
import { changed } from '../../server/calls/changed.ts'
import { claim } from '../../server/calls/claim.ts'
import { CallRecord } from '../../server/calls/record.ts'
import type { CallSave } from '../../server/calls/save.ts'
import { calling } from '../../server/calls/work.ts'
import { newConversation } from '../../server/conversations/begin.ts'
import type { Saved } from '../../server/drivers/plan-save.ts'
import { Unsaved } from '../../server/drivers/unsaved.ts'
import { on, openHooks } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { openLog } from '../../server/kit/log.ts'
import { newReply } from '../../server/talk/state.ts'
import { newCaller, placeCall } from '../support/calls.ts'
import { create } from '../support/conversations.ts'
import { serve } from '../support/harness.ts'

const server = await serve()
const log = openLog('silent')

/** A call that is being driven. What it saves is written when `write` is called. */
async function newRecord() {
  const at = server.at((await server.workspace()).id)
  const unsaved = new Unsaved({ results: {}, waited_ms: 0 })
  const saves: { save: CallSave; resolve: (saved: Saved) => void }[] = []
  const record = new CallRecord({
    ...{ at, id: newId(), token: newId(), due_at: clock.iso(at.now), unsaved, facts: [] },
    conversation: newConversation(at, {
      ...{ kind: 'voice', channel_id: null, contact_id: null, counterpart: null, awaits_answer: false },
      agent: { id: newId(), name: 'Reception' },
      version: { id: newId(), version_label: 'v1', configuration: complete({}) },
    }),
    ...{ is_new: false, is_over: false, has_summary: false, is_recorded: false, contact_voice: null },
    ...{ readReply: () => newReply('one'), onShown: () => {} },
    save: (_at, save) => new Promise((resolve) => saves.push({ save, resolve })),
    readState: () => assert.fail('only test workspaces keep it'),
    takeOptOut: () => null,
    ...{ dialed: { to: '+14155550100', simulate: null }, log },
    onSaved: () => {},
    onError: (error) => assert.fail(String(error)),
  })
  async function write(index: number, seq?: number): Promise<void> {
    const { resolve } = saves[index] ?? assert.fail(`there is no save ${index}`)
    resolve({
      is_lost: false,
      is_stale: false,
      is_dropped: false,
      has_unseen: false,
      status: 'open',
      turn_count: index + 1,
      seq,
    })
    await new Promise(setImmediate)
  }
  return { record, unsaved, saves, write, now: at.now }
}

test('the saves of a call are written one after the other, so that none is left out', async () => {
  const { record, unsaved, saves, write, now } = await newRecord()
  const said = { role: 'contact' as const, reply: null, is_interrupted: false, runs: [] }
  const usage = { input_tokens: 0, output_tokens: 0 }
  unsaved.addTurn({ ...said, text: 'First.', usage })
  const both = [record.save(now, () => ({}))]
  await new Promise(setImmediate)
  unsaved.addTurn({ ...said, text: 'Second.', usage })
  both.push(record.save(now, () => ({ begins: [newId()] })))
  await new Promise(setImmediate)
  assert.equal(saves.length, 1)
  await write(0)
  await write(1)
  await Promise.all(both)
  assert.deepEqual(
    saves.map(({ save }) => save.save?.turns.map(({ text }) => text)),
    [['First.'], ['Second.']],
  )
})

test('what is said while a turn is opened belongs to the same turn', async () => {
  const { record, saves, write, now } = await newRecord()
  record.show({ reply: 'one', text: 'Hello, ' })
  const opened = record.saveChanges(now)
  await new Promise(setImmediate)
  record.show({ reply: 'one', text: 'this is Acme.' })
  await write(0, 1)
  await opened
  record.is_changed = true
  const saved = record.saveChanges(now)
  await new Promise(setImmediate)
  await write(1)
  await saved
  assert.deepEqual(
    saves.map(({ save }) => save.save?.opened),
    [{ text: 'Hello, ' }, undefined],
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
  const at = server.at(tenant.id)
  const { id: channel_id } = await tenant.addChannel({ kind: 'voice', provider: 'simulator' })
  const agent_id = await newCaller(tenant)
  const contact = await create(tenant, '/contacts', { phone_number: '+14155550100' })
  const { id, to } = await placeCall(tenant, { agent_id, contact_id: contact.id, channel_id })
  const carrier: Carrier = {
    dial: async () => lineOf('Please stop calling me.'),
    reopen: () => assert.fail('only test workspaces do'),
    find: async () => [],
  }
  const [claimed] = await claim({ ...at, now: clock.wall() }, { slots: 1, claimed: new Set() })
  assert.ok(claimed)
  assert.equal(claimed.id, id)
  let failures = 0
  const fail = () => {
    failures += 1
    throw new Error('terminating connection due to administrator command')
  }
  const failing = {
    ...at,
    now: clock.wall(),
    hooks: openHooks([on(changed, async (_at, [call]) => (call?.is_opt_out ? fail() : undefined))]),
    db: Object.assign(Object.create(at.db), {
      // The first attempt after the failed save fails, too.
      tx: async (...options: Parameters<typeof at.db.tx>) => (failures === 1 ? fail() : at.db.tx(...options)),
    }),
  }
  const work = calling({ pool: server.pool, carrier, log })
  const context = { isStopping: () => false, onProgress: () => {}, log }
  await assert.rejects(work.run(failing, claimed, context), /administrator command/)
  assert.equal(failures, 2)
  const again = await tenant.call('POST', '/calls', { agent_id, to, channel_id })
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
