import assert from 'node:assert/strict'
import * as clock from '../../server/kit/clock.ts'
import type { Tenant } from './harness.ts'
import { newWebhook } from './samples.ts'

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
