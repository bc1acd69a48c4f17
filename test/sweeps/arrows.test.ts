import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const server = path.resolve(import.meta.dirname, '../../server')

/** From left to right: a room imports only from those before it, and from any other its schema. */
const ranks = [
  ['kit', 'product.ts'],
  ['docs', 'events', 'workspaces'],
  ['api-keys', 'contacts', 'agents', 'webhooks'],
  ['overview', 'people'],
  ['imports', 'integrations'],
  ['config.ts'],
  ['api.ts', 'database.ts', 'stop-database.ts', 'worker.ts', 'retention.ts'],
  ['start', 'periodic-tasks.ts'],
  ['main.ts'],
  ['cli'],
]
const rankOf = (room: string): number => ranks.findIndex((rooms) => rooms.includes(room))

interface File {
  name: string
  room: string
  text: string
  imports: string[]
}

const files: File[] = fs.globSync('**/*.ts', { cwd: server }).map((name) => {
  const text = fs.readFileSync(path.join(server, name), 'utf8')
  const imports = [...text.matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].map(([, specifier = '']) =>
    specifier.startsWith('.') ? path.join(path.dirname(name), specifier) : specifier,
  )
  return { name, room: name.split('/')[0] ?? '', text, imports }
})

const offenders = (offends: (file: File) => boolean): string[] => files.filter(offends).map(({ name }) => name)

test('every room has its place', () => {
  assert.deepEqual(
    offenders(({ room }) => rankOf(room) < 0),
    [],
  )
})

test('arrows point to the left', () => {
  const crossing = files.flatMap(({ name, room, imports }) =>
    imports
      .filter((target) => target.endsWith('.ts') && !target.endsWith('/schema.ts') && target.split('/')[0] !== room)
      .filter((target) => rankOf(target.split('/')[0] ?? '') >= rankOf(room))
      .map((target) => `${name} -> ${target}`),
  )
  assert.deepEqual(crossing, [])
})

test('a schema knows the kit, its own room and other schemas', () => {
  const isKnown = (target: string, room: string) =>
    !target.endsWith('.ts') || ['kit', room].includes(target.split('/')[0] ?? '') || target.endsWith('/schema.ts')
  assert.deepEqual(
    offenders(({ name, room, imports }) => name.endsWith('/schema.ts') && !imports.every((one) => isKnown(one, room))),
    [],
  )
})

test('only api.ts knows the routes', () => {
  assert.deepEqual(
    offenders(({ name, imports }) => name !== 'api.ts' && imports.some((target) => target.endsWith('/routes.ts'))),
    [],
  )
})

function only(what: string, pattern: RegExp, allowed: string[]): void {
  test(`only ${allowed.join(' and ')} ${what}`, () => {
    const found = offenders(({ text }) => pattern.test(text))
    assert.deepEqual(
      found.filter((name) => !allowed.includes(name)),
      [],
    )
    assert.ok(found.length > 0, 'the pattern finds what it looks for')
  })
}

only('imports the driver', /from 'pg'/, fs.globSync('kit/postgres/*.ts', { cwd: server }))
only('imports the web framework', /from 'fastify'/, [...fs.globSync('kit/http/**/*.ts', { cwd: server }), 'api.ts'])
only('reads the environment', /process\.env/, ['config.ts'])
only('asks what time it is', /Date\.now\(|new Date\(|performance\.now\(/, ['kit/clock.ts'])
