import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../server/kit/postgres/sql.ts'
import { newTenant, startService } from '../faults/service.ts'
import { createDatabase } from '../support/harness.ts'
import { serveInProcess } from '../support/process.ts'
import { formOf } from '../support/uploads.ts'

const rows = 8_000
const poll_every_ms = 20

const { url, pool } = await createDatabase('kill')

test('an import continues after its server was killed, without losing or repeating a row', async () => {
  await using stack = new AsyncDisposableStack()
  const { workspace, key } = await newTenant(pool)
  const environment = {
    DATABASE_URL: url,
    SECRETS_KEY: randomBytes(32).toString('base64'),
  }
  const first = await startService(stack, environment)
  const lines = Array.from({ length: rows }, (_, index) => `+4930${1_000_000 + index},n${index},t`)
  const body = formOf(`phone,name,tags\n${lines.join('\n')}\n`)
  const headers = { authorization: `Bearer ${key}` }
  const address = '/api/v1/contacts/imports'
  const posted = await fetch(first.url + address, { method: 'POST', headers, body })
  assert.equal(posted.status, 201)
  const state = () =>
    pool.one<{ status: string; done: number; created: number }>(
      sql`select status, done, created from imports where workspace_id = ${workspace}`,
    )
  while ((await state()).done === 0) await sleep(poll_every_ms)
  await first.kill()
  const left = await state()
  assert.deepEqual([left.status, left.created], ['running', left.done])
  assert.ok(left.done < rows, 'the server was killed before the end')

  await serveInProcess(stack, environment)
  while ((await state()).status !== 'finished') await sleep(poll_every_ms)
  assert.deepEqual(await state(), { status: 'finished', done: rows, created: rows })
  const counted = await pool.one(
    sql`select (select count(*) from contacts where workspace_id = ${workspace}) as contacts,
      (select count(*) from contact_texts where workspace_id = ${workspace}) as texts,
      (select count(*) from contact_tags where workspace_id = ${workspace}) as tags,
      (select count(*) from events where workspace_id = ${workspace} and type = 'contact.created') as events,
      (select count(distinct contact_id) from import_rows where workspace_id = ${workspace}) as recorded,
      (select sum(total)::bigint from contact_counts where workspace_id = ${workspace}) as counted`,
  )
  assert.deepEqual(counted, { contacts: rows, texts: rows, tags: rows, events: rows, recorded: rows, counted: rows })
})
