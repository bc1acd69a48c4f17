import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { sound } from '../../server/audio/sound.ts'
import { parseSocketToken, take } from '../../server/calls/claim.ts'
import { liveCalls } from '../../server/calls/live-calls.ts'
import { endLease, postponeEnds } from '../../server/calls/rows.ts'
import * as channels from '../../server/channels/store.ts'
import { type Sql, sql } from '../../server/kit/postgres/sql.ts'
import { invalidState } from '../../server/kit/problem.ts'
import { waitUntil } from '../faults/client.ts'
import { account_sid, auth_token, type Trouble } from '../peers/carrier.ts'
import { openPhoneNetwork, type RequestKind } from '../peers/phone.ts'
import type { Behaviour } from '../peers/phone-behaviour.ts'
import { ended, getCall, newCaller, placeCall, turnsOf } from '../support/calls.ts'
import { always, enrollmentsOf, getCampaign, newCampaign, newContacts, start, workUntil } from '../support/dialing.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { openServer, testPool } from '../support/harness.ts'
import { newPhoneChannel, openBareStream, sayPhrase, tokenIn } from '../support/phone.ts'
import { phoneNumber } from '../support/samples.ts'
import { own_number, postSigned } from '../support/sms.ts'

const pool = testPool()
/** Called when a stream has taken its call, before anything else is written. */
let onTaken: (() => Promise<void>) | undefined
const maybe = async <Row>(statement: Sql) => {
  const found = await pool.maybe<Row>(statement)
  if (onTaken && /^update calls set lease_token = case/.test(statement.text)) await onTaken()
  return found
}
const server = await openServer({ ...pool, maybe }, { live_calls_max: 4, live_calls_workspace_max: 3 })
after(server.close)
addFakeSpeech(server)
/** By the number that is dialled. */
const people = new Map<string, Behaviour>()
const troubles = new Map<string, (kind: RequestKind) => Trouble | undefined>()
const network = await openPhoneNetwork({
  personFor: (form) => people.get(form.get('To') ?? '') ?? {},
  troubleFor: (kind, form) => troubles.get(form.get('To') ?? '')?.(kind),
})
after(() => network.close())

const script = {
  start: 'greet',
  nodes: {
    greet: { say: 'Hello. Is Tuesday all right?', on: [{ intent: 'yes', go: 'bye' }], else: { go: 'greet' } },
    bye: { say: 'See you on Tuesday. Goodbye.', go: '@end' },
  },
}

async function openWorld(fields: object = {}) {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, { script, ...fields })
  const channel = await newPhoneChannel(server, tenant, { network, agent_id })
  const place = (to: string, more: object = {}) => placeCall(tenant, { agent_id, to, channel_id: channel.id, ...more })
  /** Somebody like this is at the telephone that is dialled. */
  const callPerson = async (person: Behaviour, trouble?: (kind: RequestKind) => Trouble | undefined) => {
    const to = phoneNumber()
    people.set(to, person)
    if (trouble) troubles.set(to, trouble)
    return place(to)
  }
  const phoneOf = ({ to }: { to: string }) => network.calls.findLast((one) => one.to === to)
  const eventsOf = async (id: string): Promise<string[]> =>
    (await tenant.call('GET', `/calls/${id}/events?limit=100`)).body.data.map(({ kind }: { kind: string }) => kind)
  return { tenant, agent_id, channel, place, callPerson, phoneOf, eventsOf }
}

type World = Awaited<ReturnType<typeof openWorld>>

/** The peer has been asked, and is at the telephone. */
async function dialed({ tenant, phoneOf }: World, call: { to: string }) {
  await tenant.work()
  const phone = phoneOf(call)
  assert.ok(phone, 'it was dialled')
  return phone
}

const outcomeOf = ({ status, outcome, end_reason }: Record<string, unknown>) => [status, outcome, end_reason]

test('an agent calls somebody, who answers and talks', async () => {
  const world = await openWorld()
  const { tenant, channel, callPerson, eventsOf } = world
  const placed = await callPerson({ verdict: { answered_by: 'human', after_ms: 100 } })
  assert.deepEqual([placed.status, placed.from, placed.is_test], ['queued', own_number, false])
  const phone = await dialed(world, placed)
  assert.equal(phone.from, own_number)
  await phone.untilStreaming()
  await phone.person.untilQuiet(await phone.person.untilHeard(0))
  const talking = await getCall(tenant, placed.id)
  assert.deepEqual([talking.status, talking.outcome], ['in_progress', 'answered'])
  assert.ok(talking.started_at <= talking.answered_at)
  await sayPhrase(phone.person, 'Yes.')
  assert.deepEqual(await phone.ended, { status: 'completed', ended_by: 'service' })
  const call = await ended(tenant, placed.id)
  assert.deepEqual(outcomeOf(call), ['completed', 'answered', 'agent_hung_up'])
  assert.deepEqual(
    (await turnsOf(tenant, call.conversation_id)).map((turn: { role: string; heard: string }) => [
      turn.role,
      turn.heard,
    ]),
    [
      ['agent', 'Hello. Is Tuesday all right?'],
      ['contact', 'Yes.'],
      ['agent', 'See you on Tuesday. Goodbye.'],
    ],
  )
  await phone.reported
  const kinds = await eventsOf(placed.id)
  assert.deepEqual(
    ['dialed', 'queued', 'ringing', 'answered', 'machine.human', 'ended.agent_hung_up'].filter(
      (kind) => !kinds.includes(kind),
    ),
    [],
  )
  assert.ok(phone.webhooks.every(({ status }) => status === 200))
  // What comes after the end changes nothing.
  assert.deepEqual(await getCall(tenant, placed.id), { ...call, summary: call.summary })
  const types = (await tenant.call('GET', '/events?limit=100')).body.data
    .filter(({ resource_id }: { resource_id: string }) => resource_id === placed.id)
    .map(({ type }: { type: string }) => type)
  assert.deepEqual(types.toSorted(), ['call.answered', 'call.ended', 'call.started'])
  assert.equal((await channels.find(server.at(tenant.id), channel.id))?.status, 'active')
})

test('how calls end that nobody answers', async () => {
  const world = await openWorld()
  const { tenant, callPerson } = world
  const cases: [Behaviour, string[]][] = [
    [{ takes: 'busy' }, ['failed', 'busy', 'not_answered']],
    [{ takes: 'rejects' }, ['failed', 'rejected', 'not_answered']],
    [{ takes: 'no_answer', after_ms: 50 }, ['failed', 'no_answer', 'not_answered']],
    [{ takes: 'fails' }, ['failed', 'unreachable', 'carrier_error']],
    [{ takes: 'fails', failure: { sip_response_code: 503 } }, ['failed', 'error', 'carrier_error']],
    [
      { takes: 'fails', failure: { sip_response_code: 404, error_code: 13224 } },
      ['failed', 'invalid_number', 'carrier_error'],
    ],
  ]
  for (const [person, wanted] of cases) {
    const { id, to } = await callPerson({ ...person, reports: { copies: 2 } })
    const phone = await dialed(world, { to })
    await phone.reported
    assert.deepEqual(outcomeOf(await ended(tenant, id)), wanted)
  }
})

test('reports that come in the wrong order, and after the call', async () => {
  const world = await openWorld()
  const { tenant, callPerson, eventsOf } = world
  const { id, to } = await callPerson({ takes: 'busy', reports: { copies: 2, order: 'reversed' } })
  await (await dialed(world, { to })).reported
  assert.deepEqual(outcomeOf(await getCall(tenant, id)), ['failed', 'busy', 'not_answered'])
  assert.deepEqual((await eventsOf(id)).toSorted(), ['dialed', 'final.busy', 'queued', 'ringing'])
})

test('it is shown that a telephone rings', async () => {
  const world = await openWorld()
  const { tenant, callPerson } = world
  const { id, to } = await callPerson({ takes: 'no_answer' })
  const { person } = await dialed(world, { to })
  await waitUntil('it rings', async () => (await getCall(tenant, id)).status === 'ringing')
  person.decline()
  assert.deepEqual(outcomeOf(await ended(tenant, id)), ['failed', 'rejected', 'not_answered'])
})

test('a number that the carrier does not accept is invalid', async () => {
  const world = await openWorld()
  const { tenant, channel, callPerson } = world
  for (const code of [21211, 13224]) {
    const { id } = await callPerson({}, () => ({ status: 400, code }))
    await tenant.work()
    assert.deepEqual(outcomeOf(await getCall(tenant, id)), ['failed', 'invalid_number', 'carrier_error'])
  }
  assert.equal((await channels.find(server.at(tenant.id), channel.id))?.status, 'active')
})

test('a channel whose credentials are refused is failing until a call is accepted', async () => {
  const world = await openWorld()
  const { tenant, channel, callPerson } = world
  const readChannel = async () => {
    const found = await channels.find(server.at(tenant.id), channel.id)
    return [found?.status, found?.error]
  }
  for (const status of [401, 403]) {
    const { id } = await callPerson({}, () => ({ status, code: 20003, message: 'Authenticate' }))
    await tenant.work()
    assert.deepEqual(outcomeOf(await getCall(tenant, id)), ['failed', 'error', 'carrier_error'])
    const error = `The carrier doesn't accept the account SID or the auth token (${status} 20003): Authenticate`
    assert.deepEqual(await readChannel(), ['failing', error])
  }
  const { id, to } = await callPerson({ takes: 'busy' })
  await (await dialed(world, { to })).reported
  assert.equal((await ended(tenant, id)).outcome, 'busy')
  assert.deepEqual(await readChannel(), ['active', null])
})

test('a carrier with too much to do is asked again for a minute', async () => {
  const world = await openWorld()
  const { tenant, callPerson, phoneOf } = world
  let refusals = 1
  const accepted = await callPerson({ takes: 'busy' }, () => (refusals-- > 0 ? { status: 429 } : undefined))
  const refused = await callPerson({}, () => ({ status: 429 }))
  const began = Date.now()
  await tenant.work()
  assert.equal(phoneOf(accepted), undefined)
  assert.equal((await getCall(tenant, accepted.id)).status, 'queued')
  await tenant.work(began + 10_000)
  assert.ok(phoneOf(accepted))
  await phoneOf(accepted)?.reported
  assert.equal((await ended(tenant, accepted.id)).outcome, 'busy')
  await tenant.work(began + 59_000)
  assert.equal((await getCall(tenant, refused.id)).status, 'queued')
  await tenant.work(began + 65_000)
  assert.deepEqual(outcomeOf(await getCall(tenant, refused.id)), ['failed', 'error', 'carrier_error'])
  assert.equal(phoneOf(refused), undefined)
})

test('a call that waits for the carrier can be canceled', async () => {
  const { tenant, callPerson, phoneOf } = await openWorld()
  const placed = await callPerson({}, () => ({ status: 429 }))
  await tenant.work()
  assert.equal((await tenant.call('POST', `/calls/${placed.id}/cancel`)).status, 200)
  await tenant.work()
  assert.deepEqual(outcomeOf(await getCall(tenant, placed.id)), ['canceled', 'canceled', 'canceled'])
  assert.equal(phoneOf(placed), undefined)
})

test('a call whose dial was not answered may ring, and is never dialled twice', async () => {
  const world = await openWorld()
  const { tenant, callPerson } = world
  const lost = (kind: RequestKind): Trouble | undefined => (kind === 'dial' ? 'accepted_without_answer' : undefined)
  const began = Date.now()
  const talked = await callPerson({}, lost)
  const phone = await dialed(world, talked)
  await phone.untilStreaming()
  await phone.person.hangUp()
  assert.deepEqual(outcomeOf(await ended(tenant, talked.id)), ['completed', 'answered', 'contact_hung_up'])
  // Nothing is reported of these. The carrier knows of the first only.
  const silent = await callPerson({ takes: 'busy', reports: { copies: 0 } }, lost)
  const unknown = await callPerson({}, (kind) => (kind === 'dial' ? { status: 500 } : undefined))
  const gone = await callPerson({}, (kind) => (kind === 'dial' ? 'reset' : undefined))
  await tenant.work()
  for (const { id } of [silent, unknown, gone]) assert.equal((await getCall(tenant, id)).status, 'queued')
  await tenant.work(began + 55_000)
  assert.equal((await getCall(tenant, silent.id)).status, 'queued')
  await tenant.work(began + 90_000)
  assert.deepEqual(outcomeOf(await getCall(tenant, silent.id)), ['failed', 'busy', 'not_answered'])
  for (const { id } of [unknown, gone])
    assert.deepEqual(outcomeOf(await getCall(tenant, id)), ['failed', 'unknown', 'carrier_silent'])
  const dials = network.calls.filter(({ to }) => [talked, silent, unknown, gone].some((call) => call.to === to))
  assert.deepEqual(
    dials.map(({ to }) => to),
    [talked.to, silent.to],
  )
})

test("another program's call to the same number is neither followed nor ended", async () => {
  const { tenant, callPerson } = await openWorld()
  const authorization = `Basic ${Buffer.from(`${account_sid}:${auth_token}`).toString('base64')}`
  const placeBoth = async () => {
    const placed = await callPerson({ takes: 'no_answer', reports: { copies: 0 } })
    const form = { To: placed.to, From: own_number, Twiml: '<Response><Hangup/></Response>' }
    await fetch(`${network.url}/2010-04-01/Accounts/${account_sid}/Calls.json`, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams(form),
    })
    troubles.set(placed.to, (kind) => (kind === 'dial' ? 'accepted_without_answer' : undefined))
    await tenant.work()
    const both = network.calls.filter(({ to }) => to === placed.to)
    assert.equal(both.length, 2)
    return { id: placed.id, both }
  }
  const canceled = await placeBoth()
  assert.equal((await tenant.call('POST', `/calls/${canceled.id}/cancel`)).status, 200)
  await tenant.work()
  assert.equal((await getCall(tenant, canceled.id)).outcome, 'canceled')
  const silent = await placeBoth()
  await tenant.work(Date.now() + 61_000)
  assert.equal((await getCall(tenant, silent.id)).outcome, 'unknown')
  for (const { person, ended_at } of [...canceled.both, ...silent.both]) {
    assert.equal(ended_at, undefined)
    person.decline()
  }
})

test('a report that comes after a call was given up says how it has ended', async () => {
  const { tenant, channel, callPerson } = await openWorld()
  const { id } = await callPerson({}, (kind) => (kind === 'dial' ? 'reset' : undefined))
  await tenant.work()
  await tenant.work(Date.now() + 61_000)
  assert.equal((await getCall(tenant, id)).outcome, 'unknown')
  const url = `${channel.inbound_url}/calls/${id}/status`
  const form = { CallSid: 'CA0', CallStatus: 'busy', Timestamp: new Date().toUTCString() }
  assert.equal((await postSigned(tenant, url, form)).status, 200)
  assert.deepEqual(outcomeOf(await getCall(tenant, id)), ['failed', 'busy', 'not_answered'])
})

test('a carrier that can not be asked is asked again', async () => {
  const world = await openWorld()
  const { tenant, callPerson } = world
  let is_away = true
  const placed = await callPerson({ takes: 'busy', reports: { copies: 0 } }, (kind) =>
    kind === 'dial' ? 'accepted_without_answer' : is_away ? { status: 500 } : undefined,
  )
  const began = Date.now()
  await (await dialed(world, placed)).ended
  await tenant.work(began + 62_000)
  assert.equal((await getCall(tenant, placed.id)).status, 'queued')
  is_away = false
  await tenant.work(began + 80_000)
  assert.equal((await getCall(tenant, placed.id)).outcome, 'busy')
})

test('a call in the queue of the carrier is waited for', async () => {
  const world = await openWorld()
  const { tenant, callPerson } = world
  const queue = Promise.withResolvers<void>()
  const began = Date.now()
  const placed = await callPerson({ takes: 'no_answer', queued: queue.promise, reports: { copies: 0 } })
  const phone = await dialed(world, placed)
  await tenant.work(began + 6 * 60_000)
  assert.equal((await getCall(tenant, placed.id)).status, 'queued')
  queue.resolve()
  await waitUntil('it rings', () => phone.status === 'ringing')
  await tenant.work(began + 10 * 60_000)
  assert.equal((await getCall(tenant, placed.id)).status, 'ringing')
  phone.person.decline()
  await tenant.work(began + 11 * 60_000)
  assert.deepEqual(outcomeOf(await getCall(tenant, placed.id)), ['failed', 'busy', 'not_answered'])
  assert.equal(network.calls.filter(({ to }) => to === placed.to).length, 1)
})

test('a call that stays in the queue of the carrier is ended there', async () => {
  const world = await openWorld()
  const { tenant, callPerson } = world
  for (const [keeps_quiet_hours, ends_after_minutes] of [
    [false, 60],
    [true, 6],
  ] as const) {
    const began = Date.now()
    const placed = await callPerson({ queued: new Promise(() => {}) })
    const phone = await dialed(world, placed)
    await server.pool.run(
      sql`update calls set keeps_quiet_hours = ${keeps_quiet_hours} where workspace_id = ${tenant.id} and id = ${placed.id}`,
    )
    // The first question finds it in the queue.
    await tenant.work(began + 61_000)
    await tenant.work(began + (ends_after_minutes - 1) * 60_000)
    assert.equal((await getCall(tenant, placed.id)).status, 'queued')
    await tenant.work(began + (ends_after_minutes + 1) * 60_000)
    assert.deepEqual(outcomeOf(await getCall(tenant, placed.id)), ['failed', 'error', 'carrier_error'])
    assert.deepEqual(await phone.ended, { status: 'canceled', ended_by: 'api' })
  }
})

test('a process that is killed while it dials has perhaps dialled', async () => {
  const { tenant, callPerson, phoneOf } = await openWorld()
  const placed = await callPerson({})
  // What the row says between the write and the request.
  const now = new Date().toISOString()
  const fact = { key: 'dialed', at: Date.now(), source: 'system', fact: { kind: 'dialed' } }
  await server.pool.run(
    sql`update calls set started_at = ${now}, is_dialing = true, facts = ${JSON.stringify([fact])}, lease_until = ${now},
        lease_token = ${randomUUID()}
      where workspace_id = ${tenant.id} and id = ${placed.id}`,
  )
  await tenant.work(Date.now() + 61_000)
  assert.equal(phoneOf(placed), undefined)
  assert.deepEqual(outcomeOf(await getCall(tenant, placed.id)), ['failed', 'unknown', 'carrier_silent'])
})

test('a call that rings is canceled', async () => {
  const world = await openWorld()
  const { tenant, callPerson } = world
  const placed = await callPerson({ takes: 'no_answer' })
  const phone = await dialed(world, placed)
  await waitUntil('it rings', async () => (await getCall(tenant, placed.id)).status === 'ringing')
  assert.equal((await tenant.call('POST', `/calls/${placed.id}/cancel`)).status, 200)
  await tenant.work()
  assert.deepEqual(await phone.ended, { status: 'canceled', ended_by: 'api' })
  await phone.reported
  const call = await getCall(tenant, placed.id)
  assert.deepEqual([...outcomeOf(call), call.ended_by], ['canceled', 'canceled', 'canceled', 'human'])
})

test('a call that is canceled before the carrier is asked is not dialled', async () => {
  const { tenant, callPerson, phoneOf } = await openWorld()
  const placed = await callPerson({})
  const speech = sound.of(server.at(''))
  const { find } = speech
  // The call is claimed by then.
  speech.find = async (at, configuration) => {
    speech.find = find
    assert.equal((await tenant.call('POST', `/calls/${placed.id}/cancel`)).status, 200)
    return find(at, configuration)
  }
  await tenant.work()
  assert.equal(phoneOf(placed), undefined)
  const call = await getCall(tenant, placed.id)
  assert.deepEqual([...outcomeOf(call), call.ended_by], ['canceled', 'canceled', 'canceled', 'human'])
})

test('a call that is canceled while the carrier is asked rings no longer than that', async () => {
  const { tenant, callPerson, phoneOf } = await openWorld()
  const canceled = Promise.withResolvers<number>()
  const placed = await callPerson({ takes: 'no_answer' }, (kind) => {
    if (kind === 'dial')
      void tenant.call('POST', `/calls/${placed.id}/cancel`).then(({ status }) => canceled.resolve(status))
    return undefined
  })
  network.options.answerAfter = () => 500
  await tenant.work()
  delete network.options.answerAfter
  assert.equal(await canceled.promise, 200)
  assert.deepEqual(await phoneOf(placed)?.ended, { status: 'canceled', ended_by: 'api' })
  assert.deepEqual(outcomeOf(await getCall(tenant, placed.id)), ['canceled', 'canceled', 'canceled'])
})

test('who answers a call that was canceled hears nobody', async () => {
  const world = await openWorld()
  const { tenant, callPerson } = world
  const placed = await callPerson({ takes: 'no_answer' })
  const phone = await dialed(world, placed)
  assert.equal((await tenant.call('POST', `/calls/${placed.id}/cancel`)).status, 200)
  phone.person.answer()
  assert.deepEqual(await phone.ended, { status: 'completed', ended_by: 'service' })
  assert.equal(phone.streams.length, 0)
  await tenant.work()
  assert.equal((await ended(tenant, placed.id)).outcome, 'canceled')
})

test('a call that was answered and has no stream is ended', async () => {
  const world = await openWorld()
  const { tenant, callPerson } = world
  const placed = await callPerson({ takes: 'no_answer', reports: { copies: 0 }, verdict: null })
  const phone = await dialed(world, placed)
  const { channel } = world
  const url = `${channel.inbound_url}/calls/${placed.id}`
  const form = { CallSid: phone.sid, CallStatus: 'in-progress' }
  assert.match((await postSigned(tenant, url, form)).text, /<Stream /)
  assert.equal((await getCall(tenant, placed.id)).status, 'in_progress')
  await tenant.work(Date.now() + 59_000)
  assert.equal((await getCall(tenant, placed.id)).status, 'in_progress')
  await tenant.work(Date.now() + 61_000)
  assert.deepEqual(outcomeOf(await getCall(tenant, placed.id)), ['failed', 'error', 'system_error'])
  assert.equal((await phone.ended).ended_by, 'api')
})

/** Answers a call that rings, and returns the token of its stream. */
async function answerCall({ tenant, channel, phoneOf }: World, placed: { id: string; to: string }) {
  const form = { CallSid: phoneOf(placed)?.sid ?? '', CallStatus: 'in-progress' }
  const { text } = await postSigned(tenant, `${channel.inbound_url}/calls/${placed.id}`, form)
  return tokenIn(text)
}

/** The carrier reports that a call is over. */
async function reportEnd({ tenant, channel, phoneOf }: World, placed: { id: string; to: string }) {
  const form = { CallSid: phoneOf(placed)?.sid ?? '', CallStatus: 'completed', Timestamp: new Date().toUTCString() }
  assert.equal((await postSigned(tenant, `${channel.inbound_url}/calls/${placed.id}/status`, form)).status, 200)
}

test('a hang-up that is reported before the talk has begun ends it', async () => {
  const world = await openWorld()
  const { tenant, callPerson, eventsOf } = world
  const placed = await callPerson({ takes: 'no_answer', reports: { copies: 0 }, verdict: null })
  await dialed(world, placed)
  const token = await answerCall(world, placed)
  onTaken = async () => {
    onTaken = undefined
    await reportEnd(world, placed)
  }
  const stream = await openBareStream(`${server.url.replace('http', 'ws')}/phone`, token)
  await stream.closed
  assert.deepEqual(outcomeOf(await ended(tenant, placed.id)), ['completed', 'answered', 'contact_hung_up'])
  assert.deepEqual(await eventsOf(placed.id), ['dialed', 'answered', 'ended.contact_hung_up'])
})

test('a hang-up that was reported is not put off by the process that had the stream', async () => {
  const world = await openWorld()
  const { tenant, callPerson } = world
  const placed = await callPerson({ takes: 'no_answer', reports: { copies: 0 }, verdict: null })
  await dialed(world, placed)
  const at = server.at(tenant.id)
  const { hash: token = '' } = parseSocketToken(await answerCall(world, placed)) ?? {}
  const opening = { line: 'phone' as const, id: placed.id, token, next_token: null, origin: null, held: null }
  const taken = await take(at, opening)
  assert.ok(taken)
  await reportEnd(world, placed)
  // The lease is renewed, and then the process is killed.
  await postponeEnds(at, [{ id: taken.id, token: taken.token, due_at: new Date(Date.now() + 60_000).toISOString() }])
  await endLease(at, taken)
  await tenant.work()
  assert.deepEqual(outcomeOf(await getCall(tenant, placed.id)), ['completed', 'answered', 'contact_hung_up'])
})

test('who answers, hears nobody and hangs up was not reached', async () => {
  const world = await openWorld()
  const { tenant, channel, callPerson } = world
  const report = async (waited_ms: number, reports: string[]) => {
    const placed = await callPerson({ takes: 'no_answer', reports: { copies: 0 }, verdict: null })
    const phone = await dialed(world, placed)
    const url = `${channel.inbound_url}/calls/${placed.id}`
    const form = { CallSid: phone.sid, CallStatus: 'in-progress' }
    assert.match((await postSigned(tenant, url, form)).text, /<Stream /)
    await server.pool.run(
      sql`update calls set facts = (
          select jsonb_agg(fact || jsonb_build_object('at', (fact ->> 'at')::bigint - ${waited_ms}::bigint))
          from jsonb_array_elements(facts) as fact)
        where workspace_id = ${tenant.id} and id = ${placed.id}`,
    )
    for (const CallStatus of reports)
      await postSigned(tenant, `${url}/status`, { ...form, CallStatus, Timestamp: new Date().toUTCString() })
    phone.end({ status: 'completed', ended_by: 'peer' })
    return getCall(tenant, placed.id)
  }
  const unheard = await report(20_000, ['completed', 'in-progress', 'completed'])
  assert.deepEqual(outcomeOf(unheard), ['failed', 'error', 'system_error'])
  assert.ok(unheard.answered_at)
  assert.deepEqual(outcomeOf(await report(1_000, ['completed'])), ['completed', 'answered', 'contact_hung_up'])
})

test('a campaign tries somebody again who has answered and heard nobody', async () => {
  const { tenant, agent_id, channel } = await openWorld()
  const quiet_hours = { start: '00:00', end: '24:00' }
  assert.equal((await tenant.call('PATCH', '/workspace', { settings: { quiet_hours } })).status, 200)
  const contacts = await newContacts(tenant, ['03'])
  people.set(contacts[0].phone_number, { takes: 'no_answer', reports: { copies: 0 }, verdict: null })
  const campaign = await newCampaign(tenant, contacts, {
    kind: 'voice',
    agent_id,
    channel_ids: [channel.id],
    windows: always,
  })
  await start(tenant, campaign)
  const callsOf = async () => (await tenant.call('GET', `/calls?campaign_id=${campaign.id}`)).body.data
  await workUntil(tenant, async () => (await callsOf())[0]?.started_at != null)
  const [{ id, to }] = await callsOf()
  const phone = network.calls.findLast((one) => one.to === to)
  const form = { CallSid: phone?.sid ?? '', CallStatus: 'in-progress' }
  assert.match((await postSigned(tenant, `${channel.inbound_url}/calls/${id}`, form)).text, /<Stream /)
  await tenant.work(Date.now() + 61_000)
  assert.deepEqual(outcomeOf(await getCall(tenant, id)), ['failed', 'error', 'system_error'])
  const [enrollment] = await enrollmentsOf(tenant, campaign)
  assert.deepEqual([enrollment.status, enrollment.last_outcome], ['waiting', 'error'])
})

test('a scheduled call is dialled at its time', async () => {
  const world = await openWorld()
  const { tenant, place, phoneOf } = world
  const to = phoneNumber()
  people.set(to, { takes: 'busy' })
  const scheduled_at = new Date(Date.now() + 3_600_000).toISOString()
  const { id, status } = await place(to, { scheduled_at })
  assert.equal(status, 'scheduled')
  await tenant.work()
  assert.equal(phoneOf({ to }), undefined)
  await tenant.work(Date.now() + 3_601_000)
  await phoneOf({ to })?.reported
  assert.equal((await getCall(tenant, id)).outcome, 'busy')
})

test('a channel is chosen when there is only one, and simulated people need none', async () => {
  const { tenant, agent_id, phoneOf } = await openWorld()
  const to = phoneNumber()
  people.set(to, { takes: 'busy' })
  await placeCall(tenant, { agent_id, to })
  await tenant.work()
  assert.ok(phoneOf({ to }))
  const simulated = await placeCall(tenant, { agent_id, to: phoneNumber(), simulate: '02' })
  assert.equal(simulated.is_test, true)
  await waitUntil('the simulator has answered', async () => {
    await tenant.work()
    return (await getCall(tenant, simulated.id)).outcome === 'busy'
  })
  assert.equal(phoneOf(simulated), undefined)
})

/** No agent can hear here meanwhile. */
async function withoutSpeech<T>(run: () => Promise<T>): Promise<T> {
  const speech = sound.of(server.at(''))
  const { find } = speech
  speech.find = async () => {
    throw invalidState('Offline speech is not installed.', { reason: 'speech_not_installed' })
  }
  return run().finally(() => {
    speech.find = find
  })
}

test('an agent that can not hear or speak calls nobody', async () => {
  const { tenant, agent_id, channel, place, phoneOf } = await openWorld()
  const to = phoneNumber()
  const scheduled = await place(to, { scheduled_at: new Date(Date.now() + 60_000).toISOString() })
  await withoutSpeech(async () => {
    const answer = await tenant.call('POST', '/calls', { agent_id, to, channel_id: channel.id })
    assert.equal(answer.status, 409, answer.text)
    assert.equal(answer.body.error.details.reason, 'speech_not_installed')
    assert.equal((await tenant.call('POST', '/calls', { agent_id, to, simulate: '02' })).status, 201)
    await tenant.work(Date.now() + 61_000)
  })
  assert.deepEqual(outcomeOf(await getCall(tenant, scheduled.id)), ['failed', 'error', 'system_error'])
  assert.equal(phoneOf({ to }), undefined)
})

test('a campaign calls telephones, and pauses when its agent can not hear', async () => {
  const { tenant, agent_id, channel } = await openWorld()
  const quiet_hours = { start: '00:00', end: '24:00' }
  assert.equal((await tenant.call('PATCH', '/workspace', { settings: { quiet_hours } })).status, 200)
  const contacts = await newContacts(tenant, ['02'])
  const campaign = await newCampaign(tenant, contacts, {
    kind: 'voice',
    agent_id,
    channel_ids: [channel.id],
    windows: always,
    attempts_max: 1,
  })
  const callsOf = async () => (await tenant.call('GET', `/calls?campaign_id=${campaign.id}`)).body.data
  await withoutSpeech(async () => {
    await start(tenant, campaign)
    await workUntil(tenant, async () => (await getCampaign(tenant, campaign)).status === 'paused')
  })
  assert.equal((await getCampaign(tenant, campaign)).pause_reason, 'speech_not_installed')
  assert.deepEqual(await callsOf(), [])
  assert.equal((await tenant.call('POST', `/campaigns/${campaign.id}/resume`)).status, 200)
  await workUntil(tenant, async () => (await callsOf())[0]?.answered_at != null)
  const [call] = await callsOf()
  const phone = network.calls.findLast(({ to }) => to === call.to)
  await phone?.untilStreaming()
  await phone?.person.hangUp()
  assert.equal((await ended(tenant, call.id)).outcome, 'answered')
})

/** Calls of the tests before may still have room. */
async function forgetDialed(): Promise<void> {
  for (const { id } of await pool.many<{ id: string }>(sql`select id from calls`))
    liveCalls.of(server.at('')).noteOver(id)
}

test('calls wait while this process has no room', async () => {
  const world = await openWorld()
  const { tenant, callPerson, phoneOf } = world
  const live_calls = liveCalls.of(server.at(''))
  await waitUntil('nothing goes on', () => live_calls.count === 0)
  await forgetDialed()
  const placed = []
  for (let count = 0; count < 4; count += 1) placed.push(await callPerson({ takes: 'no_answer' }))
  await tenant.work()
  const ringing = placed.filter((call) => phoneOf(call))
  assert.equal(ringing.length, 3)
  const [last] = placed.filter((call) => !phoneOf(call))
  assert.equal((await getCall(tenant, last.id)).status, 'queued')
  phoneOf(ringing[0])?.person.decline()
  await ended(tenant, ringing[0].id)
  await tenant.work(Date.now() + 5_000)
  assert.ok(phoneOf(last))
  for (const call of [...ringing.slice(1), last]) {
    phoneOf(call)?.person.decline()
    await ended(tenant, call.id)
  }
})

test('a call that was answered keeps its room until its stream has it', async () => {
  const world = await openWorld()
  const { tenant, channel, callPerson, phoneOf } = world
  const live_calls = liveCalls.of(server.at(''))
  await waitUntil('nothing goes on', () => live_calls.count === 0)
  await forgetDialed()
  const answered = []
  for (let count = 0; count < 3; count += 1) answered.push(await callPerson({ takes: 'no_answer' }))
  await tenant.work()
  for (const call of answered) {
    const form = { CallSid: phoneOf(call)?.sid ?? '', CallStatus: 'in-progress' }
    const asked = await postSigned(tenant, `${channel.inbound_url}/calls/${call.id}`, form)
    assert.match(asked.text, /<Stream /)
  }
  const last = await callPerson({ takes: 'busy' })
  await tenant.work()
  assert.equal(phoneOf(last), undefined)
  for (const { id } of answered) assert.equal((await tenant.call('POST', `/calls/${id}/hang_up`)).status, 200)
  await tenant.work()
  await tenant.work(Date.now() + 5_000)
  assert.ok(phoneOf(last))
})

test('a voicemail gets its message, by what the carrier has found', async () => {
  const world = await openWorld({ greeting: 'Hello.', script: null, voicemail_message: 'Please call us back.' })
  const { tenant, callPerson, eventsOf } = world
  const placed = await callPerson({
    greeting: new Int16Array(0),
    verdict: { answered_by: 'machine_end_beep', after_ms: 200 },
  })
  const phone = await dialed(world, placed)
  await phone.ended
  const call = await ended(tenant, placed.id)
  assert.deepEqual(outcomeOf(call), ['completed', 'voicemail', 'voicemail_left'])
  assert.ok((await eventsOf(placed.id)).includes('machine.voicemail'))
  const words = (await turnsOf(tenant, call.conversation_id)).map(({ heard }: { heard: string }) => heard)
  assert.match(words.join(' '), /Please call us back\./)
})

test('reports that are not signed, or of another channel, are refused', async () => {
  const world = await openWorld()
  const { tenant, callPerson, channel } = world
  const placed = await callPerson({ takes: 'no_answer' })
  const phone = await dialed(world, placed)
  const form = { CallSid: phone.sid, CallStatus: 'busy' }
  const other = await openWorld()
  for (const kind of ['status', 'machine']) {
    const url = `${channel.inbound_url}/calls/${placed.id}/${kind}`
    assert.equal((await postSigned(tenant, url, form, 'x'.repeat(28))).status, 403)
    assert.equal((await postSigned(tenant, url.replace(placed.id, agentOf(placed)), form)).status, 404)
    const elsewhere = `${other.channel.inbound_url}/calls/${placed.id}/${kind}`
    assert.equal((await postSigned(other.tenant, elsewhere, form)).status, 404)
  }
  assert.equal((await getCall(tenant, placed.id)).ended_at, null)
  phone.person.decline()
  await ended(tenant, placed.id)
})

const agentOf = ({ agent_id }: { agent_id: string }) => agent_id
