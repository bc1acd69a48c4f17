import { STATUS_CODES } from 'node:http'
import type { MediaTypeObject, OperationObject, ResponseObject } from './document.ts'
import { fieldTable, responseTable } from './field-table.ts'
import { listFields } from './fields.ts'
import { samplesOf } from './samples.ts'

export interface Area {
  name: string
  description: string
  operations: OperationObject[]
}

const parameter_headings = { path: 'Path parameters', query: 'Query parameters', header: 'Request headers' }

export const areaTitle = (name: string): string =>
  name === 'api_keys' ? 'API keys' : name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')

/** Returns the address of an operation on its host. */
export const addressOf = ({ path, servers }: OperationObject, base_path: string): string =>
  (servers?.[0]?.url.replace(/\/$/, '') ?? base_path) + path

/** Writes the page of an area: each operation with samples, parameters, fields and responses. */
export const areaPage = (origin: string, base_path: string, { name, description, operations }: Area): string =>
  [
    `# ${areaTitle(name)}`,
    description,
    ...operations.map((operation) => describeOperation(origin, base_path, operation)),
  ].join('\n\n')

function describeOperation(origin: string, base_path: string, operation: OperationObject): string {
  const { method, summary, description, requestBody, responses } = operation
  const address = addressOf(operation, base_path)
  const own_base_path = address.slice(0, -operation.path.length)
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const others = Object.entries(responses).filter(([status]) => !status.startsWith('2'))
  return [
    `## ${oneLine(summary)}`,
    `**${method}** \`${address}\``,
    description,
    ...samplesOf(origin, own_base_path, operation).map(({ language, text }) => fence(language, text)),
    ...parameterTables(operation),
    ...Object.entries(requestBody?.content ?? {}).map(([type, media]) => describeBody(type, media)),
    ...successes.map(([status, response]) => describeResponse(status, response)),
    '### Other responses',
    others.map(([status, other]) => `- **${status}** ${oneLine(other.description)}`).join('\n'),
  ].join('\n\n')
}

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ')

const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

export const exampleFence = (example: unknown): string =>
  typeof example === 'string' ? fence('', example) : fence('json', JSON.stringify(example ?? null, null, 2))

function parameterTables({ parameters = [] }: OperationObject): string[] {
  const by_place = Map.groupBy(parameters, (parameter) => parameter.in)
  return [...by_place].map(([place, some]) => {
    const rows = some.map(({ name, required, description = '', schema }) => {
      const note = place === 'query' && schema.type === 'array' ? ' Repeat the parameter to pass several values.' : ''
      return { name, mark: required ? 'required' : '', schema: { ...schema, description: description + note } }
    })
    return `### ${parameter_headings[place]}\n\n${fieldTable(rows)}`
  })
}

function describeBody(type: string, { schema }: MediaTypeObject): string {
  const fields = listFields(schema)
  const rows = fields
    .filter((field) => field.schema.readOnly !== true)
    .map((field) => ({ ...field, mark: field.is_required ? 'required' : '' }))
  const ignored = fields.filter((field) => field.schema.readOnly === true).map(({ name }) => `\`${name}\``)
  return [
    `### Body (${type})`,
    rows.length > 0 ? fieldTable(rows) : 'Any value.',
    ...(ignored.length > 0 ? [`Ignored, because the server sets them: ${ignored.join(', ')}.`] : []),
    ...(schema.additionalProperties === false ? ['Other fields are rejected.'] : []),
  ].join('\n\n')
}

function describeResponse(status: string, { headers = {}, content = {} }: ResponseObject): string {
  const names = Object.keys(headers).map((name) => `[\`${name}\`](/docs/headers#code/${name})`)
  const bodies = Object.entries(content).flatMap(([type, { schema, example }]) => [
    ...(example === undefined ? [] : [`Example (\`${type}\`):`, exampleFence(example)]),
    ...(listFields(schema).length > 0 ? ['### Fields', responseTable(schema)] : []),
  ])
  return [
    `### Response ${status} ${STATUS_CODES[status] ?? ''}`,
    ...(names.length > 0 ? [`Headers: ${names.join(', ')}.`] : []),
    ...bodies,
  ].join('\n\n')
}
