import { Button, Menu, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { Dialog, FormButtons } from '../kit/Dialog.tsx'
import { formatNumber, formatTime } from '../kit/format.ts'
import { CopyIcon, EditIcon, ExportIcon, PauseIcon, PlayIcon, PlusIcon, TrashIcon } from '../kit/icons.tsx'
import { MoreMenu } from '../kit/MoreMenu.tsx'
import { useCanEdit } from '../kit/session.ts'
import { showError, showToast } from '../kit/toast.ts'
import { AddContactsForm } from './AddContactsForm.tsx'
import { useChannelFault } from './ChannelAlert.tsx'
import { campaignsKey, isFinal, showChanged } from './campaign.ts'
import { EditCampaignForm } from './EditCampaignForm.tsx'
import { describeWindow } from './hours.ts'

type Question = 'start' | 'edit' | 'add' | 'cancel' | 'delete'
type Verb = 'start' | 'pause' | 'resume' | 'cancel'

const done_messages: Record<Verb, string> = {
  start: 'Campaign started.',
  pause: 'Campaign paused.',
  resume: 'Campaign resumed.',
  cancel: 'Campaign canceled.',
}

export function CampaignActions({ campaign }: { campaign: Campaign }) {
  const api = useApi()
  const client = useQueryClient()
  const can_edit = useCanEdit()
  const [dialog, setDialog] = useState<Question>()
  const close = () => setDialog(undefined)
  const run = async (verb: Verb) => {
    const changed = await api.send<Campaign>('POST', `/campaigns/${campaign.id}/${verb}`)
    showToast(done_messages[verb])
    await showChanged(client, api, changed)
  }
  if (!can_edit) return null
  return (
    <>
      <MainAction campaign={campaign} run={run} onStart={() => setDialog('start')} />
      <MoreActions campaign={campaign} open={setDialog} />
      <StartDialog campaign={campaign} is_open={dialog === 'start'} onClose={close} start={() => run('start')} />
      <Dialog is_open={dialog === 'edit'} onClose={close} title="Edit campaign" size="xl">
        <EditCampaignForm campaign={campaign} onClose={close} />
      </Dialog>
      <Dialog is_open={dialog === 'add'} onClose={close} title="Add contacts" size="lg">
        <AddContactsForm campaign={campaign} onClose={close} />
      </Dialog>
      <ConfirmDialog
        is_open={dialog === 'cancel'}
        title="Cancel this campaign?"
        confirm_label="Cancel campaign"
        onClose={close}
        onConfirm={() => run('cancel')}
      >
        Calls in progress continue to their end. A canceled campaign can’t be resumed.
      </ConfirmDialog>
      <DeleteDialog campaign={campaign} is_open={dialog === 'delete'} onClose={close} />
    </>
  )
}

interface StartDialogProps {
  campaign: Campaign
  is_open: boolean
  onClose: () => void
  start: () => Promise<void>
}

/** Asks before the start, from which on people are called: it says how many, and when. */
function StartDialog({ campaign, is_open, onClose, start }: StartDialogProps) {
  const starting = useMutation({ mutationFn: start, onSuccess: onClose, onError: showError })
  const { kind, counts, starts_at } = campaign
  const verb = kind === 'voice' ? 'Call' : 'Text'
  const people = counts.enrolled === 1 ? '1 person' : `${formatNumber(counts.enrolled)} people`
  return (
    <Dialog
      is_open={is_open}
      title={`${verb} ${people} from ${starts_at ? formatTime(starts_at) : 'now'} on?`}
      onClose={onClose}
    >
      <Text mb="md">
        Within the campaign’s hours: {campaign.windows.map(describeWindow).join('; ')}. You can pause it at any time.
      </Text>
      <FormButtons
        label="Start campaign"
        is_pending={starting.isPending}
        onCancel={onClose}
        onClick={() => starting.mutate()}
      />
    </Dialog>
  )
}

interface MainActionProps {
  campaign: Campaign
  run: (verb: Verb) => Promise<void>
  onStart: () => void
}

/** Shows the button for what people most likely want to do now. */
function MainAction({ campaign, run, onStart }: MainActionProps) {
  const running = useMutation({ mutationFn: run, onError: showError })
  const { status, counts } = campaign
  const has_no_channel = useChannelFault(campaign) !== undefined
  const is_disabled = status === 'draft' && (counts.enrolled === 0 || has_no_channel)
  const button = (verb: Verb, label: string, icon: ReactNode) => (
    <Button
      leftSection={icon}
      loading={running.isPending}
      disabled={is_disabled}
      onClick={() => (verb === 'start' ? onStart() : running.mutate(verb))}
    >
      {label}
    </Button>
  )
  if (status === 'draft') return button('start', 'Start', <PlayIcon size={17} />)
  if (status === 'paused') return button('resume', 'Resume', <PlayIcon size={17} />)
  if (status === 'running' || status === 'scheduled') return button('pause', 'Pause', <PauseIcon size={17} />)
  return null
}

function MoreActions({ campaign, open }: { campaign: Campaign; open: (dialog: Question) => void }) {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const cloning = useMutation({
    mutationFn: () => api.send<Campaign>('POST', `/campaigns/${campaign.id}/clone`),
    onError: showError,
    onSuccess: async (clone) => {
      showToast('Campaign cloned.')
      await navigate({ to: '/w/$workspace/campaigns/$id', params: { workspace: api.workspace, id: clone.id } })
      await showChanged(client, api, clone)
    },
  })
  const is_draft = campaign.status === 'draft'
  return (
    <MoreMenu>
      {!isFinal(campaign) && (
        <>
          <Menu.Item leftSection={<EditIcon size={16} />} onClick={() => open('edit')}>
            Edit
          </Menu.Item>
          <Menu.Item leftSection={<PlusIcon size={16} />} onClick={() => open('add')}>
            Add contacts
          </Menu.Item>
        </>
      )}
      <Menu.Item leftSection={<CopyIcon size={16} />} onClick={() => cloning.mutate()}>
        Clone
      </Menu.Item>
      <Menu.Item
        leftSection={<ExportIcon size={16} />}
        onClick={() => void api.download(`/campaigns/${campaign.id}/report`, {}).catch(showError)}
      >
        Download report
      </Menu.Item>
      {!is_draft && !isFinal(campaign) && (
        <Menu.Item color="red" onClick={() => open('cancel')}>
          Cancel campaign
        </Menu.Item>
      )}
      {is_draft && (
        <Menu.Item color="red" leftSection={<TrashIcon size={16} />} onClick={() => open('delete')}>
          Delete
        </Menu.Item>
      )}
    </MoreMenu>
  )
}

interface DeleteDialogProps {
  campaign: Campaign
  is_open: boolean
  onClose: () => void
}

function DeleteDialog({ campaign, is_open, onClose }: DeleteDialogProps) {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const remove = async () => {
    await api.send('DELETE', `/campaigns/${campaign.id}`)
    showToast('Campaign deleted.')
    await navigate({ to: '/w/$workspace/campaigns', params: { workspace: api.workspace } })
    await client.invalidateQueries({ queryKey: campaignsKey(api) })
  }
  return (
    <ConfirmDialog
      is_open={is_open}
      title="Delete this campaign?"
      confirm_label="Delete campaign"
      onClose={onClose}
      onConfirm={remove}
    >
      Its list of contacts is deleted. The contacts themselves are kept. This can’t be undone.
    </ConfirmDialog>
  )
}
