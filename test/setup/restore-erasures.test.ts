import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { applyChanges } from '../../server/contacts/short-search-totals.ts'
import * as clock from '../../server/kit/clock.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { waitUntil } from '../faults/client.ts'
import { key, openDatabases, refused, run } from '../support/backups.ts'
import { begin, create, newAgent } from '../support/conversations.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, type Server, type Tenant, testPool } from '../support/harness.ts'
import {
  earlier_number,
  eraseContact,
  leaveTraces,
  needles,
  number,
  other_spelling,
  spoken_needles,
} from '../support/persons.ts'
import { serveInProcess } from '../support/process.ts'
import { tablesWith } from '../support/tables-with.ts'

/* Who was erased after a backup was made is erased again when it is restored. */

let server: Server | undefined
// Before the database is dropped.
after(() => server?.close())
const { base, source, source_dir, source_settings, newFile, backUp, withDatabase } = await openDatabases('erase_again')
server = await openServer(testPool(source.url), {
  secrets_key: key,
  data_dir: source_dir,
  outbound_allow_hosts: ['127.0.0.1'],
})
addFakeSpeech(server)
const { workspace } = server

async function exportErasures(): Promise<string> {
  const { code, stdout, stderr } = await run(['erasures', 'export'], source_settings)
  assert.equal(code, 0, stderr)
  const file = newFile()
  fs.writeFileSync(file, stdout)
  return file
}

/** The words that stand in tests stay: they are those of the workspace. */
async function findTraces(
  pool: Pool,
  { id }: Pick<Tenant, 'id'>,
  wanted = [...needles, ...spoken_needles],
): Promise<string[]> {
  await applyChanges({ db: pool, workspace: id })
  const found: string[] = []
  for (const needle of wanted) found.push(...(await tablesWith(pool, { id }, needle)))
  return [...new Set(found)].filter((table) => table !== 'agent_tests').toSorted()
}

const filesIn = (folder: string): string[] =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))

/** Whoever has called has hung up when the backup is made. */
async function endCalls(tenant: Tenant): Promise<void> {
  for (const { id } of (await tenant.call('GET', '/calls?status=in_progress')).body.data)
    assert.equal((await tenant.call('POST', `/calls/${id}/hang_up`)).status, 200)
  const live = async () => (await tenant.call('GET', '/calls?status=in_progress')).body.data.length
  await waitUntil('the calls are over', async () => {
    await tenant.work()
    return (await live()) === 0
  })
}

const folders = (): string => path.join(base, `data-${clock.ticks()}`)

/** Restores into a new database and a new folder. */
async function restored(
  words: string[],
  look: (at: { pool: Pool; text: string; DATA_DIR: string; url: string }) => Promise<void>,
): Promise<void> {
  await withDatabase(async (url, pool) => {
    const DATA_DIR = folders()
    const { code, stdout, stderr } = await run(['restore', ...words], { DATABASE_URL: url, DATA_DIR, SECRETS_KEY: key })
    assert.equal(code, 0, stderr)
    await look({ pool, text: stdout, DATA_DIR, url })
  })
}

test('a restore brings nobody back: nothing of a person who was erased since is in any table or file', async () => {
  const tenant = await workspace()
  const { contact } = await leaveTraces(server as Server, tenant)
  await endCalls(tenant)
  const other = await create(tenant, '/contacts', { phone_number: '+14155550188', first_name: 'Ada' })
  const kept = await tenant.addCall({ contact_id: other.id, to: other.phone_number, is_over: true, said: ['Hello.'] })
  await tenant.call('GET', `/calls/${kept.id}/recording`)
  const backup = await backUp(source_settings)
  await eraseContact(tenant, contact.id)
  const erasures = await exportErasures()
  for (const needle of [...needles, ...spoken_needles, number, earlier_number])
    assert.ok(!fs.readFileSync(erasures, 'utf8').toLowerCase().includes(needle), needle)

  await restored([backup], async ({ pool, text }) => {
    assert.match(text, /Persons who were erased since \S+Z are back: erase them again, or .+ --erasures FILE\.\n/)
    assert.ok((await findTraces(pool, tenant)).length > 15)
  })
  await restored([backup, '--erasures', erasures], async ({ pool, text, DATA_DIR }) => {
    assert.match(text, /\nErased again: 1 person\.\nNot covered: persons who were erased since \S+Z\.\n/)
    assert.deepEqual(await findTraces(pool, tenant), [])
    const files = filesIn(DATA_DIR)
    assert.deepEqual(
      files.map((file) => path.basename(file)),
      [`${kept.id}.wav`],
    )
    const content = fs.readFileSync(files[0] ?? '', 'latin1').toLowerCase()
    for (const needle of [...needles, ...spoken_needles]) assert.ok(!content.includes(needle), needle)
    assert.deepEqual(await pool.many(sql`select id, first_name from contacts where workspace_id = ${tenant.id}`), [
      { id: other.id, first_name: 'Ada' },
    ])
    const done = await pool.many(sql`select status from erasures where workspace_id = ${tenant.id}`)
    assert.deepEqual(done, [{ status: 'done' }])
  })
})

const numbersIn = async (pool: Pool, { id }: Tenant): Promise<string[]> =>
  (
    await pool.many<{ phone_number: string }>(
      sql`select phone_number from contacts where workspace_id = ${id} order by phone_number`,
    )
  ).map(({ phone_number }) => phone_number)

test('who has only the number is found by its hash, and who came after an erasure stays', async () => {
  const [tenant, without_ledger] = [await workspace(), await workspace()]
  const agent_id = await newAgent(tenant)
  const [first, second] = ['+14155550101', '+14155550102']
  // Erased before the backup. Somebody has the number again.
  await eraseContact(tenant, (await create(tenant, '/contacts', { phone_number: first })).id)
  await create(tenant, '/contacts', { phone_number: first })
  // Deleted and created again after the backup.
  const old = await create(tenant, '/contacts', { phone_number: second })
  const talk = await begin(tenant, agent_id, { contact_id: old.id, message: 'A marzipan locomotive.' })
  // Not a contact before the backup: a call, and a row of a file that was refused.
  const calls = [
    await tenant.addCall({ agent_id, contact_id: null, to: other_spelling, is_over: true, said: ['Marzipan!'] }),
    await without_ledger.addCall({ contact_id: null, to: number, is_over: true, said: ['Marzipan!'] }),
  ]
  const row = { Phone: '020 7183 8799', Email: 'none', Notes: 'marzipan' }
  await create(tenant, '/contacts/imports', { rows: [row], default_country: 'GB' })
  await tenant.work()
  const backup = await backUp(source_settings)

  assert.equal((await tenant.call('DELETE', `/contacts/${old.id}`)).status, 200)
  for (const phone_number of [second, number, earlier_number])
    await eraseContact(tenant, (await create(tenant, '/contacts', { phone_number })).id)
  await eraseContact(without_ledger, (await create(without_ledger, '/contacts', { phone_number: number })).id)
  const later = await workspace()
  await eraseContact(later, (await create(later, '/contacts', { phone_number: number })).id)
  const erasures = await exportErasures()

  await restored([backup, '--erasures', erasures], async ({ pool, text }) => {
    assert.match(text, /\nErased again: 4 persons\.\nNot covered/)
    assert.deepEqual(await numbersIn(pool, tenant), [first])
    for (const one of [tenant, without_ledger])
      assert.deepEqual(await findTraces(pool, one, ['marzipan', '2071838750', '7183 8799']), [])
    const redacted = await pool.many(
      sql`select redacted_at is not null as is_redacted from conversations where id = any(${[talk.id]}::uuid[])
        union all select redacted_at is not null from calls where id = any(${calls.map(({ id }) => id)}::uuid[])`,
    )
    assert.deepEqual(redacted, Array(3).fill({ is_redacted: true }))
  })
})

test('an erasure that waits for a call goes on when the service runs', async () => {
  const tenant = await workspace()
  const contact = await create(tenant, '/contacts', { phone_number: number, first_name: 'Zephyrine' })
  await tenant.addCall({ contact_id: contact.id, to: number, said: ['Marzipan!'] })
  const backup = await backUp(source_settings)
  await eraseContact(tenant, contact.id)
  await restored([backup, '--erasures', await exportErasures()], async ({ pool, text, url, DATA_DIR }) => {
    assert.match(
      text,
      /\nErased again: \d persons?\.\n1 erasure ends when the service runs: calls or files are left\.\n/,
    )
    await using stack = new AsyncDisposableStack()
    await serveInProcess(stack, { DATABASE_URL: url, DATA_DIR, SECRETS_KEY: key })
    await waitUntil('the person is erased', async () => (await findTraces(pool, tenant)).length === 0)
  })
})

test('a file of erasures that is missing, odd or older than the backup is refused before anything is written', async () => {
  const old = await exportErasures()
  const backup = await backUp(source_settings)
  const whole = fs.readFileSync(await exportErasures(), 'utf8')
  const DATA_DIR = path.join(base, 'untouched')
  const odd: [string, RegExp][] = [
    ['', /is not a whole file of "erasures export"$/],
    [whole.slice(0, -20), /is not a whole file of "erasures export"$/],
    ['[]', /is not a whole file/],
    [whole.replace('"exported_at": "', '"exported_at": "on '), /is not a whole file/],
    [whole.replace('"workspaces": [', '"workspaces": [7,'), /is not a whole file/],
    [whole.replace(/("ledger_secret": "[^.]+\.)[^"]+/, '$1AAAA'), /is not a whole file/],
    [whole.replace(/"ledger_secret": "[^"]+"/, '"ledger_secret": null'), /is not a whole file/],
    [whole.replace('"format": 1', '"format": 2'), /was made by another release: its format is 2, expected 1$/],
    [
      fs.readFileSync(old, 'utf8'),
      /is of \S+, before the backup \(\S+\): export the erasures again, or name a later file$/,
    ],
  ]
  for (const [content, expected] of odd) {
    const file = newFile()
    fs.writeFileSync(file, content)
    await refused(['restore', backup, '--erasures', file], { DATA_DIR, SECRETS_KEY: key }, expected)
  }
  const missing = path.join(base, 'missing')
  await refused(
    ['restore', backup, '--erasures', missing],
    { DATA_DIR, SECRETS_KEY: key },
    /missing can't be read: ENOENT/,
  )
  assert.ok(!fs.existsSync(DATA_DIR))
})

test('a secret that no key opens is refused, and nothing is restored', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, '/contacts', { phone_number: number })
  const backup = await backUp(source_settings)
  await eraseContact(tenant, id)
  const erasures = newFile()
  const exported = fs.readFileSync(await exportErasures(), 'utf8')
  fs.writeFileSync(erasures, exported.replaceAll(/"ledger_secret": "[^.]+/g, '"ledger_secret": "another1'))
  await withDatabase(async (url, pool) => {
    const settings = { DATABASE_URL: url, DATA_DIR: folders(), SECRETS_KEY: key }
    await refused(
      ['restore', backup, '--erasures', erasures],
      settings,
      /SECRETS_KEY can't open the secret in the file of erasures/,
    )
    assert.deepEqual(await pool.many(sql`select id from contacts`), [])
  })
})
