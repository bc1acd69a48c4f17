import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { newTenant, startService } from '../faults/service.ts'
import { createDatabase } from '../support/harness.ts'
import { until } from '../support/model-servers.ts'
import { receiver } from '../support/receivers.ts'
import { newProvider, newTool, phoneNumber } from '../support/samples.ts'

test('the log has no words, numbers or tokens, also when everything fails', async () => {
  await using stack = new AsyncDisposableStack()
  const { url, pool } = await createDatabase('conversation_log')
  const SECRETS_KEY = randomBytes(32).toString('base64')
  const environment = { DATABASE_URL: url, SECRETS_KEY, OUTBOUND_ALLOW_HOSTS: '127.0.0.1', LOG_LEVEL: 'trace' }
  const service = await startService(stack, environment)
  const { key } = await newTenant(pool)
  const secrets = {
    words: `words-${randomBytes(8).toString('hex')}`,
    number: phoneNumber(),
    model_key: `sk-${randomBytes(8).toString('hex')}`,
    header: randomBytes(8).toString('hex'),
    variable: `variable-${randomBytes(8).toString('hex')}`,
    api_key: key,
  }
  const failing = await receiver((response, request) =>
    response
      .writeHead(request.url?.includes('tool') ? 500 : 401)
      .end(JSON.stringify({ error: { message: secrets.words, code: 'invalid_api_key' } })),
  )
  const make = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(`${service.url}/api/v1${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    assert.equal(response.status, 201, path)
    return JSON.parse(await response.text()).data
  }
  const { id: contact_id } = await make('/contacts', { phone_number: secrets.number })
  const base_url = failing.url.replace('/hook', '/v1')
  await make('/providers', newProvider({ name: 'failing', base_url, api_key: secrets.model_key }))
  const headers = { 'x-key': secrets.header }
  const { secret } = await make(
    '/tools',
    newTool({ name: 'look', url: `${failing.url}/tool`, headers, parameters: { type: 'object' } }),
  )
  const nodes = {
    look: { tool: 'look', ok: 'wait', failed: 'wait' },
    wait: { say: secrets.words, on: [{ hear: ['yes'], go: '@end' }] },
  }
  const scripted = await make('/agents', { name: 'Scripted', script: { start: 'look', nodes }, tools: ['look'] })
  const asking = await make('/agents', { name: 'Asking', model: { provider: 'failing', name: 'small' } })
  const variables = { order: secrets.variable }
  for (const { id: agent_id } of [scripted, asking])
    await make('/conversations', { agent_id, contact_id, variables, message: secrets.words })
  await until(() => failing.received.length >= 2)
  await until(() => service.running.stderr().includes('a model has not answered'))
  await service.stop()
  const log = service.running.stderr()
  const line = log.split('\n').find((one) => one.includes('a model has not answered')) ?? ''
  const { status, kind, reason } = JSON.parse(line)
  assert.deepEqual([status, kind, reason], [401, 'invalid_api_key', 'The provider rejected the API key.'])
  for (const [name, value] of Object.entries({ ...secrets, tool_secret: secret })) {
    assert.ok(!log.includes(value), `the log has the ${name}`)
    assert.ok(!log.includes(Buffer.from(value).toString('base64')), name)
  }
})
