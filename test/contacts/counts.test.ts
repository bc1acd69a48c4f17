import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { normalizeTag, toSearchText } from '../../server/contacts/normalize.ts'
import type { Contact } from '../../server/contacts/schema.ts'
import { parseSearch } from '../../server/contacts/search-words.ts'
import * as short_search from '../../server/contacts/short-search-totals.ts'
import * as contacts from '../../server/contacts/store.ts'
import { type At, inTransaction } from '../../server/kit/at.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { create } from '../support/contacts.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { runs } from '../support/property-runs.ts'
import { newContact } from '../support/samples.ts'

const { at, workspace, pool } = await serve()

const workers = 8
const changes_each = runs(0.2).numRuns
const numbers = 150
/** The share of all terms that is searched: each search is a request. */
const searched_share = 0.1
const names = ['Ada', 'Grace', 'José', 'Søren', 'Wei', '😀mile', 'Zoë', 'a%b_c', 'Q']
const tags = ['vip', 'VIP', 'trial', 'Ärger', 'lead']

const below = (limit: number): number => Math.floor(Math.random() * limit)
const pick = <T>(values: T[]): T => values[below(values.length)] as T
const some = <T>(values: T[]): T[] => values.filter(() => Math.random() < 0.4)

const profile = () => ({
  first_name: pick(names),
  last_name: pick([...names, null]),
  company: pick([...names, null]),
  tags: some(tags),
})
const number = () => `+1555${String(below(numbers)).padStart(7, '0')}`

/** Makes random changes one by one. Many fail: there are few numbers, and other workers delete the same contacts. */
async function changeAtRandom({ id: workspace_id, call }: Tenant, ids: string[]): Promise<void> {
  for (let count = 0; count < changes_each; count += 1) {
    const id = pick(ids)
    const kind = below(10)
    if (kind < 5 || id === undefined) {
      const { status, body } = await call('POST', '/contacts', { phone_number: number(), ...profile() })
      if (status === 201) ids.push(body.data.id)
    } else if (kind < 7) await call('PATCH', `/contacts/${id}`, profile())
    else if (kind < 8) await call('PATCH', `/contacts/${id}`, { phone_number: number(), tags: some(tags) })
    else if (kind < 9) await call('DELETE', `/contacts/${id}`)
    else await createAndRollBack(workspace_id)
  }
}

class RolledBack extends Error {}

async function createAndRollBack(workspace_id: string): Promise<void> {
  const work = inTransaction(at(workspace_id), async (at) => {
    const inputs = [0, 1, 2].map(() => ({ phone_number: number(), ...profile(), source: 'api' as const }))
    await contacts.create(at, inputs)
    throw new RolledBack()
  })
  await assert.rejects(work, RolledBack)
}

/** Compares everything derived from contacts with the contacts themselves. */
async function checkDerivedTables({ id, call }: Tenant): Promise<void> {
  const rows = await pool.many<Contact>(sql`select * from contacts where workspace_id = ${id} order by id`)
  const totalOf = async (query: string) => (await call('GET', `/contacts?limit=1&${query}`)).body.pagination.total
  assert.equal(await totalOf(''), rows.length)

  const { by_source, by_day } = await pool.one<{ by_source: boolean; by_day: boolean }>(
    sql`select
      (select json_agg(row order by row.source) from (select source, sum(total) as total from contact_counts
        where workspace_id = ${id} group by source having sum(total) <> 0) as row)::text
      is not distinct from (select json_agg(row order by row.source) from (select source, count(*) as total
        from contacts where workspace_id = ${id} group by source) as row)::text as by_source,
      (select json_agg(row order by row.day) from (select day, sum(total) as total from contact_day_counts
        where workspace_id = ${id} group by day having sum(total) <> 0) as row)::text
      is not distinct from (select json_agg(row order by row.day) from (select (created_at at time zone 'UTC')::date as day,
        count(*) as total from contacts where workspace_id = ${id} group by day) as row)::text as by_day`,
  )
  assert.deepEqual({ by_source, by_day }, { by_source: true, by_day: true })

  const texts = await pool.many(
    sql`select id, created_at, text from contact_texts where workspace_id = ${id} order by id`,
  )
  assert.deepEqual(
    texts,
    rows.map((row) => ({ id: row.id, created_at: row.created_at, text: toSearchText(row) })),
  )
  for (const tag of new Set(tags.map(normalizeTag))) {
    const tagged = rows.filter((row) => row.tags.map(normalizeTag).includes(tag))
    assert.equal(await totalOf(`tag=${encodeURIComponent(tag)}`), tagged.length, tag)
  }
  const texts_of_rows = rows.map(toSearchText)
  const terms = new Set(
    texts_of_rows.flatMap((text) => Array.from(text.matchAll(/(?=(.{1,2}))/gsu), ([, term]) => term)),
  )
  const searchable = [...terms].filter((term) => term && term === term.trim() && !term.includes('\n'))
  for (const term of ['q~', ...searchable.filter(() => Math.random() < searched_share)]) {
    if (!term) continue
    const matching = texts_of_rows.filter((text) => text.includes(term))
    assert.equal(await totalOf(`search=${encodeURIComponent(term)}`), matching.length, `search=${term}`)
    const kept = await short_search.countShortMatches(at(id), parseSearch(term))
    assert.ok(kept === undefined || kept === matching.length || term.length > short_search.short_term_length_max, term)
  }

  const newest_first = rows.toSorted((left, right) => (sortKey(left) < sortKey(right) ? 1 : -1))
  for (const term of ['ada', 'grace', 'jose', 'mile', '155500', 'nobody', 'grace ada', 'ren q jose', 'q 9', '5 z']) {
    const matching = newest_first.filter((row) => term.split(' ').every((word) => toSearchText(row).includes(word)))
    const { body } = await call('GET', `/contacts?limit=3&search=${term}`)
    assert.deepEqual(
      body.data.map((row: Contact) => row.id),
      matching.slice(0, 3).map((row) => row.id),
    )
    assert.equal(body.pagination.total, matching.length, `search=${term}`)
    assert.equal(body.pagination.has_more, matching.length > 3)
  }
}

const sortKey = ({ created_at, id }: Contact): string => `${created_at} ${id}`

/** Totals are built only when every transaction that did not record its changes has ended. */
async function waitForTotals({ id }: Tenant): Promise<void> {
  for (; (await short_search.countShortMatches(at(id), parseSearch('+'))) === undefined; await sleep(20))
    await short_search.applyChanges(at(id))
}

test('counts, texts, tags and short-search totals match the contacts after concurrent random changes', async () => {
  const tenant = await workspace()
  const ids: string[] = []
  const changeAll = () => Promise.all(Array.from({ length: workers }, () => changeAtRandom(tenant, ids)))
  await changeAll()
  await checkDerivedTables(tenant)
  // Totals start and are updated while other transactions write.
  let is_over = false
  const updating = (async () => {
    await short_search.startTotals(at(tenant.id))
    for (; !is_over; await sleep(20)) await short_search.applyChanges(at(tenant.id))
  })()
  await changeAll()
  is_over = true
  await updating
  await checkDerivedTables(tenant)

  await waitForTotals(tenant)
  await changeAll()
  await checkDerivedTables(tenant)
  await short_search.applyChanges(at(tenant.id))
  await checkDerivedTables(tenant)
})

test('processes that update the totals at the same time count nothing twice', async () => {
  const tenant = await workspace()
  await short_search.startTotals(at(tenant.id))
  await waitForTotals(tenant)
  const updating = Array.from({ length: 3 }, async () => {
    for (let times = 0; times < 10; times += 1) await short_search.applyChanges(at(tenant.id))
  })
  await Promise.all([changeAtRandom(tenant, []), ...updating])
  await checkDerivedTables(tenant)
})

const input = (first_name: string) => ({ phone_number: number(), first_name, source: 'api' as const })
const unconditional = { isCurrent: () => true }
const writes: Record<string, (at: At, contact: Contact) => Promise<unknown>> = {
  'creates a contact': (at) => contacts.create(at, [input('Grace')]),
  'imports a contact': (at) => contacts.createMany(at, { inputs: [input('Grace')], before_counts: Promise.resolve() }),
  'updates a contact': (at, { id }) => contacts.update(at, [{ id, change: { first_name: 'Grace' }, ...unconditional }]),
  'deletes a contact': (at, { id }) => contacts.remove(at, { id, ...unconditional }),
}

for (const [title, write] of Object.entries(writes)) {
  test(`a transaction that ${title} before the totals are started, and commits later, is counted`, async () => {
    const tenant = await workspace()
    const contact = await create(tenant, { first_name: 'Zoë' })
    await using held = await holdTransaction(pool, (db) => write({ ...at(tenant.id), db }, contact))
    await short_search.startTotals(at(tenant.id))
    await short_search.applyChanges(at(tenant.id))
    // A create chooses one of 16 counters at random. It gets 503 if the held transaction has locked that one.
    while ((await tenant.call('POST', '/contacts', newContact({ first_name: 'Wei' }))).status === 503);
    await short_search.applyChanges(at(tenant.id))
    assert.equal(await short_search.countShortMatches(at(tenant.id), parseSearch('z')), undefined)
    await held.end()
    await waitForTotals(tenant)
    await checkDerivedTables(tenant)
  })
}

test('a transaction that records its changes does not delay the totals', async () => {
  const tenant = await workspace()
  await short_search.startTotals(at(tenant.id))
  await using held = await holdTransaction(pool, (db) => contacts.create({ ...at(tenant.id), db }, [input('Grace')]))
  await short_search.applyChanges(at(tenant.id))
  assert.equal(await short_search.countShortMatches(at(tenant.id), parseSearch('g')), 0)
  await held.end()
  assert.equal(await short_search.countShortMatches(at(tenant.id), parseSearch('g')), 1)
  await checkDerivedTables(tenant)
})
