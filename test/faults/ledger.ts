import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, NoAnswer, type Reply } from './client.ts'
import { between, chance, pick, type Random } from './random.ts'

/** What a client knows of one contact that it asked for. */
interface Entry {
  key: string
  phone_number: string
  id: string | undefined
  /** Those that may be there: more than one after an update that got no answer. */
  notes: Set<string>
  state: 'maybe created' | 'there' | 'maybe deleted' | 'deleted'
}

export interface Tally {
  acknowledged: number
  unavailable: number
  unanswered: number
}

/** Writes down each answer, so that afterwards everything can be compared with what was acknowledged. */
export interface Ledger {
  tally: Tally
  /** One caller's creates, updates and deletes of its own contacts, one after the other, until it is over. */
  work: (client: Client, random: Random, isOver: () => boolean) => Promise<void>
  /** Repeats every request that got no answer: each ends as exactly one contact, one state, or none. */
  settle: (client: Client) => Promise<void>
  /** What is listed and counted is exactly what was acknowledged. Gives the number of contacts. */
  compare: (client: Client) => Promise<number>
  created: () => number
}

const contacts_each = 20
const pause_ms = 20
const page_size = 100

export function openLedger(): Ledger {
  const entries: Entry[] = []
  const tally: Tally = { acknowledged: 0, unavailable: 0, unanswered: 0 }

  /** The answer when it is one of these; undefined when nobody knows what became of the request. */
  async function tryTo(expected: number[], ask: () => Promise<Reply>): Promise<Reply | undefined> {
    try {
      const reply = await ask()
      if (reply.status === 503) {
        assertUnavailable(reply)
        tally.unavailable += 1
        return undefined
      }
      assert.ok(expected.includes(reply.status), `${reply.status}: ${JSON.stringify(reply.body)}`)
      tally.acknowledged += 1
      return reply
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      tally.unanswered += 1
      return undefined
    }
  }

  const post = ({ call }: Client, { phone_number, notes, key }: Entry) =>
    call('POST', '/contacts', { phone_number, notes: [...notes][0] }, { 'idempotency-key': key })

  async function create(client: Client): Promise<Entry | undefined> {
    const place = String(entries.length)
    const entry: Entry = {
      key: `create ${place}`,
      phone_number: `+1415${place.padStart(7, '0')}`,
      id: undefined,
      notes: new Set([`created ${place}`]),
      state: 'maybe created',
    }
    entries.push(entry)
    const reply = await tryTo([201], () => post(client, entry))
    if (!reply) return undefined
    entry.id = reply.body.data.id
    entry.state = 'there'
    return entry
  }

  async function update({ call }: Client, entry: Entry, notes: string): Promise<boolean> {
    entry.notes.add(notes)
    const reply = await tryTo([200], () => call('PATCH', `/contacts/${entry.id}`, { notes }))
    if (!reply) return false
    assert.equal(reply.body.data.notes, notes)
    entry.notes = new Set([notes])
    return true
  }

  async function remove({ call }: Client, entry: Entry): Promise<boolean> {
    entry.state = 'maybe deleted'
    const reply = await tryTo([200], () => call('DELETE', `/contacts/${entry.id}`))
    if (reply) entry.state = 'deleted'
    return reply !== undefined
  }

  async function work(client: Client, random: Random, isOver: () => boolean): Promise<void> {
    const own: Entry[] = []
    for (let count = 0; !isOver(); count += 1) {
      let is_known = false
      if (own.length < contacts_each && chance(random, 0.6)) {
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
      // As a client would that is not answered; the others leave some of the processor to those beside.
      await sleep(is_known ? between(random, 0, 3) : pause_ms)
    }
  }

  async function settleOne(client: Client, entry: Entry): Promise<void> {
    if (entry.state === 'maybe created') {
      const reply = await post(client, entry)
      assert.equal(reply.status, 201, `${entry.key}: ${JSON.stringify(reply.body)}`)
      entry.id = reply.body.data.id
      entry.state = 'there'
    }
    if (entry.state === 'maybe deleted') {
      const { status } = await client.call('DELETE', `/contacts/${entry.id}`)
      assert.ok(status === 200 || status === 404, `${entry.key} can not be deleted: ${status}`)
      entry.state = 'deleted'
    }
    if (entry.state === 'there' && entry.notes.size > 1) {
      const { body } = await client.call('GET', `/contacts/${entry.id}`)
      assert.ok(entry.notes.has(body.data.notes), `${entry.key} is in a state that nobody asked for`)
      entry.notes = new Set([body.data.notes])
    }
  }

  async function compare({ call }: Client): Promise<number> {
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
        .filter(({ state }) => state === 'there')
        .map(({ id, phone_number, notes }) => line(id, phone_number, [...notes][0]))
        .sort(),
      'what is there is what was acknowledged, each once',
    )
    assert.equal(total, listed.length, 'the count agrees with what is listed')
    return total
  }

  return {
    tally,
    work,
    compare,
    async settle(client) {
      for (const entry of entries) await settleOne(client, entry)
    },
    created: () => entries.length,
  }
}

export function assertUnavailable({ status, headers, body }: Reply): void {
  assert.deepEqual([status, body.error?.code, headers['retry-after']], [503, 'SERVICE_UNAVAILABLE', '1'])
}
