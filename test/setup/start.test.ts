import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { readConfig } from '../../server/config.ts'
import { newId } from '../../server/kit/id.ts'
import { baseFolder } from '../../server/kit/postgres/embedded/embedded.ts'
import { product } from '../../server/product.ts'
import { formatGreeting } from '../../server/start/greeting.ts'
import { parley, type Running } from '../support/process.ts'

const base = path.join(
  baseFolder(path.resolve(import.meta.dirname, '../..'), product.short_name),
  '.cache',
  `start-${process.pid}`,
)
const DATA_DIR = path.join(base, 'data')
const environment = { PORT: '0', DATA_DIR }
after(() => fs.rmSync(base, { recursive: true, force: true }))

const start = (more: Record<string, string> = {}) => parley(['serve'], { ...environment, ...more })
const addressOf = async (running: Running): Promise<string> => (await running.says(/Base address +(\S+)/))[1] ?? ''

/** Runs a printed command in a shell that has none of the service's variables. */
async function inShell(line: string) {
  const { PATH = '', HOME = '' } = process.env
  const cwd = path.resolve(import.meta.dirname, '../..')
  return promisify(execFile)('sh', ['-c', line.replace('npx parley', 'node bin/parley.mjs')], {
    cwd,
    env: { PATH, HOME },
  })
}

async function stop(running: Running): Promise<void> {
  running.child.kill('SIGTERM')
  const { code, stderr } = await running.ended
  assert.equal(code, 0, stderr)
}

/** The server is a child of the launcher; PostgreSQL has its own session. */
function serverPid(): number {
  return JSON.parse(fs.readFileSync(path.join(DATA_DIR, 'lock.json'), 'utf8')).pid
}

const postmasterPid = (): number =>
  Number.parseInt(fs.readFileSync(path.join(DATA_DIR, 'postgres/postmaster.pid'), 'utf8'), 10)

/** The server that a test leaves running for the next one, because a start takes seconds. */
let left_running: Running | undefined

function takeRunning(): Running {
  assert.ok(left_running, 'the test before left its server running')
  const running = left_running
  left_running = undefined
  return running
}

let key = ''
let first_setup_token = ''
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

test('the first start prints the address, a key and a working curl command', async () => {
  const running = start()
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
  first_setup_token = (await running.says(/\/setup\/(\S+)/))[1] ?? ''
  await stop(running)
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

test('the next start prints a new set-up link and no key, and keeps the data', async () => {
  const running = start()
  const address = await addressOf(running)
  const [, link = ''] = await running.says(/Set up +(\S+)/)
  assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/setup\/[\w-]{43}$/)
  const look = (one: string) => fetch(one.replace('/setup/', '/app/setup/'))
  assert.equal((await look(link)).status, 200)
  assert.equal((await look(link.replace(/[^/]*$/, first_setup_token))).status, 404)
  assert.doesNotMatch(running.stdout(), /pk_|chat/)
  assert.equal((await contacts(address)).body.pagination.total, 1)
  assert.deepEqual(await agentNames(address), ['Receptionist'], 'the example is created once')

  const second = await start().ended
  assert.equal(second.code, 1)
  assert.match(second.stderr, new RegExp(`^parley: DATA_DIR ${DATA_DIR} is in use by [^\n]+\n$`))

  const listed = await parley(['key', 'list', '--json'], environment).ended
  assert.equal(JSON.parse(listed.stdout).keys.length, 3, 'the command line works while the server runs')
  assert.equal((await contacts(address)).status, 200)
  await stop(running)
})

test('a port in use is reported in one line, and the next start still prints the first key', async () => {
  const other = net.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as net.AddressInfo
  const fresh = { DATA_DIR: path.join(base, 'port in use'), LOG_LEVEL: 'warn' }
  const { code, stderr } = await start({ ...fresh, PORT: String(port) }).ended
  other.close()
  assert.equal(code, 1)
  assert.match(stderr, new RegExp(`^parley: HOST [^\n]*${port}[^\n]*\n$`))
  const next = start(fresh)
  await next.says(/API key +pk_/)
  await stop(next)
})

test('with a person there is no set-up link, and renaming the first workspace creates no new one', async () => {
  const input = 'correct horse\n'
  const made = await parley(['user', 'create', 'ada@example.com'], environment, input).ended
  assert.equal(made.stdout, 'ada@example.com is owner of "Default".\n', made.stderr)
  const running = start()
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
  await stop(running)
  const next = start()
  assert.equal((await contacts(await addressOf(next))).status, 200)
  assert.doesNotMatch(next.stdout(), /pk_/)
  const { stdout } = await parley(['workspace', 'list', '--json'], environment).ended
  assert.equal(JSON.parse(stdout).workspaces.length, 2)
  left_running = next
})

test('after kill -9 of server and launcher the next start uses the running PostgreSQL', async () => {
  const running = takeRunning()
  const postgres = postmasterPid()
  process.kill(serverPid(), 'SIGKILL')
  running.child.kill('SIGKILL')
  await running.ended
  const next = start()
  assert.equal((await contacts(await addressOf(next))).body.pagination.total, 1)
  assert.equal(postmasterPid(), postgres)
  await stop(next)
  assert.ok(!fs.existsSync(path.join(DATA_DIR, 'postgres/postmaster.pid')), 'PostgreSQL was stopped cleanly')
})

test('after kill -9 of all processes the next start has every acknowledged write', async () => {
  const running = start()
  assert.equal((await contacts(await addressOf(running), { phone_number: '+14155550101' })).status, 201)
  for (const pid of [postmasterPid(), serverPid(), running.child.pid ?? 0]) process.kill(pid, 'SIGKILL')
  await running.ended
  const next = start()
  assert.equal((await contacts(await addressOf(next))).body.pagination.total, 2)
  left_running = next
})

test('the server stops when the launcher is killed', async () => {
  const running = takeRunning()
  running.child.kill('SIGKILL')
  await running.ended
  const next = start()
  await addressOf(next)
  left_running = next
})

test('SIGTERM finishes requests in flight', async () => {
  const running = takeRunning()
  const address = await addressOf(running)
  const creating = Array.from({ length: 50 }, (_, index) =>
    contacts(address, { phone_number: `+1415556${1000 + index}` }),
  )
  await creating[0]
  running.child.kill('SIGTERM')
  const statuses = (await Promise.allSettled(creating)).flatMap((one) =>
    one.status === 'fulfilled' ? one.value.status : [],
  )
  assert.equal((await running.ended).code, 0)
  const next = start()
  const { total } = (await contacts(await addressOf(next))).body.pagination
  assert.equal(total, 2 + statuses.filter((status) => status === 201).length)
  await stop(next)
})

test('SIGTERM during the start leaves nothing running', async () => {
  const running = start()
  while (!fs.existsSync(path.join(DATA_DIR, 'postgres/postmaster.pid')))
    await new Promise((wake) => setTimeout(wake, 5))
  process.kill(serverPid(), 'SIGTERM')
  assert.equal((await running.ended).code, 0)
  assert.ok(!fs.existsSync(path.join(DATA_DIR, 'postgres/postmaster.pid')))
})

test('BOOTSTRAP_API_KEY is valid in "Default" from the start and is not printed, also with --json', async () => {
  key = `pk_${'Boot5trap'.repeat(5)}`
  const running = start({ BOOTSTRAP_API_KEY: key, PUBLIC_URL: 'https://parley.example.com/x' })
  await running.says(/Base address +https:\/\/parley\.example\.com\/x\/api\/v1/)
  assert.doesNotMatch(running.stdout() + running.stderr(), /Boot5trap/)
  await stop(running)
  const next = parley(['--json', 'serve'], { ...environment, BOOTSTRAP_API_KEY: key })
  const [greeting] = await next.says(/^.+\n/)
  const { base_url, dashboard_url, docs_url, ...rest } = JSON.parse(greeting)
  assert.equal((await contacts(base_url)).status, 200)
  for (const url of [dashboard_url, docs_url]) assert.equal((await fetch(url)).status, 200)
  assert.deepEqual(rest, { setup_url: null, api_key: null, agent_id: null })
  await stop(next)
  assert.equal(next.stdout(), greeting, 'with --json nothing else is printed')
})
