import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { connections, sendAll } from '../agents/messages.ts'
import { alternate, atLeast, type Comparison } from '../comparison.ts'
import type { Server } from '../processes.ts'
import type { Tenant } from '../rows.ts'

/** Few enough that the agent has not begun to answer before the last one is received. */
export const messages = 600
export const rounds = 7
const warm_up_rounds = 3
const ratio_min = 1
const check_every_ms = 50
const quiet_within_ms = 60_000

export const auth_token = 'bench-token'
export const own_number = '+14155550100'

export interface Side {
  server: Server
  tenant: Tenant
  channel_id: string
}

/** Compares how many messages are received a second, with everything that they write. */
export async function measureReceived(
  pool: Pool,
  { ours, plain }: { ours: Side; plain: Side },
  signal: AbortSignal,
): Promise<Comparison> {
  const measure = (side: Side) => {
    let numbers = 0
    return async () => {
      signal.throwIfAborted()
      const is_first = numbers === 0
      // Half of them from numbers that have written before. The first time there are none.
      const added = is_first ? messages : messages / 2
      const requests = Array.from({ length: messages }, (_, index) =>
        toRequest(side, index < added ? numbers + index : index - added),
      )
      numbers += added
      const before = await countTurns(pool, side.tenant)
      const started_at = performance.now()
      await sendAll(side.server.port, shuffled(requests), connections)
      const seconds = (performance.now() - started_at) / 1_000
      const received = (await countTurns(pool, side.tenant)) - before
      if (received !== messages) throw new Error(`${received} turns of ${messages} messages`)
      await waitUntilQuiet(pool, side.tenant)
      return messages / seconds
    }
  }
  const measures = [measure(ours), measure(plain)]
  await alternate(warm_up_rounds, ...measures)
  await pool.script('vacuum analyze')
  const [per_second, plain_per_second] = await alternate(rounds, ...measures)
  return atLeast('text messages a second, beside a plain handler', per_second, plain_per_second, ratio_min)
}

/** Signed as Twilio does. */
function toRequest({ server, channel_id }: Side, number: number): Buffer {
  const path = `/sms/${channel_id}`
  const form = {
    MessageSid: `SM${randomUUID()}`,
    From: `+1${2_000_000_000 + number}`,
    To: own_number,
    Body: 'When are you open?',
    NumMedia: '0',
    NumSegments: '1',
  }
  const signed = Object.entries(form)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .reduce((text, [name, value]) => text + name + value, `http://127.0.0.1:${server.port}${path}`)
  const body = new URLSearchParams(form).toString()
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `x-twilio-signature: ${createHmac('sha1', auth_token).update(signed).digest('base64')}`,
    'content-type: application/x-www-form-urlencoded',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** So that new and known numbers are mixed. */
const shuffled = (requests: Buffer[]): Buffer[] =>
  requests
    .map((request) => ({ request, order: Math.random() }))
    .sort((left, right) => left.order - right.order)
    .map(({ request }) => request)

async function countTurns(pool: Pool, { workspace_id }: Tenant): Promise<number> {
  const { count } = await pool.one<{ count: number }>(
    sql`select count(*)::int as count from conversation_turns where workspace_id = ${workspace_id} and role = 'contact'`,
  )
  return count
}

/** Waits until the agent has answered and the answers are sent, so that this takes no time from the next measurement. */
async function waitUntilQuiet(pool: Pool, { workspace_id }: Tenant): Promise<void> {
  const until = performance.now() + quiet_within_ms
  const waiting = () =>
    pool.maybe(
      sql`select from conversations where workspace_id = ${workspace_id} and awaits_answer
        union all select from messages where workspace_id = ${workspace_id} and due_at is not null limit 1`,
    )
  while (await waiting()) {
    if (performance.now() > until) throw new Error(`no answers within ${quiet_within_ms} ms`)
    await sleep(check_every_ms)
  }
}
