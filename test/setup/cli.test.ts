import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { scopes } from '../../server/api.ts'
import { newId } from '../../server/kit/id.ts'
import { serve, testPool } from '../support/harness.ts'
import { parley } from '../support/process.ts'

const { fetch, url } = await serve()
const DATABASE_URL = process.env.TEST_DATABASE_URL ?? ''

const run = (...words: string[]) => parley(words, { DATABASE_URL }).ended

async function json(...words: string[]) {
  const { code, stdout, stderr } = await run(...words, '--json')
  assert.equal(code, 0, stderr)
  assert.equal(stdout.trim().split('\n').length, 1, 'one line of JSON')
  return JSON.parse(stdout)
}

const listWith = (key: string) => fetch('GET', '/api/v1/contacts', undefined, { authorization: `Bearer ${key}` })

test('a workspace is created with a first key that works at once', async () => {
  const name = `cli ${newId()}`
  const created = await json('workspace', 'create', name)
  assert.deepEqual(Object.keys(created).sort(), ['api_key', 'workspace'])
  assert.deepEqual(Object.keys(created.workspace).sort(), ['id', 'name'])
  assert.match(created.api_key, /^pk_[0-9A-Za-z]{43}$/)
  assert.equal((await listWith(created.api_key)).status, 200)
  const { workspaces } = await json('workspace', 'list')
  assert.ok(workspaces.some((one: { id: string }) => one.id === created.workspace.id))

  const again = await run('workspace', 'create', name)
  assert.equal(again.code, 1)
  assert.match(again.stderr, /there is a workspace/)
})

test('a key is created with name, scopes and expiry, listed without its secret, and revoked', async () => {
  const name = `cli ${newId()}`
  await json('workspace', 'create', name)
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
  assert.deepEqual(
    full.key.scopes,
    scopes.filter((scope) => !scope.startsWith('api_keys:')),
  )
  assert.equal(full.key.expires_at, null)
  assert.equal((await listWith(full.api_key)).status, 200)

  const listed = await run('key', 'list', '--workspace', name, '--json')
  assert.equal(JSON.parse(listed.stdout).keys.length, 3)
  assert.ok(!listed.stdout.includes(api_key))

  const revoked = await json('key', 'revoke', full.key.id)
  assert.ok(revoked.key.revoked_at)
  const deadline = Date.now() + 10_000
  while ((await listWith(full.api_key)).status !== 401) assert.ok(Date.now() < deadline, 'a revoked key still works')
})

const mistakes: [string[], RegExp][] = [
  [[], /a command is needed/],
  [['dance'], /no command "dance"/],
  [['toString'], /no command "toString"/],
  [['workspace', 'create'], /usage: parley workspace create NAME/],
  [['workspace', 'create', ' '], /NAME must have/],
  [['key', 'create'], /--workspace NAME is needed/],
  [['key', 'create', '--workspace', 'nowhere at all'], /no workspace "nowhere at all"/],
  [['key', 'create', '--workspace', 'Default', '--nonsense'], /nonsense/],
  [['key', 'list', '--scopes', 'x'], /takes no --scopes/],
  [['key', 'revoke', 'x'], /no key x/],
  [['key', 'revoke', newId()], /no key/],
  [['user', 'create'], /usage: parley user create EMAIL/],
  [['user', 'create', 'ada'], /email must be an email address/],
  [['user', 'create', 'ada@example.com', '--role', 'king'], /--role takes owner\|member\|viewer/],
  [['user', 'join', 'nobody@example.com'], /--workspace NAME is needed/],
  [['user', 'password', 'nobody@example.com'], /no person nobody@example.com/],
]
for (const [words, message] of mistakes) {
  test(`"parley ${words.join(' ')}" says what is wrong in one line`, async () => {
    const { code, stdout, stderr } = await run(...words)
    assert.equal(code, 1)
    assert.equal(stdout, '')
    assert.match(stderr, message)
    const lines = stderr.trim().split('\n')
    assert.equal(lines.filter((line) => !line.startsWith('Using the database')).length, 1)
  })
}

test('a command says which database it used, without the password', async () => {
  const { host, pathname, password } = new URL(DATABASE_URL)
  const { code, stderr } = await run('workspace', 'list')
  assert.equal(code, 0)
  assert.equal(stderr, `Using the database ${pathname.slice(1)} at ${host}\n`)
  assert.ok(password.length > 0 && !stderr.includes(password))
})

const needing: string[][] = [
  ['workspace', 'create', 'Lost'],
  ['workspace', 'list'],
  ['key', 'list'],
  ['user', 'create', 'ada@example.com'],
]
for (const words of needing) {
  test(`"parley ${words.join(' ')}" creates no database`, async () => {
    const DATA_DIR = path.join(os.tmpdir(), `parley-${newId()}`)
    const { code, stdout, stderr } = await parley(words, { DATA_DIR }, 'correct horse\n').ended
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, new RegExp(`^parley: there is no database in ${DATA_DIR}: [^\n]*DATA_DIR[^\n]*\n$`))
    assert.ok(!fs.existsSync(DATA_DIR))
  })
}

test('a command sets up no empty database at DATABASE_URL, but migrate does', async (t) => {
  const name = `cli_${process.pid}`
  const admin = testPool()
  t.after(async () => {
    await admin.script(`drop database ${name} with (force)`)
    await admin.close()
  })
  await admin.script(`create database ${name}`)
  const empty = { DATABASE_URL: DATABASE_URL.replace(/\/[^/]*$/, `/${name}`) }
  const refused = await parley(['workspace', 'list'], empty).ended
  assert.equal(refused.code, 1)
  assert.match(
    refused.stderr,
    new RegExp(`^parley: DATABASE_URL can't be used: the database ${name} [^\n]+ is empty[^\n]+\n$`),
  )
  assert.equal((await parley(['migrate'], empty).ended).code, 0)
  assert.equal((await parley(['workspace', 'list'], empty).ended).code, 0)
})

test('what needs no database uses none', async () => {
  const DATA_DIR = path.join(os.tmpdir(), `parley-${newId()}`)
  for (const words of [['--help'], ['openapi']]) {
    const { code, stderr } = await parley(words, { DATA_DIR }).ended
    assert.deepEqual([code, stderr], [0, ''])
  }
  assert.ok(!fs.existsSync(DATA_DIR))
})

test('a person is created with a password from standard input, joins workspaces, and gets a new password', async () => {
  const names = [`cli ${newId()}`, `cli ${newId()}`]
  for (const name of names) await json('workspace', 'create', name)
  const [first = '', second = ''] = names
  const email = `${newId()}@example.com`
  const user = async (input: string, ...words: string[]) =>
    parley(['user', ...words], { DATABASE_URL }, `${input}\n`).ended
  const short = await user('too short', 'create', email, '--workspace', first)
  assert.match(short.stderr, /^parley: password must have at least 10 characters/m)
  const made = await user('correct horse', 'create', email, '--workspace', first, '--name', 'Ada')
  assert.equal(made.stdout, `${email} is owner of "${first}".\n`, made.stderr)
  const again = await user('correct horse', 'create', email.toUpperCase(), '--workspace', first)
  assert.match(again.stderr, /there is a person/)
  assert.equal((await user('', 'join', email, '--workspace', second, '--role', 'member')).code, 0)
  assert.match((await user('', 'join', email, '--workspace', second)).stderr, /a member of .* already/)

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
  assert.deepEqual(listed.workspaces, [`${first} (owner)`, `${second} (member)`].sort())
  assert.ok(!JSON.stringify(people).includes('argon2'))

  assert.equal((await user('another horse', 'password', email)).code, 0)
  const cookie = signed_in.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  assert.equal((await fetch('GET', '/app/sessions', undefined, { cookie })).status, 401)
  assert.equal((await signIn('correct horse')).status, 401)
  assert.equal((await signIn('another horse')).status, 200)
})

test('scopes and times that are none are refused', async () => {
  const name = `cli ${newId()}`
  await json('workspace', 'create', name)
  const wrong_scope = await run('key', 'create', '--workspace', name, '--scopes', 'contacts:fly')
  assert.match(wrong_scope.stderr, /no scope "contacts:fly"/)
  const wrong_time = await run('key', 'create', '--workspace', name, '--expires-in', 'soon')
  assert.match(wrong_time.stderr, /--expires-in/)
  const wrong_option = await run('key', 'list', '--jsn')
  assert.match(wrong_option.stderr, /^parley: Unknown option '--jsn' \(parley --help\)$/m)
})

test('help tells every command', async () => {
  const { code, stdout } = await run('--help')
  assert.equal(code, 0)
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
    'user list',
  ]) {
    assert.ok(stdout.includes(command), command)
  }
})
