import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../server/api.ts'
import { isWrite, type Operation } from '../../../server/kit/http/operation.ts'
import type { Answer } from '../harness.ts'
import { sampleBody } from '../operations.ts'
import type { Worlds } from '../worlds.ts'

const etagOf = ({ headers }: Answer) => String(headers.get('etag'))

/** Without a time, the answer has the time of the request. */
const queries: Record<string, string> = { 'enrollments.explain': '?at=2036-01-07T17:00:00Z' }

export const isGet = ({ kind }: Operation) => kind === 'get'

export function compareETags({ operation, next }: Worlds): void {
  if (!isGet(operation)) return

  test(`${operation.id} has an ETag that If-Match and If-None-Match compare`, async () => {
    const { tenant, address } = await next()
    const get = (headers = {}) => tenant.call('GET', address + (queries[operation.id] ?? ''), undefined, headers)
    const first = await get()
    assert.match(etagOf(first), /^"[^"]+"$/)
    // The first request changes the last_used_at of its own key.
    const etag = etagOf(await get())
    const known = await get({ 'if-none-match': etag })
    assert.deepEqual([known.status, known.text, etagOf(known)], [304, '', etag])
    assert.equal((await get({ 'if-none-match': '"x"' })).status, 200)
    assert.equal((await get({ 'if-match': etag })).status, 200)
    assert.equal((await get({ 'if-match': '"x"' })).status, 412)
  })
}

export function refuseStaleChanges({ operation, next }: Worlds): void {
  if (!['PATCH', 'PUT', 'DELETE'].includes(operation.method)) return

  test(`${operation.id} with a stale If-Match gets 412, and nothing changes`, async () => {
    const { tenant, address } = await next()
    const change = (headers = {}) => tenant.call(operation.method, address, sampleBody(operation), headers)
    // An upsert has created its resource when something can be stale.
    const creates = isWrite(operation) && operation.isCreated !== undefined
    const created = creates ? await change() : undefined
    // What lies below another resource may have an address of its own.
    const has_own = operations.some((one) => isGet(one) && one.path === operation.path)
    const above = has_own ? address : `/${address.split('/').slice(1, 3).join('/')}`
    const shown = created ? `/contacts/${created.body.data.id}` : above
    const before = await tenant.call('GET', shown)
    const refused = await change({ 'if-match': '"x"' })
    assert.deepEqual([refused.status, refused.body.error.code], [412, 'PRECONDITION_FAILED'])
    const after = await tenant.call('GET', shown)
    assert.deepEqual(after.body, before.body)
    assert.equal((await change({ 'if-match': etagOf(after) })).status, 200)
  })
}
