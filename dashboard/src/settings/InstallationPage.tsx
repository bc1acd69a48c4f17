import { useQuery } from '@tanstack/react-query'
import type { InstallationStatus } from '../../../server/people/installation-schema.ts'
import { useWorkspaceId } from '../kit/api.ts'
import { errorMessage } from '../kit/error-messages.ts'
import { formatBytes, formatDuration, formatNumber } from '../kit/format.ts'
import { AlertIcon, CheckIcon, LockIcon } from '../kit/icons.tsx'
import { Card, Stack, useTitle } from '../kit/Page.tsx'
import { createClient } from '../kit/request.ts'
import { useSession } from '../kit/session.ts'
import { EmptyState, ErrorAlert, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import styles from './settings.module.css'

const refresh_ms = 10_000

/** Shows owners of the first workspace how the whole service is. */
export function InstallationPage() {
  useTitle('Installation')
  return useSession().is_operator ? (
    <Status />
  ) : (
    <Card is_flush>
      <EmptyState icon={<LockIcon size={24} />} title="Only owners of the first workspace can view this page">
        It is about all workspaces of this server.
      </EmptyState>
    </Card>
  )
}

function Status() {
  const workspace = useWorkspaceId()
  const { data, error, refetch } = useQuery({
    queryKey: ['installation'],
    queryFn: ({ signal }) => createClient(workspace).get<InstallationStatus>('/app/installation', {}, { signal }),
    refetchInterval: refresh_ms,
  })
  if (!data)
    return (
      <Card is_flush={error !== null}>{error ? <LoadError error={error} retry={refetch} /> : <LoadingSkeleton />}</Card>
    )
  return (
    <Stack>
      {error && <ErrorAlert>This is no longer current. {errorMessage(error)}</ErrorAlert>}
      <Attention sentences={data.attention} />
      <section aria-label="Background work">
        <div className={styles.part}>
          <h2>Background work</h2>
        </div>
        <Table
          label="Background work"
          columns={columns}
          rows={data.engines}
          getRowId={({ kind }) => kind}
          empty={
            <EmptyState icon={<AlertIcon size={24} />} title="Background work could not be read">
              The list above says why.
            </EmptyState>
          }
        />
      </section>
      <Facts status={data} />
    </Stack>
  )
}

function Attention({ sentences }: { sentences: string[] }) {
  if (sentences.length === 0)
    return (
      <Card>
        <p className={styles.well} role="status">
          <CheckIcon /> All is well. Nothing needs your attention.
        </p>
      </Card>
    )
  return (
    <Card title="Needs attention">
      <ul className={styles.attention}>
        {sentences.map((sentence) => (
          <li key={sentence}>
            <AlertIcon />
            <span>{sentence}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

type Engine = InstallationStatus['engines'][number]

/** The server doesn't count beyond this. */
const counted_max = 10_000

const formatDue = ({ due }: Engine): string => `${formatNumber(due)}${due < counted_max ? '' : '+'}`

/** The names of kinds of work for which the words of the kind would not do. */
const names: Record<string, string> = {
  campaign_enrollings: 'Enrollments in campaigns',
  deleted_campaigns: 'Deletions of campaigns',
  deleted_documents: 'Deletions of documents',
  deliveries: 'Webhook deliveries',
  recording_files: 'Files of recordings',
  test_runs: 'Runs of tests',
}

const nameOf = ({ kind }: Engine): string => {
  const words = kind.replaceAll('_', ' ')
  return names[kind] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

const columns: Column<Engine>[] = [
  { id: 'kind', name: 'Work', cell: (row) => nameOf(row) },
  { id: 'due', name: 'Due', is_number: true, cell: (row) => formatDue(row) },
  {
    id: 'lag',
    name: 'Longest wait',
    is_number: true,
    cell: (original) => (original.due > 0 ? formatDuration(original.lag_seconds * 1_000) : '–'),
  },
]

function Facts({ status }: { status: InstallationStatus }) {
  const { disk, nodes, version, database } = status
  const facts = [
    ['Live calls', formatCount(status.calls_live)],
    ['Failing channels', formatCount(status.channels_failing)],
    ['Failing webhooks', formatCount(status.webhooks_failing)],
    ['Free space for data', disk.free_bytes === null ? 'Unknown' : formatBytes(disk.free_bytes)],
    ...nodes.map(({ name, is_up }) => [`Database node ${name}`, is_up ? 'Up' : 'Down']),
    ['Database', database.replace(/^the database /, '')],
    ['Version', version],
  ]
  return (
    <Card title="Installation">
      <ul className={styles.lines}>
        {facts.map(([name, value]) => (
          <li key={name}>
            <span>{name}</span>
            <strong className={styles.value}>{value}</strong>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const formatCount = (number: number | null): string => (number === null ? 'Unknown' : formatNumber(number))
