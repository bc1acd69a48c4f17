import assert from 'node:assert/strict'
import { test } from 'node:test'
import { summarize } from '../../server/calls/facts.ts'
import { streamCall } from '../../server/calls/read/stream.ts'
import { lock } from '../../server/calls/rows.ts'
import * as calls from '../../server/calls/store.ts'
import { close } from '../../server/conversations/people.ts'
import { type At, inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import type { Db } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { overloaded } from '../../server/kit/problem.ts'
import { addCall } from '../support/added-calls.ts'
import { followStream } from '../support/conversation-streams.ts'
import { create, newAgent } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { until } from '../support/model-servers.ts'

const server = await serve()
const { workspace, url } = server

const follow = ({ key }: Tenant, id: string, headers = {}) =>
  followStream(`${url}/api/v1/calls/${id}/live`, key, headers)

type Events = Awaited<ReturnType<typeof follow>>['events']
const turnsIn = (events: Events): string[] =>
  events.flatMap(({ name, data }) => (name === 'turn.finished' ? [data.turn.text] : []))
const statusesIn = (events: Events): string[] =>
  events.flatMap(({ name, data }) => (name === 'call.updated' ? [data.call.status] : []))

/** Ends the call, as the process that drives it would. */
const end = (at: At, id: string): Promise<void> =>
  inTransaction(at, async (at) => {
    const call = await lock(at, id)
    const ended_at = at.now + 60_000
    const final = {
      key: 'final',
      at: ended_at,
      source: 'carrier',
      fact: { kind: 'final', final: 'completed' },
    } as const
    const { status } = summarize([...call.facts, final])
    await close(at, { id: call.conversation_id ?? '', reason: 'api' })
    await at.db.run(
      sql`update calls set status = ${status}, updated_at = ${clock.laterThan(call.updated_at, at.now)}
        where workspace_id = ${at.workspace} and id = ${id}`,
    )
    calls.announce(at, call)
  })

test('a call that is over is sent with all turns, and the stream ends', async () => {
  const tenant = await workspace()
  const said = Array.from({ length: 120 }, (_, index) => `Word ${index}`)
  const { id } = await tenant.addCall({ is_over: true, said })
  const { text } = await readAll(tenant, id)
  const names = [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)
  assert.equal(names[0], 'call.updated')
  assert.equal(names.filter((name) => name === 'turn.finished').length, 120)
  const rest = await readAll(tenant, id, { 'last-event-id': '119' })
  assert.deepEqual(
    [...rest.text.matchAll(/"text":"(.*?)"/g)].map(([, word]) => word),
    ['Word 119'],
  )
  assert.equal((await readAll(tenant, id, { 'last-event-id': 'x' })).status, 400)
})

/** The whole stream: it ends by itself. */
async function readAll({ key }: Tenant, id: string, headers = {}) {
  const response = await fetch(`${url}/api/v1/calls/${id}/live`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  })
  return { status: response.status, text: await response.text() }
}

test('a call that goes on is followed to its end', async () => {
  const tenant = await workspace()
  const { id } = await tenant.addCall({ said: ['Hello?', 'Good morning.'] })
  using stream = await follow(tenant, id)
  await stream.waitFor('turn.finished', 2)
  assert.deepEqual(turnsIn(stream.events), ['Hello?', 'Good morning.'])
  await end(server.at(tenant.id), id)
  await until(() => statusesIn(stream.events).includes('completed'))
  assert.deepEqual(statusesIn(stream.events), ['in_progress', 'completed'])
  assert.equal(stream.events.at(-1)?.name, 'call.updated')
  assert.equal(stream.events.filter(({ name }) => name === 'conversation.updated').length, 2)
})

test('a call is followed from before it is dialled', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  const { id } = await create(tenant, '/calls', { agent_id, to: '+14155550111', simulate: '00' })
  using stream = await follow(tenant, id)
  await stream.waitFor('call.updated')
  // Its conversation begins: here that of another call, whose turns are written already.
  const { conversation_id } = await addCall(server.at(tenant.id), { said: ['Hello?'] })
  const at = server.at(tenant.id)
  await inTransaction(at, async (at) => {
    await at.db.run(
      sql`update calls set conversation_id = ${conversation_id}, status = 'ringing', updated_at = ${clock.iso(clock.wall() + 5)}
        where workspace_id = ${tenant.id} and id = ${id}`,
    )
    calls.announce(at, { id, conversation_id })
  })
  await stream.waitFor('turn.finished')
  assert.deepEqual([statusesIn(stream.events), turnsIn(stream.events)], [['queued', 'ringing'], ['Hello?']])
})

test('the stream of a call goes on when too many reads wait', async () => {
  const tenant = await workspace()
  const { id } = await tenant.addCall({ is_over: true, said: ['Hello?'] })
  const at = server.at(tenant.id)
  // The call and its conversation are read first.
  const db = refuseRead(at.db, 3)
  const { signal } = new AbortController()
  const chunks = await Array.fromAsync(streamCall({ ...at, db }, id, { signal, last_event_id: '0' }))
  assert.match(chunks.join(''), /event: turn.finished\n.*Hello\?/)
})

test('the stream of a call that is not dialled yet goes on when too many reads wait', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  const { id } = await create(tenant, '/calls', { agent_id, to: '+14155550113', simulate: '00' })
  const at = server.at(tenant.id)
  const controller = new AbortController()
  const db = refuseRead(at.db, 2, () => setImmediate(() => controller.abort()))
  const { signal } = controller
  const chunks = await Array.fromAsync(streamCall({ ...at, db }, id, { signal, last_event_id: undefined }))
  assert.equal(chunks.length, 1)
  assert.ok(signal.aborted)
})

test('the stream of a call that is canceled before it is dialled ends', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  const { id } = await create(tenant, '/calls', { agent_id, to: '+14155550112', simulate: '00' })
  const reading = readAll(tenant, id)
  await tenant.call('POST', `/calls/${id}/cancel`)
  const { text } = await reading
  assert.match(text, /"status":"canceled"/)
})

/** Refuses one read, as a batcher does in which too many calls wait. */
function refuseRead(db: Db, refused: number, onRefuse = () => {}): Db {
  let reads = 0
  return {
    ...db,
    many(statement) {
      reads += 1
      if (reads !== refused) return db.many(statement)
      onRefuse()
      return Promise.reject(overloaded('waited_too_long'))
    },
  }
}
