import { Alert, Button, Menu } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Webhook } from '../../../server/webhooks/schema.ts'
import { useApi } from '../kit/api.ts'
import { CopyField } from '../kit/CopyField.tsx'
import { formatTime } from '../kit/format.ts'
import { AlertIcon, RotateIcon, SendIcon, TrashIcon, UndoIcon } from '../kit/icons.tsx'
import { MoreMenu } from '../kit/MoreMenu.tsx'
import { useNow } from '../kit/now.ts'
import { Card, Page, Stack } from '../kit/Page.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { showError, showToast } from '../kit/toast.ts'
import { Deliveries } from './Deliveries.tsx'
import { Inbox } from './Inbox.tsx'
import { type WebhookDialog, WebhookDialogs } from './WebhookDialogs.tsx'
import { WebhookStatusBadge } from './WebhookStatusBadge.tsx'
import { webhookName, webhookQuery } from './webhook.ts'
import styles from './webhooks.module.css'

export function WebhookPage() {
  const api = useApi()
  const { id } = useParams({ from: '/w/$workspace/webhooks/$id' })
  const { data, error, refetch } = useQuery(webhookQuery(api, id))
  const [dialog, setDialog] = useState<WebhookDialog>()
  const now = useNow()
  return (
    <Page
      title={data ? webhookName(data) : 'Webhook'}
      actions={data && <WebhookActions webhook={data} open={setDialog} />}
    >
      {error && <LoadError error={error} retry={refetch} noun="Webhook" />}
      {!data && !error && <LoadingSkeleton />}
      {data && (
        <Stack>
          <StatusAlert webhook={data} />
          <Card title="Endpoint" aside={<WebhookStatusBadge {...data} />}>
            <Stack>
              {data.inbox_answer === null && <CopyField label="URL" value={data.url} copy_label="Copy URL" />}
              <div>
                <span className={styles.label}>Events</span>
                <ul className={styles.patterns} aria-label="Event types">
                  {data.events.map((pattern) => (
                    <li key={pattern}>
                      <code>{pattern}</code>
                    </li>
                  ))}
                </ul>
              </div>
              {data.previous_secret_until && Date.parse(data.previous_secret_until) > now && (
                <p className={styles.hint}>The previous secret works until {formatTime(data.previous_secret_until)}.</p>
              )}
            </Stack>
          </Card>
          {data.inbox_answer !== null && <Inbox webhook={data} />}
          <Deliveries webhook={data} />
        </Stack>
      )}
      <WebhookDialogs dialog={dialog} onChange={setDialog} />
    </Page>
  )
}

const reasons = {
  asked: 'It was disabled manually.',
  gone: 'Your server responded with 410 Gone.',
  failing: 'All deliveries failed for five days.',
}

function StatusAlert({ webhook: { status, disabled_reason, failing_since } }: { webhook: Webhook }) {
  if (status === 'disabled') {
    return (
      <Alert color="gray" icon={<AlertIcon />} title="This webhook is disabled">
        {disabled_reason && reasons[disabled_reason]} After you enable it, resend failed deliveries to catch up.
      </Alert>
    )
  }
  if (!failing_since) return null
  return (
    <Alert color="red" icon={<AlertIcon />} title="Deliveries are failing">
      All deliveries have failed since {formatTime(failing_since)}. The webhook is disabled after five days.
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
        <Menu.Item onClick={() => open({ kind: 'edit', webhook })}>Edit</Menu.Item>
        <Menu.Item leftSection={<RotateIcon size={16} />} onClick={() => open({ kind: 'rotate', webhook })}>
          Rotate secret
        </Menu.Item>
        <Menu.Item leftSection={<UndoIcon size={16} />} onClick={() => open({ kind: 'recover', webhook })}>
          Resend failed deliveries
        </Menu.Item>
        {is_active && <Menu.Item onClick={() => switching.mutate()}>Disable</Menu.Item>}
        <Menu.Item color="red" leftSection={<TrashIcon size={16} />} onClick={() => open({ kind: 'delete', webhook })}>
          Delete
        </Menu.Item>
      </MoreMenu>
    </>
  )
}
