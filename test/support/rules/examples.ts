import assert from 'node:assert/strict'
import { test } from 'node:test'
import { document } from '../../../server/api.ts'
import { sample_id } from '../../../server/kit/field.ts'
import type { Operation } from '../../../server/kit/http/operation.ts'
import { resolveReference } from '../contract.ts'
import { pathFor, sampleBody, sendRequest, successStatus } from '../operations.ts'
import type { Worlds } from '../worlds.ts'

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

export function acceptExamples({ operation, next }: Worlds): void {
  for (const [type, example] of examplesOf(operation)) {
    test(`${operation.id} accepts its own example as ${type}`, async () => {
      assert.notEqual(example, undefined, 'there is an example')
      const { tenant, address } = await next()
      const body = type === 'multipart/form-data' ? formOf(example) : withKnownIds(example, sampleBody(operation))
      const answer = await sendRequest(operation, tenant, address, body)
      assert.equal(answer.status, successStatus(operation), `${JSON.stringify(example)}\n${answer.text}`)
    })
  }
}

interface Parameter {
  name: string
  in: string
  example: unknown
}

export function parametersOf({ path, method }: Operation): Parameter[] {
  const { parameters } = Object(document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()])
  return parameters.map((one: unknown) => resolveReference<Parameter>(one))
}

/** The event that the list begins after must exist. */
const exampleFor = ({ name, example }: Parameter, resource: string): [string, string][] =>
  [example].flat().map((value) => [name, name === 'after' && value === sample_id ? resource : String(value)])

/**
 * With `after`, a list has another order, and cursors of its own. An upsert with `If-Match` changes what the one with
 * `If-None-Match: *` has created.
 */
const isAlone = ({ name }: Parameter, others: Parameter[]): boolean =>
  name === 'after' ||
  (name === 'If-Match' && others.some((other) => other.name === 'If-None-Match' && other.example === '*'))

export function acceptParameters({ operation, next }: Worlds): void {
  const optional = parametersOf(operation).filter((parameter) => parameter.in !== 'path')
  if (optional.length === 0 || operation.kind === 'stream') return

  test(`${operation.id} accepts the examples of its parameters`, async () => {
    const { tenant, resource } = await next()
    const send = async (given: Parameter[]) => {
      const valuesIn = (place: string) =>
        given.filter((parameter) => parameter.in === place).flatMap((one) => exampleFor(one, resource))
      const query = new URLSearchParams(valuesIn('query'))
      const [address_path] = pathFor(operation, resource).split('?')
      const address = `${address_path}${query.size > 0 ? `?${query}` : ''}`
      const headers = Object.fromEntries(valuesIn('header'))
      const answer = await sendRequest(operation, tenant, address, sampleBody(operation), headers)
      assert.ok(answer.status < 300, answer.text)
    }
    const alone = optional.filter((parameter) => isAlone(parameter, optional))
    await send(optional.filter((parameter) => !alone.includes(parameter)))
    if (alone.length > 0) await send(alone)
  })
}
