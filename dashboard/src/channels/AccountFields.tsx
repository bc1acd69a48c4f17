import { PasswordInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ChannelWithSettings } from '../../../server/channels/schema.ts'
import { isSameOrigin } from '../kit/request.ts'
import type { ChannelValues } from './channel-values.ts'

interface AccountFieldsProps {
  form: UseFormReturnType<ChannelValues>
  channel: ChannelWithSettings | undefined
}

/** The account at Twilio, or at a carrier with the same API. */
export function AccountFields({ form, channel }: AccountFieldsProps) {
  return (
    <>
      <TextInput
        label="Account SID"
        placeholder="AC…"
        autoComplete="off"
        required
        {...form.getInputProps('account_sid')}
      />
      <PasswordInput
        label="Auth token"
        description={tokenHint(channel, form.values.api_url)}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': 'Show auth token' }}
        required={!channel}
        {...form.getInputProps('auth_token')}
      />
      <TextInput
        label="API URL"
        placeholder="https://api.twilio.com"
        required={Boolean(channel)}
        {...(!channel && { description: 'Leave blank for Twilio. Another carrier needs the same API.' })}
        {...form.getInputProps('api_url')}
      />
    </>
  )
}

function tokenHint(channel: ChannelWithSettings | undefined, api_url: string): string {
  if (!channel) return 'Stored encrypted. You won’t be able to see it again.'
  if (!channel.has_auth_token)
    return `No token is stored. Without one, ${channel.kind === 'voice' ? 'nobody can call or be called' : 'messages are neither received nor sent'}.`
  return isSameOrigin(channel.api_url ?? '', api_url)
    ? 'A token is stored. Leave blank to keep it.'
    : 'The stored token is removed, because the URL’s host has changed. Enter it again.'
}
