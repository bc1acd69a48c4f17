import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { document, operations } from '../../server/api.ts'
import type { Operation } from '../../server/kit/http/operation.ts'
import { serve } from '../support/harness.ts'
import { makeSample, pathFor, prepare, sampleBody, sendRequest, successStatus } from '../support/operations.ts'

const { workspace } = await serve()

/** The examples of the operation's request body, by media type. */
function examplesOf({ path, method }: Operation): [string, unknown][] {
  const methods = document.paths[path.replace(/:(\w+)/g, '{$1}')]
  const { requestBody } = Object(methods?.[method.toLowerCase()])
  return Object.entries(requestBody?.content ?? {}).map(([type, media]) => [type, Object(media).example])
}

/** The form that a client would send: strings as files, everything else as JSON. */
function formOf(example: unknown): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(Object(example))) {
    if (typeof value === 'string') form.set(name, new Blob([value]), `${name}.csv`)
    else form.set(name, JSON.stringify(value))
  }
  return form
}

/** No resource has the ids of an example, so those that it refers to are replaced. */
function withKnownIds(example: unknown, sample: object | undefined): object {
  const ids = Object.entries(sample ?? {}).filter(([name]) => name.endsWith('_id'))
  return { ...Object(example), ...Object.fromEntries(ids) }
}

for (const operation of operations) {
  for (const [type, example] of examplesOf(operation)) {
    test(`${operation.id} accepts its own example as ${type}`, async () => {
      assert.notEqual(example, undefined, 'there is an example')
      const tenant = await workspace()
      const resource = await makeSample(operation, tenant)
      await prepare(operation, tenant, resource)
      const body = type === 'multipart/form-data' ? formOf(example) : withKnownIds(example, sampleBody(operation))
      const answer = await sendRequest(operation, tenant, pathFor(operation, resource), body)
      assert.equal(answer.status, successStatus(operation), `${JSON.stringify(example)}\n${answer.text}`)
    })
  }
}

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
