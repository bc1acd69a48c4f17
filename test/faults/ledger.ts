import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, NoResponse, type Reply } from './client.ts'
import { between, chance, pick, type Random } from './random.ts'

/** What a client knows about one contact that it created. */
interface Entry {
  key: string
  phone_number: string
  id: string | undefined
  /** Possible values: more than one after an update without a response. */
  notes: Set<string>
  state: 'maybe created' | 'created' | 'maybe deleted' | 'deleted'
}

export interface Tally {
  acknowledged: number
  unavailable: number
  unanswered: number
}

/** Records each response, so that the contacts can be compared with the acknowledged writes. */
export interface Ledger {
  tally: Tally
  /** Creates, updates and deletes contacts of one client, one after the other, until `isOver`. */
  runWrites: (client: Client, random: Random, isOver: () => boolean) => Promise<void>
  /** Retries every request without a response, so that the state of each contact is known. */
  retryUnanswered: (client: Client) => Promise<void>
  /** Asserts that list and count are exactly what was acknowledged. Returns the number of contacts. */
  assertMatches: (client: Client) => Promise<number>
  created: () => number
}

const contacts_per_client = 20
const retry_after_ms = 20
const page_size = 100

export function openLedger(): Ledger {
  const entries: Entry[] = []
  const tally: Tally = { acknowledged: 0, unavailable: 0, unanswered: 0 }

  /** Returns the response if it has an expected status, or undefined if the outcome is unknown. */
  async function attempt(expected: number[], send: () => Promise<Reply>): Promise<Reply | undefined> {
    try {
      const reply = await send()
      if (reply.status === 503) {
        assertUnavailable(reply)
        tally.unavailable += 1
        return undefined
      }
      assert.ok(expected.includes(reply.status), `${reply.status}: ${JSON.stringify(reply.body)}`)
      tally.acknowledged += 1
      return reply
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error
      tally.unanswered += 1
      return undefined
    }
  }

  const post = ({ call }: Client, { phone_number, notes, key }: Entry) =>
    call('POST', '/contacts', { phone_number, notes: [...notes][0] }, { 'idempotency-key': key })

  async function create(client: Client): Promise<Entry | undefined> {
    const index = String(entries.length)
    const entry: Entry = {
      key: `create ${index}`,
      phone_number: `+1415${index.padStart(7, '0')}`,
      id: undefined,
      notes: new Set([`created ${index}`]),
      state: 'maybe created',
    }
    entries.push(entry)
    const reply = await attempt([201], () => post(client, entry))
    if (!reply) return undefined
    entry.id = reply.body.data.id
    entry.state = 'created'
    return entry
  }

  async function update({ call }: Client, entry: Entry, notes: string): Promise<boolean> {
    entry.notes.add(notes)
    const reply = await attempt([200], () => call('PATCH', `/contacts/${entry.id}`, { notes }))
    if (!reply) return false
    assert.equal(reply.body.data.notes, notes)
    entry.notes = new Set([notes])
    return true
  }

  async function remove({ call }: Client, entry: Entry): Promise<boolean> {
    entry.state = 'maybe deleted'
    const reply = await attempt([200], () => call('DELETE', `/contacts/${entry.id}`))
    if (reply) entry.state = 'deleted'
    return reply !== undefined
  }

  async function runWrites(client: Client, random: Random, isOver: () => boolean): Promise<void> {
    const own: Entry[] = []
    for (let count = 0; !isOver(); count += 1) {
      let is_known = false
      if (own.length < contacts_per_client && chance(random, 0.6)) {
        const entry = await create(client)
        if (entry) own.push(entry)
        is_known = entry !== undefined
      } else if (own.length > 0) {
        const entry = pick(random, own)
        if (chance(random, 0.6)) is_known = await update(client, entry, `${entry.key}, change ${count}`)
        else {
          own.splice(own.indexOf(entry), 1)
          is_known = await remove(client, entry)
        }
      }
      // A client without a response waits before its next request. The others leave some processor time to the rest.
      await sleep(is_known ? between(random, 0, 3) : retry_after_ms)
    }
  }

  async function retryOne(client: Client, entry: Entry): Promise<void> {
    if (entry.state === 'maybe created') {
      const reply = await post(client, entry)
      assert.equal(reply.status, 201, `${entry.key}: ${JSON.stringify(reply.body)}`)
      entry.id = reply.body.data.id
      entry.state = 'created'
    }
    if (entry.state === 'maybe deleted') {
      const { status } = await client.call('DELETE', `/contacts/${entry.id}`)
      assert.ok(status === 200 || status === 404, `${entry.key} can't be deleted: ${status}`)
      entry.state = 'deleted'
    }
    if (entry.state === 'created' && entry.notes.size > 1) {
      const { body } = await client.call('GET', `/contacts/${entry.id}`)
      assert.ok(entry.notes.has(body.data.notes), `${entry.key} has notes that were never sent`)
      entry.notes = new Set([body.data.notes])
    }
  }

  async function assertMatches({ call }: Client): Promise<number> {
    const listed: { id: string; phone_number: string; notes: string }[] = []
    let total = 0
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, body } = await call('GET', `/contacts?limit=${page_size}${cursor && `&cursor=${cursor}`}`)
      assert.equal(status, 200)
      listed.push(...body.data)
      cursor = body.pagination.next_cursor
      total = body.pagination.total
    }
    const line = (id: string | undefined, phone_number: string, notes: string | undefined) =>
      `${phone_number} ${id} ${notes}`
    assert.deepEqual(
      listed.map(({ id, phone_number, notes }) => line(id, phone_number, notes)).sort(),
      entries
        .filter(({ state }) => state === 'created')
        .map(({ id, phone_number, notes }) => line(id, phone_number, [...notes][0]))
        .sort(),
      'the contacts are exactly those that were acknowledged',
    )
    assert.equal(total, listed.length, 'the total matches the list')
    return total
  }

  return {
    tally,
    runWrites,
    assertMatches,
    async retryUnanswered(client) {
      for (const entry of entries) await retryOne(client, entry)
    },
    created: () => entries.length,
  }
}

export function assertUnavailable({ status, headers, body }: Reply): void {
  assert.deepEqual([status, body.error?.code, headers['retry-after']], [503, 'SERVICE_UNAVAILABLE', '1'])
}
