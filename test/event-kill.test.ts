import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import * as events from '../server/events/store.ts'
import { newId } from '../server/kit/id.ts'
import { sql } from '../server/kit/postgres/sql.ts'
import { newTenant, type Service, startService } from './faults/service.ts'
import { createDatabase } from './support/harness.ts'
import { listen } from './support/listening.ts'
import { phoneNumber } from './support/samples.ts'

const { url, pool } = await createDatabase('events_kill')
const environment = { DATABASE_URL: url, SECRETS_KEY: randomBytes(32).toString('base64') }
const look_every_ms = 50

test('who comes back after the server was killed hears on, none skipped and none twice', async () => {
  await using stack = new AsyncDisposableStack()
  const { key } = await newTenant(pool)
  const headers = { authorization: `Bearer ${key}` }
  const json = { ...headers, 'content-type': 'application/json' }
  /** Several at a time, until the server is gone. What was answered has happened. */
  const write = async (service: Service, count: number) => {
    const body = () => JSON.stringify({ phone_number: phoneNumber() })
    for (let number = 0; number < count; number += 1) {
      const answer = await fetch(`${service.url}/api/v1/contacts`, { method: 'POST', headers: json, body: body() })
      assert.equal(answer.status, 201)
    }
  }
  const streamOf = ({ url }: Service, more = {}) => listen(`${url}/api/v1/events/stream`, { ...headers, ...more })

  const first = await startService(stack, environment)
  const before = await streamOf(first)
  const writing = Promise.allSettled([write(first, 10_000), write(first, 10_000), write(first, 10_000)])
  await before.hear(100)
  await first.kill()
  await before.ended
  await writing

  const second = await startService(stack, environment)
  const last_id = before.heard.at(-1)?.id ?? ''
  const back = await streamOf(second, { 'last-event-id': last_id })
  await write(second, 5)
  const all: string[] = []
  for (let query = '?limit=100'; query; ) {
    const answer = await fetch(`${second.url}/api/v1/events${query}`, { headers })
    const { data, pagination } = (await answer.json()) as {
      data: { id: string; type: string }[]
      pagination: { next_cursor: string | null }
    }
    all.push(...data.filter(({ type }) => type === 'contact.created').map(({ id }) => id))
    query = pagination.next_cursor === null ? '' : `?limit=100&cursor=${pagination.next_cursor}`
  }
  const heard = [...before.heard, ...(await back.hear(all.length - before.heard.length))]
  assert.deepEqual(
    heard.map(({ id }) => id),
    all.reverse(),
  )
  await second.stop()
  await back.ended
})

test('what nobody reads gets its position too', async () => {
  await using stack = new AsyncDisposableStack()
  const { workspace } = await newTenant(pool)
  const many = Array.from({ length: 5_000 }, () => ({ data: { id: newId() } }))
  await pool.tx((db) => events.recordMany(db, workspace, 'contact.created', many, Date.now()))
  const service = await startService(stack, environment)
  const placed = () =>
    pool.many<{ id: string }>(
      sql`select resource_id as id from events where workspace_id = ${workspace} and position is not null
        order by position`,
    )
  while ((await placed()).length <= many.length) await sleep(look_every_ms)
  assert.deepEqual(
    (await placed()).slice(1).map(({ id }) => id),
    many.map(({ data }) => data.id),
  )
  await service.stop()
})
