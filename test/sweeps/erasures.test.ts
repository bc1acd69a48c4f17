import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { applyChanges } from '../../server/contacts/short-search-totals.ts'
import { files } from '../../server/erasures/everything.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { everythingOf } from '../support/everything.ts'
import { temporaryFolder } from '../support/folders.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { erased, not_exported, without } from '../support/personal-tables.ts'
import { eraseContact, leaveTraces, needles, spoken_needles } from '../support/persons.ts'
import { tablesWith } from '../support/tables-with.ts'

/* Erases a person, and searches every table and every file for what is left. */

const data_dir = temporaryFolder()
const server = await serve({ data_dir, outbound_allow_hosts: ['127.0.0.1'] })
const { workspace, pool } = server

test('every table says whether it has personal data (if not, add it to test/support/personal-tables.ts)', async () => {
  const tables = await pool.many<{ name: string }>(
    sql`select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  )
  const listed = [...Object.keys(erased), ...Object.keys(without)]
  assert.deepEqual(listed.toSorted(), tables.map(({ name }) => name).toSorted())
})

test('every table with personal data is in a file of the export, or says why not', () => {
  const listed = [...Object.values(files).flatMap(({ tables }) => tables), ...Object.keys(not_exported)]
  assert.deepEqual(listed.toSorted(), Object.keys(erased).toSorted())
})

/** The tables in which something of the person is. */
async function findTraces(tenant: Tenant, wanted = [...needles, ...spoken_needles]): Promise<string[]> {
  // Totals of searches are kept up a second later.
  await applyChanges({ db: pool, workspace: tenant.id })
  const found: string[] = []
  for (const needle of wanted) found.push(...(await tablesWith(pool, tenant, needle)))
  return [...new Set(found)].toSorted()
}

const filesIn = (folder: string): string[] =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))

test('nothing of a person who was erased is left in any table or file, and all of another one is', async () => {
  const tenant = await workspace()
  const { contact } = await leaveTraces(server, tenant)
  const other = { phone_number: '+14155550188', first_name: 'Ada' }
  const { id } = (await tenant.call('POST', '/contacts', other)).body.data
  const kept = await tenant.addCall({
    contact_id: id,
    to: other.phone_number,
    is_over: true,
    said: ['My name is Ada.'],
  })
  await tenant.call('GET', `/calls/${kept.id}/recording`)
  const before = await findTraces(tenant)
  // Words that were made up into a test are the only ones that stay.
  assert.deepEqual(
    before.filter((table) => table !== 'agent_tests'),
    Object.keys(erased).toSorted(),
    'test/support/persons.ts leaves nothing in some of the tables',
  )
  assert.equal(filesIn(data_dir).length, 3)
  const exported = await everythingOf(server, tenant, contact.id)
  for (const [name, { tables }] of Object.entries(files)) {
    const text = exported.get(`${name}.jsonl`)?.toString().toLowerCase() ?? ''
    const is_told = [...needles, ...spoken_needles].some((needle) => text.includes(needle))
    assert.ok(is_told || (tables.length === 0 && text !== ''), `${name}.jsonl has nothing of the person`)
    assert.ok(!text.includes(id) && !text.includes(other.phone_number), `${name}.jsonl has something of another one`)
  }
  assert.equal([...exported.keys()].filter((name) => name.endsWith('.wav')).length, 2)
  const { counts } = await eraseContact(tenant, contact.id)
  assert.deepEqual(await findTraces(tenant, needles), [])
  assert.deepEqual(await findTraces(tenant, spoken_needles), ['agent_tests'])
  assert.deepEqual(
    filesIn(data_dir).map((file) => path.basename(file)),
    [`${kept.id}.wav`],
  )
  for (const file of filesIn(data_dir)) {
    const text = fs.readFileSync(file, 'latin1').toLowerCase()
    for (const needle of [...needles, ...spoken_needles]) assert.ok(!text.includes(needle), needle)
  }
  assert.deepEqual([counts.calls, counts.files], [4, 3])
  assert.ok(counts.conversations >= 8 && counts.messages >= 2 && counts.events >= 30, JSON.stringify(counts))
  assert.equal((await tenant.call('GET', `/contacts/${id}`)).status, 200)
  assert.equal((await tenant.call('GET', `/calls/${kept.id}`)).body.data.to, other.phone_number)
})
