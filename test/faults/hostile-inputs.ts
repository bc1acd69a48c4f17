import { type DocumentedOperation, documented_operations } from './document.ts'
import { pick, type Random, shuffled } from './random.ts'

/** A request that tries to block the server or exhaust its memory. */
export interface HostileRequest {
  name: string
  method: string
  /** Relative to the API, unless it begins with `/in/`. */
  path: string
  headers: Record<string, string>
  body: () => Iterable<Buffer>
}

const megabyte = 1024 * 1024
/** Just below the limit of a body. */
const json_length = 1_000_000
const form_headers = { 'content-type': 'multipart/form-data; boundary=xx' }
const json_headers = { 'content-type': 'application/json' }
const disposition = (more: string) => `Content-Disposition: form-data; ${more}\r\n\r\n`
const file_head = `--xx\r\n${disposition('name="file"; filename="a.csv"')}`
const unknown_id = '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa'

const upload = (name: string, body: () => Iterable<Buffer>): HostileRequest => ({
  name,
  method: 'POST',
  path: '/contacts/imports',
  headers: form_headers,
  body,
})

const form = (name: string, text: string): HostileRequest => upload(name, () => [Buffer.from(text)])

const csv = (name: string, pieces: () => Iterable<string | Buffer>): HostileRequest =>
  upload(name, function* () {
    yield Buffer.from(file_head)
    for (const piece of pieces()) yield Buffer.from(piece)
    yield Buffer.from('\r\n--xx--\r\n')
  })

function* repeated(piece: string | Buffer, count: number, head = ''): Generator<string | Buffer> {
  yield head
  for (let index = 0; index < count; index += 1) yield piece
}

/** The sizes are those of the long form. The short form sends a share of them. */
export function hostileUploads(share: number): HostileRequest[] {
  const times = (count: number) => Math.max(1, Math.round(count * share))
  const pieces_per_megabyte = 50
  const lines = (line: string) => Buffer.from(line.repeat(Math.floor(megabyte / pieces_per_megabyte / line.length)))
  const mb = (name: string, line: string, megabytes: number, head = 'x\n') =>
    csv(name, () => repeated(lines(line), times(megabytes * pieces_per_megabyte), head))
  const phone = '+14155550100'
  return [
    form('a part without a name', `--xx\r\n${disposition('x=y').slice(0, -4)}\r\n\r\nx\r\n--xx--\r\n`),
    form('a second file that is cut off', `${file_head}phone\n\r\n${file_head}phone\n`),
    form('10,000 parts', `--xx\r\n${disposition('name="other"')}x\r\n`.repeat(10_000)),
    form('a head of 1 MB', `--xx\r\nX: ${'x'.repeat(megabyte)}\r\n${disposition('name="file"')}x\r\n--xx--`),
    form('a preamble of 1 MB of boundaries', `${'\r\n--x'.repeat(megabyte / 5)}${file_head}x\r\n--xx--`),
    form('a NUL in filename*', `--xx\r\n${disposition('name="file"; filename*=UTF-8\'\'%00')}phone\n\r\n--xx--`),
    form('deep options', `--xx\r\n${disposition('name="options"')}${'['.repeat(60_000)}\r\n${file_head}x\r\n--xx--`),
    csv('a file in chunks of one byte', () => repeated('1', times(100_000), 'phone\n')),
    csv('20,000 equal columns', () => ['a,'.repeat(20_000)]),
    csv('120,000 equal columns', () => ['a,'.repeat(120_000), '\n']),
    csv('600 rows of 250,000 commas', () => repeated(`${phone},${','.repeat(250_000)}\n`, times(600), 'phone,name\n')),
    csv('600 rows of 250,000 commas without text', () => repeated(`${','.repeat(250_000)}\n`, times(600), 'phone\n')),
    mb('21 MB of line breaks', '\n', 21),
    mb('21 MB of line breaks with a return', '\r\n', 21),
    mb('21 MB of lines with a space', ' \n', 21),
    mb('21 MB of commas in lines', ',\n', 21),
    mb('21 MB of quotes', '"', 21),
    mb('21 MB of empty quotes in lines', '""\n', 21),
    mb('21 MB of quotes and commas', '",', 21),
    mb('21 MB of doubled quotes in one cell', '""', 21, 'x\n"'),
    mb('a header of 21 MB', 'a', 21, ''),
    mb('8 MB of rows of one letter', 'a\n', 8),
    csv('rows of 125,000 tags', () => repeated(`${phone},"${'a,'.repeat(125_000)}"\n`, times(100), 'phone,tags\n')),
    csv('rows of quoted tags', () => repeated(`${phone},"${'"",'.repeat(80_000)}"\n`, times(100), 'phone,tags\n')),
    csv('rows of 250,000 digits', () => repeated(`${'4'.repeat(250_000)}\n`, times(100), 'phone\n')),
    csv('rows of 250,000 accents', () =>
      repeated(`${phone},e${'\u0301'.repeat(125_000)}\n`, times(100), 'phone,name\n'),
    ),
    csv('an almost valid email', () =>
      repeated(`${phone},${'a.'.repeat(120)}@${'a.'.repeat(120_000)}\n`, times(100), 'phone,email\n'),
    ),
    csv('200 columns of long names', () => [
      `${`${'x'.repeat(1_200)},`.repeat(199)}phone\n${','.repeat(199)}${phone}\n`,
    ]),
    csv('zeros', () => repeated(Buffer.alloc(megabyte), times(5))),
    csv('half of a UTF-16 character', () => repeated(Buffer.from([0xd8, 0x00]), 50_000, '\ufeff')),
    csv('an invalid byte after 10 MB', () => [
      ...repeated(lines('+14155550100,Ada\n'), times(10 * pieces_per_megabyte), 'phone,name\n'),
      Buffer.from([0xff]),
    ]),
  ]
}

const deep = (open: string, close = ''): string => {
  const levels = Math.floor(json_length / (open.length + close.length))
  return open.repeat(levels) + close.repeat(levels)
}

const members = (count: number, name: (index: number) => string): string =>
  `{${Array.from({ length: count }, (_, index) => `${JSON.stringify(name(index))}:1`).join()}}`

/** JSON that is expensive to parse or validate. */
const values: [string, () => string][] = [
  ['deep lists', () => deep('[', ']')],
  ['deep objects', () => `${deep('{"a":')}`],
  ['deep and closed objects', () => `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ['many members', () => members(70_000, (index) => `m${index}`)],
  ['many members with nearly the same name', () => members(60_000, (index) => `first_nam${index}`)],
  ['members that are numbers', () => members(80_000, (index) => String(9_999_999 - index))],
  ['a long text', () => JSON.stringify('x'.repeat(json_length))],
  ['a long text of blanks', () => JSON.stringify(`x${' '.repeat(json_length)}x`)],
  ['a long text of accents', () => JSON.stringify(`e${'\u0301'.repeat(json_length / 2)}`)],
  ['a long name', () => `{${JSON.stringify('x'.repeat(json_length))}:1}`],
  ['many items', () => `[${'"",'.repeat(json_length / 3 - 1)}""]`],
  ['many objects', () => `[${'{},'.repeat(json_length / 3 - 1)}{}]`],
  ['many objects with a member', () => `[${'{"a":""},'.repeat(json_length / 9 - 1)}{}]`],
  ['a long number', () => '9'.repeat(json_length)],
  ['a long fraction', () => `0.${'0'.repeat(json_length)}1`],
]

/** Hostile bodies for every operation with a body, as a whole and in each field, and long queries for all operations. */
export function hostileRequests(random: Random, integration_path: string, count: number): HostileRequest[] {
  const all = [
    ...documented_operations.flatMap((operation) => [...bodiesFor(operation), ...queriesFor(random, operation)]),
    ...values.map(
      ([name, value]): HostileRequest => post(`an integration gets ${name}`, 'POST', integration_path, value),
    ),
    ...values.map(
      ([name, value]): HostileRequest =>
        post(`an integration gets ${name} in a field`, 'POST', integration_path, () => `{"phone":${value()}}`),
    ),
  ]
  return shuffled(random, all).slice(0, count)
}

const post = (name: string, method: string, path: string, text: () => string): HostileRequest => ({
  name,
  method,
  path,
  headers: { ...json_headers, ...(method === 'POST' && { 'idempotency-key': name.slice(0, 200) }) },
  body: () => [Buffer.from(text())],
})

const addressOf = ({ path }: DocumentedOperation): string => path.replace(/\{\w+\}/g, unknown_id)

function bodiesFor(operation: DocumentedOperation): HostileRequest[] {
  const { id, method, body } = operation
  if (!body) return []
  const fields = Object.entries(body.properties ?? {}).filter(([, { readOnly }]) => !readOnly)
  return values.flatMap(([name, value]) => [
    post(`${id} gets ${name}`, method, addressOf(operation), value),
    ...fields.map(([field]) =>
      post(`${id} gets ${name} as ${field}`, method, addressOf(operation), () => `{"${field}":${value()}}`),
    ),
  ])
}

function queriesFor(random: Random, operation: DocumentedOperation): HostileRequest[] {
  const names = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  const query = (name: string, text: string): HostileRequest => ({
    name: `${operation.id} gets ${name}`,
    method: operation.method,
    path: `${addressOf(operation)}?${text}`,
    headers: {},
    body: () => [],
  })
  const some = pick(random, [...names, 'nonsense'])
  return [
    query(
      `${some} 2,000 times`,
      Array.from({ length: 2_000 }, (_, index) => `${some}=${index}`)
        .join('&')
        .slice(0, 14_000),
    ),
    query(`a long ${some}`, `${some}=${'a'.repeat(14_000)}`),
    query(
      'many parameters',
      Array.from({ length: 2_000 }, (_, index) => `p${index}`)
        .join('&')
        .slice(0, 14_000),
    ),
    query('only ampersands', '&'.repeat(14_000)),
    ...(names.includes('search') ? [query('a search of wildcards', `search=${'%25_'.repeat(49)}`)] : []),
    ...(names.includes('tag')
      ? [query('many tags', Array.from({ length: 1_500 }, (_, index) => `tag=${index}`).join('&'))]
      : []),
  ]
}
