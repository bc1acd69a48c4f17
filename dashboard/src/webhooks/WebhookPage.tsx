import { Alert, Button, Menu } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Webhook } from '../../../server/webhooks/schema.ts'
import { useApi } from '../kit/api.ts'
import { CopyButton } from '../kit/CopyButton.tsx'
import styles from '../kit/facts.module.css'
import { formatTime } from '../kit/format.ts'
import { AlertIcon, RotateIcon, SendIcon, TrashIcon, UndoIcon } from '../kit/icons.tsx'
import { MoreMenu } from '../kit/MoreMenu.tsx'
import { useNow } from '../kit/now.ts'
import { Page, Stack } from '../kit/Page.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { Tabs } from '../kit/Tabs.tsx'
import { showError, showToast } from '../kit/toast.ts'
import { Deliveries } from './Deliveries.tsx'
import { DeliveryStrip } from './DeliveryStrip.tsx'
import { Inbox, InboxResponse } from './Inbox.tsx'
import { type WebhookDialog, WebhookDialogs } from './WebhookDialogs.tsx'
import { WebhookStatusBadge } from './WebhookStatusBadge.tsx'
import { describeEvents, disabled_reasons, failureQuery, webhookName, webhookQuery } from './webhook.ts'

const tabs = [
  { to: '/w/$workspace/webhooks/$id', name: 'Deliveries' },
  { to: '/w/$workspace/webhooks/$id/inbox', name: 'Inbox' },
] as const

export const WebhookPage = () => (
  <WebhookTab>
    {(webhook) => (
      <Stack>
        <StatusAlert webhook={webhook} />
        <DeliveryStrip webhook={webhook} />
        <Deliveries webhook={webhook} />
      </Stack>
    )}
  </WebhookTab>
)

/** Shows what the built-in inbox has received. */
export const WebhookInboxPage = () => <WebhookTab>{(webhook) => <Inbox webhook={webhook} />}</WebhookTab>

function WebhookTab({ children }: { children: (webhook: Webhook) => ReactNode }) {
  const api = useApi()
  const { id = '' } = useParams({ strict: false })
  const { data, error, refetch } = useQuery(webhookQuery(api, id))
  const [dialog, setDialog] = useState<WebhookDialog>()
  return (
    <Page
      title={data ? webhookName(data) : 'Webhook'}
      description={data && <Facts webhook={data} />}
      actions={data && <WebhookActions webhook={data} open={setDialog} />}
      tabs={data && data.inbox_answer !== null && <Tabs label="Webhook" tabs={tabs} />}
    >
      {error && !data && <LoadError error={error} retry={refetch} noun="Webhook" />}
      {!data && !error && <LoadingSkeleton />}
      {data && children(data)}
      <WebhookDialogs dialog={dialog} onChange={setDialog} />
    </Page>
  )
}

/** Shows status, address and events on one line. */
function Facts({ webhook }: { webhook: Webhook }) {
  const now = useNow()
  const { url, description, inbox_answer, previous_secret_until } = webhook
  return (
    <ul className={styles.facts} aria-label="Webhook">
      <li>
        <WebhookStatusBadge {...webhook} />
      </li>
      {inbox_answer === null ? (
        <li className={styles.url}>
          {/* The URL is the title already if there is no description. */}
          {description !== null && <code title={url}>{url}</code>}
          <CopyButton value={url} label="Copy URL" />
        </li>
      ) : (
        <li>
          <InboxResponse webhook={webhook} />
        </li>
      )}
      <li>{describeEvents(webhook)}</li>
      {previous_secret_until && Date.parse(previous_secret_until) > now && (
        <li>The previous secret works until {formatTime(previous_secret_until)}.</li>
      )}
    </ul>
  )
}

function StatusAlert({ webhook }: { webhook: Webhook }) {
  const { status, disabled_reason, failing_since } = webhook
  const is_failing = status === 'active' && failing_since !== null
  const { data: reason } = useQuery({ ...failureQuery(useApi(), webhook), enabled: is_failing })
  if (status === 'disabled') {
    return (
      <Alert color="gray" icon={<AlertIcon />}>
        <strong>This webhook is disabled.</strong> {disabled_reason && disabled_reasons[disabled_reason]} After you
        enable it, resend failed deliveries to catch up.
      </Alert>
    )
  }
  if (!is_failing) return null
  return (
    <Alert color="red" icon={<AlertIcon />}>
      <strong>Deliveries are failing{reason && `: ${reason}`}.</strong> All deliveries have failed since{' '}
      {formatTime(failing_since)}. The webhook is disabled after five days.
    </Alert>
  )
}

function WebhookActions({ webhook, open }: { webhook: Webhook; open: (dialog: WebhookDialog) => void }) {
  const api = useApi()
  const client = useQueryClient()
  const { id, status } = webhook
  const is_active = status === 'active'
  const refresh = () => client.invalidateQueries({ queryKey: [api.workspace, 'webhooks'] })
  const testing = useMutation({
    mutationFn: () => api.send('POST', `/webhooks/${id}/test`),
    onError: showError,
    onSuccess: () => {
      showToast('Test event sent.')
      return refresh()
    },
  })
  const switching = useMutation({
    mutationFn: () => api.send<Webhook>('PATCH', `/webhooks/${id}`, { status: is_active ? 'disabled' : 'active' }),
    onError: showError,
    onSuccess: refresh,
  })
  return (
    <>
      {is_active ? (
        <Button leftSection={<SendIcon size={17} />} loading={testing.isPending} onClick={() => testing.mutate()}>
          Send test event
        </Button>
      ) : (
        <Button loading={switching.isPending} onClick={() => switching.mutate()}>
          Enable
        </Button>
      )}
      <MoreMenu>
        <Menu.Item onClick={() => open({ kind: 'edit', one: webhook })}>Edit</Menu.Item>
        <Menu.Item leftSection={<RotateIcon size={16} />} onClick={() => open({ kind: 'rotate', one: webhook })}>
          Rotate secret
        </Menu.Item>
        <Menu.Item leftSection={<UndoIcon size={16} />} onClick={() => open({ kind: 'recover', one: webhook })}>
          Resend failed deliveries
        </Menu.Item>
        {is_active && <Menu.Item onClick={() => switching.mutate()}>Disable</Menu.Item>}
        <Menu.Item
          color="red"
          leftSection={<TrashIcon size={16} />}
          onClick={() => open({ kind: 'delete', one: webhook })}
        >
          Delete
        </Menu.Item>
      </MoreMenu>
    </>
  )
}
