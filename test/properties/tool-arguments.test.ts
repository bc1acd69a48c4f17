import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { argumentFault } from '../../server/tools/arguments.ts'
import { parameterFaults } from '../../server/tools/parameters.ts'
import { runs } from '../support/property-runs.ts'

const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
  validateFormats: false,
  ownProperties: true,
})

const names = fc.constantFrom('a', 'b', 'length', 'Ä')
const scalars = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, '', 'a', 'ab', '😀', 'Ä', 0, 1, -1, 1.5, 2, 1e300),
  fc.integer({ min: -3, max: 3 }),
)
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value

const types = fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'boolean', 'null')
const count = fc.integer({ min: 0, max: 3 })
const bound = fc.constantFrom(-1, 0, 1, 1.5, 2)
const schemas = fc.letrec<{ schema: object }>((tie) => {
  const list = fc.array(tie('schema'), { minLength: 1, maxLength: 3 })
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.record({ type: types }),
      fc.record(
        {
          type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
          enum: fc.uniqueArray(scalars, { minLength: 1, maxLength: 3 }),
          const: values,
          required: fc.uniqueArray(names, { maxLength: 2 }),
          properties: fc.dictionary(names, tie('schema'), { maxKeys: 3, noNullPrototype: true }),
          additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
          items: tie('schema'),
          anyOf: list,
          oneOf: list,
          allOf: list,
          minLength: count,
          maxLength: count,
          minItems: count,
          maxItems: count,
          minimum: bound,
          maximum: bound,
          exclusiveMinimum: bound,
          exclusiveMaximum: bound,
          description: fc.constant('text'),
          format: fc.constant('date'),
        },
        { requiredKeys: [] },
      ),
    ),
  }
}).schema

test('arguments are judged as Ajv judges them, which compiles every accepted schema', () => {
  let valid = 0
  let invalid = 0
  fc.assert(
    fc.property(schemas, fc.array(values, { minLength: 5, maxLength: 5 }), (schema, all) => {
      const parameters = { type: 'object', properties: { value: schema } }
      if (parameterFaults(parameters).length > 0) return
      const validate = ajv.compile(parameters)
      for (const value of all) {
        const expected = validate({ value })
        const fault = argumentFault(parameters, { value })
        assert.equal(fault === undefined, expected, `${JSON.stringify(schema)} ${JSON.stringify(value)} ${fault}`)
        if (expected) valid += 1
        else invalid += 1
      }
    }),
    runs(),
  )
  assert.ok(valid > 20 && invalid > 20, `${valid} valid, ${invalid} invalid`)
})

test('any JSON is either refused as a schema, or can be used', () => {
  const keywords = fc.constantFrom(
    'type',
    'properties',
    'items',
    'enum',
    'anyOf',
    'required',
    'pattern',
    '__proto__',
    'x',
  )
  fc.assert(
    fc.property(fc.dictionary(keywords, fc.jsonValue()), fc.jsonValue(), (schema, value) => {
      const parameters = { type: 'object', properties: { value: schema } }
      if (parameterFaults(parameters).length === 0) argumentFault(parameters as object, { value })
    }),
    runs(),
  )
})

test('a large schema and large arguments are given up after a bounded number of steps', () => {
  const oneOf = Array.from({ length: 1_000 }, (_, minimum) => ({ minimum }))
  const parameters = { type: 'object', properties: { list: { type: 'array', items: { oneOf } } } }
  assert.deepEqual(parameterFaults(parameters), [])
  assert.equal(
    argumentFault(parameters, { list: Array(10_000).fill(-1) }),
    'arguments.list.0 must match exactly one of the alternatives.',
  )
  const choices = { type: 'object', properties: { list: { type: 'array', items: { enum: oneOf } } } }
  assert.equal(argumentFault(choices, { list: Array(10_000).fill({ minimum: 999 }) }), 'arguments are too complex.')
})

const parameterOf = (schema: object) => ({ type: 'object', properties: { value: schema } })
const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 1]))

const expensive: [string, object, unknown][] = [
  ['alternatives that count a long text', { anyOf: Array(1_500).fill({ minLength: 99_999 }) }, 'x'.repeat(31_900)],
  ['alternatives of a large object', { oneOf: Array(10_500).fill({}) }, members(3_000)],
  ['choices that a large object is compared with', { enum: Array(10_500).fill({}) }, members(3_000)],
]
for (const [what, schema, value] of expensive) {
  test(`${what} take steps by the size of the value`, () => {
    assert.deepEqual(parameterFaults(parameterOf(schema)), [])
    assert.equal(argumentFault(parameterOf(schema), { value }), 'arguments are too complex.')
  })
}

test('a text is not counted for alternatives without a limit, or after one that fits', () => {
  const value = 'x'.repeat(31_900)
  for (const anyOf of [Array(10_500).fill({}), [{}, ...Array(1_500).fill({ minLength: 99_999 })]])
    assert.equal(argumentFault(parameterOf({ anyOf }), { value }), undefined)
})

test('only the fault that is told is put into words', () => {
  let written = 0
  const choice = {
    toJSON() {
      written += 1
      return 'a'
    },
  }
  const list = { items: { anyOf: [{ enum: [choice] }, { type: 'integer' }] } }
  assert.equal(argumentFault(parameterOf(list), { value: [1, 2, 3] }), undefined)
  assert.equal(written, 0)
  assert.equal(argumentFault(parameterOf(list), { value: [1, 'b'] }), 'arguments.value.1 must be one of ["a"].')
  assert.equal(written, 1)
})

test('a long name is cut in the fault', () => {
  const name = 'x'.repeat(30_000)
  assert.ok((argumentFault({ type: 'object', required: [name] }, {}) ?? '').length < 200)
})

test('members that every object inherits are not taken for arguments', () => {
  for (const name of ['toString', 'constructor', '__proto__']) {
    assert.equal(argumentFault({ type: 'object', required: [name] }, {}), `arguments must have "${name}".`)
    const value = JSON.parse(`{"${name}": 1}`)
    assert.equal(argumentFault({ type: 'object', required: [name] }, value), undefined)
    assert.match(argumentFault({ type: 'object', additionalProperties: false }, value) ?? '', /must not have/)
  }
})
