import type { Described, Parameter } from './document.ts'
import { bases, described } from './document.ts'
import type { Memory } from './memory.ts'
import { between, chance, pick, type Random } from './random.ts'
import { type Spoilt, spoiltBody, spoiltQueryValue, spoiltText } from './spoil.ts'
import { fromPattern, goodValue, typesOf } from './values.ts'

export interface Request {
  kind: 'valid' | 'nearly valid' | 'wild' | 'bytes'
  method: string
  target: string
  /** In Latin-1, as they go over the wire. */
  headers: [string, string][]
  body: Buffer | undefined
  /** Must be refused, by the document. */
  is_refused: boolean
  in_path: Record<string, string>
  /** What else was sent under which name, to be remembered when it succeeds. */
  said: Record<string, unknown>
}

export interface Client {
  random: Random
  memory: Memory
  /** May do everything. */
  key: string
  /** May only read contacts. */
  limited_key: string
}

/** Which values of these go together the document says only in words: mostly they are left out. */
export const in_words = [
  ...['cursor', 'crm_system', 'crm_id', 'after', 'Last-Event-ID'],
  ...['url', 'events', 'inbox_answer'],
]

/** More is created than deleted, so that the others have something to find; but each webhook is told of every change. */
const isOften = ({ method, path }: Described): boolean => method === 'POST' && path !== '/webhooks'
const asked = described.flatMap((operation) => Array<Described>(isOften(operation) ? 3 : 1).fill(operation))

const unknown_id = '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa'

/** A request as the document describes it. */
export function validRequest(client: Client, operation = pick(client.random, asked)): Request {
  const { random, memory, key } = client
  const said: Record<string, unknown> = {}
  const in_path = pathValues(client, operation)
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => percent(in_path[name] ?? ''))
  const query = chosenQuery(client, operation).map(([name, value]) => {
    said[name] = value
    return `${name}=${percent(String(value), random)}`
  })
  const body = operation.body && Object(goodValue(random, 'body', operation.body, memory))
  const headers: [string, string][] = [['Authorization', `Bearer ${key}`]]
  for (const { name } of parametersIn(operation, 'header')) {
    if (chance(random, 0.3)) headers.push([name, headerValue(client, name, in_path.id ?? '')])
  }
  if (body) headers.push(['Content-Type', pick(random, ['application/json', 'application/json; charset=utf-8'])])
  return {
    kind: 'valid',
    method: operation.method,
    target: `${pick(random, bases)}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    headers,
    body: body && Buffer.from(JSON.stringify(body)),
    is_refused: false,
    in_path,
    said: { ...said, body },
  }
}

export const parametersIn = ({ parameters }: Described, place: Parameter['in']): Parameter[] =>
  parameters.filter((parameter) => parameter.in === place)

function pathValues({ random, memory }: Client, operation: Described): Record<string, string> {
  const { path } = operation
  const before = chance(random, 0.4) ? memory.recallPath(random, path) : undefined
  if (before) return before
  const ids = memory.idsAt(path.slice(0, path.indexOf('/{')))
  const values = parametersIn(operation, 'path').map(({ name, schema }): [string, string] => {
    if (schema.format !== 'uuid') return [name, String(goodValue(random, name, schema, memory))]
    return [name, ids.length > 0 && chance(random, 0.95) ? pick(random, ids) : otherId(random, memory)]
  })
  return Object.fromEntries(values)
}

/** An id of anything that was seen, be it of another kind or gone. */
function otherId(random: Random, memory: Memory): string {
  const seen = memory.recall(random, 'id')
  return typeof seen === 'string' ? seen : unknown_id
}

function chosenQuery({ random, memory }: Client, operation: Described): [string, unknown][] {
  const share = pick(random, [0, 0.2, 0.5])
  return parametersIn(operation, 'query')
    .filter(({ name }) => chance(random, in_words.includes(name) ? share / 4 : share))
    .flatMap(({ name, schema }): [string, unknown][] => {
      const value = goodValue(random, name, schema, memory)
      return Array.isArray(value) ? value.map((one) => [name, one]) : [[name, value]]
    })
}

/** What the document says of these headers in words: a key of one's own, or the states that one knows. */
function headerValue({ random, memory }: Client, name: string, id: string): string {
  if (name === 'Idempotency-Key') {
    return chance(random, 0.3) ? `key ${between(random, 1, 20)}` : fromPattern(random, '[!#-~]{1,255}')
  }
  const known = memory.etagOf(id) ?? '"2026-11-15T09:30:00.000Z"'
  return pick(random, [known, known, '*', `W/${known}`, `"other", ${known}`, '"2020-01-01T00:00:00.000Z"', 'junk'])
}

type Spoil = (client: Client, operation: Described, request: Request) => Partial<Request> | undefined

/** One thing in it is not as the document says, or is just at a limit. */
export function nearlyValidRequest(client: Client): Request {
  const operation = pick(client.random, asked)
  const good = validRequest(client, operation)
  const changed = pick(client.random, spoils)(client, operation, good)
  return { ...good, kind: 'nearly valid', ...changed }
}

const inQuery: Spoil = ({ random }, operation, { target }) => {
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
  if (names.length === 0 || chance(random, 0.15)) return { target: withMore(unknown), is_refused: true }
  if (chance(random, 0.15)) return { target: withMore(pick(random, raw_queries)), is_refused: false }
  const { name, schema } = pick(random, parameters)
  const is_list = typesOf(schema).includes('array')
  const { value, is_refused } = spoiltQueryValue(random, schema)
  if (chance(random, 0.2)) return { target: withMore(`${name}=1`, `${name}=2`), is_refused: !is_list }
  const rest = is_list ? others : others.filter((one) => !one.startsWith(`${name}=`))
  return { target: `${path}?${[...rest, `${name}=${percent(value, random)}`].join('&')}`, is_refused }
}

const raw_queries = [
  ...[
    'search=%',
    'search=%zz',
    'search=%c3%28',
    'search=%u0041',
    'search=a%00b',
    'search=%ff%fe',
    'search=+',
    'search',
  ],
  ...['&&&', '=x', '?', 'tag=%', 'search=\xe9', 'search=a;b', 'limit=%35', 'l%69mit=5', 'cursor=WzFd', 'cursor=e30'],
  ...[
    'tag=&tag=',
    'search=%ED%A0%80',
    'search=%C0%80',
    'crm_system=x',
    'crm_id=1',
    'cursor=%00',
    'offset=5&cursor=W10',
  ],
]

const inPath: Spoil = ({ random, memory }, operation, { target, in_path }) => {
  const parameters = parametersIn(operation, 'path')
  if (parameters.length === 0) return undefined
  const { name, schema } = pick(random, parameters)
  const sent = percent(in_path[name] ?? '')
  const id = in_path.id ?? ''
  const spoilt: Spoilt<string> =
    schema.format === 'uuid'
      ? {
          value: pick(random, [id.toUpperCase(), id.slice(1), `{${id}}`, `${id} `, '0', '', '..', '\u0000']),
          is_refused: false,
        }
      : spoiltText(random, schema)
  const raw = [
    percent(spoilt.value),
    percent(spoilt.value),
    percent(otherId(random, memory)),
    everyByte(id),
    '%',
    '%zz',
    '%2F',
    'a'.repeat(501),
  ]
  return { target: target.replace(sent, () => pick(random, raw)), is_refused: false }
}

const inBody: Spoil = ({ random }, { body }, { said }) => {
  if (!body) return { body: Buffer.from(pick(random, ['', '{}', 'not asked for', '{"a":'])) }
  const { value, is_refused } = spoiltBody(random, body, Object(said.body))
  return { body: value, is_refused, said: {} }
}

const inType: Spoil = ({ random }, { body }, { headers }) => {
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
  return { headers: [...others, ...pick(random, [[], [type], twice, packed])], is_refused: body !== undefined }
}

const inHeader: Spoil = ({ random }, operation, { headers }) => {
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
  return { headers: [...others, ...sent], is_refused: true }
}

const inKey: Spoil = ({ random, key, limited_key }, _operation, { headers }) => {
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
  return { headers: [...others, ...(chance(random, 0.2) ? [] : (sent as [string, string][]))], is_refused: true }
}

const spoils: Spoil[] = [inQuery, inQuery, inPath, inBody, inBody, inBody, inType, inHeader, inKey]

/** Percent-encoded; with `random` sometimes also where it need not be. */
export function percent(text: string, random?: Random): string {
  const is_odd = random !== undefined && chance(random, 0.05)
  return [...Buffer.from(text)]
    .map((byte) => (!is_odd && /[\w.~-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : hex(byte)))
    .join('')
}

const everyByte = (text: string): string => [...Buffer.from(text)].map(hex).join('')

const hex = (byte: number): string => `%${byte.toString(16).padStart(2, '0')}`
