import { Alert, Anchor, Button, Menu } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { sayTime } from '../kit/Ago.tsx'
import { useApi } from '../kit/api.ts'
import { AlertIcon, ChevronIcon, RotateIcon, SendIcon, TrashIcon, UndoIcon } from '../kit/icons.tsx'
import { Card, Page, Stack } from '../kit/Page.tsx'
import { Secret } from '../kit/Secret.tsx'
import { Failure, Waiting } from '../kit/states.tsx'
import { tell, tellProblem } from '../kit/toast.ts'
import { Deliveries } from './Deliveries.tsx'
import { Inbox } from './Inbox.tsx'
import { type WebhookDialog, WebhookDialogs } from './WebhookDialogs.tsx'
import { StatusBadge } from './Webhooks.tsx'
import { nameOf, type Webhook, webhookQuery } from './webhook.ts'
import styles from './webhooks.module.css'

export function OneWebhook() {
  const api = useApi()
  const { id } = useParams({ from: '/w/$workspace/webhooks/$id' })
  const { data, error, refetch } = useQuery(webhookQuery(api, id))
  const [dialog, setDialog] = useState<WebhookDialog>()
  return (
    <Page
      title={data ? nameOf(data) : 'Webhook'}
      about={
        <Anchor
          renderRoot={(props) => <Link to="/w/$workspace/webhooks" params={{ workspace: api.workspace }} {...props} />}
        >
          All webhooks
        </Anchor>
      }
      actions={data && <Actions webhook={data} open={setDialog} />}
    >
      {error && <Failure error={error} retry={refetch} />}
      {!data && !error && <Waiting />}
      {data && (
        <Stack>
          <Note webhook={data} />
          <Card title="Endpoint" aside={<StatusBadge {...data} />}>
            <Stack>
              {data.inbox_answer === null && <Secret label="Address" value={data.url} copy="Copy address" />}
              <div>
                <span className={styles.label}>Events</span>
                <ul className={styles.patterns} aria-label="Events that are sent">
                  {data.events.map((pattern) => (
                    <li key={pattern}>
                      <code>{pattern}</code>
                    </li>
                  ))}
                </ul>
              </div>
              {data.previous_secret_until && Date.parse(data.previous_secret_until) > Date.now() && (
                <p className={styles.hint}>
                  The secret before this one signs until {sayTime(data.previous_secret_until)}.
                </p>
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
  asked: 'Someone has disabled it.',
  gone: 'Your server has answered 410, which asks that nothing more is sent.',
  failing: 'For five days at least ten attempts failed, and none succeeded.',
}

function Note({ webhook: { status, disabled_reason, failing_since } }: { webhook: Webhook }) {
  if (status === 'disabled') {
    return (
      <Alert color="gray" icon={<AlertIcon />} title="This webhook is disabled">
        {disabled_reason && reasons[disabled_reason]} When it is enabled again, “Send again what failed” catches up.
      </Alert>
    )
  }
  if (!failing_since) return null
  return (
    <Alert color="red" icon={<AlertIcon />} title="Nothing arrives at the moment">
      There was nothing but failure since {sayTime(failing_since)}. After five days and ten failed attempts the webhook
      is disabled.
    </Alert>
  )
}

function Actions({ webhook, open }: { webhook: Webhook; open: (dialog: WebhookDialog) => void }) {
  const api = useApi()
  const client = useQueryClient()
  const { id, status } = webhook
  const is_active = status === 'active'
  const refresh = () => client.invalidateQueries({ queryKey: [api.workspace, 'webhooks'] })
  const testing = useMutation({
    mutationFn: () => api.send('POST', `/webhooks/${id}/test`),
    onError: tellProblem,
    onSuccess: () => {
      tell('A test event is on its way.')
      return refresh()
    },
  })
  const switching = useMutation({
    mutationFn: () => api.send<Webhook>('PATCH', `/webhooks/${id}`, { status: is_active ? 'disabled' : 'active' }),
    onError: tellProblem,
    onSuccess: refresh,
  })
  return (
    <>
      {is_active ? (
        <Button leftSection={<SendIcon size={17} />} loading={testing.isPending} onClick={() => testing.mutate()}>
          Send a test
        </Button>
      ) : (
        <Button loading={switching.isPending} onClick={() => switching.mutate()}>
          Enable
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<ChevronIcon size={17} />}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => open({ kind: 'edit', webhook })}>Edit</Menu.Item>
          <Menu.Item leftSection={<RotateIcon size={16} />} onClick={() => open({ kind: 'rotate', webhook })}>
            Rotate the secret
          </Menu.Item>
          <Menu.Item leftSection={<UndoIcon size={16} />} onClick={() => open({ kind: 'recover', webhook })}>
            Send again what failed
          </Menu.Item>
          {is_active && <Menu.Item onClick={() => switching.mutate()}>Disable</Menu.Item>}
          <Menu.Item
            color="red"
            leftSection={<TrashIcon size={16} />}
            onClick={() => open({ kind: 'delete', webhook })}
          >
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
