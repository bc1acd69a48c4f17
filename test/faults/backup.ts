import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { operations } from '../../server/api.ts'
import { openEmbedded } from '../../server/kit/postgres/embedded/embedded.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { raw, sql } from '../../server/kit/postgres/sql.ts'
import { listTables } from '../../server/kit/postgres/tables.ts'
import { product } from '../../server/product.ts'
import { answerFaults } from '../support/contract.ts'
import { parley } from '../support/process.ts'
import { describeTally, underLoad } from './database.ts'
import { between } from './random.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import {
  checkout,
  childrenOf,
  makeTempFolder,
  newTenant,
  startService,
  type Tenant,
  withEmbeddedPool,
  withPool,
} from './service.ts'

/** Of the rounds. A restore takes seconds. */
const kills_share = 0.1
/** A restore of the short form takes about as long. */
const kill_within_ms = 4_000
/** Each process has its own. */
const own_state = ['schema_migrations', 'process_leases']

export const scenario: Scenario = {
  name: 'backup',
  about:
    'a backup under writes is restored into a folder and a database, after kills too: the same rows, and both serve',
  run,
}

async function run({ print, ...options }: RunOptions): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const folder = makeTempFolder(stack, 'backup')
  const [data_dir, second, file] = ['first', 'second', 'file.backup'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ]
  const service = await startService(stack, { DATA_DIR: data_dir })
  const tenant = await withEmbeddedPool(data_dir, newTenant)
  const ledger = await underLoad({ options: { ...options, print }, service }, tenant, () =>
    runCommand(['backup', file], { DATA_DIR: data_dir }),
  )
  await service.stop()
  print(`${describeTally(ledger)}; the backup has ${fs.statSync(file).size} bytes`)

  const kills = options.is_long ? Math.ceil(options.rounds * kills_share) : 1
  for (let kill = 0; kill < kills; kill += 1)
    await killRestore(file, second, between(options.random, 0, kill_within_ms))
  const in_folder = { DATA_DIR: second }
  await runCommand(['restore', file], in_folder)
  const external = await openEmbedded({
    checkout,
    name: product.short_name,
    data_dir: path.join(folder, 'external'),
    as: 'serve',
    say() {},
  })
  stack.defer(() => external.close())
  const settings = {
    DATABASE_URL: external.url,
    DATA_DIR: path.join(folder, 'third'),
    SECRETS_KEY: fs.readFileSync(path.join(data_dir, 'secrets-key'), 'utf8'),
  }
  await runCommand(['restore', file], settings)
  const restored = await readStopped(second)
  assert.deepEqual(await withPool(external.url, readTables), restored, 'both have the same rows')
  print(`restored twice, after ${kills} kills: ${Object.keys(restored).length} tables are the same`)

  for (const environment of [in_folder, settings]) {
    const started = await startService(stack, environment)
    await assertServes(started.url, tenant)
    await started.stop()
  }
}

async function runCommand(words: string[], environment: Record<string, string>): Promise<void> {
  const { code, stderr } = await parley(words, environment).ended
  assert.equal(code, 0, stderr)
}

/** A restore that is done before the kill is undone, so that the next one can begin. */
async function killRestore(file: string, data_dir: string, after_ms: number): Promise<void> {
  const { child, ended } = parley(['restore', file], { DATA_DIR: data_dir })
  await Promise.race([sleep(after_ms), ended])
  for (const pid of childrenOf(child.pid ?? 0)) process.kill(pid, 'SIGKILL')
  child.kill('SIGKILL')
  const { code } = await ended
  if (code === 0) fs.rmSync(data_dir, { recursive: true })
}

/** Reads the database of a folder that no service uses. */
async function readStopped(data_dir: string): Promise<Record<string, string>> {
  const { url, close } = await openEmbedded({ checkout, name: product.short_name, data_dir, as: 'command', say() {} })
  try {
    return await withPool(url, readTables)
  } finally {
    await close()
  }
}

/** The number and a hash of the rows of each table. Fails if they are not of one moment. */
async function readTables(pool: Pool): Promise<Record<string, string>> {
  const { differences } = await pool.one<{ differences: number }>(
    sql`select ((select count(*) from contacts) - (select coalesce(sum(total), 0) from contact_counts))::integer
        + (select count(*) from contacts where not exists (select from events
          where events.workspace_id = contacts.workspace_id and resource_id = contacts.id))::integer as differences`,
  )
  assert.equal(differences, 0, 'counts and events match the contacts')
  const hashes: Record<string, string> = {}
  for (const { name } of await listTables(pool)) {
    if (own_state.includes(name)) continue
    const { hash } = await pool.one<{ hash: string }>(
      sql`select count(*) || ' ' || coalesce(md5(string_agg(one::text, '' order by one::text)), '') as hash
        from ${raw(name)} as one`,
    )
    hashes[name] = hash
  }
  return hashes
}

/** Every list is as the API describes it, and contacts can be created. */
async function assertServes(url: string, { key }: Tenant): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  for (const operation of operations) {
    if (operation.kind !== 'list' || operation.path.includes(':')) continue
    const answer = await fetch(`${url}/api/v1${operation.path}`, { headers })
    const text = await answer.text()
    const faults = answerFaults(operation, {
      status: answer.status,
      headers: answer.headers,
      text,
      body: JSON.parse(text),
    })
    assert.deepEqual(faults, [], operation.id)
  }
  const body = JSON.stringify({ phone_number: '+16465550100' })
  const created = await fetch(`${url}/api/v1/contacts`, { method: 'POST', headers, body })
  assert.equal(created.status, 201, await created.text())
}
