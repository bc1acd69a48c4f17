import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { document } from '../../server/api.ts'
import type { Operation } from '../../server/kit/operation.ts'
import type { Answer } from '../harness.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(JSON.parse(JSON.stringify(document)), 'document')

const pointer = (...parts: string[]) =>
  parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** What in the answer is not as the OpenAPI document promises; undocumented statuses and missing headers too. */
export function answerFaults({ path, method }: Operation, answer: Answer): string[] {
  const at = pointer('paths', path.replace(/:(\w+)/g, '{$1}'), method.toLowerCase(), 'responses', String(answer.status))
  const found = ajv.getSchema(`document#${at}`)?.schema
  const response = resolved(found)
  if (!response) return [`the status ${answer.status} is not documented`]
  const faults = Object.keys(response.headers ?? {})
    .filter((name) => !['RateLimit', 'RateLimit-Policy', 'Idempotent-Replayed'].includes(name))
    .filter((name) => name !== 'Retry-After' || [429, 503].includes(answer.status))
    .filter((name) => !answer.headers.has(name))
    .map((name) => `the header ${name} is missing`)
  const schema = response.content?.['application/json']?.schema
  if (!schema) return answer.text === '' ? faults : [...faults, 'a body that is not documented']
  const validate = ajv.compile(rooted(schema))
  if (!validate(answer.body)) faults.push(ajv.errorsText(validate.errors))
  return faults
}

interface Response {
  $ref?: string
  headers?: object
  content?: Record<string, { schema: object }>
}

function resolved(response: unknown): Response | undefined {
  const { $ref } = Object(response)
  return typeof $ref === 'string'
    ? (ajv.getSchema(`document${$ref}`)?.schema as Response | undefined)
    : (response as Response | undefined)
}

/** References of the document lead into it from anywhere. */
const rooted = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components'))
