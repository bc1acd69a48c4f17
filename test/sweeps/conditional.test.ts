import assert from 'node:assert/strict'
import { test } from 'node:test'
import { document, operations } from '../../server/api.ts'
import { showsResource } from '../../server/kit/http/envelope.ts'
import { isWrite, type Operation } from '../../server/kit/http/operation.ts'
import { type Answer, serve } from '../support/harness.ts'
import { makeSample, pathFor, prepare, sampleBody, successStatus } from '../support/operations.ts'

const { workspace } = await serve()

const etagOf = ({ headers }: Answer) => String(headers.get('etag'))

/** Without a time, the answer has the time of the request. */
const queries: Record<string, string> = { 'enrollments.explain': '?at=2036-01-07T17:00:00Z' }

const isGet = ({ kind }: Operation) => kind === 'get'
const isChange = ({ method }: Operation) => ['PATCH', 'PUT', 'DELETE'].includes(method)

for (const operation of operations.filter(isGet)) {
  test(`${operation.id} has an ETag that If-Match and If-None-Match compare`, async () => {
    const tenant = await workspace()
    const address = pathFor(operation, await makeSample(operation, tenant)) + (queries[operation.id] ?? '')
    const get = (headers = {}) => tenant.call('GET', address, undefined, headers)
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

for (const operation of operations.filter(isChange)) {
  test(`${operation.id} with a stale If-Match gets 412, and nothing changes`, async () => {
    const tenant = await workspace()
    const resource = await makeSample(operation, tenant)
    await prepare(operation, tenant, resource)
    const address = pathFor(operation, resource)
    // An upsert has created its resource when something can be stale.
    const creates = isWrite(operation) && operation.isCreated !== undefined
    const created = creates ? await tenant.call(operation.method, address, sampleBody(operation)) : undefined
    // What lies below another resource may have an address of its own.
    const has_own = operations.some((one) => isGet(one) && one.path === operation.path)
    const above = has_own ? address : `/${address.split('/').slice(1, 3).join('/')}`
    const shown = created ? `/contacts/${created.body.data.id}` : above
    const before = await tenant.call('GET', shown)
    const change = (etag: string) => tenant.call(operation.method, address, sampleBody(operation), { 'if-match': etag })
    const refused = await change('"x"')
    assert.deepEqual([refused.status, refused.body.error.code], [412, 'PRECONDITION_FAILED'])
    const after = await tenant.call('GET', shown)
    assert.deepEqual(after.body, before.body)
    assert.equal((await change(etagOf(after))).status, 200)
  })
}

const isStoredFile = (one: Operation): boolean => one.kind === 'file' && one.open !== undefined

test('exactly the operations with a documented ETag have one', () => {
  const documented = operations.filter((operation) => {
    const { path, method } = operation
    const paths: Record<string, Record<string, { responses: Record<string, { headers?: object }> }>> = JSON.parse(
      JSON.stringify(document.paths),
    )
    const { headers } =
      paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]?.responses[successStatus(operation)] ?? {}
    return 'ETag' in Object(headers)
  })
  assert.deepEqual(
    documented.map(({ id }) => id),
    operations
      .filter((one) => isGet(one) || isStoredFile(one) || (isWrite(one) && one.version && showsResource(one)))
      .map(({ id }) => id),
  )
})
