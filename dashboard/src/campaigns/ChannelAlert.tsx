import { Alert, Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { channelsQuery } from '../channels/channel.ts'
import { useApi } from '../kit/api.ts'
import { Dialog } from '../kit/Dialog.tsx'
import { AlertIcon } from '../kit/icons.tsx'
import { useCanEdit, useIsOwner, useIsTest } from '../kit/session.ts'
import { EditCampaignForm } from './EditCampaignForm.tsx'

type Fault = 'loading' | 'none' | 'several' | 'disabled'

/**
 * Tells why no channel can be used to start a draft. The service has the same rules, but starts a draft whose channels
 * are disabled.
 */
export function useChannelFault({ status, kind, channel_ids }: Campaign): Fault | undefined {
  const is_draft = status === 'draft'
  const { data, isPending } = useQuery({ ...channelsQuery(useApi()), refetchOnMount: 'always', enabled: is_draft })
  const is_test = useIsTest()
  if (!is_draft) return undefined
  if (!data) return isPending ? 'loading' : undefined
  const able = data.data.filter((channel) => channel.kind === kind && channel.provider !== 'web')
  if (channel_ids.length > 0)
    return able.some(({ id, status }) => channel_ids.includes(id) && status !== 'disabled') ? undefined : 'disabled'
  const active = able.filter(({ status, provider }) => status === 'active' && (is_test || provider !== 'simulator'))
  if (active.length === 1) return undefined
  return active.length === 0 ? 'none' : 'several'
}

/** Says what a draft needs before it can start. */
export function ChannelAlert({ campaign }: { campaign: Campaign }) {
  const fault = useChannelFault(campaign)
  const can_edit = useCanEdit()
  const [is_editing, setEditing] = useState(false)
  const stop = () => setEditing(false)
  if (!can_edit) return null
  const choose = (label: string) => (
    <Anchor component="button" type="button" fz="inherit" underline="always" onClick={() => setEditing(true)}>
      {label}
    </Anchor>
  )
  const kind = campaign.kind === 'sms' ? 'SMS' : 'voice'
  return (
    <>
      {fault && fault !== 'loading' && (
        <Alert color="yellow" icon={<AlertIcon />} mb="md">
          {fault === 'none' && (
            <>
              No {kind} channel. <Connect /> to start.
            </>
          )}
          {fault === 'several' && (
            <>
              Several {kind} channels are active. {choose('Choose a channel')} to start.
            </>
          )}
          {fault === 'disabled' && (
            <>The campaign’s channels are disabled. Enable one, or {choose('choose another channel')}.</>
          )}
        </Alert>
      )}
      <Dialog is_open={is_editing} onClose={stop} title="Edit campaign" size="xl">
        <EditCampaignForm campaign={campaign} onClose={stop} />
      </Dialog>
    </>
  )
}

function Connect() {
  const { workspace } = useApi()
  if (!useIsOwner()) return 'An owner must connect one'
  return (
    <Anchor
      fz="inherit"
      underline="always"
      renderRoot={(props) => <Link to="/w/$workspace/channels" params={{ workspace }} {...props} />}
    >
      Connect one
    </Anchor>
  )
}
