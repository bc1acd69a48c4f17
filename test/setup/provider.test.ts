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
    command(
      ['provider', ...words, '--workspace', name],
      { DATABASE_URL, SECRETS_KEY, PUBLIC_URL: nowhere, ...variables },
      input,
    ).ended
}

test('a provider that is created without an API key says so, and how to set one', async () => {
  const provider = await commandsOf(await server.workspace(), {})
  const without = await provider(['create', 'Own', '--model', 'small'])
  assert.equal(without.code, 0, without.stderr)
  const [, id = ''] = /^Provider "Own" (\S+)$/m.exec(without.stdout) ?? []
  assert.match(without.stdout, /^It has no API key\. To set one, .*PATCH .*$/m)
  assert.ok(without.stdout.includes(`/api/v1/providers/${id}`), without.stdout)
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
    assert.match(stderr, new RegExp(`^Using [^\n]+\n(The service [^\n]+\n)?parley: --key-file: [^\n]*${file}[^\n]*\n$`))
  }
})

test('commands go by the settings of the running service, not by their own', async () => {
  const tenant = await server.workspace()
  const there = await openaiServer({ words: ['OK'] })
  const variables = { PUBLIC_URL: server.url, OUTBOUND_ALLOW_HOSTS: '10.0.0.1', SECRETS_KEY: 'b'.repeat(32) }
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

test('a command says when it goes by its own settings, because no service answers', async () => {
  const tenant = await server.workspace()
  const there = await openaiServer({ words: ['OK'] })
  const provider = await commandsOf(tenant, { OUTBOUND_ALLOW_HOSTS: '127.0.0.1' })
  const created = await provider(['create', 'Own', '--model', 'small', '--base-url', there.base_url], 'sk-own')
  assert.equal(created.code, 0, created.stderr)
  assert.match(created.stderr, /^The service doesn't answer at http:\/\/127\.0\.0\.1:9, .*OUTBOUND_ALLOW_HOSTS.*$/m)
  const tested = await provider(['test', 'Own'])
  assert.equal(tested.code, 0, tested.stdout)
})

test('a service with another database is not asked, and gets no API key', async () => {
  const tenant = await server.workspace()
  const provider = await commandsOf(tenant, {})
  const stranger = await receiver(respondWith(200, { 'content-type': 'application/json' }, '{"data": {"id": "other"}}'))
  const asked = await commandsOf(tenant, { PUBLIC_URL: new URL(stranger.url).origin })
  const created = await asked(['create', 'Own', '--model', 'small'], 'sk-secret')
  assert.equal(created.code, 0, created.stderr)
  assert.match(created.stderr, /uses another database/)
  assert.ok(stranger.received.length > 0 && !JSON.stringify(stranger.received).includes('sk-secret'))
  assert.match((await provider(['list'])).stdout, / Own /)
})
