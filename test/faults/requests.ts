import type { DocumentedOperation, Parameter } from './document.ts'
import { base_paths, documented_operations } from './document.ts'
import type { Memory } from './memory.ts'
import { type Mutated, mutateBody, mutateQueryValue, mutateText } from './mutate.ts'
import { between, chance, pick, type Random } from './random.ts'
import { described_in_words, fromPattern, typesOf, validValue } from './values.ts'

export interface FuzzRequest {
  kind: 'valid' | 'nearly valid' | 'random' | 'bytes'
  method: string
  target: string
  /** Sent as Latin-1. */
  headers: [string, string][]
  body: Buffer | undefined
  /** According to the document. */
  must_be_rejected: boolean
  in_path: Record<string, string>
  /** Other values by name, to be remembered if the request succeeds. */
  sent_values: Record<string, unknown>
}

export interface FuzzClient {
  random: Random
  memory: Memory
  /** Has all scopes that the test allows. */
  key: string
  /** Has only `contacts:read`. */
  limited_key: string
}

/** Creates are frequent, so that resources exist. Webhooks are not: each of them gets every event. */
const isFrequent = ({ method, path }: DocumentedOperation): boolean => method === 'POST' && path !== '/webhooks'
const weighted_operations = documented_operations.flatMap((operation) =>
  Array<DocumentedOperation>(isFrequent(operation) ? 3 : 1).fill(operation),
)

const unknown_id = '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa'

/** Generates a valid request. */
export function validRequest(client: FuzzClient, operation = pick(client.random, weighted_operations)): FuzzRequest {
  const { random, memory, key } = client
  const sent_values: Record<string, unknown> = {}
  const in_path = pathValues(client, operation)
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => percent(in_path[name] ?? ''))
  const query = chosenQuery(client, operation).map(([name, value]) => {
    sent_values[name] = value
    return `${name}=${percent(String(value), random)}`
  })
  const body = operation.body && Object(validValue(random, 'body', operation.body, memory))
  const headers: [string, string][] = [['Authorization', `Bearer ${key}`]]
  for (const { name } of parametersIn(operation, 'header')) {
    if (chance(random, 0.3)) headers.push([name, headerValue(client, name, in_path.id ?? '')])
  }
  if (body) headers.push(['Content-Type', pick(random, ['application/json', 'application/json; charset=utf-8'])])
  return {
    kind: 'valid',
    method: operation.method,
    target: `${pick(random, base_paths)}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    headers,
    body: body && Buffer.from(JSON.stringify(body)),
    must_be_rejected: false,
    in_path,
    sent_values: { ...sent_values, body },
  }
}

const parametersIn = ({ parameters }: DocumentedOperation, place: Parameter['in']): Parameter[] =>
  parameters.filter((parameter) => parameter.in === place)

function pathValues({ random, memory }: FuzzClient, operation: DocumentedOperation): Record<string, string> {
  const { path } = operation
  const before = chance(random, 0.4) ? memory.recallPath(random, path) : undefined
  if (before) return before
  const ids = memory.idsAt(path.slice(0, path.indexOf('/{')))
  const values = parametersIn(operation, 'path').map(({ name, schema }): [string, string] => {
    if (name !== 'id' && schema.format !== 'uuid') return [name, String(validValue(random, name, schema, memory))]
    return [name, ids.length > 0 && chance(random, 0.95) ? pick(random, ids) : otherId(random, memory)]
  })
  return Object.fromEntries(values)
}

/** An id of any resource that was seen, also of another kind or deleted. */
function otherId(random: Random, memory: Memory): string {
  const seen = memory.recall(random, 'id')
  return typeof seen === 'string' ? seen : unknown_id
}

function chosenQuery({ random, memory }: FuzzClient, operation: DocumentedOperation): [string, unknown][] {
  const share = pick(random, [0, 0.2, 0.5])
  return parametersIn(operation, 'query')
    .filter(({ name }) => chance(random, described_in_words.includes(name) ? share / 4 : share))
    .flatMap(({ name, schema }): [string, unknown][] => {
      const value = validValue(random, name, schema, memory)
      return Array.isArray(value) ? value.map((one) => [name, one]) : [[name, value]]
    })
}

/** Idempotency keys and ETags. The document describes these headers only in words. */
function headerValue({ random, memory }: FuzzClient, name: string, id: string): string {
  if (name === 'Idempotency-Key') {
    return chance(random, 0.3) ? `key ${between(random, 1, 20)}` : fromPattern(random, '[!#-~]{1,255}')
  }
  const known = memory.etagOf(id) ?? '"2026-11-15T09:30:00.000Z"'
  return pick(random, [known, known, '*', `W/${known}`, `"other", ${known}`, '"2020-01-01T00:00:00.000Z"', 'junk'])
}

type Mutation = (
  client: FuzzClient,
  operation: DocumentedOperation,
  request: FuzzRequest,
) => Partial<FuzzRequest> | undefined

/** Generates a valid request with one mutation, which is invalid or at a limit. */
export function nearlyValidRequest(client: FuzzClient): FuzzRequest {
  const operation = pick(client.random, weighted_operations)
  const good = validRequest(client, operation)
  const changed = pick(client.random, mutations)(client, operation, good)
  return { ...good, kind: 'nearly valid', ...changed }
}

const inQuery: Mutation = ({ random }, operation, { target }) => {
  const parameters = parametersIn(operation, 'query')
  const names = parameters.map(({ name }) => name)
  const [path = '', before = ''] = target.split('?')
  const others = before.split('&').filter((one) => one !== '')
  const withMore = (...more: string[]) => `${path}?${[...others, ...more].join('&')}`
  const unknown = pick(random, [
    'nonsense=1',
    '__proto__=1',
    'limt=5',
    'constructor=x',
    `${'x'.repeat(3000)}=`,
    'tag[]=x',
  ])
  if (names.length === 0 || chance(random, 0.15)) return { target: withMore(unknown), must_be_rejected: true }
  if (chance(random, 0.15)) return { target: withMore(pick(random, raw_queries)), must_be_rejected: false }
  const { name, schema } = pick(random, parameters)
  const is_list = typesOf(schema).includes('array')
  const { value, must_be_rejected } = mutateQueryValue(random, schema)
  if (chance(random, 0.2)) return { target: withMore(`${name}=1`, `${name}=2`), must_be_rejected: !is_list }
  const rest = is_list ? others : others.filter((one) => !one.startsWith(`${name}=`))
  return { target: `${path}?${[...rest, `${name}=${percent(value, random)}`].join('&')}`, must_be_rejected }
}

const raw_queries = [
  'search=%',
  'search=%zz',
  'search=%c3%28',
  'search=%u0041',
  'search=a%00b',
  'search=%ff%fe',
  'search=+',
  'search',
  '&&&',
  '=x',
  '?',
  'tag=%',
  'search=\xe9',
  'search=a;b',
  'limit=%35',
  'l%69mit=5',
  'cursor=WzFd',
  'cursor=e30',
  'tag=&tag=',
  'search=%ED%A0%80',
  'search=%C0%80',
  'crm_system=x',
  'crm_id=1',
  'cursor=%00',
  'offset=5&cursor=W10',
]

const inPath: Mutation = ({ random, memory }, operation, { target, in_path }) => {
  const parameters = parametersIn(operation, 'path')
  if (parameters.length === 0) return undefined
  const { name, schema } = pick(random, parameters)
  const sent = percent(in_path[name] ?? '')
  const id = in_path.id ?? ''
  const mutated: Mutated<string> =
    schema.format === 'uuid'
      ? {
          value: pick(random, [id.toUpperCase(), id.slice(1), `{${id}}`, `${id} `, '0', '', '..', '\u0000']),
          must_be_rejected: false,
        }
      : mutateText(random, schema)
  const raw = [
    percent(mutated.value),
    percent(mutated.value),
    percent(otherId(random, memory)),
    everyByte(id),
    '%',
    '%zz',
    '%2F',
    'a'.repeat(501),
  ]
  return { target: target.replace(sent, () => pick(random, raw)), must_be_rejected: false }
}

const inBody: Mutation = ({ random }, { body }, { sent_values }) => {
  if (!body) return { body: Buffer.from(pick(random, ['', '{}', 'not asked for', '{"a":'])) }
  const { value, must_be_rejected } = mutateBody(random, body, Object(sent_values.body))
  return { body: value, must_be_rejected, sent_values: {} }
}

const inType: Mutation = ({ random }, { body }, { headers }) => {
  const others = headers.filter(([name]) => name !== 'Content-Type')
  const types = [
    'text/plain',
    'application/xml',
    'application/json; charset=latin1',
    'multipart/form-data',
    'application',
    '',
  ]
  const type: [string, string] = ['Content-Type', pick(random, types)]
  const twice: [string, string][] = [['Content-Type', 'application/json'], type]
  const packed: [string, string][] = [
    ['Content-Type', 'application/json'],
    ['Content-Encoding', 'gzip'],
  ]
  return { headers: [...others, ...pick(random, [[], [type], twice, packed])], must_be_rejected: body !== undefined }
}

const inHeader: Mutation = ({ random }, operation, { headers }) => {
  const parameters = parametersIn(operation, 'header')
  if (parameters.length === 0) return undefined
  const { name } = pick(random, parameters)
  const others = headers.filter(([other]) => other !== name)
  if (name !== 'Idempotency-Key') {
    const values = ['', '"', ',,,', '"\xe9"', 'W/', '*, *', '"a" "b"', 'x'.repeat(3000), '"2026-11-15T09:30:00.000Z']
    return {
      headers: [
        ...others,
        [name, pick(random, values)],
        ...(chance(random, 0.2) ? [[name, '*'] as [string, string]] : []),
      ],
    }
  }
  const values = ['', ' ', '""', 'x'.repeat(256), `"${'x'.repeat(256)}"`, 'caf\xe9', 'a\tb', '\x80\xff']
  const sent: [string, string][] = chance(random, 0.2)
    ? [
        [name, 'a'],
        [name, 'b'],
      ]
    : [[name, pick(random, values)]]
  return { headers: [...others, ...sent], must_be_rejected: true }
}

const inKey: Mutation = ({ random, key, limited_key }, _operation, { headers }) => {
  const others = headers.filter(([name]) => name !== 'Authorization')
  if (chance(random, 0.3)) return { headers: [...others, ['Authorization', `bearer  ${limited_key}`]] }
  const values = [
    '',
    'Bearer',
    `Basic ${key}`,
    key,
    `Bearer ${key}x`,
    `Bearer ${key} x`,
    'Bearer \xe9',
    `Bearer ${'x'.repeat(5000)}`,
  ]
  const sent = [
    ['Authorization', pick(random, values)],
    ...(chance(random, 0.2) ? [['Authorization', `Bearer ${key}`]] : []),
  ]
  return { headers: [...others, ...(chance(random, 0.2) ? [] : (sent as [string, string][]))], must_be_rejected: true }
}

const mutations: Mutation[] = [inQuery, inQuery, inPath, inBody, inBody, inBody, inType, inHeader, inKey]

/** Percent-encodes a text. With `random` it sometimes encodes every character. */
function percent(text: string, random?: Random): string {
  const is_odd = random !== undefined && chance(random, 0.05)
  return [...Buffer.from(text)]
    .map((byte) => (!is_odd && /[\w.~-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : hex(byte)))
    .join('')
}

const everyByte = (text: string): string => [...Buffer.from(text)].map(hex).join('')

const hex = (byte: number): string => `%${byte.toString(16).padStart(2, '0')}`
