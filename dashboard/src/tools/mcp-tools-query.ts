import type { ListedMcpTools } from '../../../server/tools/mcp-schema.ts'
import type { useApi } from '../kit/api.ts'

/** The tools are not read again for this long, because another server is asked. */
const stale_ms = 60_000

/** Reads what the server of a tool of kind `mcp` offers now. */
export const mcpToolsQuery = (api: ReturnType<typeof useApi>, id: string) => ({
  queryKey: [api.workspace, 'tools', id, 'mcp_tools'],
  queryFn: ({ signal }: { signal: AbortSignal }) => api.get<ListedMcpTools>(`/tools/${id}/mcp_tools`, {}, signal),
  staleTime: stale_ms,
})
