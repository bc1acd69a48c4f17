import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { document } from '../../server/api.ts'
import type { Answer } from './harness.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(JSON.parse(JSON.stringify(document)), 'document')

const pointer = (...parts: string[]) =>
  parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

type Check = (answer: Answer) => string[]

const checks = new Map<string, Check>()

/** Lists what differs from the OpenAPI document, including undocumented statuses and missing headers. */
export function answerFaults({ path, method }: { path: string; method: string }, answer: Answer): string[] {
  const at = pointer('paths', path.replace(/:(\w+)/g, '{$1}'), method.toLowerCase(), 'responses', String(answer.status))
  const check = checks.get(at) ?? compileCheck(resolveReference<Response>(ajv.getSchema(`document#${at}`)?.schema))
  checks.set(at, check)
  return check(answer)
}

/** Called once per operation and status. */
function compileCheck(response: Response | undefined): Check {
  if (!response) return ({ status }) => [`the status ${status} is not documented`]
  const { schema, examples } = response.content?.['application/json'] ?? {}
  const validate = schema && compileOnce(schema)
  const type = Object.keys(response.content ?? {}).find((name) => name !== 'application/json')
  const codes = examples && Object.keys(examples)
  const names = Object.keys(response.headers ?? {}).filter(
    (name) => !['RateLimit', 'RateLimit-Policy', 'Idempotent-Replayed'].includes(name),
  )
  return ({ status, headers, text, body }) => {
    const faults = names
      .filter((name) => name !== 'Retry-After' || [429, 503].includes(status))
      .filter((name) => !headers.has(name))
      .map((name) => `the header ${name} is missing`)
    if (!headers.get('content-security-policy')?.startsWith("default-src 'none'"))
      faults.push('the Content-Security-Policy is missing')
    const is_json = headers.get('content-type')?.startsWith('application/json')
    if (type && !(is_json && validate))
      return headers.get('content-type')?.startsWith(type) ? faults : [...faults, `it is not ${type}`]
    if (!validate) return text === '' ? faults : [...faults, 'the body is not documented']
    const { code } = Object(body?.error)
    if (!validate(body)) faults.push(ajv.errorsText(validate.errors))
    else if (codes && !codes.includes(code)) faults.push(`the code ${code} is not documented`)
    return faults
  }
}

/** Lists what differs from the document in an error response that belongs to no operation. */
export const errorFaults: Check = ({ body }) => schemaFaults('ErrorResponse', body)

/** Lists what differs from a schema of the document, by the schema's name. */
export function schemaFaults(name: string, value: unknown): string[] {
  const validate = compileOnce({ $ref: `#/components/schemas/${name}` })
  return validate(value) ? [] : [ajv.errorsText(validate.errors)]
}

interface Response {
  headers?: object
  content?: Record<string, { schema: object; examples?: object }>
}

/** Resolves a reference: what the document says once for several operations is a reference in each. */
export function resolveReference<Described>(described: unknown): Described | undefined {
  const { $ref } = Object(described)
  if (typeof $ref !== 'string') return described as Described | undefined
  const found: unknown = $ref
    .split('/')
    .slice(1)
    .reduce((whole, name) => Object(whole)[name], document)
  return found as Described | undefined
}

const validators = new Map<string, ValidateFunction>()

/**
 * Compiles a schema once, because operations share most of theirs. Makes references absolute, so that they resolve
 * outside the document.
 */
function compileOnce(schema: object): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/components', '"document#/components')
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text))
  validators.set(text, validate)
  return validate
}
