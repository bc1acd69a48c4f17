import { Badge, Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Tool } from '../../../server/tools/schema.ts'
import { useApi } from '../kit/api.ts'
import { JsonBlock } from '../kit/CodeBlock.tsx'
import { CopyField } from '../kit/CopyField.tsx'
import { Fact } from '../kit/FactList.tsx'
import { formatNumber, formatTime } from '../kit/format.ts'
import { RotateIcon, TrashIcon } from '../kit/icons.tsx'
import { MoreMenu } from '../kit/MoreMenu.tsx'
import { useNow } from '../kit/now.ts'
import { Card, Page, Stack } from '../kit/Page.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { McpTools } from './McpTools.tsx'
import { type ToolDialog, ToolDialogs } from './ToolDialogs.tsx'
import { ToolTest } from './ToolTest.tsx'
import styles from './tools.module.css'

export function ToolPage() {
  const api = useApi()
  const { id } = useParams({ from: '/w/$workspace/tools/$id' })
  const [dialog, setDialog] = useState<ToolDialog>()
  const { data, error, refetch } = useQuery({
    queryKey: [api.workspace, 'tools', id],
    queryFn: ({ signal }) => api.get<Tool>(`/tools/${id}`, {}, signal),
  })
  return (
    <Page title={data?.name ?? 'Tool'} actions={data && <ToolActions tool={data} open={setDialog} />}>
      {error && !data && <LoadError error={error} retry={refetch} noun="Tool" />}
      {!data && !error && <LoadingSkeleton />}
      {data && (
        <Stack>
          <ToolDetails tool={data} />
          {data.kind === 'mcp' ? (
            <McpTools tool={data} />
          ) : (
            <>
              <Card title="Parameters">
                <JsonBlock label="Parameters as JSON Schema" value={data.parameters} />
              </Card>
              <ToolTest key={data.id} tool={data} />
            </>
          )}
        </Stack>
      )}
      <ToolDialogs dialog={dialog} onChange={setDialog} />
    </Page>
  )
}

function ToolDetails({ tool }: { tool: Tool }) {
  const now = useNow()
  const headers = Object.keys(tool.headers)
  const { previous_secret_until } = tool
  return (
    <Card
      title={tool.kind === 'mcp' ? 'Server' : 'Request'}
      aside={
        <Badge variant="light" color="gray" tt="none" fw={600}>
          {tool.has_side_effects ? 'Has side effects' : 'No side effects'}
        </Badge>
      }
    >
      <Stack>
        {tool.description && <p className={styles.description}>{tool.description}</p>}
        <CopyField label={addressLabel(tool)} value={tool.url ?? ''} copy_label="Copy URL" />
        <dl className={styles.facts}>
          <Fact name="Headers">{headers.length > 0 ? headers.join(', ') : 'None'}</Fact>
          <Fact name="Timeout">{formatNumber(tool.timeout_ms)} ms</Fact>
          <Fact name={tool.confirm ? 'Asks before it runs' : 'Says while it runs'}>{sentenceOf(tool)}</Fact>
          <Fact name="Runs in one answer">{runsText(tool)}</Fact>
          {tool.has_side_effects && <Fact name="May repeat">{tool.may_repeat ? 'Yes' : 'No'}</Fact>}
        </dl>
        {previous_secret_until && Date.parse(previous_secret_until) > now && (
          <p className={styles.hint}>The previous secret works until {formatTime(previous_secret_until)}.</p>
        )}
      </Stack>
    </Card>
  )
}

const sentenceOf = ({ confirm, say_while }: Tool): string =>
  say_while ?? (confirm ? 'The name of the tool, and all values' : 'Nothing')

/** Says how often the tool may run. Without side effects only the agent's limit counts, unless the tool has one. */
const runsText = ({ calls_max, has_side_effects }: Tool): string =>
  calls_max === null && !has_side_effects ? 'As many as the agent may run' : `At most ${calls_max ?? 5}`

const addressLabel = ({ kind, method }: Tool): string => (kind === 'mcp' ? 'MCP server at' : `${method} request to`)

const ToolActions = ({ tool, open }: { tool: Tool; open: (dialog: ToolDialog) => void }) => (
  <MoreMenu>
    <Menu.Item onClick={() => open({ kind: 'edit', one: tool })}>Edit</Menu.Item>
    <Menu.Item leftSection={<RotateIcon size={16} />} onClick={() => open({ kind: 'rotate', one: tool })}>
      Rotate secret
    </Menu.Item>
    <Menu.Item color="red" leftSection={<TrashIcon size={16} />} onClick={() => open({ kind: 'delete', one: tool })}>
      Delete
    </Menu.Item>
  </MoreMenu>
)
