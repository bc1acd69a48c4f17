import assert from 'node:assert/strict'
import { test } from 'node:test'
import { complete } from '../server/agents/configuration.ts'
import { CallRecord } from '../server/calls/record.ts'
import type { CallSave } from '../server/calls/save.ts'
import { newConversation } from '../server/conversations/begin.ts'
import type { Saved } from '../server/conversations/plan-save.ts'
import { newReply } from '../server/conversations/state.ts'
import { Unsaved } from '../server/conversations/unsaved.ts'
import * as clock from '../server/kit/clock.ts'
import { newId } from '../server/kit/id.ts'
import { serve } from './support/harness.ts'

const server = await serve()

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
