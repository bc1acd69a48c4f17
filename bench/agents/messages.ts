import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { alternate, atLeast, type Comparison } from '../comparison.ts'
import { sendRequests } from '../connection.ts'
import type { Server } from '../processes.ts'
import { type Tenant, toBytes } from '../rows.ts'

export const connections = 64
/** A workspace creates few at a time. */
const creating_connections = 8
/** Each conversation gets one message in a round. The code of the servers is compiled in the first ones. */
export const rounds = 7
export const warm_up_rounds = 3
const ratio_min = 0.3
const check_every_ms = 10
const answers_within_ms = 60_000

/** Creates conversations over the API, and returns their ids when the agent has answered. */
export async function createConversations(
  { port }: Server,
  pool: Pool,
  { tenant, count, body }: { tenant: Tenant; count: number; body: object },
): Promise<string[]> {
  const path = '/api/v1/conversations'
  const bytes = toBytes({ method: 'POST', path, token: tenant.token, body, response_contains: '' })
  const ids: string[] = []
  const requests = Array.from({ length: count }, () => bytes)
  await sendAll(port, requests, creating_connections, (response) => {
    ids.push(JSON.parse(response.slice(response.indexOf('\r\n\r\n'))).data.id)
  })
  await waitForAnswers(pool, tenant)
  return ids
}

/** Sends each request on one of the connections, each after the response to the last one on it. */
export async function sendAll(
  port: number,
  requests: Buffer[],
  count: number,
  onAccepted: (response: string) => void = () => {},
): Promise<void> {
  const connection = (first: number) => {
    let index = first - count
    return sendRequests(port, {
      next() {
        index += count
        return requests[index]
      },
      onResponse(status, response) {
        if (status !== 200 && status !== 201) throw new Error(`${status} instead of 201: ${response}`)
        onAccepted(response)
      },
    })
  }
  await Promise.all(Array.from({ length: count }, (_, first) => connection(first)))
}

/** Waits until no message of the workspace is without a recorded answer. */
export async function waitForAnswers(pool: Pool, { workspace_id }: Tenant): Promise<void> {
  const until = performance.now() + answers_within_ms
  const unanswered = () =>
    pool.maybe(sql`select from conversations where workspace_id = ${workspace_id} and awaits_answer limit 1`)
  while (await unanswered()) {
    if (performance.now() > until) throw new Error(`no answers within ${answers_within_ms} ms`)
    await sleep(check_every_ms)
  }
}

export interface MessagesBench {
  pool: Pool
  ours: { server: Server; tenant: Tenant }
  plain: { server: Server; tenant: Tenant }
}

/** Compares how many messages are answered and recorded a second. */
export async function measureMessages({ pool, ours, plain }: MessagesBench, signal: AbortSignal): Promise<Comparison> {
  const measures = [ours, plain].map((one) => {
    const requests = messagesTo(one.tenant)
    return () => answersPerSecond(pool, one, requests, signal)
  })
  await alternate(warm_up_rounds, ...measures)
  const [per_second, plain_per_second] = await alternate(rounds, ...measures)
  return atLeast('messages a second, beside a plain handler', per_second, plain_per_second, ratio_min)
}

/** One to each conversation. */
export const messagesTo = ({ token, ids }: Tenant): Buffer[] =>
  ids.map((id) => {
    const path = `/api/v1/conversations/${id}/messages`
    return toBytes({ method: 'POST', path, token, body: { text: 'When are you open?' }, response_contains: '' })
  })

export async function answersPerSecond(
  pool: Pool,
  { server, tenant }: MessagesBench['ours'],
  requests: Buffer[],
  signal: AbortSignal,
): Promise<number> {
  signal.throwIfAborted()
  const before = await countAnswers(pool, tenant)
  const started_at = performance.now()
  await sendAll(server.port, requests, connections)
  await waitForAnswers(pool, tenant)
  const seconds = (performance.now() - started_at) / 1_000
  const answers = (await countAnswers(pool, tenant)) - before
  if (answers !== requests.length) throw new Error(`${answers} answers to ${requests.length} messages`)
  return answers / seconds
}

async function countAnswers(pool: Pool, { workspace_id }: Tenant): Promise<number> {
  const { count } = await pool.one<{ count: number }>(
    sql`select count(*)::int as count from conversation_turns
      where workspace_id = ${workspace_id} and role = 'agent' and not is_open`,
  )
  return count
}
