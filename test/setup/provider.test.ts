import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { newId } from '../../server/kit/id.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { openaiServer } from '../support/model-servers.ts'
import { command } from '../support/process.ts'
import { receiver, respondWith } from '../support/receivers.ts'

const DATABASE_URL = process.env.TEST_DATABASE_URL ?? ''
const SECRETS_KEY = 'a'.repeat(32)
const server = await serve({
  outbound_allow_hosts: ['127.0.0.1'],
  secrets_key: SECRETS_KEY,
  openai_api_key: 'sk-service',
  openai_model: 'small',
})
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'parley-'))
after(() => fs.rmSync(folder, { recursive: true }))

/** Where nobody listens. */
const nowhere = 'http://127.0.0.1:9'

async function commandsOf(tenant: Tenant, variables: Record<string, string>) {
  const { name } = (await tenant.call('GET', '/workspace')).body.data
  return (words: string[], input = '') =>
    command(['provider', ...words, '--workspace', name], { DATABASE_URL, PUBLIC_URL: server.url, ...variables }, input)
      .ended
}

test('a provider that is created without an API key says so, and how to set one', async () => {
  const provider = await commandsOf(await server.workspace(), {})
  const without = await provider(['create', 'Own', '--model', 'small'])
  assert.equal(without.code, 0, without.stderr)
  const [, id = ''] = /^Provider "Own" (\S+)$/m.exec(without.stdout) ?? []
  assert.match(without.stdout, /^It has no API key\. To set one: npx parley provider update "Own" --key-file FILE$/m)
  assert.match(id, /^[0-9a-f-]{36}$/)
  const with_key = await provider(['create', 'Other', '--model', 'small'], 'sk-key\n')
  assert.doesNotMatch(with_key.stdout, /no API key/)
})

test('a provider for speech is created without a model, another one is not', async () => {
  const provider = await commandsOf(await server.workspace(), {})
  const speech = await provider(['create', 'Voice', '--kind', 'elevenlabs', '--json'], 'sk-key')
  assert.equal(speech.code, 0, speech.stderr)
  const { kind, default_model, is_default } = JSON.parse(speech.stdout).provider
  assert.deepEqual({ kind, default_model, is_default }, { kind: 'elevenlabs', default_model: null, is_default: false })
  const refused = await provider(['create', 'Words'], 'sk-key')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /default_model is required/)
})

test('a test that fails has the exit status 1', async () => {
  const provider = await commandsOf(await server.workspace(), {})
  await provider(['create', 'Own', '--model', 'small', '--base-url', 'http://model.example/'], 'sk-key')
  const [tested, as_json] = await Promise.all([provider(['test', 'Own']), provider(['test', 'Own', '--json'])])
  assert.equal(tested.code, 1)
  assert.match(tested.stdout, /^It failed: /)
  assert.deepEqual([as_json.code, JSON.parse(as_json.stdout).result.is_ok], [1, false])
})

test('a key file that holds no key is named in one line', async () => {
  const provider = await commandsOf(await server.workspace(), {})
  const empty = path.join(folder, 'empty')
  fs.writeFileSync(empty, '\n')
  for (const file of ['/nonexistent', folder, empty]) {
    const { code, stdout, stderr } = await provider(['create', 'Own', '--model', 'small', '--key-file', file])
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, new RegExp(`^Using [^\n]+\nparley: --key-file: [^\n]*${file}[^\n]*\n$`))
  }
})

test('commands go by the settings of the running service, not by their own', async () => {
  const tenant = await server.workspace()
  const there = await openaiServer({ words: ['OK'] })
  const variables = { OUTBOUND_ALLOW_HOSTS: '10.0.0.1', SECRETS_KEY: 'b'.repeat(32) }
  const provider = await commandsOf(tenant, variables)
  const named = (url: string) => ['create', `Own ${newId()}`, '--model', 'small', '--base-url', url, '--json']
  const created = await provider(named(there.base_url), 'sk-own')
  assert.equal(created.code, 0, created.stderr)
  const { id, name } = JSON.parse(created.stdout).provider
  assert.equal((await tenant.call('GET', `/providers/${id}`)).body.data.has_api_key, true)
  const tested = await provider(['test', name])
  assert.match(tested.stdout, /^It answered after \d+ ms\.$/m, tested.stderr)
  assert.equal(there.received.at(-1)?.headers.authorization, 'Bearer sk-own')
  const refused = await provider(named('http://10.0.0.1/'), 'sk-own')
  assert.equal(refused.code, 1)
  assert.match(JSON.parse(refused.stderr.trim().split('\n').at(-1) ?? '').error.message, /OUTBOUND_ALLOW_HOSTS/)
  const listed = await provider(['list'])
  assert.match(listed.stdout, /^openai +openai /m, 'the provider of the service, not of the command')
})

test('a provider is created with a key from a file or standard input, listed, tested and deleted', async () => {
  const run = await commandsOf(await server.workspace(), {})
  const provider = (words: string[], input = '') => run([...words, '--json'], input)
  const there = await openaiServer({ words: ['OK'] })
  const file = path.join(folder, 'key-file')
  fs.writeFileSync(file, 'sk-file\n')
  const named = ['--model', 'small', '--base-url', there.base_url]
  const first = await provider(['create', 'One', ...named, '--key-file', file])
  assert.equal(first.code, 0, first.stderr)
  assert.equal(JSON.parse(first.stdout).provider.has_api_key, true)
  const second = await provider(['create', 'Two', ...named, '--default'], 'sk-input\n')
  assert.equal(second.code, 0, second.stderr)
  const refused = await provider(['create', 'Three', '--model', 'small', '--base-url', 'http://10.0.0.1/'], 'sk-input')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /public address/)
  const { providers } = JSON.parse((await provider(['list'])).stdout)
  assert.deepEqual(
    providers
      .filter(({ name }: { name: string }) => name !== 'openai')
      .map((one: { name: string; is_default: boolean }) => [one.name, one.is_default]),
    [
      ['Two', true],
      ['One', false],
    ],
  )
  for (const name of ['One', 'Two']) {
    const tested = await provider(['test', name])
    assert.equal(JSON.parse(tested.stdout).result.is_ok, true, tested.stderr)
  }
  assert.deepEqual(
    there.received.map(({ headers }) => headers.authorization),
    ['Bearer sk-file', 'Bearer sk-input'],
  )
  assert.equal((await provider(['delete', 'One'])).code, 0)
  const missing = await provider(['delete', 'One'])
  assert.match(missing.stderr, /there is no provider/)
  assert.ok(![first, second].some(({ stdout, stderr }) => /sk-/.test(stdout + stderr)))
})

test('a provider is changed, and what is not named stays', async () => {
  const provider = await commandsOf(await server.workspace(), {})
  await provider(['create', 'Own', '--model', 'small'])
  const file = path.join(folder, 'key')
  fs.writeFileSync(file, 'sk-new\n')
  const changed = await provider(['update', 'Own', '--name', 'Other', '--default', '--key-file', file, '--json'])
  assert.equal(changed.code, 0, changed.stderr)
  const { name, default_model, is_default, has_api_key } = JSON.parse(changed.stdout).provider
  assert.deepEqual([name, default_model, is_default, has_api_key], ['Other', 'small', true, true])
  const again = await provider(['update', 'Other', '--no-default', '--model', 'large', '--json'])
  const { provider: last } = JSON.parse(again.stdout)
  assert.deepEqual([last.default_model, last.is_default, last.has_api_key], ['large', false, true])
  assert.match((await provider(['update', 'Other'])).stderr, /name what to change/)
})

test('without a service the commands say so', async () => {
  const provider = await commandsOf(await server.workspace(), { PUBLIC_URL: nowhere })
  const { code, stderr } = await provider(['create', 'Own', '--model', 'small'], 'sk-own')
  assert.equal(code, 1)
  assert.match(stderr, /the service doesn't answer at http:\/\/127\.0\.0\.1:9 /)
})

test('a service with another database gets no API key', async () => {
  const stranger = await receiver(respondWith(200, { 'content-type': 'application/json' }, '{"data": {"id": "other"}}'))
  const asked = await commandsOf(await server.workspace(), { PUBLIC_URL: new URL(stranger.url).origin })
  const { code, stderr } = await asked(['create', 'Own', '--model', 'small'], 'sk-secret')
  assert.equal(code, 1)
  assert.match(stderr, /uses another database/)
  assert.ok(stranger.received.length > 0 && !JSON.stringify(stranger.received).includes('sk-secret'))
})
