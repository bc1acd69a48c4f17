import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasId, makeSample, pathFor, sampleBody } from '../operations.ts'
import type { Worlds } from '../worlds.ts'
import { unknown_id } from './sessions.ts'

export function refuseOtherTenants({ operation, first, other }: Worlds): void {
  const { id, method } = operation
  if (!hasId(operation)) return

  test(`${id} with another workspace's id gets 404`, async () => {
    const { address } = await first()
    const answer = await other.tenant.call(method, address, sampleBody(operation))
    const unknown = await other.tenant.call(method, pathFor(operation, unknown_id), sampleBody(operation))
    assert.equal(answer.status, 404)
    assert.equal(answer.body.error.code, 'NOT_FOUND')
    assert.equal(
      answer.body.error.message,
      unknown.body.error.message,
      'the id of another workspace looks like an unknown id',
    )
  })
}

export function hideFromOtherTenants({ operation, next, other }: Worlds): void {
  if (operation.kind !== 'list') return

  test(`${operation.id} returns nothing of another workspace`, async () => {
    const { tenant } = await next()
    const address = pathFor(operation, hasId(operation) ? await makeSample(operation, other.tenant) : '')
    const before = await other.tenant.call('GET', address)
    const id = await makeSample(operation, tenant)
    const answer = await other.tenant.call('GET', address)
    assert.equal(answer.status, 200)
    assert.ok(!answer.text.includes(id))
    assert.equal(answer.body.pagination.total, before.body.pagination.total)
  })
}
