import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Turn } from '../../server/conversations/schema.ts'
import { becomes, begin, newAgent, newModelAgent, say } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { openaiServer } from '../support/model-servers.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })

const read = (tenant: Tenant, id: string, query: string) => tenant.call('GET', `/conversations/${id}/turns?${query}`)

const seqsOf = (turns: Turn[]): number[] => turns.map(({ seq }) => seq)

/** A conversation with five turns of the contact. */
async function conversation(tenant: Tenant): Promise<string> {
  const { id } = await begin(tenant, await newAgent(tenant), { message: 'one' })
  for (const text of ['two', 'three', 'four', 'five']) await say(tenant, id, text)
  return id
}

test('a page after a turn has a cursor for the next page', async () => {
  const tenant = await server.workspace()
  const id = await conversation(tenant)
  const first = (await read(tenant, id, 'after=1&limit=2')).body
  assert.deepEqual(seqsOf(first.data), [2, 3])
  const { total, offset, has_more, next_cursor } = first.pagination
  assert.deepEqual([total, offset, has_more], [5, 1, true])
  const second = (await read(tenant, id, `limit=2&cursor=${next_cursor}`)).body
  assert.deepEqual(seqsOf(second.data), [4, 5])
  assert.deepEqual(second.pagination, { total: 5, limit: 2, offset: 3, has_more: false, next_cursor: null })
})

test('the client reads all turns after one, and all turns that it has waited for', async () => {
  const tenant = await server.workspace()
  const id = await conversation(tenant)
  const { conversations } = tenant.client
  for (const query of [{ after: 1 }, { after: 1, wait_ms: 1 }, { offset: 1 }])
    assert.deepEqual(seqsOf(await Array.fromAsync(conversations.listTurns(id, { limit: 2, ...query }))), [2, 3, 4, 5])
})

test('after and wait_ms together with offset or cursor are refused at once', async () => {
  const tenant = await server.workspace()
  const id = await conversation(tenant)
  const { next_cursor } = (await read(tenant, id, 'limit=2')).body.pagination
  for (const [query, paths] of [
    [`after=1&cursor=${next_cursor}`, ['after']],
    [`wait_ms=30000&cursor=${next_cursor}`, ['wait_ms']],
    ['after=1&offset=1', ['after']],
    ['after=1&wait_ms=30000&offset=1', ['after', 'wait_ms']],
  ] as const) {
    const { status, body } = await read(tenant, id, query)
    assert.equal(status, 400, query)
    assert.deepEqual(
      body.error.details.fields.map(({ path, code }: { path: string; code: string }) => [path, code]),
      paths.map((path) => [path, 'conflict']),
    )
  }
  assert.equal((await read(tenant, id, `after=0&wait_ms=0&cursor=${next_cursor}`)).status, 200)
})

test('an answer that is being made is neither listed nor counted', async () => {
  const tenant = await server.workspace()
  const hold = Promise.withResolvers<void>()
  const model = await openaiServer({ words: ['Nine', ' to six.'], beforeWord: (index) => index === 1 && hold.promise })
  const { id } = await begin(tenant, await newModelAgent(tenant, model), { message: 'When?' })
  const working = tenant.work()
  await becomes(tenant, id, ({ turn_count }) => turn_count === 2)
  const during = (await read(tenant, id, '')).body
  assert.deepEqual([seqsOf(during.data), during.pagination.total], [[1], 1])
  hold.resolve()
  await working
  const after = (await read(tenant, id, 'after=1&wait_ms=20000')).body
  assert.deepEqual([seqsOf(after.data), after.pagination.total], [[2], 2])
})
