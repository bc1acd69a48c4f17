import { connections, createConversations, sendAll, waitForAnswers } from '../agents/messages.ts'
import { toBytes } from '../rows.ts'
import { openClient } from '../scale/client.ts'
import type { Side } from './side.ts'

/** Conversations that get a message in each round, over all workspaces that are measured. */
export const count = 400

const script = {
  start: 'greet',
  nodes: { greet: { say: 'Hello, how can I help?', else: { say: 'We are open from nine to six.', go: 'greet' } } },
}

export interface Threads {
  side: Side
  /** The conversations of each workspace. The first one has all that a round needs. */
  conversations: string[][]
}

/** Creates conversations in each workspace, in which an agent has said its first words. */
export async function openThreads(stack: AsyncDisposableStack, side: Side): Promise<Threads> {
  const { server, database, tenants } = side
  const conversations: string[][] = []
  for (const tenant of tenants) {
    const client = openClient(stack, server.port, tenant.token)
    const { data } = await client.send('POST', '/api/v1/agents', { name: 'Reception', script })
    const each = conversations.length === 0 ? count : count / tenants.length
    const body = { agent_id: data.id }
    conversations.push(await createConversations(server, database.pool, { tenant, count: each, body }))
  }
  return { side, conversations }
}

/** Returns how many messages are answered and recorded a second, over this many workspaces. */
export async function answerMessages(
  { side: { server, database, tenants }, conversations }: Threads,
  workspaces: number,
  signal: AbortSignal,
): Promise<number> {
  signal.throwIfAborted()
  const used = tenants.slice(0, workspaces)
  const requests = Array.from({ length: count }, (_, index) => {
    const at = index % workspaces
    const path = `/api/v1/conversations/${conversations[at]?.[Math.floor(index / workspaces)]}/messages`
    const body = { text: 'When are you open?' }
    return toBytes({ method: 'POST', path, token: used[at]?.token ?? '', body, response_contains: '' })
  })
  const started_at = performance.now()
  await sendAll(server.port, requests, connections)
  for (const tenant of used) await waitForAnswers(database.pool, tenant)
  return count / ((performance.now() - started_at) / 1_000)
}
