import assert from 'node:assert/strict'
import * as channels from '../../../server/channels/store.ts'
import { readConfig } from '../../../server/config.ts'
import { atWall, inTransaction } from '../../../server/kit/at.ts'
import { openService } from '../../../server/service.ts'
import { openClient } from '../client.ts'
import { type Tenant, withEmbeddedPool } from '../service.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
export type Send = (method: string, path: string, body?: object) => Promise<any>

/** Sends requests that must succeed, and returns their data. */
export function senderFor(stack: AsyncDisposableStack, url: string, { key }: Tenant): Send {
  const client = openClient(url, key)
  stack.defer(client.close)
  return async (method, path, body) => {
    const { status, body: answer } = await client.call(method, `/api/v1${path}`, body)
    assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(answer)}`)
    return answer.data
  }
}

/** What campaigns for calls need: an agent with a script, and a simulated number. */
export async function newCaller(send: Send, data_dir: string, tenant: Tenant) {
  const script = { start: 'hi', nodes: { hi: { say: 'Hello, this is Acme. Goodbye.', go: '@end' } } }
  const { id: agent_id } = await send('POST', '/agents', { name: 'Caller', script })
  return { kind: 'voice', agent_id, channel_ids: [await addChannel(data_dir, tenant)] }
}

const addChannel = (data_dir: string, { workspace }: Tenant): Promise<string> =>
  withEmbeddedPool(data_dir, async (pool) => {
    const service = openService(pool, readConfig({}), () => '')
    const channel = { name: 'Voice', kind: 'voice', provider: 'simulator', address: '+14155550199' } as const
    return (await inTransaction(atWall(service, workspace), (at) => channels.create(at, channel))).id
  })
