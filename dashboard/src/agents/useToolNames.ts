import { useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../kit/api.ts'
import { useIsOwner } from '../kit/session.ts'
import { toolChoicesQuery } from '../tools/choices.ts'
import { mcpToolsQuery } from '../tools/mcp-tools-query.ts'

export interface ToolNames {
  /** The names by which agents refer to tools. */
  names: string[]
  /** A hint about servers of tools. */
  hint: string | undefined
  /** Asks the servers for their tools, when someone is about to choose. */
  onDropdownOpen: () => void
}

/** The tools that an agent can have. Only owners make servers answer: others see the tools of servers that are chosen already. */
export function useToolNames(): ToolNames {
  const api = useApi()
  const is_owner = useIsOwner()
  const [is_opened, setOpened] = useState(false)
  const { data: tools = [] } = useQuery(toolChoicesQuery(api))
  const servers = tools.filter(({ kind }) => kind === 'mcp')
  const enabled = is_opened && is_owner
  const listed = useQueries({ queries: servers.map(({ id }) => ({ ...mcpToolsQuery(api, id), enabled })) })
  const own = tools.filter(({ kind }) => kind === 'http').map(({ name }) => name)
  const of_servers = listed.flatMap((one) => one.data?.tools.flatMap(({ name }) => name ?? []) ?? [])
  const failed = servers.filter((_, index) => listed[index]?.error ?? listed[index]?.data?.error)
  const hint = hintFor({
    has_servers: servers.length > 0,
    is_owner,
    is_asking: listed.some(({ isFetching }) => isFetching),
    failed: failed.map(({ name }) => name),
  })
  return { names: [...own, ...of_servers], hint, onDropdownOpen: () => setOpened(true) }
}

interface Servers {
  has_servers: boolean
  is_owner: boolean
  is_asking: boolean
  failed: string[]
}

function hintFor({ has_servers, is_owner, is_asking, failed }: Servers): string | undefined {
  if (!has_servers) return undefined
  if (!is_owner) return 'Owners can add tools of MCP servers.'
  if (is_asking) return 'Asking MCP servers for their tools…'
  return failed.length > 0 ? `These servers can’t be asked: ${failed.join(', ')}.` : undefined
}
