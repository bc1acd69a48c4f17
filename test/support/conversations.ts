import assert from 'node:assert/strict'
import { after } from 'node:test'
import { table } from '../../server/conversations/store.ts'
import { answering } from '../../server/drivers/work.ts'
import { openLog } from '../../server/kit/log.ts'
import { Engine } from '../../server/kit/work/engine.ts'
import type { TimeLimits } from '../../server/talk/settings.ts'
import type { Server, Tenant } from './harness.ts'
import { type ModelServer, until } from './model-servers.ts'
import { newProvider } from './samples.ts'

/** From now on agents answer by themselves in the workspaces of this server, until the tests of the file are done. */
export function startAnswering(server: Server, time_limits: Partial<TimeLimits> = {}): Engine {
  const { tools, hooks } = server.at('')
  const log = openLog('silent')
  const engine = new Engine(answering(log, time_limits), { service: { pool: server.pool, tools, hooks }, log })
  const stop = server.pool.subscribe(({ topic, workspace }) => {
    if (topic === table) engine.add(workspace)
  })
  after(async () => {
    stop()
    await engine.stop()
  })
  // The types of a kind of work don't matter to tests.
  return engine as unknown as Engine
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type Data = any

export async function newAgent(tenant: Tenant, configuration: object = {}): Promise<string> {
  return create(tenant, '/agents', { name: 'Reception', ...configuration }).then(({ id }) => id)
}

/** An agent whose model is the server. */
export async function newModelAgent(tenant: Tenant, model: ModelServer, configuration: object = {}): Promise<string> {
  const provider = await create(tenant, '/providers', newProvider({ base_url: model.base_url }))
  return newAgent(tenant, { model: { provider: provider.name, name: 'small' }, ...configuration })
}

export async function create(tenant: Tenant, path: string, body: object): Promise<Data> {
  const answer = await tenant.call('POST', path, body)
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data
}

export const begin = (tenant: Tenant, agent_id: string, more: object = {}): Promise<Data> =>
  create(tenant, '/conversations', { agent_id, ...more })

export const say = (tenant: Tenant, id: string, text: string): Promise<Data> =>
  create(tenant, `/conversations/${id}/messages`, { text })

export async function get(tenant: Tenant, id: string): Promise<Data> {
  return (await tenant.call('GET', `/conversations/${id}`)).body.data
}

/** Waits for an answer after the turn with this number, and returns the turns after that one. */
export async function answersAfter(tenant: Tenant, id: string, after: number): Promise<Data[]> {
  const { status, body, text } = await tenant.call('GET', `/conversations/${id}/turns?after=${after}&wait_ms=20000`)
  assert.equal(status, 200, text)
  return body.data
}

export async function turnsOf(tenant: Tenant, id: string): Promise<[string, string][]> {
  const { body } = await tenant.call('GET', `/conversations/${id}/turns?limit=100`)
  return body.data.map(({ role, text }: { role: string; text: string }) => [role, text])
}

/** Waits until the conversation is like this. */
export const becomes = (tenant: Tenant, id: string, isSo: (conversation: Data) => boolean): Promise<void> =>
  until(async () => isSo(await get(tenant, id)))

/** What a model server was asked, parsed. */
export const askedOf = (model: ModelServer): Data[] => model.received.map(({ body }) => JSON.parse(body))

export { until }
