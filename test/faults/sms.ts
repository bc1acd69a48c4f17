import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as channels from '../../server/channels/store.ts'
import { readConfig } from '../../server/config.ts'
import { atWall, inTransaction } from '../../server/kit/at.ts'
import { openPool, type Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { openService } from '../../server/service.ts'
import { account_sid, auth_token, type Carried } from '../peers/carrier.ts'
import { withScenarioDatabase } from '../support/database.ts'
import { inboundForm, newSid, own_number, signatureOf } from '../support/sms.ts'
import { type Client, openClient } from './client.ts'
import { between, chance, pick, type Random, shuffled, split } from './random.ts'
import { killRepeatedly, startHolder } from './restarts.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import { checkout, findFreePort, makeTempFolder, newTenant, type Service, type Tenant } from './service.ts'

export const scenario: Scenario = {
  name: 'sms',
  about: 'kill -9 while agents answer by SMS: each answer is at the carrier once, and each number is one contact',
  run,
}

const retry_after_ms = 200
/** The carrier is asked about a message in doubt for two minutes. Leases and retries take the rest. */
const settle_max_ms = 180_000

interface Form {
  numbers: number
  messages_each: number
  kills: number
  kill_after_ms: { min: number; max: number }
  pause_max_ms: number
  /** Without a report, the carrier must be asked about a message whose answer was lost. */
  reported_share: number
}
const long: Form = {
  numbers: 200,
  messages_each: 5,
  kills: 12,
  kill_after_ms: { min: 500, max: 5_000 },
  pause_max_ms: 18_000,
  reported_share: 0.7,
}
const short: Form = {
  numbers: 20,
  messages_each: 2,
  kills: 1,
  kill_after_ms: { min: 1_500, max: 2_500 },
  pause_max_ms: 500,
  reported_share: 1,
}

/** Repeats the digits of the message, so that each answer to a number is different. */
const script = {
  start: 'ask',
  nodes: { ask: { say: 'Which order?', on: [{ slot: 'digits', say: 'Order {{digits}} is on its way.', go: 'ask' }] } },
}

function run(options: RunOptions): Promise<void> {
  return withScenarioDatabase((url) => runOn(url, options))
}

async function runOn(url: string, { is_long, random, print }: RunOptions): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const form = is_long ? long : short
  const folder = makeTempFolder(stack, 'sms')
  const [DATA_DIR, log] = [path.join(folder, 'data'), path.join(folder, 'carrier.jsonl')]
  const carrier_url = await startCarrier(stack, { log, seed: between(random, 1, 2 ** 31) })
  const SECRETS_KEY = randomBytes(32).toString('base64')
  // The same port after each start, because the carrier signs its address.
  const port = String(await findFreePort())
  const environment = { DATABASE_URL: url, DATA_DIR, SECRETS_KEY, PORT: port, LOG_LEVEL: 'silent' }
  const pool = openPool({ url, size: 1, onError: () => {} })
  stack.defer(() => pool.close())
  const holder = await startHolder(stack, environment)
  const tenant = await newTenant(pool)
  const channel_id = await setUp(holder.service, tenant, { pool, SECRETS_KEY, carrier_url })
  const carrier = openCarrierSide({ url: holder.service.url, channel_id, log, form, random: split(random) })
  stack.defer(carrier.abort)
  const writing = carrier.writeAll()
  writing.catch(() => {})
  const { kills: kills_max, kill_after_ms: after_ms } = form
  const kills = await killRepeatedly(stack, holder, { environment, random, kills_max, after_ms })
  const posts = await writing
  const settled_ms = await settle({ pool, tenant, is_long })
  await carrier.finish()
  const counts = await check(holder.service, tenant, { pool, log, form, is_long })
  await holder.service.stop()
  print(
    `${kills} kills: ${form.numbers * form.messages_each} messages received, in ${posts} requests; ${counts.sent} answers ` +
      `at the carrier once each, ${counts.refused} refused after STOP, ${counts.unknown} unknown and not at the carrier, ` +
      `${counts.in_doubt} still in doubt; settled ${(settled_ms / 1000).toFixed(1)} s after the last message`,
  )
}

/** In another process, which nothing kills. */
async function startCarrier(
  stack: AsyncDisposableStack,
  { log, seed }: { log: string; seed: number },
): Promise<string> {
  fs.writeFileSync(log, '')
  const child = fork(path.join(checkout, 'test/peers/carrier.ts'), ['--log', log, '--seed', String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  stack.defer(() => void child.kill())
  const [line] = await once(child.stdout ?? child, 'data')
  return String(line).trim()
}

interface SetUp {
  pool: Pool
  SECRETS_KEY: string
  carrier_url: string
}

async function setUp({ url }: Service, tenant: Tenant, { pool, SECRETS_KEY, carrier_url }: SetUp): Promise<string> {
  const client = openClient(url, tenant.key)
  const { status, body } = await client.call('POST', '/agents', { name: 'Orders', script })
  client.close()
  assert.equal(status, 201, JSON.stringify(body))
  const service = openService(pool, readConfig({ SECRETS_KEY }), () => '')
  const { id } = await inTransaction(atWall(service, tenant.workspace), (at) =>
    channels.create(at, {
      name: 'SMS',
      kind: 'sms',
      provider: 'twilio',
      address: own_number,
      agent_id: body.data.id,
      account_sid,
      auth_token,
      api_url: carrier_url,
      is_api_url_trusted: true,
      messages_per_minute_max: 1_000_000,
      messages_per_day_max: 1_000_000,
    }),
  )
  return id
}

const numberOf = (index: number): string => `+1415555${String(1_000 + index)}`
/** Its last message is STOP. */
const optsOut = (index: number): boolean => index % 10 === 9
/** How people ask for no more messages: a language for each. */
const opt_outs = [
  ...['STOP', 'please stop texting me', 'schreiben Sie mir nicht mehr', 'BAJA', 'no me escriban más', 'SAIR'],
  ...['arrêtez de m’écrire', 'non scrivetemi più', 'não me mandem mais mensagens', 'stuur mij geen berichten meer'],
  ...['proszę więcej do mnie nie pisać', 'sluta skicka sms till mig', 'bana bir daha mesaj atmayın', '配信停止'],
  ...['もうメッセージを送らないでください', '不要再给我发短信了', '더 이상 문자 보내지 마세요', 'मुझे मैसेज भेजना बंद करो'],
  'لا ترسلوا لي رسائل مرة أخرى',
]
const optOutOf = (index: number): string => opt_outs[index % opt_outs.length] ?? 'STOP'

interface CarrierSide {
  url: string
  channel_id: string
  log: string
  form: Form
  random: Random
}

/** The requests that a carrier sends: messages of telephones, and reports about those that it has accepted. */
function openCarrierSide({ url, channel_id, log, form, random }: CarrierSide) {
  const { numbers, messages_each, pause_max_ms, reported_share } = form
  const inbound_url = `${url}/sms/${channel_id}`
  let posts = 0
  let is_aborted = false
  let is_finishing = false

  async function post(url: string, fields: Record<string, string>): Promise<void> {
    const headers = { 'x-twilio-signature': signatureOf(url, fields) }
    while (!is_aborted) {
      posts += 1
      const status = await fetch(url, {
        method: 'POST',
        headers,
        body: new URLSearchParams(fields),
      }).then(
        async (response) => response.text().then(() => response.status),
        () => 0,
      )
      if (status === 200) return
      assert.ok(status === 0 || status >= 500, `${url} was answered with ${status}`)
      await sleep(retry_after_ms)
    }
  }

  /** Sends what one person writes, partly twice, and partly before the last message was accepted. */
  async function write(index: number, own: Random): Promise<void> {
    const from = numberOf(index)
    const sent: Promise<void>[] = []
    for (let nth = 1; nth <= messages_each; nth += 1) {
      await sleep(between(own, 0, pause_max_ms))
      const is_stop = optsOut(index) && nth === messages_each
      if (is_stop || chance(own, 0.7)) await Promise.all(sent)
      const fields = inboundForm(is_stop ? optOutOf(index) : `Order ${100_000 + index * 100 + nth}`, {
        from,
        sid: newSid(),
      })
      sent.push(post(inbound_url, fields), ...(chance(own, 0.3) ? [post(inbound_url, fields)] : []))
    }
    await Promise.all(sent)
  }

  async function reportAll(): Promise<void> {
    const reports: Promise<void>[] = []
    for (let is_last = false, seen = 0; !is_last && !is_aborted; ) {
      is_last = is_finishing
      const accepted = readLog(log)
      reports.push(...accepted.slice(seen).map((carried) => report(carried, split(random))))
      seen = accepted.length
      await sleep(50)
    }
    await Promise.all(reports)
  }

  async function report({ sid, to, status_callback }: Carried, own: Random): Promise<void> {
    if (!chance(own, reported_share)) return
    const once = ['queued', 'sending', 'sent', 'delivered']
    const statuses = shuffled(own, [...once, pick(own, once), pick(own, once)])
    const fields = { MessageSid: sid, To: to, From: own_number, AccountSid: account_sid }
    for (const MessageStatus of statuses) {
      await sleep(between(own, 0, 300))
      await post(status_callback, { ...fields, MessageStatus })
    }
  }

  const reporting = reportAll()
  reporting.catch(() => {})
  return {
    /** Returns the number of requests, when all messages are accepted. */
    async writeAll(): Promise<number> {
      await Promise.all(Array.from({ length: numbers }, (_, index) => write(index, split(random))))
      return posts
    },
    /** Sends the rest of the reports. */
    async finish(): Promise<void> {
      is_finishing = true
      await reporting
    },
    abort() {
      is_aborted = true
    },
  }
}

const readLog = (log: string): Carried[] =>
  fs
    .readFileSync(log, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

interface Settling {
  pool: Pool
  tenant: Tenant
  is_long: boolean
}

/** Waits until every message is answered, and every answer sent. The short form doesn't wait for those in doubt. */
async function settle({ pool, tenant: { workspace }, is_long }: Settling): Promise<number> {
  const begun_at = performance.now()
  const passed_ms = () => performance.now() - begun_at
  for (let waiting = 1; waiting > 0; ) {
    await sleep(100)
    const found = await pool.one<{ waiting: number }>(
      sql`select (select count(*) from conversations
          where workspace_id = ${workspace} and awaits_answer and status = 'open')
        + (select count(*) from messages
          where workspace_id = ${workspace} and due_at is not null and (sent_at is null or ${is_long})) as waiting`,
    )
    waiting = found.waiting
    assert.ok(passed_ms() < settle_max_ms, `${waiting} are not settled`)
  }
  return passed_ms()
}

interface Check {
  pool: Pool
  log: string
  form: Form
  is_long: boolean
}

interface TurnLike {
  seq: number
  role: string
  text: string
  message: { status: string } | null
}

interface ConversationLike {
  id: string
  counterpart: string
  contact_id: string
  status: string
  is_answering: boolean
}

interface Counts {
  sent: number
  refused: number
  unknown: number
  in_doubt: number
}

async function check({ url }: Service, tenant: Tenant, { pool, log, form, is_long }: Check): Promise<Counts> {
  const client = openClient(url, tenant.key)
  const carried = readLog(log)
  const counts = { sent: 0, refused: 0, unknown: 0, in_doubt: 0 }
  const conversations: ConversationLike[] = await listAll(client, '/api/v1/conversations')
  const contacts: { phone_number: string }[] = await listAll(client, '/api/v1/contacts')
  const numbers = Array.from({ length: form.numbers }, (_, index) => numberOf(index))
  assert.deepEqual(contacts.map(({ phone_number }) => phone_number).sort(), numbers, 'each number is one contact')
  assert.deepEqual(
    conversations.map(({ counterpart }) => counterpart).sort(),
    numbers,
    'each number has one conversation',
  )
  for (const conversation of conversations) {
    const { id, counterpart } = conversation
    const index = numbers.indexOf(counterpart)
    const turns: TurnLike[] = (await client.call('GET', `/api/v1/conversations/${id}/turns?limit=100`)).body.data
    assertHeard(turns, { index, messages_each: form.messages_each })
    assertAnswered(conversation, turns, optsOut(index))
    const texts = carried.filter(({ to }) => to === counterpart).map(({ body }) => body)
    assertSent(turns, { texts, is_long, counts })
  }
  client.close()
  const { created } = await pool.one<{ created: number }>(
    sql`select count(*) as created from events where workspace_id = ${tenant.workspace} and type = 'contact.created'`,
  )
  assert.equal(created, form.numbers, 'each contact was created once')
  return counts
}

async function listAll(client: Client, path: string) {
  const rows = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await client.call('GET', `${path}?limit=100${cursor && `&cursor=${cursor}`}`)
    assert.equal(status, 200, JSON.stringify(body))
    rows.push(...body.data)
    cursor = body.pagination.next_cursor
  }
  return rows
}

/** Every message is a turn, and none is one twice. */
function assertHeard(turns: TurnLike[], { index, messages_each }: { index: number; messages_each: number }): void {
  const said = Array.from({ length: messages_each }, (_, before) =>
    optsOut(index) && before === messages_each - 1 ? optOutOf(index) : `Order ${100_000 + index * 100 + before + 1}`,
  )
  const heard = turns.filter(({ role }) => role === 'contact').map(({ text }) => text)
  assert.deepEqual(heard.sort(), said.sort(), numberOf(index))
  assert.deepEqual(
    turns.map(({ seq }) => seq),
    turns.map((_, before) => before + 1),
  )
}

function assertAnswered({ status, is_answering }: ConversationLike, turns: TurnLike[], has_opted_out: boolean): void {
  assert.equal(is_answering, false)
  assert.equal(status, has_opted_out ? 'closed' : 'open')
  assert.equal(turns.at(-1)?.role, has_opted_out ? 'system' : 'agent', 'the last message is answered')
  const answers = turns.filter(({ role }) => role !== 'contact').map(({ text }) => text)
  assert.equal(new Set(answers).size, answers.length, 'no answer is given twice')
}

interface Sending {
  /** What the carrier has accepted for this number. */
  texts: string[]
  is_long: boolean
  counts: Counts
}

/** What the answers say about themselves is what the carrier has. */
function assertSent(turns: TurnLike[], { texts, is_long, counts }: Sending): void {
  const has = (text: string) => texts.filter((one) => one === text).length
  const answers = turns.filter(({ role }) => role !== 'contact')
  for (const { text, message } of answers) {
    const status = message?.status ?? ''
    if (status === 'queued' && !is_long) {
      // The carrier may get it at this moment.
      counts.in_doubt += 1
      assert.ok(has(text) <= 1, `"${text}" is sent twice`)
      continue
    }
    const is_sent = status === 'delivered' || status === 'sent'
    assert.equal(has(text), is_sent ? 1 : 0, `"${text}" is ${status}`)
    if (is_sent) counts.sent += 1
    else if (status === 'failed') counts.refused += 1
    else {
      assert.equal(status, 'unknown', text)
      counts.unknown += 1
    }
  }
  const said = new Set(answers.map(({ text }) => text))
  assert.deepEqual(
    texts.filter((text) => !said.has(text)),
    [],
    'nothing else was sent',
  )
}
