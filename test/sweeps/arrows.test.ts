import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { filesIn, checkout as root, type SourceFile } from '../support/source-files.ts'

/** Checks what ARCHITECTURE.md says about the structure of the code. */

const kit_files_max = 13

/** From left to right: a file imports only from those to its left, and from its own folder. */
const ranks = [
  ['product.ts'],
  ['kit'],
  ['languages'],
  ['docs', 'workspaces', 'clocks', 'events'],
  ['audit', 'api-keys', 'contacts', 'models', 'tools', 'webhooks'],
  ['documents'],
  ['consent', 'agents'],
  ['talk'],
  ['channels'],
  ['conversations'],
  ['messages'],
  ['drivers'],
  ['calls'],
  ['audio'],
  ['lines'],
  ['campaigns'],
  ['agent-tests', 'analytics', 'imports', 'integrations', 'overview', 'people'],
  ['erasures'],
  ['mcp'],
  ['config.ts', 'due-kinds.ts', 'table-classes.ts'],
  ['retention.ts', 'before-first-release.ts'],
  ['database.ts'],
  ['status.ts', 'metrics.ts'],
  ['service.ts'],
  ['operator-pages.ts', 'worker.ts'],
  ['api.ts'],
  ['start', 'stop-database.ts'],
  ['main.ts'],
  ['cli'],
]
const rankOf = (folder: string): number => ranks.findIndex((folders) => folders.includes(folder))

const server = filesIn('server')
const dashboard = filesIn('dashboard/src')
const chat = filesIn('chat/src')
const voice = filesIn('voice/src')
const client = filesIn('sdk/src')
const bench = filesIn('bench')
const kit = server.filter(({ folder }) => folder === 'kit')
const rooms = fs.globSync('*/store.ts', { cwd: path.join(root, 'server') }).map((name) => path.dirname(name))

const namesOf = (files: SourceFile[], isOffending: (file: SourceFile) => boolean): string[] =>
  files.filter(isOffending).map(({ name }) => name)

const none = (offenders: string[]): void => assert.deepEqual(offenders, [])

test('the server has the expected files', () => {
  assert.ok(server.length > 150 && dashboard.length > 80)
  none(namesOf(server, ({ text, imports }) => imports.length === 0 && /^import .* from /m.test(text)))
})

test('every folder and file of the server has a rank', () => {
  none(namesOf(server, ({ folder }) => rankOf(folder) < 0))
})

test('imports point to the left', () => {
  const crossing = server.flatMap(({ name, folder, imports }) =>
    imports
      .map(({ target }) => target)
      .filter((target) => target.endsWith('.ts') && target.split('/')[0] !== folder)
      .filter((target) => rankOf(target.split('/')[0] ?? '') >= rankOf(folder))
      .map((target) => `${name} -> ${target}`),
  )
  none(crossing)
})

test("another room's routes.ts is never imported, but by api.ts", () => {
  none(
    namesOf(
      server,
      ({ name, folder, imports }) =>
        name !== 'api.ts' &&
        imports.some(({ target }) => target.endsWith('/routes.ts') && target.split('/')[0] !== folder),
    ),
  )
})

/** The folders in them are rooms; outside of the server there is npm's launcher in bin/. */
const corridors = ['kit', 'lines', '..']

test('what lies in a folder of a room is imported by that room only', () => {
  none(
    server.flatMap(({ name, folder, imports }) =>
      imports
        .filter(({ target }) => {
          const [room = '', ...rest] = target.split('/')
          return room !== folder && rest.length > 1 && !corridors.includes(room)
        })
        .map(({ target }) => `${name} -> ${target}`),
    ),
  )
})

test('what an agent does next and whom a campaign calls next are decided without a database', () => {
  const pure = server.filter(({ name }) => /^(talk|campaigns\/plan)\//.test(name))
  assert.ok(pure.length > 15)
  none(
    namesOf(pure, ({ imports }) => imports.some(({ target }) => /^kit\/(at\.ts|postgres\/)|\/store\.ts$/.test(target))),
  )
})

for (const [name, files] of Object.entries({ server, dashboard, chat, voice, client, bench })) {
  test(`no imports of the ${name} form a circle`, () => {
    const targets = new Map(files.map((file) => [file.name, file.imports.map(({ target }) => target)]))
    const circles = files.flatMap(({ name }) => {
      const seen = new Set<string>()
      const queue = [...(targets.get(name) ?? [])]
      for (const target of queue) {
        if (target === name) return name
        if (seen.has(target)) continue
        seen.add(target)
        queue.push(...(targets.get(target) ?? []))
      }
      return []
    })
    none(circles)
  })
}

test(`at most ${kit_files_max} files lie directly in kit/`, () => {
  const direct = namesOf(kit, ({ name }) => name.split('/').length === 2)
  assert.ok(direct.length > 0 && direct.length <= kit_files_max, direct.join(', '))
})

test('the kit knows no noun of the service', () => {
  const nouns = /contact|agent_|agents|phone_number|campaign|conversation|integration|dashboard|parley/i
  none(namesOf(kit, ({ text }) => nouns.test(text)))
})

test("the product's name stands in product.ts only, and where commands import its client", () => {
  const named = namesOf(server, ({ text }) => /Parley|'parley'|`parley:/.test(text))
  assert.deepEqual(named.sort(), ['cli/api-client.ts', 'product.ts'])
})

function only(allowed: string | RegExp, does: string, pattern: RegExp): void {
  test(`only ${allowed instanceof RegExp ? allowed.source : allowed} ${does}`, () => {
    const found = namesOf(server, ({ text }) => pattern.test(text))
    none(found.filter((name) => (allowed instanceof RegExp ? !allowed.test(name) : name !== allowed)))
    assert.ok(found.length > 0, 'the pattern matches what is allowed')
  })
}

only(/^kit\/postgres\//, 'imports the database driver', /from 'pg'/)
only(
  /^kit\/postgres\/citus\//,
  'asks whether Citus shards the database, and names what Citus has',
  /\.isSharded\(|citus[_.]|pg_dist_/,
)
only(/^kit\/http\//, 'imports the web framework', /from 'fastify'/)
// Samples in the documentation say process.env.KEY.
only('config.ts', 'reads the environment', /process\.env(?!\.KEY\b)/)
only(/^(kit\/at|workspaces\/store)\.ts$/, 'asks whether the workspace is a test workspace', /\bat\.is_test\b/)
only('kit/work/threads.ts', 'starts threads, and processes of this program', /new Worker\(|\bfork\(/)
only('kit/clock.ts', 'asks what time it is', /Date\.now\(|new Date\(|performance\.now\(/)
only(/^kit\/(network|outbound\/outbound)\.ts$/, 'parses network addresses', /from 'ipaddr\.js'/)
only(/(^|[/-])rows\.ts$|^kit\/postgres\//, 'writes by a description', /\b(insertInto|updaterOf|renewerOf)[<(]/)
const writesTo = (table: string) => new RegExp(`(into |update |delete from |copy\\('|name: ')${table}\\b(?!\\.)`)
only('calls/rows.ts', 'writes calls', writesTo('calls'))
only('campaigns/rows.ts', 'writes campaigns', writesTo('campaigns'))
only('contacts/rows.ts', 'writes contacts', writesTo('contacts'))
only('conversations/rows.ts', 'writes conversations', writesTo('conversations'))
only('messages/rows.ts', 'writes messages', writesTo('messages'))
only('campaigns/enrollment-rows.ts', 'writes enrollments', writesTo('enrollments'))

/** What a process has one of: the event loop, the sequence of ids, the thread pool, the memory of its machine. */
const of_the_process = [
  'kit/let-others-run.ts',
  'kit/http/body/joining-request.ts',
  'kit/id.ts',
  'people/password.ts',
  'documents/parse/slots.ts',
  'documents/parse/parser.ts',
]
/** Each is the whole of a thread or a process, which does one thing. */
const threads = [
  'audio/offline/hearing-process.ts',
  'audio/offline/recogniser-thread.ts',
  'audio/offline/voice-thread.ts',
  'campaigns/simulate/forecast-thread.ts',
  'documents/parse/reader-process.ts',
  'documents/parse/thread.ts',
  'lines/simulator/render/thread.ts',
]
/** What was computed from its key alone, so that it is the same for all services. */
const computed = [
  'campaigns/plan/windows.ts',
  'consent/countries.ts',
  'consent/spellings.ts',
  'consent/spoken.ts',
  'contacts/zones.ts',
  'kit/clock.ts',
  'kit/postgres/statement-span.ts',
  'kit/time-zone.ts',
  'languages/known-words.ts',
]
/** They hold nothing that changes. */
const constants = ['campaigns/simulate/forecast-run.ts', 'service.ts']

test('no module keeps what belongs to a service', () => {
  const kept = /^(export )?(let |const [^=]+=( await)? (new (Map|Set)(<.*>)?\(\)|open[A-Z]))|^const .*\[\] = \[\]$/m
  const keeping = namesOf(server, ({ text }) => kept.test(text))
  assert.deepEqual(keeping.sort(), [...of_the_process, ...threads, ...computed, ...constants].sort())
})

test('commands use the shell that they are given, and not the process', () => {
  none(
    namesOf(
      server,
      ({ name, folder, text }) =>
        (folder === 'cli' || name === 'main.ts') && name !== 'cli/parley.ts' && /\bprocess\.\w/.test(text),
    ),
  )
})

/** A turn and its message are shown and sent together, so these rooms read each other's tables. */
const readers: Record<string, string[]> = {
  conversations: ['messages'],
  conversation_turns: ['messages'],
  messages: ['conversations'],
}

test('each table is written by one room, and named in the SQL of no other but its readers', () => {
  const migrations = filesIn('migrations', '*.sql').map(({ text }) => text)
  const renamed = new Map(
    migrations.flatMap((text) =>
      Array.from(text.matchAll(/alter table (\w+) rename to (\w+)/g), ([, from = '', to = '']) => [from, to]),
    ),
  )
  const created = migrations.flatMap((text) =>
    Array.from(text.matchAll(/create table (\w+)/g), ([, table = '']) => table),
  )
  const tables = created.map((table) => renamed.get(table) ?? table)
  const named = /\b(delete from|into|update|copy\('|from|join|table)\s*(\w+)\b(?!\s*\.ts)/g
  const uses = server.flatMap(({ folder, text }) =>
    Array.from(sqlOf(text).matchAll(named), ([, word = '', table = '']) => ({ folder, word, table })),
  )
  const by_table = Map.groupBy(uses, ({ table }) => table)
  const writing = ['delete from', 'into', 'update', "copy('"]
  const shared = tables.flatMap((table) => {
    const found = by_table.get(table) ?? []
    const writers = new Set(found.filter(({ word }) => writing.includes(word)).map(({ folder }) => folder))
    const rooms = new Set(found.map(({ folder }) => folder))
    const others = [...rooms].filter((room) => !readers[table]?.includes(room) || writers.has(room))
    return writers.size > 1 || others.length > 1 ? `${table}: ${others.join(', ')}` : []
  })
  none(shared)
})

/** The statements of a file, without comments and imports. */
const sqlOf = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^\s*(\/\/|\/?\*|import |export \{)/.test(line))
    .join('\n')

test('exported verbs of a store take `at` first', () => {
  const stores = server.filter(({ name }) => /^[a-z-]+\/store\.ts$/.test(name))
  assert.deepEqual(stores.length, rooms.length)
  none(
    namesOf(stores, ({ text }) =>
      /export (async function \w+|const \w+ = async )\((?!at\b|\s*at:|\{|\s*\{)/.test(text),
    ),
  )
  none(namesOf(stores, ({ text }) => /\bdb: Db\b/.test(text)))
})

test('a store re-exports nothing', () => {
  none(namesOf(server, ({ name, text }) => name.endsWith('/store.ts') && /export (\*|(type )?\{).*from/.test(text)))
})

test('the dashboard and the web chat import types from the server, and nothing else', () => {
  const crossing = [...dashboard, ...chat].flatMap(({ name, imports }) =>
    imports.filter(({ target }) => target.includes('/server/')).map((one) => ({ name, ...one })),
  )
  assert.ok(crossing.length > 5)
  none(crossing.filter(({ is_type }) => !is_type).map(({ name, target }) => `${name} -> ${target}`))
  none(
    crossing
      .filter(({ target }) => !/server\/((lines\/)?[a-z-]+\/([a-z-]+-)?schema|kit\/postgres\/page)\.ts$/.test(target))
      .map(({ name, target }) => `${name} -> ${target}`),
  )
})

test('the client imports nothing but itself, and of the server only commands import it', () => {
  none(namesOf(client, ({ text }) => /^(import|export|\}) .*from '(?!\.\/[a-z]+\.ts')/m.test(text)))
  const importing = server.filter(({ imports }) => imports.some(({ target }) => target.startsWith('../sdk/')))
  assert.ok(importing.length > 5)
  none(namesOf(importing, ({ folder }) => folder !== 'cli'))
})

test('commands and the dashboard import the face of the client only', () => {
  const targets = [...server, ...dashboard].flatMap(({ imports }) => imports.map(({ target }) => target))
  const imported = new Set(targets.filter((target) => /^(\.\.\/)+sdk\//.test(target)))
  assert.deepEqual([...imported].sort(), ['../../sdk/src/index.ts', '../sdk/src/index.ts'])
})

test('test helpers live in test/support, other processes in test/peers, and those of the fault scenarios beside them', () => {
  const helpers = filesIn('test').filter(({ name }) => !name.endsWith('.test.ts'))
  none(namesOf(helpers, ({ name }) => !/^(support|peers|faults|strangers)\/|^run\.ts$/.test(name)))
})

test('every path that ARCHITECTURE.md and CONTRIBUTING.md name exists', () => {
  const missing = ['ARCHITECTURE.md', 'CONTRIBUTING.md'].flatMap((document) => {
    const text = fs.readFileSync(path.join(root, document), 'utf8')
    const named = Array.from(
      text.matchAll(/`([\w./-]+\/[\w.-]*|[\w-]+\.(?:ts|tsx|mjs|md|sql))`/g),
      ([, name = '']) => name,
    )
    assert.ok(named.length > 5, document)
    const bases = ['', 'server', 'server/kit', 'dashboard', 'dashboard/src']
    return (
      named
        // Neither URL paths nor what is made at run time.
        .filter((name) => !/^(\/|\.cache)/.test(name))
        .filter((name) => !bases.some((base) => fs.existsSync(path.join(root, base, name))))
        .filter((name) => fs.globSync(`server/*/${name}`, { cwd: root }).length === 0)
        .map((name) => `${document}: ${name}`)
    )
  })
  none(missing)
})

test('every link from a document to a file of the repository leads somewhere', () => {
  const documents = ['*.md', 'docs/**/*.md'].flatMap((pattern) => fs.globSync(pattern, { cwd: root }))
  const links = documents.flatMap((document) => {
    const text = fs.readFileSync(path.join(root, document), 'utf8')
    return Array.from(text.matchAll(/\]\((?!https?:|#)([^)#]+)/g), ([, target = '']) => ({ document, target }))
  })
  assert.ok(links.length > 10)
  const broken = links.filter(({ document, target }) => !fs.existsSync(path.join(root, path.dirname(document), target)))
  none(broken.map(({ document, target }) => `${document}: ${target}`))
})
