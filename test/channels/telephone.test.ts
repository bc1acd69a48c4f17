import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import twilio from 'twilio'
import { sound } from '../../server/audio/sound.ts'
import type { Finding, NewChannel } from '../../server/channels/schema.ts'
import * as channels from '../../server/channels/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { account_sid, auth_token, type IncomingNumber, openCarrier, type Trouble } from '../peers/carrier.ts'
import { fake_sound } from '../support/fake-speech.ts'
import { openServer, type Tenant, testPool } from '../support/harness.ts'
import { newAgent, newChannel, newProvider, phoneNumber } from '../support/samples.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'

const public_url = 'https://parley.example.com'
// A server of its own, because its address and its speech are changed.
const server = await openServer(testPool())
after(server.close)
const carrier = await openCarrier()
after(() => carrier.close())
const service = server.at('')
const { tools } = service
tools.address = () => public_url
sound.set(service, fake_sound)

const newAgentId = async ({ call }: Tenant, fields: object = {}): Promise<string> =>
  (await call('POST', '/agents', newAgent(fields))).body.data.id

/** A channel for calls whose carrier is the fake one. */
const addTelephone = (tenant: Tenant, fields: Partial<NewChannel>) => {
  const trusted = { api_url: carrier.url, is_api_url_trusted: true }
  const channel = newChannel({ kind: 'voice', provider: 'twilio', account_sid, auth_token, ...fields })
  return inTransaction(server.at(tenant.id), (at) => channels.create(at, { ...channel, ...trusted }))
}

async function ownerOf(tenant: Tenant) {
  const { go } = await newPerson(server, { [tenant.id]: 'owner' })
  return (method: string, path: string, body?: object) =>
    go(method, `/api/v1/channels${path}`, body, inWorkspace(tenant))
}

/** A number as it is when everything is done. */
const connected = (phone_number: string, voice_url: string): IncomingNumber => ({
  phone_number,
  capabilities: { voice: true, sms: true, mms: false, fax: false },
  voice_url,
  voice_method: 'POST',
  voice_application_sid: null,
  trunk_sid: null,
})

async function newTelephone(fields: Partial<NewChannel> = {}, agent: object = {}) {
  const tenant = await server.workspace()
  await tenant.call('POST', '/providers', newProvider({ name: 'Ears', kind: 'deepgram', default_model: undefined }))
  const agent_id = await newAgentId(tenant, agent)
  const channel = await addTelephone(tenant, { agent_id, address: phoneNumber(), ...fields })
  const call = await ownerOf(tenant)
  const number = connected(channel.address ?? '', channel.inbound_url ?? '')
  return { tenant, channel, call, number, runTest: () => call('POST', `/${channel.id}/test`) }
}

/** The codes of what is found, with the sentences. */
async function findingsOf(runTest: () => Promise<{ status: number; text: string; body: { data: Any } }>) {
  const { status, text, body } = await runTest()
  assert.equal(status, 200, text)
  const { is_ok, error, findings } = body.data
  assert.equal(is_ok, findings.length === 0)
  assert.equal(error, findings.map(({ message }: Finding) => message).join(' ') || null)
  return { codes: findings.map(({ code }: Finding) => code), text: error as string | null }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type Any = any

test('a telephone channel is called at its own URL, and can call', async () => {
  const { tenant, channel } = await newTelephone({ address: '+14155550100' })
  const shown = (await tenant.call('GET', `/channels/${channel.id}`)).body.data
  assert.deepEqual(
    [shown.kind, shown.provider, shown.address, shown.inbound_url, shown.public_url, shown.capabilities, shown.status],
    [
      'voice',
      'twilio',
      '+14155550100',
      `${public_url}/phone/${channel.id}`,
      null,
      { inbound: true, outbound: true },
      'active',
    ],
  )
})

test('one number can have a channel for SMS and one for calls', async () => {
  const { tenant, channel } = await newTelephone()
  const { address, agent_id } = channel
  const call = await ownerOf(tenant)
  const account = { provider: 'twilio', address, agent_id, account_sid, auth_token }
  const sms = await call('POST', '', { name: 'SMS', kind: 'sms', ...account })
  assert.equal(sms.status, 201, sms.text)
  const again = await call('POST', '', { name: 'Calls', kind: 'voice', ...account })
  assert.deepEqual([again.status, again.body.error.details.existing_id], [409, channel.id])
})

test('a telephone channel is refused in a test workspace', async () => {
  const tenant = await server.workspace()
  await tenant.addTestClock()
  const agent_id = await newAgentId(tenant)
  await assert.rejects(addTelephone(tenant, { agent_id, address: phoneNumber() }), /test workspace\. Use the provider/)
})

test('limits of messages are for channels that send messages', async () => {
  const { channel, call } = await newTelephone()
  for (const limit of ['messages_per_minute_max', 'messages_per_day_max']) {
    const { status, body } = await call('PATCH', `/${channel.id}`, { [limit]: 5 })
    assert.deepEqual([status, body.error.details.fields[0].path], [400, limit])
    assert.equal(body.error.details.fields[0].code, 'unexpected')
  }
  const limited = await call('PATCH', `/${channel.id}`, { tokens_per_day_max: 5_000 })
  assert.deepEqual([limited.status, limited.body.data.tokens_per_day_max], [200, 5_000])
})

test('the URL for messages is not that of a telephone channel', async () => {
  const { tenant, channel } = await newTelephone()
  const form = { MessageSid: `SM${'0'.repeat(32)}`, From: '+14155550123', To: channel.address ?? '', Body: 'Hello' }
  const url = `${public_url}/sms/${channel.id}`
  const signature = twilio.getExpectedTwilioSignature(auth_token, url, form)
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature }
  assert.equal((await tenant.send(url, new URLSearchParams(form).toString(), headers)).status, 404)
})

test('the only telephone channel calls when none is named', async () => {
  const { tenant, channel } = await newTelephone()
  const scheduled_at = new Date(Date.now() + 3_600_000).toISOString()
  const body = { agent_id: channel.agent_id, to: phoneNumber(), scheduled_at }
  const call = await tenant.call('POST', '/calls', body)
  assert.deepEqual([call.status, call.body.data?.channel_id, call.body.data?.from], [201, channel.id, channel.address])
  assert.equal(call.body.data.is_test, false)
  await addTelephone(tenant, { agent_id: channel.agent_id, address: phoneNumber() })
  assert.equal((await tenant.call('POST', '/calls', body)).status, 400)
  assert.equal((await tenant.call('POST', '/calls', { ...body, channel_id: channel.id })).status, 201)
})

test('a campaign calls from a telephone channel, and not from a page to talk on', async () => {
  const { tenant, channel } = await newTelephone()
  const { agent_id } = channel
  const page = await tenant.addChannel({ kind: 'voice', provider: 'web', agent_id })
  const create = (channel_ids: string[]) =>
    tenant.call('POST', '/campaigns', { name: 'A', kind: 'voice', agent_id, channel_ids })
  assert.equal((await create([channel.id])).status, 201)
  const { status, body } = await create([channel.id, page.id])
  assert.deepEqual([status, body.error.details.fields[0].path], [400, 'channel_ids.1'])
  assert.match(body.error.message, /a voice channel that can call and is not disabled/)
})

test('a number that is set up has no findings, and nobody is called', async () => {
  const { number, runTest } = await newTelephone()
  // Twilio finds it too.
  carrier.numbers.push({ ...number, phone_number: `${number.phone_number}0`, voice_url: null }, number)
  assert.deepEqual(await findingsOf(runTest), { codes: [], text: null })
  const statuses = (await Promise.all(Array.from({ length: 20 }, runTest))).map(({ status }) => status)
  assert.ok(statuses.includes(429), String(statuses))
})

const to_do =
  /In the Twilio Console, open the number, .+ "A call comes in" to Webhook, https:\/\/parley\.example\.com\/phone\//

for (const [what, changes, code, expected] of [
  ['an empty URL', { voice_url: '' }, 'voice_url_missing', to_do],
  ['no URL', { voice_url: null }, 'voice_url_missing', to_do],
  [
    'another URL',
    { voice_url: 'https://demo.twilio.com/welcome/voice/' },
    'voice_url_differs',
    /https:\/\/demo\.twilio\.com\/welcome\/voice\/\. In the Twilio Console/,
  ],
  ['another method', { voice_method: 'GET' }, 'voice_method_differs', to_do],
  [
    'a TwiML app',
    { voice_application_sid: 'AP123' },
    'application_overrides',
    /TwiML app AP123\. In the Twilio Console/,
  ],
  ['a trunk', { trunk_sid: 'TK123', voice_url: '' }, 'trunk_overrides', /SIP trunk TK123\. In the Twilio Console/],
  [
    'no voice',
    { capabilities: { voice: false, sms: true, mms: true, fax: false } },
    'number_without_voice',
    /Use one that has the capability Voice/,
  ],
] as const satisfies [string, Partial<IncomingNumber>, string, RegExp][]) {
  test(`a number with ${what} is found, with what to do`, async () => {
    const { number, runTest } = await newTelephone()
    carrier.numbers.push({ ...number, ...changes })
    const { codes, text } = await findingsOf(runTest)
    assert.deepEqual(codes, [code])
    assert.match(text ?? '', expected)
  })
}

test('a number that the account does not have is found', async () => {
  const { number, runTest } = await newTelephone()
  carrier.numbers.push({ ...number, phone_number: `${number.phone_number}0` })
  const { codes, text } = await findingsOf(runTest)
  assert.deepEqual(codes, ['number_not_found'])
  assert.ok(text?.includes(`The account ${account_sid} doesn't have the number ${number.phone_number}.`), text ?? '')
})

test('credentials that Twilio refuses, or that are missing, are found', async () => {
  const refused = await newTelephone({ auth_token: 'another-token' })
  assert.deepEqual((await findingsOf(refused.runTest)).codes, ['credentials_refused'])
  const missing = await newTelephone()
  await server.pool.run(
    sql`update channels set auth_token = null where workspace_id = ${missing.tenant.id} and id = ${missing.channel.id}`,
  )
  assert.deepEqual((await findingsOf(missing.runTest)).codes, ['credentials_missing'])
})

for (const [trouble, code] of [
  [{ status: 503 }, 'carrier_not_reached'],
  [{ status: 429 }, 'carrier_not_reached'],
  ['reset', 'carrier_not_reached'],
  [{ status: 404 }, 'carrier_unknown'],
  [{ status: 200 }, 'carrier_unknown'],
] as const satisfies [Trouble, string][]) {
  test(`a carrier that answers with ${JSON.stringify(trouble)} is a finding`, async () => {
    const { runTest } = await newTelephone()
    carrier.options.number_trouble = trouble
    const { codes } = await findingsOf(runTest)
    carrier.options.number_trouble = undefined
    assert.deepEqual(codes, [code])
  })
}

test('an address that Twilio can not reach is found', async () => {
  const { address } = tools
  for (const private_url of [
    'http://parley.example.com',
    'https://10.0.0.1',
    'https://localhost:8443',
    'https://box',
  ]) {
    tools.address = () => private_url
    const { number, runTest } = await newTelephone()
    carrier.numbers.push(number)
    const { codes, text } = await findingsOf(runTest)
    tools.address = address
    assert.deepEqual(codes, ['public_url_not_reachable'])
    assert.ok(text?.startsWith(`Twilio can't reach the service at ${private_url}. Set PUBLIC_URL`), text ?? '')
  }
})

test('an agent that can not hear is found, unless it listens with a provider', async () => {
  sound.set(service, { ...fake_sound, offline: { ...fake_sound.offline, isInstalled: () => false } })
  const { number, runTest } = await newTelephone()
  carrier.numbers.push({ ...number, voice_method: 'GET' })
  const { codes, text } = await findingsOf(runTest)
  assert.deepEqual(codes, ['voice_method_differs', 'speech_not_installed'])
  assert.match(text ?? '', /Run "parley speech install", or choose a provider/)

  const other = await newTelephone({}, { speech: { listen: { provider: 'Ears' } } })
  carrier.numbers.push(other.number)
  const heard = await findingsOf(other.runTest)
  sound.set(service, fake_sound)
  assert.deepEqual(heard.codes, [])
})

test('a test is refused for what can not be tested', async () => {
  const { tenant, channel, call } = await newTelephone()
  const named = await call('POST', `/${channel.id}/test`, { to: phoneNumber() })
  assert.deepEqual([named.status, named.body.error.details.fields[0].code], [400, 'unexpected'])
  const sms = await tenant.addChannel()
  const unnamed = await call('POST', `/${sms.id}/test`)
  assert.deepEqual([unnamed.status, unnamed.body.error.details.fields[0].code], [400, 'required'])
  const page = await tenant.addChannel({ kind: 'voice', provider: 'web', agent_id: channel.agent_id })
  assert.equal((await call('POST', `/${page.id}/test`)).status, 409)
  await call('PATCH', `/${channel.id}`, { status: 'disabled' })
  const disabled = await call('POST', `/${channel.id}/test`)
  assert.deepEqual([disabled.status, disabled.body.error.details.status], [409, 'disabled'])
})

test("the official client reads the numbers of the tests' carrier", async () => {
  const { number } = await newTelephone()
  carrier.numbers.push(number)
  const { host } = new URL(carrier.url)
  const client = twilio(account_sid, auth_token, {
    httpClient: {
      request: async ({ method, uri, params, username = '', password = '' }: Record<string, Any>) => {
        const query = params ? `?${new URLSearchParams(params)}` : ''
        const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
        const response = await fetch(`http://${host}${new URL(uri).pathname}${query}`, {
          method,
          headers: { authorization },
        })
        return { statusCode: response.status, body: await response.json(), headers: {} }
      },
    } as never,
  })
  const [found] = await client.incomingPhoneNumbers.list({ phoneNumber: number.phone_number, limit: 5 })
  assert.deepEqual(
    [found?.phoneNumber, found?.voiceUrl, found?.voiceMethod, found?.capabilities.voice, found?.trunkSid],
    [number.phone_number, number.voice_url, 'POST', true, null],
  )
})
