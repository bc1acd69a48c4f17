import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { readConfig } from '../../server/config.ts'
import { newId } from '../../server/kit/id.ts'
import { baseFolder } from '../../server/kit/postgres/embedded/embedded.ts'
import { product } from '../../server/product.ts'
import { formatGreeting } from '../../server/start/greeting.ts'
import { createDatabase } from '../support/harness.ts'
import { type Command, command, parley, type Running } from '../support/process.ts'

const base = path.join(
  baseFolder(path.resolve(import.meta.dirname, '../..'), product.short_name),
  '.cache',
  `start-${process.pid}`,
)
const DATA_DIR = path.join(base, 'data')
const environment = { PORT: '0', DATA_DIR }
after(() => fs.rmSync(base, { recursive: true, force: true }))

/** Starts processes that the test can kill: a launcher and its server. */
function start(t: TestContext, words = ['serve'], more: Record<string, string> = {}): Running {
  const running = parley(words, { ...environment, ...more })
  t.after(() => running.child.kill('SIGTERM'))
  return running
}

function startInProcess(t: TestContext, more: Record<string, string> = {}): Command {
  const running = command(['serve'], { ...environment, LOG_LEVEL: 'warn', ...more })
  // Also after a failure, because the next test needs DATA_DIR.
  t.after(() => stop(running))
  return running
}

const addressOf = async ({ says }: Running | Command): Promise<string> => (await says(/Base address +(\S+)/))[1] ?? ''

/** Returns the exit status. */
async function stop({ signal, ended }: Command): Promise<number | null> {
  signal('SIGTERM')
  return (await ended).code
}

/** Runs a printed command in a shell that has none of the service's variables. */
async function inShell(line: string) {
  const { PATH = '', HOME = '' } = process.env
  const cwd = path.resolve(import.meta.dirname, '../..')
  return promisify(execFile)('sh', ['-c', line.replace('npx parley', 'node bin/parley.mjs')], {
    cwd,
    env: { PATH, HOME },
  })
}

/** The server is a child of the launcher; PostgreSQL has its own session. */
function serverPid(): number {
  return JSON.parse(fs.readFileSync(path.join(DATA_DIR, 'lock.json'), 'utf8')).pid
}

const postmasterPid = (): number =>
  Number.parseInt(fs.readFileSync(path.join(DATA_DIR, 'postgres/postmaster.pid'), 'utf8'), 10)

const isPostgresRunning = (): boolean => fs.existsSync(path.join(DATA_DIR, 'postgres/postmaster.pid'))

let key = ''
const contacts = async (address: string, body?: object) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(`${address}/contacts`, {
    headers,
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

async function agentNames(address: string): Promise<string[]> {
  const response = await fetch(`${address}/agents`, { headers: { authorization: `Bearer ${key}` } })
  return JSON.parse(await response.text()).data.map(({ name }: { name: string }) => name)
}

test('the printed commands work, and after kill -9 the next start uses the running PostgreSQL', async (t) => {
  const running = start(t)
  await t.test('the first start prints the address, a key and a working curl command', async () => {
    const address = await addressOf(running)
    const [curl = ''] = await running.says(/^ *curl .*\n/m)
    key = /pk_[0-9A-Za-z]{43}/.exec(curl)?.[0] ?? ''
    assert.ok(curl.includes(`${address}/contacts`))
    assert.equal((await contacts(address)).status, 200)
    assert.equal((await contacts(address, { phone_number: '+14155550100' })).status, 201)
    const mode = (name: string) => fs.statSync(path.join(DATA_DIR, name)).mode & 0o777
    assert.equal(mode('secrets-key'), 0o600)
    const [, chat = ''] = await running.says(/^ *(.*npx parley chat Receptionist)\n/m)
    assert.match((await inShell(`echo 'When are you open?' | ${chat}`)).stdout, /Receptionist: We are open/)
    const [, new_key = ''] = await running.says(/To create another one: (.*)\n/)
    const { stdout, stderr } = await inShell(`${new_key} --expires-in 1d`)
    assert.match(stdout, /API key pk_/, stderr)
    assert.deepEqual(await agentNames(address), ['Receptionist'])
  })
  const [, first_setup_token = ''] = await running.says(/\/setup\/(\S+)/)
  const postgres = postmasterPid()
  process.kill(serverPid(), 'SIGKILL')
  running.child.kill('SIGKILL')
  await running.ended

  const next = startInProcess(t)
  const address = await addressOf(next)
  assert.equal((await contacts(address)).body.pagination.total, 1)
  assert.equal(postmasterPid(), postgres)
  await t.test('the next start prints a new set-up link and no key, and keeps the data', async () => {
    const [, link = ''] = await next.says(/Set up +(\S+)/)
    assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/setup\/[\w-]{43}$/)
    const look = (one: string) => fetch(one.replace('/setup/', '/app/setup/'))
    assert.equal((await look(link)).status, 200)
    assert.equal((await look(link.replace(/[^/]*$/, first_setup_token))).status, 404)
    assert.doesNotMatch(next.stdout(), /pk_|chat/)
    assert.deepEqual(await agentNames(address), ['Receptionist'], 'the example is created once')
  })
  await t.test('a second server is refused, and commands work while one runs', async () => {
    const second = await startInProcess(t).ended
    assert.equal(second.code, 1)
    assert.match(second.stderr, new RegExp(`^parley: DATA_DIR ${DATA_DIR} is in use by [^\n]+\n$`))
    const listed = await command(['key', 'list', '--json'], environment).ended
    assert.equal(JSON.parse(listed.stdout).keys.length, 2)
    assert.equal((await contacts(address)).status, 200)
  })
  const address_file = path.join(DATA_DIR, 'address.json')
  await t.test('commands find the running service by its data, at any port', async () => {
    const { stdout, stderr } = await command(['agent', 'list', '--json'], { DATA_DIR }).ended
    assert.equal(JSON.parse(stdout).agents[0].name, 'Receptionist', stderr)
    const elsewhere = await command(['agent', 'list'], { DATA_DIR, PORT: '9' }).ended
    assert.match(elsewhere.stderr, /doesn't answer at http:\/\/127\.0\.0\.1:9 /)
    const written = fs.readFileSync(address_file, 'utf8')
    for (const text of ['{"host":', '{}', '{"host":"127.0.0.1","port":9}']) {
      fs.writeFileSync(address_file, text)
      const { code } = await command(['agent', 'list'], { DATA_DIR }).ended
      assert.equal(code, 1, text)
    }
    fs.writeFileSync(address_file, written)
  })
  assert.equal(await stop(next), 0)
  assert.ok(!fs.existsSync(address_file))
  assert.ok(!isPostgresRunning(), 'PostgreSQL was stopped cleanly')
})

test('the printed commands name the host and the port of the service, and its data', () => {
  const first = { agent_id: newId(), api_key: `pk_${'a'.repeat(43)}` }
  const linesFor = (variables: Record<string, string>, port = 8080) => {
    const config = readConfig(variables)
    const text = formatGreeting({ config, port, address: 'http://address', first, setup_token: undefined })
    return text.split('\n').flatMap((line) => /^ *(.*npx parley (chat|key).*)$/.exec(line)?.[1] ?? [])
  }
  const [, chat] = linesFor({})
  assert.equal(chat, 'npx parley chat Receptionist')
  for (const [variables, port, expected] of [
    [{ PORT: '9000' }, 9000, 'PORT=9000'],
    [{ PORT: '0', HOST: '::1' }, 40123, 'HOST=::1 PORT=40123'],
    [{ HOST: '0.0.0.0', PUBLIC_URL: 'https://parley.example' }, 8080, ''],
    [{ DATA_DIR: "/srv/ada's data" }, 8080, "DATA_DIR='/srv/ada'\\''s data'"],
    [{ DATABASE_URL: 'postgres://ada:secret@db/parley', PORT: '9000' }, 9000, 'DATABASE_URL=... PORT=9000'],
  ] as const) {
    const [key, chat] = linesFor(variables, port)
    assert.equal(chat, `${expected} npx parley chat Receptionist`.trimStart())
    assert.doesNotMatch(key ?? '', /HOST|PORT/)
  }
})

test('a port in use is reported in one line, and the next start still prints the first key', async (t) => {
  const { url: DATABASE_URL } = await createDatabase('start')
  const fresh = { DATABASE_URL, SECRETS_KEY: 'a'.repeat(32) }
  const other = net.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as net.AddressInfo
  const { code, stderr } = await startInProcess(t, { ...fresh, PORT: String(port) }).ended
  other.close()
  assert.equal(code, 1)
  assert.match(stderr, new RegExp(`^parley: HOST [^\n]*${port}[^\n]*\n$`))
  const next = startInProcess(t, fresh)
  await next.says(/API key +pk_/)
  assert.equal(await stop(next), 0)
})

test('with a person there is no set-up link, and renaming the first workspace creates no new one', async (t) => {
  const input = 'correct horse\n'
  const made = await command(['user', 'create', 'ada@example.com'], environment, input).ended
  assert.equal(made.stdout, 'ada@example.com is owner of "Default".\n', made.stderr)
  const running = startInProcess(t)
  const address = await addressOf(running)
  assert.doesNotMatch(running.stdout(), /setup/)
  const origin = address.replace('/api/v1', '')
  const go = (method: string, path: string, body: object, headers = {}) =>
    fetch(`${origin}/app${path}`, {
      method,
      headers: { origin, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const signed_in = await go('POST', '/session', { email: 'ada@example.com', password: 'correct horse' })
  const cookie = signed_in.headers.getSetCookie()[0] ?? ''
  const { data } = JSON.parse(await signed_in.text())
  const headers = { cookie, 'x-workspace': data.workspaces[0].id }
  assert.equal((await go('PATCH', '/api/v1/workspace', { name: 'Acme' }, headers)).status, 200)
  assert.equal((await go('POST', '/workspaces', { name: 'Default' }, headers)).status, 201)
  assert.equal(await stop(running), 0)
  const next = startInProcess(t)
  assert.equal((await contacts(await addressOf(next))).status, 200)
  assert.doesNotMatch(next.stdout(), /pk_/)
  const { stdout } = await command(['workspace', 'list', '--json'], environment).ended
  assert.equal(JSON.parse(stdout).workspaces.length, 2)
  assert.equal(await stop(next), 0)
})

test('SIGTERM finishes requests in flight', async (t) => {
  const running = startInProcess(t)
  const address = await addressOf(running)
  const creating = Array.from({ length: 50 }, (_, index) =>
    contacts(address, { phone_number: `+1415556${1000 + index}` }),
  )
  await creating[0]
  running.signal('SIGTERM')
  const statuses = (await Promise.allSettled(creating)).flatMap((one) =>
    one.status === 'fulfilled' ? one.value.status : [],
  )
  assert.equal((await running.ended).code, 0)
  const next = startInProcess(t)
  const { total } = (await contacts(await addressOf(next))).body.pagination
  assert.equal(total, 1 + statuses.filter((status) => status === 201).length)
  assert.equal(await stop(next), 0)
})

test('with --json the greeting is the only output, BOOTSTRAP_API_KEY is valid, and the server stops with its launcher', async (t) => {
  key = `pk_${'Boot5trap'.repeat(5)}`
  const running = start(t, ['--json', 'serve'], { BOOTSTRAP_API_KEY: key })
  const [greeting] = await running.says(/^.+\n/)
  const { base_url, dashboard_url, docs_url, ...rest } = JSON.parse(greeting)
  assert.equal((await contacts(base_url)).status, 200)
  for (const url of [dashboard_url, docs_url]) assert.equal((await fetch(url)).status, 200)
  assert.deepEqual(rest, { setup_url: null, api_key: null, agent_id: null })
  running.child.kill('SIGKILL')
  await running.ended
  assert.equal(running.stdout(), greeting)
  assert.ok(!isPostgresRunning())
})

test('SIGTERM during the start leaves nothing running', async (t) => {
  const running = start(t)
  while (!isPostgresRunning()) await new Promise((wake) => setTimeout(wake, 5))
  process.kill(serverPid(), 'SIGTERM')
  assert.equal((await running.ended).code, 0)
  assert.ok(!isPostgresRunning())
})

test('PUBLIC_URL is printed, and BOOTSTRAP_API_KEY is not', async (t) => {
  const running = startInProcess(t, { BOOTSTRAP_API_KEY: key, PUBLIC_URL: 'https://parley.example.com/x' })
  await running.says(/Base address +https:\/\/parley\.example\.com\/x\/api\/v1/)
  assert.doesNotMatch(running.stdout() + running.stderr(), /Boot5trap/)
  assert.equal(await stop(running), 0)
})
