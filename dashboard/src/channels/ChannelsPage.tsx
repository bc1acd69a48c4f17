import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Channel } from '../../../server/channels/schema.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { Dialog } from '../kit/Dialog.tsx'
import { ChannelIcon, PlusIcon } from '../kit/icons.tsx'
import { Page } from '../kit/Page.tsx'
import { formatPhoneNumber } from '../kit/phone-number.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { useIsOwner } from '../kit/session.ts'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { ChannelForm } from './ChannelForm.tsx'
import { ChannelStatus } from './ChannelStatus.tsx'
import { agentsQuery, channelsQuery, describeChannel, showChanged } from './channel.ts'
import styles from './channels.module.css'

export function ChannelsPage() {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const is_owner = useIsOwner()
  const [is_creating, setCreating] = useState(false)
  const channels = useQuery(channelsQuery(api))
  const open = (id: string) => navigate({ to: '/w/$workspace/channels/$id', params: { workspace: api.workspace, id } })
  const create = is_owner && (
    <Button data-shortcut="c" leftSection={<PlusIcon size={17} />} onClick={() => setCreating(true)}>
      New channel
    </Button>
  )
  return (
    <Page title="Channels" actions={create}>
      {channels.error && !channels.data ? (
        <LoadError error={channels.error} retry={channels.refetch} />
      ) : (
        <Table
          label="Channels"
          columns={is_owner ? owner_columns : columns}
          rows={channels.data?.data}
          getRowId={({ id }) => id}
          empty={
            <EmptyState icon={<ChannelIcon size={24} />} title="No channels yet">
              {is_owner
                ? 'Put an agent on your website, or let it answer calls and text messages.'
                : 'An owner can add one.'}
            </EmptyState>
          }
        />
      )}
      <Dialog is_open={is_creating} onClose={() => setCreating(false)} title="New channel" size="lg">
        <ChannelForm
          onSaved={async (channel) => {
            showChanged(client, api, channel)
            await open(channel.id)
          }}
        />
      </Dialog>
    </Page>
  )
}

const details: Column<Channel>[] = [
  {
    id: 'agent',
    name: 'Agent',
    is_hidden_on_phone: true,
    cell: (row) => <AgentName id={row.agent_id} />,
  },
  { id: 'status', name: 'Status', cell: (row) => <ChannelStatus {...row} /> },
  {
    id: 'created_at',
    name: 'Created',
    is_hidden_on_phone: true,
    cell: (row) => <RelativeTime time={row.created_at} />,
  },
]

const columns: Column<Channel>[] = [
  {
    id: 'name',
    name: 'Channel',
    cell: (original) => (
      <div className={styles.name}>
        <strong>{original.name}</strong>
        <span>{describeChannel(original)}</span>
      </div>
    ),
  },
  ...details,
]

/** The columns for owners, who see the number and can open the channel. */
const owner_columns: Column<Channel>[] = [
  { id: 'name', name: 'Channel', cell: (row) => <NameLink channel={row} /> },
  ...details,
]

function NameLink({ channel }: { channel: Channel }) {
  const workspace = useWorkspaceId()
  const { id, name, address } = channel
  return (
    <div className={styles.name}>
      <Link to="/w/$workspace/channels/$id" params={{ workspace, id }}>
        {name}
      </Link>
      <span>
        {describeChannel(channel)}
        {address !== null && ` · ${formatPhoneNumber(address)}`}
      </span>
    </div>
  )
}

function AgentName({ id }: { id: string | null }) {
  const { data } = useQuery(agentsQuery(useApi()))
  return data?.find((agent) => agent.id === id)?.name ?? '–'
}
