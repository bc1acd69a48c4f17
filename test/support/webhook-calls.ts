import assert from 'node:assert/strict'
import * as clock from '../../server/kit/clock.ts'
import type { Tenant } from './harness.ts'
import { newContact, newWebhook } from './samples.ts'

const minute_ms = 60_000

/** A time at which everything that happens until then is due, however slow the test is. */
export const soon = () => clock.wall() + minute_ms

export async function createWebhook(tenant: Tenant, url: string, fields: object = {}) {
  const created = await tenant.call('POST', '/webhooks', newWebhook({ url, ...fields }))
  assert.equal(created.status, 201, created.text)
  return created.body.data
}

export const deliveriesOf = async (tenant: Tenant, id: string, query = '') =>
  (await tenant.call('GET', `/webhooks/${id}/deliveries${query}`)).body.data

export const deliveryOf = async (tenant: Tenant, id: string) => {
  const [delivery] = await deliveriesOf(tenant, id)
  return (await tenant.call('GET', `/webhooks/${id}/deliveries/${delivery.id}`)).body.data
}

/** Starts a recovery, runs it, and returns it as it is then. */
export async function recover({ call, work }: Tenant, id: string, range: object) {
  const started = await call('POST', `/webhooks/${id}/recover`, range)
  assert.equal(started.status, 201, started.text)
  await work()
  return (await call('GET', `/webhooks/${id}/recoveries/${started.body.data.id}`)).body.data
}

export const webhookOf = async (tenant: Tenant, id: string) => (await tenant.call('GET', `/webhooks/${id}`)).body.data

/** Creates a contact and sends what is due. */
export async function createAndSend(tenant: Tenant, now?: number, timeout_ms?: number) {
  const contact = (await tenant.call('POST', '/contacts', newContact({ first_name: 'Ada' }))).body.data
  await tenant.work(now, timeout_ms)
  return contact
}

export interface Expected {
  status: string
  error?: RegExp
  answer?: string
  answered?: number
  /** The wait until the next attempt, without jitter. */
  wait_ms?: number
  endpoint?: string
  /** Uses a short timeout. */
  is_slow?: boolean
}

export async function assertResult(tenant: Tenant, id: string, expected: Expected, now: number): Promise<void> {
  const { status, attempts, due_at } = await deliveryOf(tenant, id)
  const [attempt] = attempts
  assert.equal(status, expected.status)
  assert.equal(attempts.length, 1)
  assert.equal(attempt.created_at, clock.iso(now))
  if (expected.answered) assert.equal(attempt.status, expected.answered)
  if (expected.answer !== undefined) assert.equal(attempt.answer, expected.answer)
  if (expected.error) {
    assert.match(attempt.error, expected.error)
    assert.equal(attempt.status, null)
  }
  if (expected.status !== 'pending') assert.equal(due_at, null)
  if (expected.wait_ms) {
    const waited_ms = clock.parse(due_at) - now
    assert.ok(waited_ms >= expected.wait_ms && waited_ms <= expected.wait_ms * 1.1, `${waited_ms} ms`)
  }
  assert.equal((await webhookOf(tenant, id)).status, expected.endpoint ?? 'active')
}
