import { create, newModelAgent, startAnswering } from './conversations.ts'
import type { Server, Tenant } from './harness.ts'
import { choosingServer, type ModelServer } from './model-servers.ts'
import { type Receiver, receiver, respondWith } from './receivers.ts'
import { newTool } from './samples.ts'

/** An agent whose model calls a tool. */
export interface ToolWorld {
  tenant: Tenant
  agent_id: string
  model: ModelServer
  tool: Receiver
  /** The name of the tool. */
  name: string
}

export const booked = { is_booked: true }
const books = respondWith(200, { 'content-type': 'application/json' }, JSON.stringify(booked))

export const startToolAnswers = (server: Server) =>
  startAnswering(server, { first_piece_ms: 10_000, answer_ms: 20_000 })

interface Options {
  /** The arguments of the calls in the answer to each request. Without calls, and to a request that offers no tools, the model says "Done.". */
  calls: (asked: number) => object[]
  fields?: object
  answer?: Parameters<typeof receiver>[0]
  /** A tool that there is already. */
  name?: string
  /** Calls of other tools in the same answer. */
  more?: (asked: number) => { name: string; arguments: object }[]
  /** The configuration of the agent. `tools` are the names of others that it has besides this one. */
  configuration?: { tools?: string[]; language?: string; greeting?: string }
  beforeAnswer?: (asked: number) => unknown
}

export async function newToolWorld(tenant: Tenant, options: Options): Promise<ToolWorld> {
  const { calls, fields = {}, answer = books, configuration = {}, more = () => [], beforeAnswer } = options
  const tool = await receiver(answer)
  const own = newTool({ url: tool.url, parameters: { type: 'object' }, ...fields })
  const name = options.name ?? (await create(tenant, '/tools', own)).name
  const model: ModelServer = await choosingServer(({ tools }) => {
    const asked = model.received.length
    const own = tools ? calls(asked).map((values) => ({ name, arguments: values })) : []
    const tool_calls = [...more(asked), ...own]
    return tool_calls.length > 0
      ? { words: [], tool_calls }
      : { words: ['Done.'], beforeWord: () => beforeAnswer?.(asked) }
  })
  const agent_id = await newModelAgent(tenant, model, {
    ...configuration,
    tools: [name, ...(configuration.tools ?? [])],
  })
  return { tenant, tool, model, name, agent_id }
}
