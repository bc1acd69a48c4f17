import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../server/api.ts'
import { isWrite, type Operation } from '../../server/kit/http/operation.ts'
import { serve } from '../support/harness.ts'
import { makeSample, pathFor, sampleBody, sendRequest } from '../support/operations.ts'

const { workspace } = await serve()

/** The first and the last time that clients can send. */
const ends = ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']
/** They are in other years in these zones, and the zones before 1900 have offsets with seconds. */
const time_zones = ['Pacific/Apia', 'America/Adak']

/** Times that neither ISO 8601 with four digits nor PostgreSQL can write. */
const other_years = /"([+-]\d{6}|0000)-\d\d-\d\d/

interface Shape {
  properties?: Record<string, { format?: string }>
}

const timesOf = (schema: unknown): string[] =>
  Object.entries((schema as Shape | undefined)?.properties ?? {})
    .filter(([, { format }]) => format === 'date-time')
    .map(([name]) => name)

const inQuery = (operation: Operation): string[] => timesOf(operation.query)
const inBody = (operation: Operation): string[] => (isWrite(operation) ? timesOf(operation.body) : [])

for (const operation of operations.filter((one) => inQuery(one).length + inBody(one).length > 0)) {
  test(`${operation.id} takes or refuses the first and the last time`, async () => {
    for (const time_zone of time_zones) {
      const tenant = await workspace()
      assert.equal((await tenant.call('PATCH', '/workspace', { settings: { time_zone } })).status, 200)
      const address = pathFor(operation, await makeSample(operation, tenant))
      for (const time of ends) {
        const send = async (query: string, body = sampleBody(operation)) => {
          const { status, text } = await sendRequest(operation, tenant, address + query, body)
          assert.ok(status < 500 && !other_years.test(text), `${query} ${JSON.stringify(body)}: ${status} ${text}`)
        }
        for (const name of inQuery(operation)) await send(`?${name}=${time}`)
        for (const name of inBody(operation)) await send('', { ...sampleBody(operation), [name]: time })
      }
    }
  })
}

test('an enrollment is not explained for a time after which no other can be shown', async () => {
  const tenant = await workspace()
  const operation = operations.find(({ id }) => id === 'enrollments.explain')
  assert.ok(operation)
  const address = pathFor(operation, await makeSample(operation, tenant))
  const { status, body } = await tenant.call('GET', `${address}?at=${ends[1]}`)
  assert.deepEqual([status, body.error?.details.fields[0].path], [400, 'at'])
})

test('operations with times are found', () => {
  const found = operations.flatMap((one) => [...inQuery(one), ...inBody(one)].map((name) => `${one.id} ${name}`))
  for (const known of [
    'analytics.calls from',
    'audit_log.list to',
    'calls.create scheduled_at',
    'campaigns.update ends_at',
  ])
    assert.ok(found.includes(known), `${known} is not among ${found.join(', ')}`)
})
