import { product } from '../product.ts'
import type { OperationObject } from './document.ts'
import { toJavaScript, toPython } from './literals.ts'

export interface Sample {
  /** The language, as in a fence of Markdown. */
  language: 'bash' | 'js' | 'python'
  text: string
}

/** An operation with examples for its parameters and its body. */
interface ExampleRequest {
  operation: OperationObject
  method: string
  url: string
  path_values: string[]
  query: Record<string, unknown>
  content_type: string | undefined
  body: unknown
  has_key: boolean
  answer: 'stream' | 'file' | 'list' | 'resource'
  /** The name of the file in which an answer is saved. */
  file_name: string
}

const extensions: Record<string, string> = { 'text/csv': 'csv', 'audio/wav': 'wav' }
const form_type = 'multipart/form-data'

/** Writes the same request in each language. `KEY` in the environment is an API key, and the page can fill it in. */
export function samplesOf(origin: string, base_path: string, operation: OperationObject): Sample[] {
  const request = exampleRequest(origin, base_path, operation)
  return [
    { language: 'bash', text: curlCommand(request) },
    { language: 'js', text: request.has_key ? clientProgram(request, origin) : fetchProgram(request) },
    { language: 'python', text: pythonProgram(request) },
  ]
}

function exampleRequest(origin: string, base_path: string, operation: OperationObject): ExampleRequest {
  const { method, path, parameters = [], requestBody, responses, security } = operation
  const exampleOf = (name: string): unknown => {
    const { example, schema } = parameters.find((one) => one.name === name) ?? {}
    return example ?? schema?.examples?.[0] ?? schema?.default ?? name
  }
  const names = Array.from(path.matchAll(/\{(.+?)\}/g), ([, name = '']) => name)
  const required = parameters.filter((one) => one.in === 'query' && one.required)
  const query = Object.fromEntries(required.map(({ name }) => [name, exampleOf(name)]))
  const contents = Object.entries(requestBody?.content ?? {}).filter(([, { example }]) => example !== undefined)
  const [content_type, media] = contents.find(([type]) => type === form_type) ?? contents[0] ?? []
  const [answer_type = '', answered] =
    Object.entries(Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {})[0] ?? []
  const is_file = answer_type !== 'application/json' && answer_type !== 'text/event-stream'
  return {
    operation,
    method,
    url:
      origin + base_path + path.replace(/\{(.+?)\}/g, (_, name: string) => encodeURIComponent(String(exampleOf(name)))),
    path_values: names.map((name) => String(exampleOf(name))),
    query,
    content_type,
    body: media?.example,
    has_key: security?.length !== 0,
    answer: is_file
      ? 'file'
      : answer_type === 'text/event-stream'
        ? 'stream'
        : answered?.schema.properties?.pagination
          ? 'list'
          : 'resource',
    file_name: `${operation.tags[0]}.${extensions[answer_type] ?? 'txt'}`,
  }
}

function curlCommand(request: ExampleRequest): string {
  const { method, content_type, answer } = request
  const flags = `${answer === 'stream' ? ' -N' : ''}${method === 'GET' ? '' : ` -X ${method}`}`
  return [
    `curl${flags} ${quoteForShell(request.url + queryOf(request))}`,
    ...(request.has_key ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...(content_type === form_type ? formFlags(request.body) : []),
    ...(content_type !== undefined && content_type !== form_type
      ? [`-H 'Content-Type: ${content_type}'`, `-d ${quoteForShell(JSON.stringify(request.body, null, 2))}`]
      : []),
    ...(answer === 'file' ? [`-o ${request.file_name}`] : []),
  ].join(' \\\n  ')
}

const formFlags = (body: unknown): string[] => [
  '-F file=@contacts.csv',
  `-F ${quoteForShell(`options=${JSON.stringify(Object(body).options ?? {})};type=application/json`)}`,
]

const queryOf = ({ query }: ExampleRequest): string => {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

const quoteForShell = (word: string): string =>
  /^[\w.:/-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

/** Writes a program that uses the client, whose methods are named after the operations. */
function clientProgram(request: ExampleRequest, origin: string): string {
  const { operation, answer, content_type, body, query, path_values } = request
  const [tag = ''] = operation.tags
  const method = `${product.short_name}.${toCamel(tag)}.${toCamel(operation.operationId.slice(tag.length + 1))}`
  const is_form = content_type === form_type
  const sent = is_form
    ? [`{\n  file: await openAsBlob('contacts.csv'),\n  options: ${toJavaScript(Object(body).options ?? {}, '  ')},\n}`]
    : content_type === undefined
      ? Object.keys(query).length > 0
        ? [toJavaScript(query)]
        : []
      : [toJavaScript(body)]
  const call = `${method}(${[...path_values.map((value) => toJavaScript(value)), ...sent].join(', ')})`
  return [
    ...(is_form ? ["import { openAsBlob } from 'node:fs'"] : []),
    ...(answer === 'file' ? ["import { writeFile } from 'node:fs/promises'"] : []),
    `import { ${product.name} } from '@${product.short_name}/client'`,
    '',
    `const ${product.short_name} = new ${product.name}({ apiKey: process.env.KEY, baseUrl: '${origin}' })`,
    ...{
      stream: [`for await (const { type, data } of ${call}) console.log(type, data)`],
      list: [`for await (const one of ${call}) console.log(one)`],
      file: [`const response = await ${call}`, `await writeFile('${request.file_name}', response.body)`],
      resource: [`console.log(await ${call})`],
    }[answer],
  ].join('\n')
}

const toCamel = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Writes a program without the client, because requests without a key come from others, who don't have it. */
function fetchProgram(request: ExampleRequest): string {
  const { method, url, content_type, body } = request
  const given =
    content_type === undefined
      ? `{ method: '${method}' }`
      : `{\n  method: '${method}',\n  headers: { 'Content-Type': '${content_type}' },\n  body: JSON.stringify(${toJavaScript(body, '  ')}),\n}`
  return `const response = await fetch('${url}', ${given})\nconsole.log(await response.json())`
}

function pythonProgram(request: ExampleRequest): string {
  const { method, answer, content_type, body } = request
  const is_form = content_type === form_type
  const options = JSON.stringify(Object(body).options ?? {})
  const given = [
    toPython(request.url + queryOf(request)),
    ...(request.has_key ? ['headers=headers'] : []),
    ...(is_form
      ? [`files={"file": open("contacts.csv", "rb"), "options": (None, '${options}', "application/json")}`]
      : []),
    ...(content_type !== undefined && !is_form ? [`json=${toPython(body)}`] : []),
    ...(answer === 'stream' ? ['stream=True'] : []),
  ]
  return [
    ...(request.has_key ? ['import os', ''] : []),
    'import requests',
    '',
    ...(request.has_key ? ['headers = {"Authorization": "Bearer " + os.environ["KEY"]}'] : []),
    `response = requests.${method.toLowerCase()}(${given.join(', ')})`,
    'response.raise_for_status()',
    ...{
      stream: ['for line in response.iter_lines():', '  print(line.decode())'],
      list: ['for one in response.json()["data"]:', '  print(one)'],
      file: [`open("${request.file_name}", "wb").write(response.content)`],
      resource: ['print(response.json()["data"])'],
    }[answer],
  ].join('\n')
}
