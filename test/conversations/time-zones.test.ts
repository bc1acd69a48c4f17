import assert from 'node:assert/strict'
import { test } from 'node:test'
import { advance, turnsOf as callTurnsOf, getCall, newCaller, placeCall } from '../support/calls.ts'
import { askedOf, begin, create, get, newAgent, newModelAgent, say, turnsOf } from '../support/conversations.ts'
import { newCampaign, newContacts, request, start } from '../support/dialing.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { openaiServer } from '../support/model-servers.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })

const booking = {
  start: 'ask',
  nodes: {
    ask: { say: 'It is {{now}}.', on: [{ slot: 'date', go: 'booked' }] },
    booked: { say: 'So on {{date}}.', go: '@end' },
  },
}

/** These are numbers of New York, of no place, and of no known country. */
const [new_york, toll_free, unknown] = ['+12125550100', '+18005550100', '+999123456789']

async function newWorkspace(now: string, time_zone?: string): Promise<Tenant> {
  const tenant = await server.workspace(Date.parse(now))
  if (time_zone) await request(tenant, 'PATCH', '/workspace', { settings: { time_zone } })
  return tenant
}

/** What a script takes for the time and for tomorrow, in a chat. */
async function askScript(tenant: Tenant, contact?: object) {
  const contact_id = contact && (await create(tenant, '/contacts', contact)).id
  const { id } = await begin(tenant, await newAgent(tenant, { script: booking }), { ...(contact_id && { contact_id }) })
  await tenant.work()
  await say(tenant, id, 'Tomorrow, please')
  await tenant.work()
  const { results } = await get(tenant, id)
  const [[, words = ''] = [], , [, booked = ''] = []] = await turnsOf(tenant, id)
  assert.equal(booked, `So on ${results.date}.`)
  return { now: words.slice('It is '.length, -1), tomorrow: results.date }
}

const contacts: Record<string, object> = {
  'a contact with a time zone': { phone_number: toll_free, time_zone: 'America/New_York' },
  'a number that is in one zone only': { phone_number: new_york },
}

for (const [name, contact] of Object.entries(contacts))
  test(`scripts go by the time of ${name}, on both sides of midnight`, async () => {
    const evening = await newWorkspace('2026-11-18T01:00:00Z', 'Europe/Berlin')
    assert.deepEqual(await askScript(evening, contact), { now: '2026-11-17T20:00:00-05:00', tomorrow: '2026-11-18' })
    const before = await newWorkspace('2026-11-18T04:59:59.999Z')
    assert.deepEqual(await askScript(before, contact), { now: '2026-11-17T23:59:59-05:00', tomorrow: '2026-11-18' })
    const midnight = await newWorkspace('2026-11-18T05:00:00Z')
    assert.deepEqual(await askScript(midnight, contact), { now: '2026-11-18T00:00:00-05:00', tomorrow: '2026-11-19' })
  })

const without_zone: Record<string, object | undefined> = {
  'a number that may be in many zones': { phone_number: toll_free },
  'a number that is in no known zone': { phone_number: unknown },
  'nobody who is known': undefined,
}

for (const [name, contact] of Object.entries(without_zone))
  test(`for ${name}, the time is that of the workspace`, async () => {
    const now = '2026-11-17T16:30:00Z'
    const tokyo = await newWorkspace(now, 'Asia/Tokyo')
    assert.deepEqual(await askScript(tokyo, contact), { now: '2026-11-18T01:30:00+09:00', tomorrow: '2026-11-19' })
    const utc = await newWorkspace(now)
    assert.deepEqual(await askScript(utc, contact), { now: '2026-11-17T16:30:00+00:00', tomorrow: '2026-11-18' })
  })

test('zones whose clocks show the same are one', async () => {
  const london = await newWorkspace('2027-07-01T22:30:00Z', 'Asia/Tokyo')
  const mobile = { phone_number: '+447700900100' }
  assert.deepEqual(await askScript(london, mobile), { now: '2027-07-01T23:30:00+01:00', tomorrow: '2027-07-02' })
})

const changes: [string, string, string, string][] = [
  ['America/New_York', '2027-03-14T06:59:59Z', '2027-03-14T01:59:59-05:00', '2027-03-15'],
  ['America/New_York', '2027-03-14T07:00:00Z', '2027-03-14T03:00:00-04:00', '2027-03-15'],
  ['America/New_York', '2027-11-07T05:30:00Z', '2027-11-07T01:30:00-04:00', '2027-11-08'],
  ['America/New_York', '2027-11-07T06:30:00Z', '2027-11-07T01:30:00-05:00', '2027-11-08'],
  // Clocks change at midnight there, so that this day has no first hour.
  ['America/Santiago', '2027-09-05T03:59:59Z', '2027-09-04T23:59:59-04:00', '2027-09-05'],
  ['America/Santiago', '2027-09-05T04:00:00Z', '2027-09-05T01:00:00-03:00', '2027-09-06'],
  ['Australia/Sydney', '2027-04-03T15:30:00Z', '2027-04-04T02:30:00+11:00', '2027-04-05'],
  ['Australia/Sydney', '2027-04-03T16:30:00Z', '2027-04-04T02:30:00+10:00', '2027-04-05'],
  ['Asia/Kathmandu', '2027-04-03T18:15:00Z', '2027-04-04T00:00:00+05:45', '2027-04-05'],
]

for (const [time_zone, now, local, tomorrow] of changes)
  test(`when it is ${local} in ${time_zone}, scripts know`, async () => {
    const tenant = await newWorkspace(now, time_zone)
    assert.deepEqual(await askScript(tenant), { now: local, tomorrow })
  })

test('a script goes by the time of the contact in a call, too', async () => {
  const tenant = await newWorkspace('2026-11-18T01:00:00Z')
  const script = {
    start: 'ask',
    nodes: {
      ask: { say: 'It is {{now}}. Which day suits you?', on: [{ slot: 'date', go: 'booked' }] },
      booked: { say: 'So on {{date}}. Goodbye.', go: '@end' },
    },
  }
  const agent_id = await newCaller(tenant, { script, voicemail_message: 'It is {{now}}.' })
  const { id } = await create(tenant, '/contacts', { phone_number: new_york })
  const placed = await placeCall(tenant, { agent_id, contact_id: id })
  await advance(tenant, 600)
  const { conversation_id, results } = await getCall(tenant, placed.id)
  const turns: { role: string; text: string }[] = await callTurnsOf(tenant, conversation_id)
  assert.ok(turns.some(({ text }) => /^It is 2026-11-17T20:00:\d\d-05:00\./.test(text)))
  const wanted = { Tomorrow: '2026-11-18', 'Next Tuesday': '2026-11-24', 'Next Thursday': '2026-11-26' }
  const [, date] = Object.entries(wanted).find(([words]) => turns.some(({ text }) => text.startsWith(words))) ?? []
  assert.deepEqual(results, { date })
})

test('a script goes by the time of the contact when a campaign runs ahead, too', async () => {
  const tenant = await newWorkspace('2026-11-17T15:00:00Z', 'Asia/Tokyo')
  const script = { start: 'greet', nodes: { greet: { say: 'It is {{now}}. Goodbye.', go: '@end' } } }
  const agent_id = await newCaller(tenant, { script })
  const contacts = await newContacts(tenant, ['00'])
  await start(tenant, await newCampaign(tenant, contacts, { agent_id }))
  await advance(tenant, 600)
  const [{ conversation_id }] = await request(tenant, 'GET', '/calls')
  const turns: { text: string }[] = await callTurnsOf(tenant, conversation_id)
  assert.ok(turns.some(({ text }) => /^It is 2026-11-17T10:00:\d\d-05:00\./.test(text)))
})

/** What a model is told first. */
async function promptFor(tenant: Tenant, contact: object | undefined): Promise<string> {
  await request(tenant, 'PATCH', '/workspace', { settings: { allows_network: true } })
  const model = await openaiServer({ words: ['Hello.'] })
  const agent_id = await newModelAgent(tenant, model)
  const contact_id = contact && (await create(tenant, '/contacts', contact)).id
  await begin(tenant, agent_id, { message: 'Hello', ...(contact_id && { contact_id }) })
  await tenant.work()
  const [{ messages }] = askedOf(model)
  return messages[0].content
}

test('a model is told the date, the time, the weekday and the time zone of the contact', async () => {
  const evening = await newWorkspace('2026-11-18T01:00:00Z', 'Europe/Berlin')
  const prompt = await promptFor(evening, { phone_number: new_york })
  assert.match(
    prompt,
    /Tuesday, November 17, 2026 at 8:00\sPM in the contact's time zone, America\/New_York \(UTC-05:00\)/,
  )
  const midnight = await newWorkspace('2026-11-18T05:00:00Z')
  assert.match(await promptFor(midnight, { phone_number: new_york }), /Wednesday, November 18, 2026 at 12:00\sAM/)
  const summer = await newWorkspace('2027-07-01T10:00:00Z', 'Europe/Berlin')
  assert.match(
    await promptFor(summer, { phone_number: toll_free }),
    /Thursday, July 1, 2027 at 12:00\sPM in the contact's time zone, Europe\/Berlin \(UTC\+02:00\)/,
  )
  const sydney = await newWorkspace('2027-04-03T16:30:00Z', 'Australia/Sydney')
  assert.match(await promptFor(sydney, undefined), /Sunday, April 4, 2027 at 2:30\sAM .*\(UTC\+10:00\)/)
})
