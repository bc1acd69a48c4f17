import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { newTenant, type Service, startService } from '../faults/service.ts'
import { openStream } from '../support/event-streams.ts'
import { createDatabase } from '../support/harness.ts'
import { serveInProcess } from '../support/process.ts'
import { phoneNumber } from '../support/samples.ts'

const { url, pool } = await createDatabase('events_kill')
const environment = { DATABASE_URL: url, SECRETS_KEY: randomBytes(32).toString('base64') }

test('a stream continues after the server was killed, without skipping or repeating an event', async () => {
  await using stack = new AsyncDisposableStack()
  const { key } = await newTenant(pool)
  const headers = { authorization: `Bearer ${key}` }
  const json = { ...headers, 'content-type': 'application/json' }
  /** Writes until the server is killed. */
  const write = async (service: Pick<Service, 'url'>, count: number) => {
    const body = () => JSON.stringify({ phone_number: phoneNumber() })
    for (let number = 0; number < count; number += 1) {
      const answer = await fetch(`${service.url}/api/v1/contacts`, { method: 'POST', headers: json, body: body() })
      assert.equal(answer.status, 201)
    }
  }
  const streamOf = ({ url }: Pick<Service, 'url'>, more = {}) =>
    openStream(`${url}/api/v1/events/stream`, { ...headers, ...more })

  const first = await startService(stack, environment)
  const before = await streamOf(first)
  const writing = Promise.allSettled([write(first, 10_000), write(first, 10_000), write(first, 10_000)])
  await before.waitFor(100)
  await first.kill()
  await before.ended
  await writing

  const second = { url: await serveInProcess(stack, environment) }
  const last_id = before.received.at(-1)?.id ?? ''
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
  const received = [...before.received, ...(await back.waitFor(all.length - before.received.length))]
  assert.deepEqual(
    received.map(({ id }) => id),
    all.reverse(),
  )
})
