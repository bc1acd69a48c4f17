import { type At, type AtOutside, newTool } from '../kit/at.ts'
import { assertNotTooDeep } from '../kit/http/body/read-json.ts'
import { fingerprintOf } from '../kit/http/idempotency.ts'
import { isObject } from '../kit/json.ts'
import { openQueuePerKey } from '../kit/limits/key-queues.ts'
import { OutboundError } from '../kit/outbound/request.ts'
import { type Fault, invalid, invalidState } from '../kit/problem.ts'
import { printable, truncate } from '../kit/text.ts'
import { knownPart } from './known-part.ts'
import { type ServerTool, withMcpServer } from './mcp-client.ts'
import type { KeptMcpTool, ListedMcpTools } from './mcp-schema.ts'
import { hasUnstorableText, type Schema, text_length_max } from './parameters.ts'
import type { StoredTool } from './store.ts'
import * as tools from './store.ts'

/** Models take no longer names of tools. */
const name_length_max = 64
const description_length_max = 4_000
/** All schemas of a version together have at most this many characters. */
const kept_length_max = 128_000
const separator = '__'
/** A workspace may ask so many servers for their tools at the same time. */
const lists_at_once_max = 2

const mcpLists = newTool(() => openQueuePerKey(lists_at_once_max))

/** Lists what the server of a tool of kind `mcp` offers now, or says why it could not be asked. */
export async function list(at: AtOutside, id: string, signal?: AbortSignal): Promise<ListedMcpTools> {
  const tool = await tools.getStored(at, id)
  if (tool.kind !== 'mcp') throw invalidState('Only tools of the kind mcp have a server that lists tools.')
  try {
    const { tools: found, has_more } = await ask(at, tool, signal)
    return { tools: named(tool, found).map(({ found: _, ...listed }) => listed), has_more, error: null }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { tools: [], has_more: false, error: error.message }
  }
}

/** Asks a server for its tools, a few servers of a workspace at a time. Fails with an OutboundError. */
const ask = (at: AtOutside, tool: StoredTool, signal?: AbortSignal): ReturnType<typeof listFrom> =>
  mcpLists.of(at)(at.workspace, () => listFrom(at, tool, signal))

/** Asks a server for a version. An error names the tool that could not be asked, because several may be. */
async function askForVersion(at: AtOutside, tool: StoredTool): Promise<NamedMcpTool[]> {
  try {
    return named(tool, (await ask(at, tool)).tools)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw invalidState(`The tools of ${tool.name} could not be listed: ${error.message}`, { reason: 'not_listed' })
  }
}

/** Lists the tools of a server. Fails with an OutboundError. */
export const listFrom = (at: AtOutside, tool: StoredTool, signal?: AbortSignal) =>
  withMcpServer(at, tool, { timeout_ms: tool.timeout_ms, signal }, ({ list }) => list())

type NamedMcpTool = ListedMcpTools['tools'][number] & { found: ServerTool }

/** Names the tools for models. If several names of the server are the same for models, the first tool has it. */
function named(tool: StoredTool, found: ServerTool[]): NamedMcpTool[] {
  const taken = new Set<string>()
  return found.map((one) => {
    const name = tool.name + separator + one.name.replace(/[^A-Za-z0-9_-]/g, '_')
    const fault =
      faultOf(one, name) ?? (taken.has(name) ? 'Another tool of the server has the same name for models.' : null)
    if (fault === null) taken.add(name)
    return {
      name: fault === null ? name : null,
      server_name: truncate(printable(one.name), 200),
      description: one.description === null ? null : truncate(printable(one.description), description_length_max),
      parameters: fault === null && isObject(one.parameters) ? one.parameters : null,
      unusable_because: fault,
      found: one,
    }
  })
}

function faultOf({ name, parameters }: ServerTool, full_name: string): string | undefined {
  if (name === '') return 'It has no name.'
  if (full_name.length > name_length_max)
    return `Its name is too long: ${name_length_max} characters are allowed, with that of this tool.`
  if (hasUnstorableText(name)) return 'Its name has control characters.'
  if (!isObject(parameters) || parameters.type !== 'object') return 'Its input schema is not of the type object.'
  if (JSON.stringify(parameters).length > text_length_max)
    return `Its input schema has more than ${text_length_max} characters.`
  if (isTooDeep(parameters)) return 'Its input schema is nested too deeply.'
  return hasUnstorableText(parameters) ? 'Its input schema has control characters.' : undefined
}

function isTooDeep(schema: unknown): boolean {
  try {
    assertNotTooDeep(schema)
    return false
  } catch {
    return true
  }
}

/** Returns the name of the tool of kind `mcp` that an agent's `crm__search` belongs to. */
export const serverOf = (name: string): string | undefined => {
  const end = name.indexOf(separator)
  return end > 0 && end < name.length - separator.length ? name.slice(0, end) : undefined
}

/** Finds the stored tool of each name that exists, as agents name them. */
export async function findNamed(at: At, names: string[]): Promise<Map<string, StoredTool>> {
  const servers = names.flatMap((name) => serverOf(name) ?? [])
  const found = await tools.findByNames(at, [...new Set([...names, ...servers])])
  const by_name = new Map(found.map((tool) => [tool.name, tool]))
  return new Map(
    names.flatMap((name): [string, StoredTool][] => {
      const own = by_name.get(name)
      if (own?.kind === 'http') return [[name, own]]
      const server = by_name.get(serverOf(name) ?? '')
      return server?.kind === 'mcp' ? [[name, server]] : []
    }),
  )
}

/**
 * Asks the servers of the tools that a configuration names, and returns what is kept of their tools in a version. Fails if a server
 * doesn't answer or has no such tool. Paths of faults begin with `within`.
 */
export async function readForVersion(at: AtOutside, names: string[], within = ''): Promise<KeptMcpTool[]> {
  const wanted = [...(await findNamed(at, names))].filter(([, tool]) => tool.kind === 'mcp')
  const servers = new Map(wanted.map(([, tool]) => [tool.name, tool]))
  const listed = new Map(
    await Promise.all(
      [...servers.values()].map(
        async (tool): Promise<[string, NamedMcpTool[]]> => [tool.name, await askForVersion(at, tool)],
      ),
    ),
  )
  const faults: Fault[] = []
  const kept = wanted.flatMap(([name, tool]): KeptMcpTool[] => {
    const one = listed.get(tool.name)?.find((listed) => listed.name === name)
    if (one?.parameters)
      return [{ name, server_name: one.found.name, description: one.description, parameters: one.parameters }]
    const path = `${within}tools.${names.indexOf(name)}`
    const message = `${path} is "${name}", which the server of ${tool.name} doesn't have, or which can't be used: see its list of tools.`
    faults.push({ path, code: 'unknown', message })
    return []
  })
  if (faults.length > 0) throw invalid(faults)
  if (JSON.stringify(kept).length > kept_length_max)
    throw invalidState(`The schemas of all tools of servers together have more than ${kept_length_max} characters.`)
  return kept
}

/** A tool of an agent, under the name by which the agent calls it. */
export type OfferedTool = StoredTool & { kept?: KeptMcpTool }

/** Returns the schema that arguments are checked with. What a server has given as its own may be anything. */
export const checkedSchema = ({ kept, parameters }: OfferedTool): Schema => (kept ? knownPart(parameters) : parameters)

/** Returns the tools that an agent with these names can call. Those of servers are as the version has kept them. */
export async function findOffered(at: At, names: string[], kept: KeptMcpTool[] = []): Promise<OfferedTool[]> {
  if (names.length === 0) return []
  return [...(await findNamed(at, names))].flatMap(([name, tool]): OfferedTool[] => {
    if (tool.kind === 'http') return [tool]
    const own = kept.find((one) => one.name === name)
    return own ? [{ ...tool, name, description: own.description, parameters: own.parameters, kept: own }] : []
  })
}

export const hasChanged = (kept: KeptMcpTool, now: ServerTool | undefined): boolean =>
  now === undefined || fingerprintOf(now.parameters) !== fingerprintOf(kept.parameters)
