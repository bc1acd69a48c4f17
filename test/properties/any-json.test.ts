import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { operations } from '../../server/api.ts'
import { serve } from '../harness.ts'
import { answerFaults } from '../sweeps/contract.ts'
import { addressOf, bodyOf, hasId, make } from '../sweeps/operations.ts'

const { workspace } = await serve()

/** Texts that have broken something somewhere. */
const odd = fc.constantFrom(
  '',
  ' ',
  '\0',
  '\ud800',
  '\u202e',
  '%',
  '\\',
  "'",
  '💥'.repeat(100),
  'a'.repeat(3000),
  '__proto__',
  '-1',
)
const text = fc.oneof(odd, fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))
const value = fc.oneof(text, fc.jsonValue({ maxDepth: 3 }), fc.array(text, { maxLength: 60 }))

/** Anything at all, or a good body with some of its members spoilt. */
const bodyFor = (good: object | undefined) =>
  fc.oneof(
    fc.jsonValue(),
    fc
      .dictionary(fc.constantFrom('id', 'nonsense', '__proto__', ...Object.keys(good ?? {})), value, {
        noNullPrototype: true,
      })
      .map((spoilt) => ({ ...good, ...spoilt })),
  )

for (const operation of operations) {
  const { properties = {} } = operation.query as { properties?: object }
  const names = fc.constantFrom(...Object.keys(properties), 'nonsense', '__proto__')

  test(`any JSON to ${operation.id} gives a documented answer and never a 500`, async () => {
    const tenant = await workspace()
    const resource = await make(operation, tenant)
    const input = fc.record({
      id: fc.oneof(fc.constant(resource), fc.string({ unit: 'binary', minLength: 1 }), fc.uuid()),
      query: fc.array(
        fc.tuple(
          names,
          fc.oneof(
            text.filter((one) => one.isWellFormed()),
            fc.constantFrom('1', '20', 'created_at'),
          ),
        ),
        { maxLength: 3 },
      ),
      body: bodyFor(bodyOf(operation)),
      key: fc.option(fc.constantFrom('k', '"k"', 'k '.repeat(130)), { nil: undefined }),
    })
    await fc.assert(
      fc.asyncProperty(input, async ({ id, query, body, key }) => {
        const well_formed = id.toWellFormed()
        if (hasId(operation) && ['.', '..'].includes(well_formed)) return
        const address = addressOf(operation, encodeURIComponent(well_formed))
        const parameters = query.map(([name, said]) => `${name}=${encodeURIComponent(said)}`).join('&')
        const answer = await tenant.call(
          operation.method,
          `${address}?${parameters}`,
          operation.method === 'GET' ? undefined : JSON.stringify(body),
          { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) },
        )
        assert.ok(answer.status < 500, answer.text)
        assert.deepEqual(answerFaults(operation, answer), [])
      }),
      { numRuns: 60 },
    )
  })
}
