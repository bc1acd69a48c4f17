import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { addCall, type CallFields } from '../support/added-calls.ts'
import { create } from '../support/conversations.ts'
import { openServer, serve, type Tenant, testPool } from '../support/harness.ts'
import { recordStatements } from '../support/old-rows.ts'
import { newContact } from '../support/samples.ts'

const server = await serve()
const { workspace } = server

const idsIn = async ({ call }: Tenant, query: string): Promise<string[]> => {
  const { status, body, text } = await call('GET', `/calls?${query}`)
  assert.equal(status, 200, text)
  const ids = body.data.map(({ id }: { id: string }) => id)
  assert.equal(body.pagination.total, ids.length, query)
  return ids
}

test('calls are listed newest first, and filtered by each field with an exact total', async () => {
  const tenant = await workspace()
  const contact_id = (await create(tenant, '/contacts', newContact())).id
  const [agent_id, campaign_id] = [newId(), newId()]
  const start = clock.wall()
  const added = [{ contact_id }, { agent_id, is_ringing: true }, { campaign_id, is_over: true }, { is_over: true }]
  const ids: string[] = []
  for (const [index, fields] of added.entries())
    ids.push((await addCall(server.at(tenant.id, start + index), fields)).id)
  const [first = '', second = '', third = '', fourth = ''] = ids
  assert.deepEqual(await idsIn(tenant, ''), [fourth, third, second, first])
  assert.deepEqual(await idsIn(tenant, `contact_id=${contact_id}`), [first])
  assert.deepEqual(await idsIn(tenant, `agent_id=${agent_id}`), [second])
  assert.deepEqual(await idsIn(tenant, `campaign_id=${campaign_id}`), [third])
  assert.deepEqual(await idsIn(tenant, `channel_id=${newId()}`), [])
  assert.deepEqual(await idsIn(tenant, 'contact_id=nobody'), [])
  assert.deepEqual(await idsIn(tenant, 'direction=inbound'), [])
  assert.deepEqual(await idsIn(tenant, 'status=completed'), [fourth, third])
  assert.deepEqual(await idsIn(tenant, 'status=ringing'), [second])
  assert.deepEqual(await idsIn(tenant, 'outcome=answered&status=in_progress'), [first])
  const at = (index: number) => encodeURIComponent(clock.iso(start + index))
  assert.deepEqual(await idsIn(tenant, `created_after=${at(0)}&created_before=${at(3)}`), [third, second])
  const page = (await tenant.call('GET', '/calls?limit=3')).body
  assert.deepEqual([page.data.length, page.pagination.total, page.pagination.has_more], [3, 4, true])
  const rest = (await tenant.call('GET', `/calls?limit=3&cursor=${page.pagination.next_cursor}`)).body
  assert.deepEqual([rest.data[0].id, rest.pagination.has_more], [first, false])
  for (const query of ['status=over', 'search=ab', 'sort=created_at', `search=${'x'.repeat(201)}`])
    assert.equal((await tenant.call('GET', `/calls?${query}`)).status, 400, query)
})

test('a search finds what was said, without regard to case and accents, and nothing of other workspaces', async () => {
  const [tenant, other] = [await workspace(), await workspace()]
  const said = (...words: string[]): CallFields => ({ is_over: true, said: words })
  const cafe = await tenant.addCall(said('Where is the Café?', 'At 100% in Main_Street.'))
  const street = await tenant.addCall(said('Main street, please.', 'Good bye.'))
  await other.addCall(said('Where is the Café?'))
  await tenant.addCall({ said: ['The café is open, and the call goes on.'] })
  assert.deepEqual(await idsIn(tenant, 'search=CAFE'), [cafe.id])
  assert.deepEqual(await idsIn(tenant, 'search=main'), [street.id, cafe.id])
  assert.deepEqual(await idsIn(tenant, 'search=main_s'), [cafe.id])
  assert.deepEqual(await idsIn(tenant, 'search=00%25'), [cafe.id])
  assert.deepEqual(await idsIn(tenant, `search=${encodeURIComponent('t, p')}`), [street.id])
  assert.deepEqual(await idsIn(tenant, 'search=main&outcome=answered&limit=1').catch(() => ['two']), ['two'])
  const page = (await tenant.call('GET', '/calls?search=main&limit=1')).body
  assert.deepEqual([page.data[0].id, page.pagination.total, page.pagination.has_more], [street.id, 2, true])
  const rest = (await tenant.call('GET', `/calls?search=main&limit=1&cursor=${page.pagination.next_cursor}`)).body
  assert.deepEqual([rest.data[0].id, rest.pagination.total], [cafe.id, 2])
  assert.deepEqual((await tenant.call('GET', '/calls?search=main&offset=5')).body.pagination.total, 2)
  assert.deepEqual(await idsIn(tenant, 'search=nothing'), [])
  assert.deepEqual((await tenant.call('GET', `/calls/${cafe.id}`)).body.data, page.data[0] && rest.data[0])
})

test('a search reads the index of the words, not all calls', async () => {
  const statements: ReturnType<typeof sql>[] = []
  const recording = await openServer(recordStatements(testPool(), statements))
  after(recording.close)
  const tenant = await recording.workspace()
  await tenant.addCall({ is_over: true })
  await recording.pool.run(
    sql`insert into calls (workspace_id, id, direction, status, agent_id, agent_name, version_label, is_test, search_text,
        created_at, updated_at)
      select workspace_id, gen_random_uuid(), direction, status, agent_id, agent_name, version_label, true,
        case when number = 777 then 'a xylophone' else 'call number ' || number || ' ' || md5(number::text) end, created_at, updated_at
      from calls cross join generate_series(1, 5000) as number where workspace_id = ${tenant.id}`,
  )
  await recording.pool.script('vacuum analyze calls')
  statements.length = 0
  assert.equal((await tenant.call('GET', '/calls?search=xylophone')).body.pagination.total, 1)
  const search = statements.find(({ text }) => text.includes('search_text like'))
  assert.ok(search)
  const explain = sql`explain (format text) ${search}`
  const plan = (await recording.pool.many<Record<string, string>>(explain)).flatMap(Object.values).join('\n')
  assert.match(plan, /Bitmap Index Scan on calls_search/)
})

test('totals follow every change of status', async () => {
  const tenant = await workspace()
  const totalOf = async (status: string) => (await tenant.call('GET', `/calls?status=${status}`)).body.pagination.total
  await tenant.addCall({ is_over: true })
  await tenant.addCall({ is_ringing: true })
  assert.deepEqual([await totalOf('completed'), await totalOf('ringing'), await totalOf('queued')], [1, 1, 0])
})
