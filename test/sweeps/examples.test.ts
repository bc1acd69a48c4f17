import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { document, operations } from '../../server/api.ts'
import { parametersOf } from '../support/rules/examples.ts'

test('every parameter has an example', () => {
  const without = operations.flatMap((operation) =>
    parametersOf(operation)
      .filter(({ example }) => example === undefined || example === '')
      .map(({ name }) => `${operation.id} ${name}`),
  )
  assert.deepEqual(without, [])
})

test('every example in the document matches its schema', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  const whole = JSON.parse(JSON.stringify(document).replaceAll('"#/components', '"document#/components'))
  ajv.addSchema(whole, 'document')
  let count = 0
  const checkExamples = (value: unknown, where: string): void => {
    if (typeof value !== 'object' || value === null) return
    const { schema, example, ...rest } = value as Record<string, unknown>
    if (schema && example !== undefined) {
      count += 1
      const validate = ajv.compile(Object(schema))
      assert.ok(validate(example), `${where}: ${ajv.errorsText(validate.errors)}`)
    }
    for (const [name, member] of Object.entries(rest)) checkExamples(member, `${where}/${name}`)
  }
  checkExamples({ paths: whole.paths, webhooks: whole.webhooks }, '')
  assert.ok(count > operations.length)
})
