import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { readConfig } from '../../server/config.ts'
import * as clock from '../../server/kit/clock.ts'
import { resealColumn } from '../../server/kit/crypto/reseal.ts'
import { openSeal } from '../../server/kit/crypto/seal.ts'
import { newSigningSecret } from '../../server/kit/crypto/signing.ts'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { seal_info } from '../../server/product.ts'
import { ensureSecretsKeys, readSecretsKeys } from '../../server/start/secrets-key.ts'
import { sealed_columns } from '../../server/webhooks/sealed.ts'
import { createDatabase, openServer, type Server, testPool } from '../support/harness.ts'
import { command } from '../support/process.ts'
import {
  newAgent,
  newApiKey,
  newConsent,
  newContact,
  newIntegration,
  newProvider,
  newTool,
  phoneNumber,
} from '../support/samples.ts'
import { newPerson } from '../support/sessions.ts'
import { turnOnTwoFactor } from '../support/two-factor.ts'
import { createWebhook } from '../support/webhook-calls.ts'

const { url, pool } = await createDatabase('secrets')
const [old_key, new_key, lost_key] = ['old', 'new', 'lost'].map((name) => `${name} key of at least 32 characters`) as [
  string,
  string,
  string,
]

/** Runs `work` with a server that has these keys. */
async function withServer(secrets_key: string, previous: string | undefined, work: (server: Server) => Promise<void>) {
  const server = await openServer(testPool(url), { secrets_key, secrets_key_previous: previous })
  try {
    await work(server)
  } finally {
    await server.close()
  }
}

/** Runs `parley secrets reseal` and returns its counts by kind. */
async function reseal(environment: Record<string, string>): Promise<Record<string, [number, number]>> {
  const { code, stdout, stderr } = await command(['secrets', 'reseal', '--json'], { DATABASE_URL: url, ...environment })
    .ended
  const { secrets } = JSON.parse(stdout) as { secrets: { kind: string; resealed: number; unreadable: number }[] }
  const has_unreadable = secrets.some(({ unreadable }) => unreadable > 0)
  assert.equal(code, has_unreadable ? 1 : 0, stderr)
  return Object.fromEntries(secrets.map(({ kind, resealed, unreadable }) => [kind, [resealed, unreadable]]))
}

/** Creates one of each kind of secret. Returns a check that a server with these keys can read all of them. */
async function createSecrets(server: Server) {
  const tenant = await server.workspace()
  const { id: webhook_id } = await createWebhook(tenant, 'inbox')
  assert.equal((await tenant.call('POST', `/webhooks/${webhook_id}/rotate_secret`)).status, 200)
  const signing_secret = newSigningSecret()
  const integration = (await tenant.call('POST', '/integrations', newIntegration({ signing_secret }))).body.data
  await tenant.call('POST', '/providers', newProvider())
  const tool = (await tenant.call('POST', '/tools', newTool({ headers: { key: 'secret' } }))).body.data
  await tenant.call('POST', `/tools/${tool.id}/rotate_secret`)
  const agent_id = (await tenant.call('POST', '/agents', newAgent())).body.data.id
  const account = { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'token' }
  await tenant.addChannel({ provider: 'twilio', agent_id, ...account })
  const contact_id = (await tenant.call('POST', '/contacts', newContact())).body.data.id
  await tenant.call('POST', `/contacts/${contact_id}/consents`, newConsent())
  const person = await newPerson(server)
  await turnOnTwoFactor(person)
  const createKey = (call: typeof tenant.call) =>
    call('POST', '/api_keys', newApiKey(), { 'idempotency-key': 'new-key' })
  const { key } = (await createKey(tenant.call)).body.data

  async function canRead({ fetch, at }: Server): Promise<boolean[]> {
    const call: typeof tenant.call = (method, path, body, headers) =>
      fetch(method, `/api/v1${path}`, body, { authorization: `Bearer ${tenant.key}`, ...headers })
    const shown = (await call('GET', `/integrations/${integration.id}`)).body.data.url
    const message = JSON.stringify({ phone: phoneNumber() })
    const [id, time] = [newId(), new Date(clock.wall())]
    const received = await fetch('POST', new URL(integration.url).pathname, message, {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
      'webhook-signature': new Webhook(signing_secret).sign(id, time, message),
    })
    const { seal } = at(tenant.id).tools
    const sealed = await pool.one<{ secret: string; previous_secret: string }>(
      sql`select secret, previous_secret from webhooks where workspace_id = ${tenant.id}`,
    )
    const others = await pool.one<Record<'api_key' | 'secret' | 'previous_secret' | 'headers' | 'auth_token', string>>(
      sql`select api_key, secret, previous_secret, headers, auth_token from providers
        join tools on tools.workspace_id = ${tenant.id} join channels on channels.workspace_id = ${tenant.id}
        where providers.workspace_id = ${tenant.id}`,
    )
    const two_factor = await pool.one<{ secret: string }>(
      sql`select secret from two_factor_secrets where person_id = ${person.id}`,
    )
    const opens = (text: string, beginning = 'whsec_') => {
      try {
        return seal.open(text).startsWith(beginning)
      } catch {
        return false
      }
    }
    const replayed = await createKey(call)
    return [
      shown !== null && new URL(shown).pathname === new URL(integration.url).pathname,
      received.status === 200,
      opens(sealed.secret),
      opens(sealed.previous_secret),
      opens(others.api_key, 'sk-test'),
      opens(others.secret),
      opens(others.previous_secret),
      opens(others.headers, '{'),
      opens(others.auth_token, 'token'),
      (await call('GET', `/contacts/${contact_id}/consents`)).body.data?.length === 1,
      replayed.body.data?.key === key,
      opens(two_factor.secret, ''),
    ]
  }
  return { tenant, webhook_id, canRead }
}

const all = Array<boolean>(12).fill(true)
const none = Array<boolean>(12).fill(false)

test('SECRETS_KEY is rotated while servers run, and then the previous key can be dropped', async () => {
  await withServer(old_key, new_key, async (old_server) => {
    const { tenant, canRead } = await createSecrets(old_server)
    const { close } = openSeal(old_key, seal_info)
    const count = 2_500
    const bodies = Array.from({ length: count }, (_, index) => (index % 2 ? close(`{"n":${index}}`) : `{"n":${index}}`))
    await pool.run(
      sql`insert into idempotency_keys (workspace_id, key, fingerprint, status, headers, body, expires_at)
        select ${tenant.id}, 'many ' || n, '', 200, '{}', body, ${clock.iso(clock.wall() + 60_000)}
        from unnest(${bodies}::text[]) with ordinality as answers (body, n)`,
    )
    await withServer(new_key, undefined, async (server) => assert.deepEqual(await canRead(server), none))
    await withServer(new_key, old_key, async (server) => {
      assert.deepEqual(await canRead(server), all)
      const keys = { SECRETS_KEY: new_key, SECRETS_KEY_PREVIOUS: old_key }
      assert.deepEqual(await reseal(keys), {
        'webhooks.secret': [1, 0],
        'webhooks.previous_secret': [1, 0],
        'integrations.token': [1, 0],
        'integrations.signing_secret': [1, 0],
        'providers.api_key': [1, 0],
        'tools.secret': [1, 0],
        'tools.previous_secret': [1, 0],
        'tools.headers': [1, 0],
        'channels.auth_token': [1, 0],
        'consent_ledgers.secret': [1, 0],
        'idempotency_keys.body': [count / 2 + 1, 0],
        'two_factor_secrets.secret': [1, 0],
      })
      assert.deepEqual(Object.values(await reseal(keys)).flat(), Array(24).fill(0))
    })
    await withServer(new_key, undefined, async (server) => assert.deepEqual(await canRead(server), all))
    assert.deepEqual(await canRead(old_server), all)
    const { total } = await pool.one<{ total: number }>(
      sql`select count(*)::int as total from idempotency_keys where workspace_id = ${tenant.id} and body like '{"n":%'`,
    )
    assert.equal(total, count / 2, 'bodies without a secret are not sealed')
  })
})

test('what was encrypted with a lost key is counted and left as it is', async () => {
  await withServer(lost_key, undefined, async (server) => {
    const { canRead } = await createSecrets(server)
    const counts = await reseal({ SECRETS_KEY: new_key, SECRETS_KEY_PREVIOUS: old_key })
    assert.deepEqual(Object.values(counts), Array(12).fill([0, 1]))
    assert.deepEqual(await canRead(server), all)
  })
})

test('a secret that is rotated while it is encrypted again is neither lost nor left out', async () => {
  await withServer(old_key, undefined, async (before) => {
    const { tenant, webhook_id } = await createSecrets(before)
    await withServer(new_key, old_key, async ({ at, fetch }) => {
      const [secret, previous_secret] = sealed_columns
      assert.ok(secret && previous_secret)
      let rotated: string | undefined
      const rotating: typeof secret = {
        ...secret,
        async list(...parameters) {
          const rows = await secret.list(...parameters)
          const path = `/api/v1/webhooks/${webhook_id}/rotate_secret`
          rotated ??= (await fetch('POST', path, undefined, { authorization: `Bearer ${tenant.key}` })).body.data.secret
          return rows
        },
      }
      assert.equal((await resealColumn(at(tenant.id), rotating)).resealed, 0)
      assert.equal((await resealColumn(at(tenant.id), previous_secret)).resealed, 1)
      const sealed = await pool.one<{ secret: string; previous_secret: string }>(
        sql`select secret, previous_secret from webhooks where workspace_id = ${tenant.id}`,
      )
      const { open } = openSeal(new_key, seal_info)
      assert.equal(open(sealed.secret), rotated)
      assert.match(open(sealed.previous_secret), /^whsec_/)
    })
  })
})

test('resealing without a key is a SETUP_ERROR that names the variable', async () => {
  const { code, stderr } = await command(['secrets', 'reseal'], { DATABASE_URL: url }).ended
  assert.equal(code, 1)
  assert.match(stderr, /^parley: SECRETS_KEY is required[^\n]*\n$/m)
})

test('a key file that is renamed to secrets-key-previous is replaced at the next start', () => {
  const DATA_DIR = fs.mkdtempSync(path.join(os.tmpdir(), 'parley-'))
  const config = readConfig({ DATA_DIR })
  assert.deepEqual(readSecretsKeys(config), { secrets_key: undefined, secrets_key_previous: undefined })
  const { secrets_key: first } = ensureSecretsKeys(config)
  assert.deepEqual(ensureSecretsKeys(config), { secrets_key: first, secrets_key_previous: undefined })
  fs.renameSync(path.join(DATA_DIR, 'secrets-key'), path.join(DATA_DIR, 'secrets-key-previous'))
  const { secrets_key: second, secrets_key_previous } = ensureSecretsKeys(config)
  assert.notEqual(second, first)
  assert.equal(secrets_key_previous, first)
  assert.deepEqual(readSecretsKeys(readConfig({ DATA_DIR, SECRETS_KEY: new_key, SECRETS_KEY_PREVIOUS: old_key })), {
    secrets_key: new_key,
    secrets_key_previous: old_key,
  })
  fs.rmSync(DATA_DIR, { recursive: true })
})
