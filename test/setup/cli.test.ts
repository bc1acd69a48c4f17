import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { scopes } from '../../server/api.ts'
import * as command_keys from '../../server/api-keys/command-keys.ts'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import * as workspaces from '../../server/workspaces/store.ts'
import { waitUntil } from '../faults/client.ts'
import { account_sid, auth_token, openCarrier } from '../peers/carrier.ts'
import { recordEntries } from '../support/consents.ts'
import { serve, testPool } from '../support/harness.ts'
import { command, parley } from '../support/process.ts'
import { newAgent } from '../support/samples.ts'
import { newPerson } from '../support/sessions.ts'
import { turnOnTwoFactor } from '../support/two-factor.ts'

const server = await serve()
const { fetch, url, pool, workspace } = server
const DATABASE_URL = process.env.TEST_DATABASE_URL ?? ''

const SECRETS_KEY = randomBytes(32).toString('base64')

const run = (...words: string[]) => command(words, { DATABASE_URL, PUBLIC_URL: url }).ended

async function json(...words: string[]) {
  const { code, stdout, stderr } = await run(...words, '--json')
  assert.equal(code, 0, stderr)
  assert.equal(stdout.trim().split('\n').length, 1, 'one line of JSON')
  return JSON.parse(stdout)
}

/** Creates a workspace without the command line, which is slower. Returns its name. */
async function newWorkspace(): Promise<string> {
  const name = `cli ${newId()}`
  await pool.tx((db) => workspaces.create({ db, now: clock.wall() }, { name }))
  return name
}

const listWith = (key: string) => fetch('GET', '/api/v1/contacts', undefined, { authorization: `Bearer ${key}` })

test('a workspace is created with a first key that works at once', async () => {
  const name = `cli ${newId()}`
  const created = await json('workspace', 'create', name)
  assert.deepEqual(Object.keys(created).sort(), ['api_key', 'workspace'])
  assert.deepEqual(Object.keys(created.workspace).sort(), ['id', 'kind', 'name'])
  assert.match(created.api_key, /^pk_[0-9A-Za-z]{43}$/)
  assert.equal((await listWith(created.api_key)).status, 200)
  const { workspaces } = await json('workspace', 'list')
  assert.ok(workspaces.some((one: { id: string }) => one.id === created.workspace.id))

  const again = await run('workspace', 'create', name)
  assert.equal(again.code, 1)
  assert.match(again.stderr, /there is already a workspace/)
})

test('a test workspace is created with a seed and a time', async () => {
  const name = `cli ${newId()}`
  const now = '2027-03-01T09:00:00.000Z'
  const { api_key, workspace } = await json('workspace', 'create', name, '--test', '--seed', '7', '--now', now)
  assert.equal(workspace.kind, 'test')
  const headers = { authorization: `Bearer ${api_key}` }
  const clock = (await fetch('GET', '/api/v1/test_clock', undefined, headers)).body.data
  assert.deepEqual(clock, { now, status: 'ready', target: null, seed: 7, error: null })
  const listed = await run('workspace', 'list')
  assert.match(listed.stdout, new RegExp(`${name} +test `))
})

test('a key is created with name, scopes and expiry, listed without its secret, and revoked', async () => {
  const name = await newWorkspace()
  const { key, api_key } = await json(
    'key',
    'create',
    '--workspace',
    name,
    '--name',
    'Sync',
    '--scopes',
    'agents:read',
    '--expires-in',
    '90d',
  )
  assert.deepEqual([key.name, key.scopes], ['Sync', ['agents:read']])
  assert.equal(Date.parse(key.expires_at) - Date.parse(key.created_at), 90 * 24 * 60 * 60 * 1000)
  assert.equal((await listWith(api_key)).status, 403)

  const full = await json('key', 'create', '--workspace', name)
  const must_be_listed = ['audit:read', 'agents:force', 'contacts:erase']
  assert.deepEqual(
    full.key.scopes,
    scopes.filter((scope) => !scope.startsWith('api_keys:') && !must_be_listed.includes(scope)),
  )
  assert.equal(full.key.expires_at, null)
  assert.equal((await listWith(full.api_key)).status, 200)

  const listed = await run('key', 'list', '--workspace', name, '--json')
  assert.equal(JSON.parse(listed.stdout).keys.length, 2)
  assert.ok(!listed.stdout.includes(api_key))

  const revoked = await json('key', 'revoke', full.key.id)
  assert.ok(revoked.key.revoked_at)
  await waitUntil('the revoked key is rejected', async () => (await listWith(full.api_key)).status === 401)
})

test('a key is rotated: the new one can do the same, and the old one ends after the overlap', async () => {
  const name = await newWorkspace()
  const old = await json('key', 'create', '--workspace', name, '--name', 'Sync', '--scopes', 'contacts:read')
  const { key, api_key } = await json('key', 'rotate', old.key.id, '--overlap', '30m')
  assert.deepEqual([key.name, key.scopes], ['Sync', ['contacts:read']])
  assert.deepEqual([(await listWith(api_key)).status, (await listWith(old.api_key)).status], [200, 200])
  const { keys } = await json('key', 'list', '--workspace', name)
  const [replaced] = keys.filter(({ id }: { id: string }) => id === old.key.id)
  const lasts_ms = Date.parse(replaced.expires_at) - Date.parse(key.created_at)
  assert.ok(Math.abs(lasts_ms - 30 * 60_000) < 10_000, replaced.expires_at)
  assert.match((await run('key', 'rotate', old.key.id)).stderr, /already rotated/)
  assert.match((await run('key', 'rotate', newId())).stderr, /there is no key/)
  assert.match((await run('key', 'rotate', key.id, '--overlap', '8d')).stderr, /Use at most 7d/)
})

test('a command that asks the service deletes its key, and those that killed commands have left', async () => {
  const tenant = await server.workspace()
  const { name } = (await tenant.call('GET', '/workspace')).body.data
  const left = await command_keys.create(pool, { workspace: tenant.id, name: 'parley agent', scopes: ['*'] })
  assert.equal((await listWith(left.token)).status, 200)
  await json('agent', 'list', '--workspace', name)
  const ids = async () => (await json('key', 'list', '--workspace', name)).keys.map(({ id }: { id: string }) => id)
  assert.ok((await ids()).includes(left.id), 'it may still run')
  assert.match((await run('key', 'rotate', left.id)).stderr, /the one of a command/)
  await pool.run(
    sql`update api_keys set expires_at = ${clock.iso(clock.wall() - 1)}
      where workspace_id = ${tenant.id} and id = ${left.id}`,
  )
  await json('agent', 'list', '--workspace', name)
  assert.ok(!(await ids()).includes(left.id))
  assert.ok(
    (await json('key', 'list', '--workspace', name)).keys.every((key: { name: string }) => key.name !== 'parley agent'),
  )
  const events = (await tenant.call('GET', '/events')).body.data
  assert.ok(events.length > 0 && !JSON.stringify(events).includes('parley agent'), 'it records no events')
})

const usage_mistakes: [string[], RegExp][] = [
  [['dance'], /unknown command 'dance' \(parley --help\)/],
  [['toString'], /unknown command 'toString'/],
  [['help', 'dance'], /unknown command 'dance'/],
  [['key', 'lst'], /unknown command 'lst'. Did you mean list\? \(parley key --help\)/],
  [['key', 'list', '--jsn'], /unknown option '--jsn'. Did you mean --json\? \(parley key list --help\)/],
  [['key', 'list', '--scopes', 'x'], /unknown option '--scopes'/],
  [['key', 'create'], /required option '--workspace <name>'/],
  [['key', 'create', '--workspace', 'Default', '--nonsense'], /nonsense/],
  [['key', 'create', '--workspace', 'Default', '--scopes', 'contacts:fly'], /no scope "contacts:fly"/],
  [['key', 'create', '--workspace', 'Default', '--expires-in', 'soon'], /--expires-in/],
  [['workspace', 'create'], /missing required argument 'name'/],
  [['workspace', 'create', 'a', '--seed', '7'], /--seed is only for test workspaces: add --test/],
  [['workspace', 'create', 'a', '--now', '2027-03-01'], /--now is only for test workspaces: add --test/],
  [['workspace', 'create', 'a', '--test', '--seed', '-1'], /whole number from 0 to 2147483647/],
  [['workspace', 'create', 'a', 'b'], /too many arguments/],
  [['user', 'create'], /missing required argument 'email'/],
  [['user', 'create', 'ada@example.com', '--role', 'king'], /owner, member, viewer/],
  [['user', 'join', 'nobody@example.com'], /required option '--workspace <name>'/],
]
const mistakes: [string[], RegExp][] = [
  [['workspace', 'create', 'a', '--test', '--now', 'tomorrow'], /now must be a time/],
  [['workspace', 'create', ' '], /name must have 1 to 200 characters/],
  [['key', 'create', '--workspace', 'nowhere at all'], /no workspace "nowhere at all"/],
  [['key', 'revoke', 'x'], /no key x/],
  [['key', 'revoke', newId()], /no key/],
  [['user', 'create', 'ada'], /email must be an email address/],
  [['user', 'password', 'nobody@example.com'], /no person nobody@example.com/],
  [['user', 'password-link', 'nobody@example.com'], /no person nobody@example.com/],
]
for (const [words, message] of [...usage_mistakes, ...mistakes]) {
  test(`"parley ${words.join(' ')}" prints the error in one line`, async () => {
    const { code, stdout, stderr } = await run(...words)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, message)
    const line = stderr.replace(/^Using the database [^\n]+\n/, '')
    assert.match(line, /^parley: [^\n]+\n$/)
    const is_usage = usage_mistakes.some(([one]) => one === words)
    assert.equal(/ \(parley[a-z ]* --help\)\n$/.test(line), is_usage, 'usage errors name the help to read')
  })
}

const codes: [string, string[]][] = [
  ['USAGE_ERROR', ['key', 'list', '--scopes', 'x']],
  ['USAGE_ERROR', ['key', 'create', '--workspace', 'Default', '--expires-in', 'soon']],
  ['VALIDATION_ERROR', ['workspace', 'create', 'a'.repeat(201)]],
  ['NOT_FOUND', ['key', 'revoke', 'x']],
]
for (const [expected_code, words] of codes) {
  test(`"parley ${words.slice(0, 2).join(' ')} --json" prints a ${expected_code} as JSON`, async () => {
    const { code, stdout, stderr } = await run(...words, '--json')
    assert.deepEqual([code, stdout], [1, ''])
    const line = stderr.replace(/^Using the database [^\n]+\n/, '')
    assert.match(line, /^\{[^\n]+\}\n$/)
    const { error, ...rest } = JSON.parse(line)
    const { details: _, ...named } = error
    assert.deepEqual([Object.keys(named), rest], [['code', 'message'], {}])
    assert.equal(error.code, expected_code)
    assert.doesNotMatch(error.message, /^parley|^error/)
  })
}

test('a group without a command lists its commands on standard error', async () => {
  const [asked, missing, json] = await Promise.all([run('key', '--help'), run('key'), run('key', '--json')])
  assert.deepEqual([asked.code, asked.stderr], [0, ''])
  for (const command of ['create', 'list', 'revoke']) assert.match(asked.stdout, new RegExp(`^  ${command} `, 'm'))
  assert.deepEqual([missing.code, missing.stdout], [1, ''])
  assert.equal(missing.stderr, `${asked.stdout}parley: a command is required (parley key --help)\n`)
  assert.deepEqual([json.code, json.stdout], [1, ''])
  assert.deepEqual(JSON.parse(json.stderr), { error: { code: 'USAGE_ERROR', message: 'a command is required' } })
})

test('an error as JSON is the last line, after the one that names the database', async () => {
  const name = await newWorkspace()
  const { code, stderr } = await run('--json', 'workspace', 'create', name)
  const [database = '', last = '', ...rest] = stderr.trimEnd().split('\n')
  assert.deepEqual([code, rest], [1, []])
  assert.match(database, /^Using the database /)
  assert.equal(JSON.parse(last).error.code, 'CONFLICT')
})

test('a bug is an INTERNAL_ERROR, printed with its stack before the last line', async () => {
  const bug = `const { stringify } = JSON
    JSON.stringify = (value) => {
      if (value.workspaces) throw new Error('a bug')
      return stringify(value)
    }`
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(bug)}`
  const { code, stdout, stderr } = await parley(['workspace', 'list', '--json'], { DATABASE_URL, NODE_OPTIONS }).ended
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^Error: a bug\n +at /m)
  const last = stderr.trimEnd().split('\n').at(-1) ?? ''
  assert.deepEqual(JSON.parse(last), { error: { code: 'INTERNAL_ERROR', message: 'a bug' } })
})

test('a wrong setting is a SETUP_ERROR', async () => {
  const { code, stdout, stderr } = await command(['key', 'list', '--json'], { LOG_LEVEL: 'loud' }).ended
  assert.deepEqual([code, stdout], [1, ''])
  const { error } = JSON.parse(stderr)
  assert.equal(error.code, 'SETUP_ERROR')
  assert.match(error.message, /^LOG_LEVEL must be /)
})

test('a command prints which database it uses, without the password', async () => {
  const { host, pathname, password } = new URL(DATABASE_URL)
  const { code, stderr } = await run('workspace', 'list')
  assert.equal(code, 0)
  assert.equal(stderr, `Using the database ${pathname.slice(1)} at ${host}\n`)
  assert.ok(password.length > 0 && !stderr.includes(password))
})

const commands_with_database: string[][] = [
  ['workspace', 'create', 'Lost'],
  ['workspace', 'list'],
  ['key', 'list'],
  ['user', 'create', 'ada@example.com'],
  ['secrets', 'reseal'],
  ['chat', 'Receptionist'],
]
for (const words of commands_with_database) {
  test(`"parley ${words.join(' ')}" creates no database`, async () => {
    const DATA_DIR = path.join(os.tmpdir(), `parley-${newId()}`)
    const { code, stdout, stderr } = await command(words, { DATA_DIR }, 'correct horse\n').ended
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, new RegExp(`^parley: there is no database in ${DATA_DIR}: [^\n]*DATA_DIR[^\n]*\n$`))
    assert.ok(!fs.existsSync(DATA_DIR))
  })
}

test('only migrate sets up an empty database at DATABASE_URL', async (t) => {
  const name = `cli_${process.pid}`
  const admin = testPool()
  t.after(async () => {
    await admin.script(`drop database ${name} with (force)`)
    await admin.close()
  })
  await admin.script(`create database ${name}`)
  const empty = { DATABASE_URL: DATABASE_URL.replace(/\/[^/]*$/, `/${name}`) }
  const refused = await command(['workspace', 'list'], empty).ended
  assert.equal(refused.code, 1)
  assert.match(
    refused.stderr,
    new RegExp(`^parley: DATABASE_URL can't be used: the database ${name} [^\n]+ is empty[^\n]+\n$`),
  )
  const first = await command(['migrate', '--json'], empty).ended
  assert.equal(JSON.parse(first.stdout).applied[0], '0001_init.sql', first.stderr)
  assert.equal((await command(['migrate'], empty).ended).stdout, 'The schema is current.\n')
  assert.equal((await command(['workspace', 'list'], empty).ended).code, 0)
})

test('help, version and the OpenAPI document need no database', async () => {
  const DATA_DIR = path.join(os.tmpdir(), `parley-${newId()}`)
  const [, openapi, as_json, version] = await Promise.all(
    [['--help'], ['openapi'], ['openapi', '--json'], ['--version']].map(async (words) => {
      const { code, stdout, stderr } = await command(words, { DATA_DIR }).ended
      assert.deepEqual([code, stderr], [0, ''])
      return stdout
    }),
  )
  assert.equal(JSON.parse(openapi ?? '').openapi, '3.1.0')
  assert.equal(as_json, openapi)
  assert.match(version ?? '', /^\d+\.\d+\.\d+\n$/)
  assert.ok(!fs.existsSync(DATA_DIR))
})

test('a person is created with a password from standard input, joins workspaces, and gets a new password', async () => {
  const first = await newWorkspace()
  const second = await newWorkspace()
  const email = `${newId()}@example.com`
  const user = async (input: string, ...words: string[]) =>
    command(['user', ...words], { DATABASE_URL }, `${input}\n`).ended
  const short = await user('too short', 'create', email, '--workspace', first)
  assert.match(short.stderr, /^parley: password must have at least 10 characters/m)
  const made = await user('correct horse', 'create', email, '--workspace', first, '--name', 'Ada')
  assert.equal(made.stdout, `${email} is owner of "${first}".\n`, made.stderr)
  const again = await user('correct horse', 'create', email.toUpperCase(), '--workspace', first)
  assert.match(again.stderr, /there is already a person/)
  assert.equal((await user('', 'join', email, '--workspace', second, '--role', 'member')).code, 0)
  assert.match((await user('', 'join', email, '--workspace', second)).stderr, /is already a member of/)

  const signIn = (password: string) => fetch('POST', '/app/session', { email, password }, { origin: url })
  const signed_in = await signIn('correct horse')
  assert.deepEqual(
    signed_in.body.data.workspaces.map((one: { name: string; role: string }) => [one.name, one.role]),
    [
      [first, 'owner'],
      [second, 'member'],
    ],
  )
  const { people } = await json('user', 'list')
  const listed = people.find((one: { email: string }) => one.email === email)
  assert.deepEqual(
    listed.workspaces.map((one: object) => ({ ...one, default_country: null, is_locked: false })),
    signed_in.body.data.workspaces.toSorted((left: { name: string }, right: { name: string }) =>
      left.name < right.name ? -1 : 1,
    ),
  )
  const { stdout: table } = await run('user', 'list')
  const line = table.split('\n').find((one) => one.includes(email)) ?? ''
  for (const text of [`${first} (owner)`, `${second} (member)`]) assert.ok(line.includes(text), line)
  assert.ok(!JSON.stringify(people).includes('argon2'))

  assert.equal((await user('another horse', 'password', email)).code, 0)
  const cookie = signed_in.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  assert.equal((await fetch('GET', '/app/sessions', undefined, { cookie })).status, 401)
  assert.equal((await signIn('correct horse')).status, 401)
  assert.equal((await signIn('another horse')).status, 200)
})

test('a password link is printed, and replaces the earlier one', async () => {
  const email = `${newId()}@example.com`
  const words = ['user', 'create', email, '--workspace', await newWorkspace()]
  await command(words, { DATABASE_URL }, 'correct horse\n').ended
  const made = await json('user', 'password-link', email)
  assert.ok(made.link.startsWith(`${url}/password/`), made.link)
  assert.equal(made.person.email, email)
  const { stdout } = await run('user', 'password-link', email)
  const [link = '', note] = stdout.split('\n')
  assert.match(note ?? '', /works once, for an hour/)
  const setByLink = (link: string) =>
    fetch('POST', `/app/password_links/${link.split('/').at(-1)}`, { new_password: 'another horse' }, { origin: url })
  assert.equal((await setByLink(made.link)).status, 404)
  assert.equal((await setByLink(link)).status, 200)
  const signed_in = await fetch('POST', '/app/session', { email, password: 'another horse' }, { origin: url })
  assert.equal(signed_in.status, 200)
})

/** Creates a terminal on which these keys are typed. `raw_modes` holds each change of its mode: a raw one shows no keys. */
function terminal(...keys: string[]) {
  const raw_modes: boolean[] = []
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (is_raw: boolean) => raw_modes.push(is_raw),
  })
  for (const key of keys) stdin.write(key)
  return { stdin, raw_modes }
}

test('two-factor sign-in of a person is listed and reset', async () => {
  const person = await newPerson(server)
  const isListed = async () => {
    const { people } = await json('user', 'list')
    return people.find((one: { id: string }) => one.id === person.id).has_two_factor
  }
  await turnOnTwoFactor(person)
  assert.equal(await isListed(), true)
  const reset = await run('user', 'two-factor-reset', person.email)
  assert.equal(reset.code, 0, reset.stderr)
  assert.match(reset.stdout, /Two-factor sign-in of .* is off/)
  assert.equal((await person.go('GET', '/sessions')).status, 401)
  assert.equal(await isListed(), false)
  assert.match((await run('user', 'two-factor-reset', person.email)).stderr, /doesn't use two-factor sign-in/)
})

test('on a terminal the password is asked for and not shown', async () => {
  const name = await newWorkspace()
  const email = `${newId()}@example.com`
  const words = ['user', 'create', email, '--workspace', name]
  const typed = terminal('correct hp', '\u007f', 'orse', '\r')
  const made = await command(words, { DATABASE_URL }, typed.stdin).ended
  assert.equal(made.stdout, `${email} is owner of "${name}".\n`, made.stderr)
  assert.match(made.stderr, /^Password: \n$/m)
  assert.deepEqual(typed.raw_modes, [true, false])
  const signed_in = await fetch('POST', '/app/session', { email, password: 'correct horse' }, { origin: url })
  assert.equal(signed_in.status, 200)
})

test('Ctrl-C at a prompt ends the command, and nothing is changed', async () => {
  const email = `${newId()}@example.com`
  const typed = terminal('correct horse', '\u0003')
  const canceled = await command(['user', 'create', email], { DATABASE_URL }, typed.stdin).ended
  assert.deepEqual([canceled.code, canceled.stdout], [130, ''])
  assert.match(canceled.stderr, /^Using [^\n]+\nPassword: \n$/)
  assert.deepEqual(typed.raw_modes, [true, false])
  const { people } = await json('user', 'list')
  assert.ok(!people.some((one: { email: string }) => one.email === email))
})

test('help lists every command', async () => {
  const [asked, missing] = await Promise.all([parley(['--help']).ended, run()])
  assert.equal(asked.code, 0)
  for (const command of [
    'serve',
    'migrate',
    'workspace create',
    'workspace list',
    'key create',
    'key list',
    'key revoke',
    'user create',
    'user join',
    'user password',
    'password-link',
    'two-factor-reset',
    'user list',
    'chat',
    'consent verify',
    'campaign forecast',
    'secrets reseal',
    'backup',
    'restore',
    'erasures export',
    'openapi',
    '--json',
    '--version',
  ]) {
    assert.ok(asked.stdout.includes(command), command)
  }
  assert.deepEqual([missing.code, missing.stdout], [1, ''])
  assert.equal(missing.stderr, `${asked.stdout}parley: a command is required (parley --help)\n`)
})

test('an agent is listed, published, deployed and rolled back', async () => {
  const { id: workspace_id, call } = await workspace()
  const [name = ''] = (await workspaces.list({ db: pool })).flatMap((one) => (one.id === workspace_id ? one.name : []))
  const agent = (await call('POST', '/agents', newAgent())).body.data
  const { draft: _, ...listed } = agent
  assert.deepEqual(await json('agent', 'list', '--workspace', name), { agents: [listed] })
  await call('PATCH', `/agents/${agent.id}`, { instructions: 'Ask for the name.' })
  const { version, is_new } = await json('agent', 'publish', agent.id, '--workspace', name, '--note', 'Asks.')
  assert.deepEqual(
    [version.version_label, version.note, version.created_by, is_new],
    ['v2', 'Asks.', { kind: 'command', id: null, name: null }, true],
  )
  const again = await run('agent', 'publish', agent.id, '--workspace', name, '--deploy')
  assert.match(again.stdout, /^Nothing has changed: the draft is the same as v2 of "Reception"\.\nDeployed v2/)
  const back = await json('agent', 'rollback', agent.id, '--workspace', name)
  assert.deepEqual(back.agent, (await call('GET', `/agents/${agent.id}`)).body.data)
  assert.equal(back.agent.deployed_version.version_label, 'v1')
  const tried = await json('agent', 'deploy', agent.id, 'v2', '--workspace', name, '--percent', '20')
  assert.deepEqual(tried.agent.candidate, { version: { id: version.id, version_label: 'v2' }, percent: 20 })
  const table = await run('agent', 'list', '--workspace', name)
  assert.match(table.stdout, /Reception {2}v1 {8}v2 20%/)
})

test('commands for agents say what is wrong', async () => {
  const { id: workspace_id, call } = await workspace()
  const [name = ''] = (await workspaces.list({ db: pool })).flatMap((one) => (one.id === workspace_id ? one.name : []))
  const { id } = (await call('POST', '/agents', newAgent())).body.data
  const other = newId()
  for (const [words, message] of [
    [['rollback', id], /No other version was deployed before this one/],
    [['deploy', id, 'v2'], /"Reception" has no version v2/],
    [['deploy', id], /use either a version or --file/],
    [['deploy', id, 'v1', '--percent', '0'], /Use a whole number from 1 to 100/],
    [['publish', other], new RegExp(`there is no agent ${other} in`)],
    [['publish', 'x'], /there is no agent "x" in/],
  ] as const) {
    const { code, stderr } = await run('agent', ...words, '--workspace', name)
    assert.equal(code, 1)
    assert.match(stderr, message)
  }
})

test('the consent ledger is verified, and the first broken entry named', async () => {
  const tenant = await server.workspace()
  const { name } = (await tenant.call('GET', '/workspace')).body.data
  const [, second] = await recordEntries(server, tenant, [{}, {}, {}])
  const verify = (...words: string[]) => run('consent', 'verify', '--workspace', name, ...words)
  const valid = await verify()
  assert.deepEqual([valid.code, valid.stdout], [0, 'The ledger is valid: 3 entries.\n'], valid.stderr)
  await pool.run(sql`update consents set status = 'granted' where workspace_id = ${tenant.id} and id = ${second?.id}`)
  const broken = await verify('--json')
  const verification = { is_valid: false, rows: 2, first_broken_id: second?.id }
  assert.deepEqual([broken.code, JSON.parse(broken.stdout)], [1, { verification }])
  assert.match((await verify()).stdout, new RegExp(`entry ${second?.id} was changed`))
})

test('a channel is created, changed, disabled, enabled and deleted', async () => {
  const tenant = await workspace()
  const workspace_name = (await tenant.call('GET', '/workspace')).body.data.name
  const agent_id = (await tenant.call('POST', '/agents', newAgent())).body.data.id
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'parley-')), 'token')
  fs.writeFileSync(file, 'secret-token\n')
  const channel = (words: string[], variables: Record<string, string> = { SECRETS_KEY }) =>
    command(['channel', ...words, '--workspace', workspace_name, '--json'], { DATABASE_URL, ...variables }).ended
  const twilio = ['create', '--name', 'Line', '--kind', 'sms', '--provider', 'twilio', '--number', '+14155550100']
  const account = ['--account-sid', `AC${'0'.repeat(32)}`, '--auth-token-file', file]

  const without_key = await channel([...twilio, '--agent', agent_id, ...account], {})
  assert.deepEqual([without_key.code, without_key.stdout], [1, ''])
  assert.match(without_key.stderr, /SECRETS_KEY is required: set it as for the server/)

  const api = ['--api-url', 'http://10.0.0.1:8080', '--per-minute', '5']
  const created = await channel([...twilio, '--agent', agent_id, ...account, ...api])
  assert.equal(created.code, 0, created.stderr)
  const { id, ...line } = JSON.parse(created.stdout).channel
  assert.deepEqual(
    [line.agent_id, line.has_auth_token, line.api_url, line.messages_per_minute_max, line.status],
    [agent_id, true, 'http://10.0.0.1:8080', 5, 'active'],
  )
  assert.ok(!created.stdout.includes('secret-token'))
  const shown = (await tenant.call('GET', `/channels/${id}`)).body.data
  assert.equal(shown.name, 'Line')

  const web = ['create', '--name', 'Site', '--kind', 'web_chat', '--provider', 'web', '--agent', agent_id]
  const origins = ['--origins', 'https://a.example, https://b.example', '--tokens-per-day', '1000']
  const chat = JSON.parse((await channel([...web, ...origins])).stdout).channel
  assert.deepEqual([chat.origins, chat.tokens_per_day_max], [['https://a.example', 'https://b.example'], 1000])
  const changes = ['--name', 'Page', '--origins', '', '--tokens-per-day', '']
  const renamed = JSON.parse((await channel(['update', chat.id, ...changes])).stdout).channel
  assert.deepEqual([renamed.name, renamed.origins, renamed.tokens_per_day_max], ['Page', [], null])
  const listed = JSON.parse((await channel(['list'])).stdout).channels
  assert.deepEqual(
    listed.map((one: { id: string }) => one.id),
    [chat.id, id],
  )

  for (const [verb, status] of [
    ['disable', 'disabled'],
    ['enable', 'active'],
  ] as const) {
    assert.equal(JSON.parse((await channel([verb, id])).stdout).channel.status, status)
    assert.equal((await tenant.call('GET', `/channels/${id}`)).body.data.status, status)
  }
  assert.equal(JSON.parse((await channel(['delete', id])).stdout).channel.id, id)
  const missing = await channel(['delete', id])
  assert.deepEqual([missing.code, missing.stdout], [1, ''])
  assert.match(missing.stderr, /there is no channel/)
})

test('a web chat gets a microphone with --voice, keeps it, and loses it with --no-voice', async () => {
  const tenant = await workspace()
  const workspace_name = (await tenant.call('GET', '/workspace')).body.data.name
  const agent_id = (await tenant.call('POST', '/agents', newAgent())).body.data.id
  const channel = (...words: string[]) =>
    command(['channel', ...words, '--workspace', workspace_name, '--json'], { DATABASE_URL, SECRETS_KEY }).ended
  const changed = async (...words: string[]) => {
    const { code, stdout, stderr } = await channel(...words)
    assert.equal(code, 0, stderr)
    const { id, has_voice } = JSON.parse(stdout).channel
    assert.equal((await tenant.call('GET', `/channels/${id}`)).body.data.has_voice, has_voice)
    return { id, has_voice }
  }
  const web = ['--name', 'Site', '--provider', 'web', '--agent', agent_id]
  const chat = ['create', ...web, '--kind', 'web_chat']
  assert.equal((await changed(...chat)).has_voice, false)
  assert.equal((await changed(...chat, '--no-voice')).has_voice, false)
  const { id, has_voice } = await changed(...chat, '--voice')
  assert.equal(has_voice, true)
  assert.equal((await changed('update', id, '--name', 'Page')).has_voice, true)
  assert.equal((await changed('update', id, '--no-voice')).has_voice, false)
  assert.equal((await changed('update', id, '--voice')).has_voice, true)

  const talk = await channel('create', ...web, '--kind', 'voice', '--voice')
  assert.deepEqual([talk.code, talk.stdout], [1, ''])
  assert.match(talk.stderr, /--voice/)
})

test('the output of channel commands says what to do next', async () => {
  const tenant = await workspace()
  const workspace_name = (await tenant.call('GET', '/workspace')).body.data.name
  const agent = { ...newAgent(), name: 'Front Desk' }
  const agent_id = (await tenant.call('POST', '/agents', agent)).body.data.id
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'parley-')), 'token')
  fs.writeFileSync(file, 'secret-token\n')
  const end = (words: string[], variables: Record<string, string> = {}) => {
    const all = { DATABASE_URL, SECRETS_KEY, PUBLIC_URL: 'http://127.0.0.1:9', ...variables }
    return command(['channel', ...words, '--workspace', workspace_name], all).ended
  }
  const channel = async (...call: Parameters<typeof end>) => {
    const { code, stdout, stderr } = await end(...call)
    assert.equal(code, 0, stderr)
    return stdout
  }
  const web = ['create', '--name', 'Site', '--kind', 'web_chat', '--provider', 'web', '--agent', 'front desk']
  const wrong = await end([...web, '--origins', 'https://example.com/path'])
  assert.match(wrong.stderr, /--origins must be an origin/)
  const { stdout: page, stderr } = await end(web)
  const [, id = ''] = /^Channel "Site" (\S+)$/m.exec(page) ?? []
  const update = `channel update ${id} --workspace '${workspace_name}' --origins https://example.com`
  assert.ok(page.endsWith(`To show it on your website, name the origin of its pages: parley ${update}\n`), page)
  assert.match(stderr, /The service doesn't answer at http:\/\/127\.0\.0\.1:9, .+ set HOST and PORT, or PUBLIC_URL/)
  const site = await channel(['update', id, '--origins', 'https://example.com'])
  assert.ok(site.includes(`<script src="http://127.0.0.1:9/chat/widget.js" data-channel="${id}" async></script>`), site)
  const twilio = ['create', '--name', 'Line', '--kind', 'sms', '--provider', 'twilio', '--agent', agent_id]
  const account = ['--account-sid', `AC${'0'.repeat(32)}`, '--auth-token-file', file]
  assert.match(await channel([...twilio, ...account, '--number', '+14155550100']), /set PUBLIC_URL/)
  const PUBLIC_URL = 'https://parley.example'
  const reachable = await channel([...twilio, ...account, '--number', '+14155550101'], { PUBLIC_URL })
  assert.match(reachable, /send incoming messages to https:\/\/parley\.example\/sms\//)
  assert.ok(!reachable.includes('PUBLIC_URL'), reachable)
  const calls = twilio.map((word) => (word === 'sms' ? 'voice' : word))
  const telephone = await channel([...calls, ...account, '--number', '+14155550101'], { PUBLIC_URL })
  const [, line = ''] = /^Channel "Line" (\S+)$/m.exec(telephone) ?? []
  for (const part of [
    'open +14155550101. Under "Voice Configuration", set "A call comes in" to Webhook, HTTP POST and',
    `   https://parley.example/phone/${line}\n`,
    'Leave "Call status changes" empty',
    'Twilio must be able to reach https://parley.example',
    `parley channel test ${line} --workspace '${workspace_name}'`,
    'Call +14155550101.',
  ])
    assert.ok(telephone.includes(part), telephone)
  assert.match(await channel([...calls, ...account, '--number', '+14155550100']), /set PUBLIC_URL to the https/)
  const voice = ['create', '--name', 'Calls', '--kind', 'voice', '--provider', 'simulator', '--number', '+14155550102']
  assert.match(await channel(voice), /^Channel "Calls" /m)
  const list = await channel(['list'])
  assert.ok(list.includes(`http://127.0.0.1:9/chat/${id}`), list)
  assert.match(list, /\+14155550100 +http:\/\/127\.0\.0\.1:9\/sms\//)
  fs.rmSync(path.dirname(file), { recursive: true })
})

test('a channel is tested: the number of a telephone is looked up, and SMS sends a message', async () => {
  const tenant = await workspace()
  const workspace_name = (await tenant.call('GET', '/workspace')).body.data.name
  const agent_id = (await tenant.call('POST', '/agents', newAgent())).body.data.id
  const carrier = await openCarrier()
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'parley-')), 'token')
  fs.writeFileSync(file, auth_token)
  const variables = { DATABASE_URL, SECRETS_KEY, PUBLIC_URL: 'https://parley.example', SPEECH_DIR: path.dirname(file) }
  const channel = (...words: string[]) => command(['channel', ...words, '--workspace', workspace_name], variables).ended
  const account = ['--account-sid', account_sid, '--auth-token-file', file, '--api-url', carrier.url]
  const create = async (kind: string) => {
    const options = ['--name', 'Line', '--kind', kind, '--provider', 'twilio', '--number', '+14155550100', ...account]
    const { code, stdout, stderr } = await channel('create', ...options, '--agent', agent_id, '--json')
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout).channel
  }
  const { id, inbound_url } = await create('voice')
  const missing = await channel('test', id)
  assert.equal(missing.code, 1)
  assert.match(missing.stdout, /^- The account AC\w+ doesn't have the number \+14155550100\./)
  assert.match(missing.stdout, /^- The agent can't hear callers: .+ Run "parley speech install"/m)
  carrier.numbers.push({
    phone_number: '+14155550100',
    capabilities: { voice: true, sms: true, mms: true, fax: false },
    voice_url: inbound_url,
    voice_method: 'GET',
    voice_application_sid: null,
    trunk_sid: null,
  })
  const found = await channel('test', id, '--json')
  const { result } = JSON.parse(found.stdout)
  assert.deepEqual(
    [found.code, result.is_ok, result.findings.map(({ code }: { code: string }) => code)],
    [1, false, ['voice_method_differs', 'speech_not_installed']],
  )
  const wrong = await channel('test', id, '--to', '+14155550123')
  assert.match(wrong.stderr, /--to must not be sent for voice channels/)

  const sms = await create('sms')
  assert.match((await channel('test', sms.id)).stderr, /--to is required for SMS channels/)
  assert.match((await channel('test', sms.id, '--to', '0415')).stderr, /--to must be in E\.164 form/)
  const sent = await channel('test', sms.id, '--to', '+14155550123')
  assert.deepEqual([sent.code, sent.stdout], [0, 'The message was sent.\n'], sent.stderr)
  assert.deepEqual(
    carrier.messages.map(({ to }) => to),
    ['+14155550123'],
  )
  await carrier.close()
  fs.rmSync(path.dirname(file), { recursive: true })
})

test('errors of a channel name its options', async () => {
  const name = await newWorkspace()
  const sms = ['channel', 'create', '--workspace', name, '--name', 'Line', '--kind', 'sms']
  for (const [words, expected] of [
    [[...sms, '--provider', 'simulator'], /--number is required for simulator/],
    [[...sms, '--provider', 'simulator', '--number', '0415'], /--number must be in E\.164 form/],
    [[...sms, '--provider', 'simulator', '--number', '+14155550100', '--agent', newId()], /there is no agent/],
    [[...sms, '--provider', 'other'], /--provider/],
    [
      [...sms, '--provider', 'twilio', '--auth-token-file', '/nonexistent'],
      /can't be read \(ENOENT\) \(parley channel create --help\)/,
    ],
    [
      [...sms.slice(0, -1), 'voice', '--provider', 'simulator', '--number', '+14155550100', '--per-day', '5'],
      /--per-day must not be sent for voice channels/,
    ],
    [
      [...sms, '--provider', 'twilio', '--number', '+14155550100', '--account-sid', 'AC1'],
      /--account-sid must match \S+, such as AC0123456789abcdef/,
    ],
    [['channel', 'test', newId(), '--workspace', name], /there is no channel/],
    [['channel', 'test', 'Line', '--workspace', name], /there is no channel Line in .*: use the id that/],
    [['channel', 'update', newId(), '--workspace', name], /name what to change \(parley channel update --help\)/],
    [['channel', 'create', '--workspace', name], /required option '--name <name>' not specified/],
  ] as const) {
    const { code, stdout, stderr } = await run(...words)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, expected)
    assert.ok(!stderr.includes('    at '), stderr)
  }
})
