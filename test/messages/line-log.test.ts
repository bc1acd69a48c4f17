import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import * as channels from '../../server/channels/store.ts'
import { readConfig } from '../../server/config.ts'
import { atWall, inTransaction } from '../../server/kit/at.ts'
import { openService } from '../../server/service.ts'
import { newTenant, startService } from '../faults/service.ts'
import { account_sid, openCarrier } from '../peers/carrier.ts'
import { createDatabase } from '../support/harness.ts'
import { until } from '../support/model-servers.ts'
import { phoneNumber } from '../support/samples.ts'
import { inboundForm, own_number, signatureOf } from '../support/sms.ts'

test('the log has no words, numbers or tokens of messages and web chats', async () => {
  await using stack = new AsyncDisposableStack()
  const { url: DATABASE_URL, pool } = await createDatabase('line_log')
  const environment = { DATABASE_URL, SECRETS_KEY: randomBytes(32).toString('base64'), LOG_LEVEL: 'trace' }
  const service = await startService(stack, environment)
  const { workspace, key } = await newTenant(pool)
  const random = (name: string) => `${name}-${randomBytes(8).toString('hex')}`
  const secrets = {
    words: random('words'),
    number: phoneNumber(),
    auth_token: random('token'),
    answer: random('answer'),
  }
  const carrier = await openCarrier({
    auth_token: secrets.auth_token,
    troubleFor: (form) => ({
      status: 400,
      code: 21211,
      message: `${form.get('To')} can't receive ${form.get('Body')}`,
    }),
  })
  stack.defer(() => carrier.close())
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const script = { start: 'ask', nodes: { ask: { say: secrets.answer, go: '@end' } } }
  const made = await fetch(`${service.url}/api/v1/agents`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'Reception', script }),
  })
  const agent = await made.text()
  assert.equal(made.status, 201, agent)
  const agent_id = JSON.parse(agent).data.id
  const at = atWall(
    openService(pool, readConfig(environment), () => service.url),
    workspace,
  )
  const account = { account_sid, auth_token: secrets.auth_token, api_url: carrier.url, is_api_url_trusted: true }
  const [sms, chat] = await inTransaction(at, async (at) => [
    await channels.create(at, {
      name: 'SMS',
      kind: 'sms',
      provider: 'twilio',
      address: own_number,
      agent_id,
      ...account,
    }),
    await channels.create(at, { name: 'Site', kind: 'web_chat', provider: 'web', agent_id }),
  ])
  const form = inboundForm(secrets.words, { from: secrets.number })
  const inbound_url = sms.inbound_url ?? ''
  for (const signature of ['wrong', signatureOf(inbound_url, form, secrets.auth_token)]) {
    const type = 'application/x-www-form-urlencoded'
    await fetch(inbound_url, {
      method: 'POST',
      headers: { 'content-type': type, 'x-twilio-signature': signature },
      body: new URLSearchParams(form).toString(),
    })
  }
  const begun = await fetch(`${chat.public_url}/sessions`, { method: 'POST' })
  const { token } = JSON.parse(await begun.text()).data
  await fetch(`${chat.public_url}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text: secrets.words }),
  })
  await until(async () => {
    const { data } = JSON.parse(
      await (await fetch(`${service.url}/api/v1/events?type=message.failed`, { headers })).text(),
    )
    return data.length > 0
  })
  await service.stop()
  const log = service.running.stderr()
  assert.ok(log.includes('/sms/'), 'requests are logged')
  for (const [name, value] of Object.entries({ ...secrets, token, key })) {
    assert.ok(!log.includes(value), `the log has the ${name}`)
    assert.ok(!log.includes(Buffer.from(value).toString('base64')), name)
  }
})
