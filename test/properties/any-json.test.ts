import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { operations } from '../../server/api.ts'
import { bodyOf as bodySchema } from '../../server/kit/http/operation.ts'
import { answerFaults } from '../support/contract.ts'
import { type Answer, serve } from '../support/harness.ts'
import { hasId, makeSample, pathFor, sampleBody } from '../support/operations.ts'
import { anyText, runs } from '../support/property-runs.ts'

const { workspace } = await serve()

/** Texts that often cause errors. */
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
const text = fc.oneof(odd, anyText(), fc.string({ unit: 'grapheme' }))
const value = fc.oneof(text, fc.jsonValue({ maxDepth: 3 }), fc.array(text, { maxLength: 60 }))

interface Described {
  properties?: Record<string, Described>
  items?: Described
  additionalProperties?: boolean | Described
}

/** The paths of all objects in a body, at any depth. */
function objectsIn({ properties, items, additionalProperties }: Described): string[][] {
  const below = (name: string, schema: Described) => objectsIn(schema).map((path) => [name, ...path])
  const own = properties || additionalProperties ? [[]] : []
  const members = Object.entries(properties ?? {}).flatMap(([name, schema]) => below(name, schema))
  return [...own, ...members, ...(items ? below('0', items) : [])]
}

/** Adds a member with this name to the object at the path. */
function withName(body: unknown, [step, ...path]: string[], name: string, said: unknown): unknown {
  if (step === '0') return [withName(Array.isArray(body) ? body[0] : {}, path, name, said)]
  const members = Object.entries(Object(body)).filter(([other]) => other !== (step ?? name))
  const value = step === undefined ? said : withName(Object(body)[step], path, name, said)
  return Object.fromEntries([...members, [step ?? name, value]])
}

/** Names that PostgreSQL can't store or that contain control characters. */
const invalid_names = ['\0', 'a\0b', '\ud800', 'a\udfff', 'a\u0007b']
const said = ['x', '/x', 'phone_number', null]
/** One of the values for each name, in turn; all of them in the scenario `properties`. */
const values_each = Math.min(said.length, runs(0.01).numRuns)

/** Each operation of a batch has its own outcome: that of the first. */
const statusOf = ({ status, body }: Answer): number => body.data?.results?.[0].status ?? status

/** Any JSON, or a valid body with some members replaced. */
const bodyFor = (good: object | undefined) =>
  fc.oneof(
    fc.jsonValue(),
    fc
      .dictionary(fc.constantFrom('id', 'nonsense', '__proto__', ...Object.keys(good ?? {})), value, {
        noNullPrototype: true,
      })
      .map((replaced) => ({ ...good, ...replaced })),
  )

for (const operation of operations) {
  const { properties = {} } = operation.query as { properties?: object }
  const names = fc.constantFrom(...Object.keys(properties), 'nonsense', '__proto__')

  const schema = bodySchema(operation)
  if (schema) {
    test(`an invalid name at any depth of a body of ${operation.id} is rejected`, async () => {
      const tenant = await workspace()
      const address = pathFor(operation, await makeSample(operation, tenant))
      let count = 0
      for (const path of objectsIn(schema as Described)) {
        for (const name of invalid_names.flatMap((name) => Array.from({ length: values_each }, () => name))) {
          const body = JSON.stringify(withName(sampleBody(operation), path, name, said[count % said.length]))
          const answer = await tenant.call(operation.method, address, body, { 'content-type': 'application/json' })
          assert.equal(statusOf(answer), 400, `${body}: ${answer.text}`)
          assert.deepEqual(answerFaults(operation, answer), [])
          count += 1
        }
      }
    })
  }

  test(`any JSON to ${operation.id} gets a documented answer and never a 500`, async () => {
    const tenant = await workspace()
    const resource = await makeSample(operation, tenant)
    const input = fc.record({
      id: fc.oneof(fc.constant(resource), anyText({ minLength: 1 }), fc.uuid()),
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
      body: bodyFor(sampleBody(operation)),
      key: fc.option(fc.constantFrom('k', '"k"', 'k '.repeat(130)), { nil: undefined }),
    })
    await fc.assert(
      fc.asyncProperty(input, async ({ id, query, body, key }) => {
        const well_formed = id.toWellFormed()
        if (hasId(operation) && ['.', '..'].includes(well_formed)) return
        const address = pathFor(operation, encodeURIComponent(well_formed))
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
      runs(0.08),
    )
  })
}
