import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../server/kit/postgres/sql.ts'
import { getCall, newCaller, patient, placeCall, turnsOf } from '../support/calls.ts'
import { create } from '../support/conversations.ts'
import { createDatabase, openServer, type Tenant, testPool } from '../support/harness.ts'
import { openaiServer } from '../support/model-servers.ts'
import { receiver } from '../support/receivers.ts'
import { newProvider } from '../support/samples.ts'
import { startWorker } from '../support/workers.ts'

/* Two processes on one database, which both drive calls. They end before the database does. */
const open = new AsyncDisposableStack()
after(() => open.disposeAsync())
const { url, pool } = await createDatabase('call_attacks')
const config = { outbound_allow_hosts: ['127.0.0.1'], secrets_key: Buffer.alloc(32, 1).toString('base64') }
const servers = [await openServer(testPool(url), config), await openServer(testPool(url), config)]
const [one] = servers as [(typeof servers)[0]]
for (const server of servers) {
  open.defer(server.close)
  open.defer(startWorker(server, { speed: 2 }).stop)
}

const newTenant = async (): Promise<Tenant> => patient(await one.workspace())

const isFinal = ({ status }: { status: string }) => ['completed', 'failed', 'canceled'].includes(status)

async function until(tenant: Tenant, id: string, isSo: (call: { status: string; turn_count: number }) => boolean) {
  for (;;) {
    const call = await getCall(tenant, id)
    if (isSo(call)) return call
    assert.ok(!isFinal(call), `${id} is ${call.status}`)
    await sleep(20)
  }
}

/** What holds for every call when all are over. */
async function assertWhole(tenant: Tenant): Promise<void> {
  const calls = await pool.many<{ id: string; status: string; conversation_id: string | null; turn_count: number }>(
    sql`select id, status, conversation_id, turn_count from calls where workspace_id = ${tenant.id}`,
  )
  for (const { id, status, conversation_id, turn_count } of calls) {
    assert.ok(isFinal({ status }), `${id} is ${status}`)
    if (conversation_id === null) continue
    const turns = await turnsOf(tenant, conversation_id)
    assert.equal(turns.length, turn_count, `${id} shows all of its turns`)
    assert.equal((await tenant.call('GET', `/conversations/${conversation_id}`)).body.data.status, 'closed')
  }
  const { open_turns, linked, begun } = await pool.one<Record<string, number>>(
    sql`select (select count(*) from conversation_turns where workspace_id = ${tenant.id} and is_open) as open_turns,
      (select count(conversation_id) from calls where workspace_id = ${tenant.id}) as linked,
      (select count(*) from conversations where workspace_id = ${tenant.id}) as begun`,
  )
  assert.deepEqual({ open_turns, begun }, { open_turns: 0, begun: linked })
  const events = await pool.many<{ id: string; type: string; total: number }>(
    sql`select resource_id as id, type, count(*) as total from events
      where workspace_id = ${tenant.id} and type like 'call.%' and type <> 'call.updated' group by 1, 2`,
  )
  assert.equal(events.filter(({ type }) => type === 'call.ended').length, calls.length, 'each call has ended')
  for (const { id, type, total } of events) assert.equal(total, 1, `${id}: ${type}`)
}

suite('attacks on calls', { concurrency: true }, () => {
  test('a call can be ended at any moment, and keeps what its agent has begun to say', async () => {
    const tenant = await newTenant()
    const agent_id = await newCaller(tenant)
    const hangUp = async (after_ms: number) => {
      const { id } = await placeCall(tenant, { agent_id, to: '+14155550109', simulate: '09' })
      await until(tenant, id, ({ status }) => status === 'in_progress')
      const { conversation_id } = await until(tenant, id, ({ turn_count }) => turn_count > 0)
      await sleep(after_ms)
      assert.equal((await tenant.call('POST', `/calls/${id}/hang_up`)).status, 200)
      await waitForEnd(tenant, id)
      return turnsOf(tenant, conversation_id)
    }
    const ended = await Promise.all([0, 5, 50, 300, 1_500].map(hangUp))
    for (const turns of ended) assert.equal(turns[0]?.role, 'agent')
    assert.notEqual(ended.at(-1)[0].heard, '', 'what was heard before is kept')
    await assertWhole(tenant)
  })

  test('turns are not lost when tools run in several calls at once', async () => {
    const calls_count = 8
    const tenant = await newTenant()
    const tool = await receiver(async (response) => {
      await sleep(Math.random() * 100)
      response.writeHead(200).end('done')
    })
    await create(tenant, '/tools', { name: 'book', url: tool.url, has_side_effects: true })
    const script = {
      start: 'book',
      nodes: {
        book: { tool: 'book', ok: 'again', failed: 'again' },
        again: { tool: 'book', ok: 'booked', failed: 'booked' },
        booked: { say: 'It is booked. Goodbye.', go: '@end' },
      },
    }
    const agent_id = await newCaller(tenant, { script, tools: ['book'] })
    const calls = await Promise.all(
      Array.from({ length: calls_count }, () => placeCall(tenant, { agent_id, to: '+14155550100', simulate: '00' })),
    )
    for (const { id } of calls) {
      const { conversation_id } = await waitForEnd(tenant, id)
      const turns = await turnsOf(tenant, conversation_id)
      // While a tool takes long, the agent says that it does.
      assert.ok(turns.at(-1).text.endsWith('It is booked. Goodbye.'), JSON.stringify(turns))
      assert.deepEqual(
        turns
          .at(-1)
          .tools.map(({ name, status }: Record<string, string>) => `${name} ${status}`)
          .slice(0, 2),
        ['book succeeded', 'book succeeded'],
      )
      assert.ok(turns.some(({ role }: { role: string }) => role === 'contact'))
    }
    assert.equal(tool.received.length, 2 * calls_count)
    await assertWhole(tenant)
  })

  test('people who take over, answer, give back and close at the same time leave whole calls', async () => {
    const tenant = await newTenant()
    const agent_id = await newCaller(tenant)
    const calls = await Promise.all(
      ['00', '09', '13', '15'].map((person) =>
        placeCall(tenant, { agent_id, to: `+141555501${person}`, simulate: person }),
      ),
    )
    const storm = async (id: string) => {
      const { conversation_id } = await until(tenant, id, ({ status }) => status === 'in_progress')
      const act = async (name: string, body?: object) => {
        const answer = await tenant.call('POST', `/conversations/${conversation_id}/${name}`, body)
        assert.ok(answer.status < 300 || answer.status === 409, answer.text)
      }
      const people = Array.from({ length: 3 }, async (_, person) => {
        for (let nth = 0; nth < 5; nth += 1) {
          await act('hand_over', { reason: 'Mine.' })
          await act('answers', { text: `This is person ${person}.` })
          await act('take_back')
          await sleep(Math.random() * 200)
        }
      })
      await Promise.all(people)
      await Promise.all([act('close'), tenant.call('POST', `/calls/${id}/hang_up`), act('close')])
      await waitForEnd(tenant, id)
    }
    await Promise.all(calls.map(({ id }) => storm(id)))
    await assertWhole(tenant)
  })

  test('a contact gets an answer when the model hangs, fails, or stops in the middle', async () => {
    const tenant = await newTenant()
    const never = new Promise(() => {})
    const hanging = await openaiServer({ words: ['Never.'], beforeWord: () => never })
    const stopping = await openaiServer({ words: ['Well, ', 'never.'], beforeWord: (index) => index === 1 && never })
    const failing = await receiver((response) => void response.writeHead(500).end())
    const models = [hanging, stopping, { ...failing, base_url: failing.url.replace('/hook', '/v1'), aborted: 0 }]
    const said = await Promise.all(
      models.map(async (model) => {
        const provider = await create(tenant, '/providers', newProvider({ base_url: model.base_url }))
        const agent_id = await newCaller(tenant, { model: { provider: provider.name, name: 'small' } })
        const { id } = await placeCall(tenant, { agent_id, to: '+14155550109', simulate: '09' })
        const { conversation_id } = await waitForEnd(tenant, id)
        return turnsOf(tenant, conversation_id)
      }),
    )
    for (const [index, turns] of said.entries()) {
      const [first] = turns
      assert.equal(first?.role, 'agent', `model ${index}: ${JSON.stringify(turns)}`)
      assert.match(first.heard, /I can't answer right now\./)
      assert.ok(turns.every(({ text }: { text: string }) => text !== ''))
    }
    await assertWhole(tenant)
  })
})

/** Also when the call was over before. */
async function waitForEnd(tenant: Tenant, id: string) {
  for (;;) {
    const call = await getCall(tenant, id)
    if (isFinal(call)) return call
    await sleep(50)
  }
}
