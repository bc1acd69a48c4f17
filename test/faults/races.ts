import assert from 'node:assert/strict'
import { create, eventsOf, get, profile } from '../support/contacts.ts'
import type { Answer, Server, Tenant } from '../support/harness.ts'
import { newContact, phoneNumber } from '../support/samples.ts'
import { assertConsistent, assertDeleted } from './consistency.ts'
import { between, chance, pick, type Random, shuffled, split } from './random.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import { withServers } from './server.ts'

interface World {
  tenant: Tenant
  pool: Server['pool']
  random: Random
  /** Sends a request to one of the servers, chosen at random. */
  call: Tenant['call']
}

type Race = (world: World) => Promise<void>

const creates = 100
const duplicates = 50
const clients = 16
const writes_per_client = 12

const races: Record<string, Race> = {
  'creates of one number': async ({ tenant, call }) => {
    const input = newContact({ first_name: 'Ada' })
    const answers = await concurrently(creates, () => call('POST', '/contacts', input))
    assert.deepEqual(countsOf(answers), { 201: 1, 409: creates - 1 })
    const winner = answers.find(({ status }) => status === 201)
    for (const { status, body } of answers) {
      if (status === 409) assert.equal(body.error.details.existing_id, winner?.body.data.id)
    }
    assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 1)
  },

  'creates, PATCHes and CRM ids with the same value': async ({ tenant, random, call }) => {
    const phone_number = phoneNumber()
    const contacts = await Promise.all(Array.from({ length: 8 }, () => create(tenant)))
    const changes = contacts.map(
      ({ id }) =>
        () =>
          call('PATCH', `/contacts/${id}`, { phone_number }),
    )
    const writes_to_send = shuffled(random, [
      ...changes,
      ...changes.map(() => () => call('POST', '/contacts', { phone_number })),
    ])
    const [answers, crm_answers] = await Promise.all([
      Promise.all(writes_to_send.map((send) => send())),
      Promise.all(contacts.map(({ id }) => call('PUT', `/contacts/${id}/crm_ids/zoho`, { id: '1' }))),
    ])
    for (const group of [answers, crm_answers]) {
      const [winner, ...others] = group.filter(({ status }) => status < 300)
      assert.ok(winner && others.length === 0, `one succeeds: ${JSON.stringify(countsOf(group))}`)
      assert.equal(countsOf(group)[409], group.length - 1)
    }
  },

  'requests with one idempotency key': async ({ tenant, pool, call }) => {
    const input = newContact({ first_name: 'Ada' })
    /** A busy server may ask to come again while the first request runs. */
    const send = async (): Promise<Answer> => {
      const answer = await call('POST', '/contacts', input, { 'idempotency-key': 'k' })
      return answer.body.error?.code === 'IDEMPOTENCY_IN_PROGRESS' ? send() : answer
    }
    const answers = await concurrently(duplicates, send)
    assert.deepEqual(countsOf(answers), { 201: duplicates })
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1, 'all responses have the same bytes')
    assert.equal(answers.filter(({ headers }) => !headers.has('idempotent-replayed')).length, 1, 'one of them runs')
    assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 1)
    assert.equal((await eventsOf(pool, tenant)).length, 1)
  },

  'PATCHes of different fields': async ({ tenant, random, call }) => {
    const { id } = await create(tenant)
    const members = shuffled(random, Object.entries(profile)).slice(0, between(random, 2, 7))
    const answers = await Promise.all(
      members.map(([name, value]) => call('PATCH', `/contacts/${id}`, { [name]: value })),
    )
    assert.deepEqual(countsOf(answers), { 200: members.length })
    const after = await get(tenant, id)
    for (const [name, value] of members) assert.deepEqual(after[name], value, `${name} is not lost`)
    const times = answers.map(({ body }) => body.data.updated_at)
    assert.equal(new Set(times).size, times.length, 'each change has its own updated_at')
    assert.equal(after.updated_at, times.sort().at(-1))
  },

  'writes with one If-Match': async ({ tenant, pool, random, call }) => {
    const { id, updated_at } = await create(tenant)
    await call('PUT', `/contacts/${id}/crm_ids/zoho`, { id: '1' })
    const stale = { 'if-match': `"${updated_at}"` }
    const current = { 'if-match': `"${(await get(tenant, id)).updated_at}"` }
    const known = [stale, ...Array(between(random, 2, 8)).fill(current)]
    const answers = await Promise.all(known.map((headers) => pick(random, writes)(call, id, headers)))
    const winners = answers.filter(({ status }) => status === 200)
    assert.equal(winners.length, 1, `exactly one wins: ${answers.map(({ text }) => text).join('\n')}`)
    const is_deleted = winners[0]?.body.data.deleted === true
    for (const { status } of answers) assert.ok([200, 412, ...(is_deleted ? [404] : [])].includes(status), `${status}`)
    if (is_deleted) return assertDeleted(pool, tenant, id)
    assert.equal((await get(tenant, id)).updated_at, winners[0]?.body.data.updated_at, 'no other write changed it')
  },

  'a delete and updates': async ({ tenant, pool, random, call }) => {
    const { id, phone_number } = await create(tenant, profile)
    await call('PUT', `/contacts/${id}/crm_ids/zoho`, { id: '1' })
    const updates = Array.from({ length: between(random, 1, 6) }, () => pick(random, writes))
    const [deleted, ...answers] = await Promise.all(
      startShuffled(random, [remove, ...updates], (write) => write(call, id, {})),
    )
    assert.ok([200, 404].includes(deleted?.status ?? 0))
    for (const { status, text } of answers) assert.ok([200, 404].includes(status), text)
    assert.equal([deleted, ...answers].filter((answer) => answer?.body.data?.deleted).length, 1, 'one delete succeeds')
    await assertDeleted(pool, tenant, id)
    const other = await create(tenant, { phone_number })
    assert.equal(
      (await call('PUT', `/contacts/${other.id}/crm_ids/zoho`, { id: '1' })).status,
      200,
      'the CRM id is free again',
    )
  },

  'clients that use the same few numbers and ids': async ({ tenant, pool, random, call }) => {
    const numbers = Array.from({ length: 2 }, phoneNumber)
    const ids: string[] = []
    while (ids.length < 6) ids.push((await create(tenant)).id)
    await Promise.all(Array.from({ length: clients }, () => sendConflictingWrites(split(random), ids, numbers, call)))
    await assertConsistent(pool, tenant)
  },
}

/** Sends one write after the other, to resources that others write too. */
async function sendConflictingWrites(
  random: Random,
  ids: string[],
  numbers: string[],
  call: Tenant['call'],
): Promise<void> {
  for (let count = 0; count < writes_per_client; count += 1) {
    const phone_number = pick(random, numbers)
    const id = pick(random, ids)
    const address = `/contacts/${id}`
    const keyed = chance(random, 0.3) ? { 'idempotency-key': `${phone_number} ${between(random, 1, 9)}` } : undefined
    const { status, text, body } = await pick(random, [
      () => call('POST', '/contacts', { phone_number }, keyed),
      () => call('POST', '/contacts', newContact(profile)),
      () => call('PATCH', address, { phone_number }),
      () => call('PATCH', address, { phone_number: phoneNumber(), notes: 'x' }),
      () => call('PUT', `${address}/crm_ids/zoho`, { id: phone_number }),
      () => call('PUT', `${address}/crm_ids/hubspot`, { id }),
      () => call('DELETE', `${address}/crm_ids/${pick(random, ['zoho', 'hubspot'])}`),
      () => call('DELETE', address),
    ])()
    assert.ok([200, 201, 404, 409, 422].includes(status), text)
    if (status === 201) ids.push(body.data.id)
    // The first stays in the list after its deletion, so that some requests use a deleted id.
    if (body.data?.deleted && ids.indexOf(id) > 0) ids.splice(ids.indexOf(id), 1)
  }
}

type Write = (call: Tenant['call'], id: string, headers: Record<string, string>) => Promise<Answer>

const remove: Write = (call, id, headers) => call('DELETE', `/contacts/${id}`, undefined, headers)

const writes: Write[] = [
  remove,
  (call, id, headers) => call('PATCH', `/contacts/${id}`, { notes: 'changed' }, headers),
  (call, id, headers) => call('PATCH', `/contacts/${id}`, { phone_number: phoneNumber(), tags: ['new'] }, headers),
  (call, id, headers) => call('PUT', `/contacts/${id}/crm_ids/hubspot`, { id: '301' }, headers),
  (call, id, headers) => call('DELETE', `/contacts/${id}/crm_ids/zoho`, undefined, headers),
]

const concurrently = (count: number, send: () => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, send))

/** Starts them in random order and returns the results in the original order. */
function startShuffled<In, Out>(random: Random, inputs: In[], start: (input: In) => Out): Out[] {
  const outs = new Map(shuffled(random, [...inputs.entries()]).map(([index, input]) => [index, start(input)]))
  return inputs.map((_, index) => outs.get(index) as Out)
}

function countsOf(answers: Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

async function run({ is_long, rounds, random, print }: RunOptions): Promise<void> {
  await withServers(2, { log_level: 'error' }, async (servers) => {
    const [{ pool, workspace }] = servers as [Server]
    for (const [name, race] of Object.entries(races)) {
      const count = is_long ? rounds : 1
      for (let round = 1; round <= count; round += 1) {
        const tenant = await workspace()
        const call: Tenant['call'] = (method, path, body, headers) =>
          pick(random, servers).fetch(method, `/api/v1${path}`, body, {
            authorization: `Bearer ${tenant.key}`,
            ...headers,
          })
        await race({ tenant, pool, random, call }).catch((error: unknown) => {
          throw new Error(`${name}, round ${round}: ${Object(error).message}`, { cause: error })
        })
        await assertConsistent(pool, tenant)
      }
      print(`${name}: ${count} rounds`)
    }
  })
}

export const scenario: Scenario = {
  name: 'races',
  about: 'of concurrent conflicting requests one wins, no change is lost and nothing is half done',
  run,
}
