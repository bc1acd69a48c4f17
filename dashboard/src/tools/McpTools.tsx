import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ListedMcpTools } from '../../../server/tools/mcp-schema.ts'
import type { Tool } from '../../../server/tools/schema.ts'
import { useApi } from '../kit/api.ts'
import { JsonBlock } from '../kit/CodeBlock.tsx'
import { Card } from '../kit/Page.tsx'
import { ErrorAlert, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { mcpToolsQuery } from './mcp-tools-query.ts'
import styles from './tools.module.css'

/** Shows the tools of a server, as it lists them now. */
export function McpTools({ tool }: { tool: Tool }) {
  const { data, error, refetch, isFetching } = useQuery(mcpToolsQuery(useApi(), tool.id))
  return (
    <Card
      title="Tools of the server"
      aside={
        <Button variant="default" size="xs" loading={isFetching} onClick={() => void refetch()}>
          Ask again
        </Button>
      }
    >
      {error && !data && <LoadError error={error} retry={refetch} noun="List" />}
      {!data && !error && <LoadingSkeleton />}
      {data?.error && <ErrorAlert>{data.error}</ErrorAlert>}
      {data && !data.error && <Listed {...data} />}
    </Card>
  )
}

function Listed({ tools, has_more }: ListedMcpTools) {
  if (tools.length === 0) return <p className={styles.hint}>The server has no tools.</p>
  return (
    <>
      <ul className={styles.mcpTools}>
        {tools.map(({ name, server_name, description, parameters, unusable_because }) => (
          <li key={name ?? server_name}>
            <code className={styles.toolName}>{name ?? server_name}</code>
            {unusable_because && <p className={styles.error}>Agents can’t use it. {unusable_because}</p>}
            {description && <p className={styles.description}>{description}</p>}
            {parameters && (
              <details>
                <summary>Parameters</summary>
                <JsonBlock label={`Parameters of ${name}`} value={parameters} />
              </details>
            )}
          </li>
        ))}
      </ul>
      {has_more && <p className={styles.hint}>The server has more tools. Agents can use the first 500.</p>}
    </>
  )
}
