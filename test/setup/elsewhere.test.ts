import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { Parley } from '../../sdk/src/index.ts'
import { runCommand } from '../../server/cli/parley.ts'
import { waitUntil } from '../faults/client.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { command } from '../support/process.ts'
import { receiver } from '../support/receivers.ts'
import { newAgent, newContact } from '../support/samples.ts'

const server = await serve()
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'parley-'))
after(() => fs.rmSync(folder, { recursive: true }))

let homes = 0

/** A user on another machine: no database, and a configuration folder of their own. */
function newHome(): string {
  homes += 1
  return path.join(folder, `home-${homes}`)
}

const keyOf = ({ key }: Tenant) => ({ PARLEY_URL: server.url, PARLEY_API_KEY: key })

async function newUser() {
  const tenant = await server.workspace()
  const environment = { HOME: newHome(), ...keyOf(tenant) }
  const start = (words: string[], input = '') => command(words, environment, input)
  const run = (...words: string[]) => start(words).ended
  return { tenant, environment, start, run }
}

const nameOf = async ({ call }: Tenant): Promise<string> => (await call('GET', '/workspace')).body.data.name

const errorOf = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error

test('a login keeps the key in a file that only the user can read, and a logout forgets it', async () => {
  const [one, two] = [await server.workspace(), await server.workspace()]
  const HOME = newHome()
  const run = (words: string[], input = '') => command(words, { HOME }, input).ended
  const first = await run(['login', `${server.url}/api/v1/`], `${one.key}\n`)
  assert.equal(first.code, 0, first.stderr)
  assert.ok(!`${first.stdout}${first.stderr}`.includes(one.key))
  const file = path.join(HOME, '.config/parley/logins.json')
  assert.equal(fs.statSync(file).mode & 0o777, 0o600)
  assert.equal((await run(['login', server.url, '--key', two.key])).code, 0)

  const agent = (await one.call('POST', '/agents', newAgent({ name: 'First' }))).body.data
  assert.deepEqual(JSON.parse((await run(['agent', 'list', '--json'])).stdout).agents, [], 'the last login is used')
  const named = await run(['agent', 'list', '--json', '--workspace', await nameOf(one)])
  assert.equal(JSON.parse(named.stdout).agents[0].id, agent.id)
  assert.equal(named.stderr, `Using the workspace "${await nameOf(one)}" at ${server.url}\n`)
  assert.match((await run(['agent', 'list', '--workspace', 'Nowhere'])).stderr, /there is no login for the workspace/)

  assert.equal((await run(['logout'])).code, 0)
  assert.equal(JSON.parse((await run(['agent', 'list', '--json'])).stdout).agents.length, 1)
  assert.equal((await run(['logout', '--all'])).code, 0)
  assert.ok(!fs.readFileSync(file, 'utf8').includes('pk_'))
  assert.match((await run(['logout'])).stderr, /there is no such login/)
})

test('a key that the service refuses is not kept, and a wrong URL is an error', async () => {
  const HOME = newHome()
  const run = (...words: string[]) => command(['login', ...words], { HOME }).ended
  const refused = await run(server.url, '--key', `pk_${'x'.repeat(43)}`)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /doesn't accept the key/)
  assert.match((await run('http://127.0.0.1:9', '--key', 'x')).stderr, /doesn't answer at http:\/\/127\.0\.0\.1:9 /)
  assert.match((await run('nowhere', '--key', 'x')).stderr, /is not the URL of a service/)
  assert.ok(!fs.existsSync(HOME))
})

test('what needs the database says so', async () => {
  const { run } = await newUser()
  for (const words of [
    ['workspace', 'list'],
    ['user', 'list'],
    ['secrets', 'reseal'],
    ['key', 'list'],
  ]) {
    const { code, stderr } = await run(...words)
    assert.equal(code, 1)
    assert.match(stderr, /^parley: this command needs the database/)
  }
})

test('api sends a request to any operation', async () => {
  const { tenant, run, start } = await newUser()
  const { phone_number } = newContact()
  const created = await run('api', 'post', '/contacts', '-f', `phone_number=${phone_number}`, '-F', 'tags=["vip"]')
  assert.equal(created.code, 0, created.stderr)
  const { data } = JSON.parse(created.stdout)
  assert.deepEqual((await tenant.call('GET', `/contacts/${data.id}`)).body.data.phone_number, phone_number)
  await tenant.call('POST', '/contacts', newContact())
  const listed = await run('api', 'GET', 'contacts', '-f', 'tag=vip', '--json')
  assert.deepEqual(
    JSON.parse(listed.stdout).data.map(({ id }: { id: string }) => id),
    [data.id],
  )
  const changed = await start(['api', 'PATCH', `/api/v1/contacts/${data.id}`, '--input', '-'], '{"first_name":"Ada"}')
    .ended
  assert.equal(JSON.parse(changed.stdout).data.first_name, 'Ada')
  const pages = await run('api', 'GET', '/contacts', '-F', 'limit=1', '--paginate')
  assert.equal(
    pages.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)).length,
    2,
  )
  const csv = await run('api', 'GET', '/contacts/export')
  assert.match(csv.stdout, /^[^\n]*phone_number/)
  const gone = await run('api', 'DELETE', `/contacts/${data.id}`)
  assert.equal(JSON.parse(gone.stdout).data.deleted, true)
})

test('api prints what the service refuses, with its code and fields', async () => {
  const { run } = await newUser()
  const { code, stdout, stderr } = await run('api', 'POST', '/contacts', '-f', 'phone_number=1', '-F', 'tags=7')
  assert.deepEqual([code, stdout], [1, ''])
  const error = errorOf(stderr)
  assert.equal(error.code, 'VALIDATION_ERROR')
  assert.deepEqual(error.details.fields.map(({ path }: { path: string }) => path).sort(), ['phone_number', 'tags'])
  for (const [words, message] of [
    [['GET', '/contacts', '-f', 'tag'], /--raw-field must have a name and a value/],
    [['GET', '/contacts?tag=vip'], /give the query as fields/],
    ...['/%2e%2e/chat', '/contacts/.%2E/x', '/..\\chat', '/.\t./chat', '/../chat'].map(
      (path) => [['GET', path], /is not a path/] as const,
    ),
    [['FLY', '/contacts'], /Use one of GET, POST/],
    [['POST', '/contacts', '--paginate'], /--paginate is only for GET/],
    [['POST', '/contacts', '--input', '/nonexistent'], /can't be read \(ENOENT\)/],
  ] as const)
    assert.match((await run('api', ...words)).stderr, message)
})

test('an agent is pulled into a file, changed there, and pushed back', async () => {
  const { tenant, run } = await newUser()
  await tenant.call('POST', '/agents', newAgent())
  const file = path.join(folder, 'agent.json')
  assert.equal((await run('agent', 'pull', 'reception', file)).code, 0)
  const text = fs.readFileSync(file, 'utf8')
  assert.equal((await run('agent', 'pull', 'Reception')).stdout, text, 'the same each time')
  const content = JSON.parse(text)
  assert.deepEqual(Object.keys(content).slice(0, 3), ['name', 'description', 'instructions'])
  fs.writeFileSync(file, JSON.stringify({ ...content, instructions: 'Ask for the name.' }))
  const pushed = await run('agent', 'push', file, '--deploy', '--note', 'Asks.')
  assert.match(pushed.stdout, /^Changed the draft of "Reception" \S+\.\nPublished v2 .*\nDeployed v2 /)
  const again = await run('agent', 'push', file, '--publish', '--json')
  assert.deepEqual([JSON.parse(again.stdout).is_new, JSON.parse(again.stdout).version.version_label], [false, 'v2'])
  const same = await run('agent', 'push', file, '--deploy')
  assert.match(
    same.stdout,
    /^No changes in "Reception" \S+\.\nNothing has changed: .* v2 .*\nIt is deployed already\.\n$/,
  )
  const [{ id }] = (await tenant.call('GET', '/agents')).body.data
  const deployments = async () => (await tenant.call('GET', `/agents/${id}/deployments`)).body.pagination.total
  assert.equal(await deployments(), 2)
  assert.equal((await run('agent', 'rollback', 'Reception')).code, 0)
  assert.match((await run('agent', 'push', file, '--deploy')).stdout, /\nDeployed v2 of "Reception"\.\n$/)
  assert.equal(await deployments(), 4)

  fs.writeFileSync(file, JSON.stringify({ ...content, name: 'Night' }))
  assert.match((await run('agent', 'push', file)).stdout, /^Created "Night" /)
  fs.writeFileSync(file, JSON.stringify({ ...content, name: 'Night', greeting: 'Good night.' }))
  const deployed = await run('agent', 'deploy', 'Night', '--file', file, '--percent', '20')
  assert.match(deployed.stdout, /^v2 of "Night" is the candidate for 20 percent\./)
  fs.writeFileSync(file, JSON.stringify({ name: 'Day', instructoins: 'x' }))
  const wrong = await run('agent', 'create', file, '--json')
  assert.equal(wrong.code, 1)
  assert.equal(errorOf(wrong.stderr).details.fields[0].path, 'instructoins')
})

test('events are printed as they happen', async () => {
  const { tenant, start } = await newUser()
  const tail = start(['events', 'tail', '--type', 'contact.*', '--json'])
  await waitUntil('the command has begun', () => tail.stderr().includes('Using'))
  await waitUntil('an event is printed', async () => {
    await tenant.call('POST', '/contacts', newContact())
    return tail.stdout() !== ''
  })
  tail.signal('SIGINT')
  const { code, stdout } = await tail.ended
  assert.equal(code, 130)
  assert.equal(JSON.parse(stdout.split('\n')[0] ?? '').type, 'contact.created')
})

test('listen sends signed events to an application, and trigger an example', async () => {
  const { tenant, start, run, environment } = await newUser()
  let refusals = 1
  const application = await receiver((response) => {
    refusals -= 1
    response.writeHead(refusals >= 0 ? 500 : 204).end()
  })
  assert.match((await run('trigger', 'call.ended')).stderr, /nobody listens/)
  const first = (await tenant.call('POST', '/contacts', newContact())).body.data
  const { data: events } = (await tenant.call('GET', '/events?limit=1')).body
  await tenant.call('POST', '/contacts', newContact())
  const listening = start(['listen', '--forward', application.url, '--after', events[0].id])
  const [, secret = ''] = await listening.says(/The secret that signs is (whsec_\S+)/)
  await waitUntil('the event is taken at the second attempt', () => application.received.length === 2)
  const verify = ({ body, headers }: (typeof application.received)[0]) =>
    new Parley({ baseUrl: server.url }).webhooks.verify(body, headers, secret)
  const sent = await verify(application.received[1] ?? assert.fail())
  assert.deepEqual([sent.type, sent.workspace_id], ['contact.created', tenant.id])
  assert.notEqual(sent.data.id, first.id)

  const triggered = await run('trigger', 'call.ended', '--json')
  assert.equal(triggered.code, 0, triggered.stderr)
  assert.equal((await verify(application.received[2] ?? assert.fail())).type, 'call.ended')
  assert.match((await run('trigger', 'call.fell')).stderr, /there is no event "call\.fell", only contact\.created, /)
  assert.equal((await tenant.call('GET', '/events?type=call.ended')).body.data.length, 0, 'nothing is stored')
  listening.signal('SIGINT')
  assert.equal((await listening.ended).code, 130)
  assert.deepEqual(fs.readdirSync(path.join(environment.HOME, '.config/parley')), [])
})

test('an example is sent to one webhook, signed with its secret', async () => {
  const { tenant, start } = await newUser()
  const { url, ...webhook } = (await tenant.call('POST', '/webhooks', { url: 'inbox', events: ['call.*'] })).body.data
  const input = `${webhook.secret}\n`
  const { code, stdout, stderr } = await start(['trigger', 'call.ended', '--webhook', webhook.id], input).ended
  assert.equal(code, 0, stderr + stdout + url)
  const [received] = (await tenant.call('GET', `/webhooks/${webhook.id}/inbox`)).body.data
  assert.equal(JSON.parse(received.body).type, 'call.ended')
  assert.equal((await tenant.call('GET', `/webhooks/${webhook.id}/deliveries`)).body.data.length, 0)
})

test('the answers of an agent are printed', async () => {
  const { tenant, run } = await newUser()
  const one = (await tenant.call('POST', '/agents', newAgent({ name: 'One', greeting: 'First.' }))).body.data
  const two = (await tenant.call('POST', '/agents', newAgent({ name: 'Two', greeting: 'Second.' }))).body.data
  for (const { id } of [one, two]) await tenant.call('POST', '/conversations', { agent_id: id })
  await tenant.work()
  const all = await run('logs', '--json')
  const turns = all.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    turns.map(({ agent_id, text }) => [agent_id, text]),
    [
      [one.id, 'First.'],
      [two.id, 'Second.'],
    ],
  )
  const only = await run('logs', 'two')
  assert.match(only.stdout, /^\S+ {2}Two {2}\S+ 1 {2}.* tokens .* Second\.\n$/)
})

test('nothing that a service sends can command a terminal', async () => {
  const { tenant, run } = await newUser()
  const notes = 'a\u202e\u2066b\u200f\n\tc'
  const created = await tenant.call('POST', '/contacts', newContact({ notes }))
  const { stdout } = await run('api', 'GET', `/contacts/${created.body.data.id}`)
  assert.doesNotMatch(stdout, /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/)
  assert.equal(JSON.parse(stdout).data.notes, created.body.data.notes)
  const forged = 'Hello.\n2026-01-01T00:00:00.000Z  Other  x 1\u202e'
  const agent = (await tenant.call('POST', '/agents', newAgent({ name: 'One', greeting: forged }))).body.data
  await tenant.call('POST', '/conversations', { agent_id: agent.id })
  await tenant.work()
  const logs = await run('logs')
  assert.match(logs.stdout, /Hello\.\n {4}2026-01-01T00:00:00\.000Z {2}Other {2}x 1(\\u202e)?\n$/)
})

test('only a terminal gets a file without control characters', async () => {
  const { tenant, environment } = await newUser()
  await tenant.call('POST', '/contacts', newContact({ notes: '\u202e' }))
  const print = async (isTTY: boolean) => {
    const stdout = Object.assign(new PassThrough(), { isTTY })
    const shell = { env: environment, stdin: Readable.from([]), stdout, stderr: new PassThrough() }
    await runCommand(['api', 'GET', '/contacts/export'], { ...shell, exit: () => assert.fail(), on: () => {} })
    return text(stdout.end())
  }
  const [plain, shown] = [await print(false), await print(true)]
  assert.ok(plain.includes('\u202e'))
  assert.equal(shown, plain.replace('\u202e', '\\u202e'))
})

test('completion lists commands, subcommands and options', async () => {
  const script = (await command(['completion', 'bash']).ended).stdout
  const complete = (...words: string[]) => {
    const line = `${script}\nCOMP_WORDS=(parley ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
_parley; echo "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', line], { encoding: 'utf8' }).trim().split(' ')
  }
  assert.deepEqual(complete('lo'), ['login', 'logout', 'logs'])
  assert.deepEqual(complete('key', 'r'), ['rotate', 'revoke'])
  assert.deepEqual(complete('key', 'create', '--work'), ['--workspace'])
  assert.deepEqual(complete('completion', ''), ['bash', 'zsh', 'fish', '--json', '--help'])
  for (const shell of ['zsh', 'fish']) {
    const { code, stdout } = await command(['completion', shell]).ended
    assert.equal(code, 0)
    assert.match(stdout, /rollback/)
  }
})
