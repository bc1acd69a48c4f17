import { Alert } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ChannelWithSettings } from '../../../server/channels/schema.ts'
import { useApi } from '../kit/api.ts'
import { AlertIcon } from '../kit/icons.tsx'
import { Card, Page, Stack } from '../kit/Page.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { showToast } from '../kit/toast.ts'
import { ChannelActions } from './ChannelActions.tsx'
import { ChannelForm } from './ChannelForm.tsx'
import { ChannelStatus } from './ChannelStatus.tsx'
import { channelQuery, describeChannel, showChanged } from './channel.ts'
import styles from './channels.module.css'
import { NumberTest } from './NumberTest.tsx'
import { PhoneNumber } from './PhoneNumber.tsx'
import { Telephone } from './Telephone.tsx'
import { TestMessage } from './TestMessage.tsx'
import { ChatPreview, WebChat } from './WebChat.tsx'
import { WebVoice } from './WebVoice.tsx'

export function ChannelPage() {
  const api = useApi()
  const { id } = useParams({ from: '/w/$workspace/channels/$id' })
  const { data, error, refetch } = useQuery(channelQuery(api, id))
  return (
    <Page title={data?.name ?? 'Channel'} actions={data && <ChannelActions channel={data} />}>
      {error && !data && <LoadError error={error} retry={refetch} noun="Channel" />}
      {!data && !error && <LoadingSkeleton />}
      {data && <Details key={data.id} channel={data} />}
    </Page>
  )
}

function Details({ channel }: { channel: ChannelWithSettings }) {
  const api = useApi()
  const client = useQueryClient()
  const { id, kind, provider, status } = channel
  const is_web_voice = kind === 'voice' && provider === 'web'
  const is_telephone = kind === 'voice' && provider === 'twilio'
  return (
    <Stack>
      <StatusAlert channel={channel} />
      <Card title={describeChannel(channel)} aside={<ChannelStatus status={status} />}>
        {kind === 'web_chat' && <WebChat channel={channel} />}
        {is_web_voice && <WebVoice channel={channel} />}
        {is_telephone && <Telephone channel={channel} />}
        {provider !== 'web' && !is_telephone && <PhoneNumber channel={channel} />}
      </Card>
      {is_telephone && status !== 'disabled' && <NumberTest channel={channel} />}
      <Card title="Settings">
        <div className={styles.settings}>
          <ChannelForm
            channel={channel}
            onSaved={(saved) => {
              showChanged(client, api, saved)
              showToast('Channel saved.')
            }}
          />
        </div>
      </Card>
      {kind === 'web_chat' && status !== 'disabled' && <ChatPreview id={id} />}
      {kind === 'sms' && status !== 'disabled' && <TestMessage channel={channel} />}
    </Stack>
  )
}

function StatusAlert({ channel: { kind, status, error } }: { channel: ChannelWithSettings }) {
  const is_voice = kind === 'voice'
  if (status === 'disabled') {
    return (
      <Alert color="gray" icon={<AlertIcon />} title="This channel is disabled">
        {is_voice ? 'Calls are neither answered nor placed.' : 'It neither receives nor sends messages.'}
      </Alert>
    )
  }
  if (status !== 'failing') return null
  return (
    <Alert color="red" icon={<AlertIcon />} title={is_voice ? 'Calls can’t be placed' : 'Messages can’t be sent'}>
      {error ?? 'The carrier refuses.'}
    </Alert>
  )
}
