import { Button, MultiSelect, Radio, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Webhook, WebhookWithSecret } from '../../../server/webhooks/schema.ts'
import { choicesOf, event_types } from '../events/event-types.ts'
import { useApi } from '../kit/api.ts'
import { faultsOf } from '../kit/error-messages.ts'
import { changedFields, mergeList } from '../kit/merge.ts'
import { Refusal } from '../kit/states.tsx'
import styles from './webhooks.module.css'

const fields = ['url', 'events', 'description']

interface Values {
  target: 'server' | 'inbox'
  url: string
  events: string[]
  description: string
}

interface WebhookFormProps {
  /** The one that is changed, unless a new one is made. */
  webhook?: Webhook
  onSaved: (webhook: WebhookWithSecret) => unknown
}

export function WebhookForm({ webhook, onSaved }: WebhookFormProps) {
  const api = useApi()
  const [before] = useState(() => valuesOf(webhook))
  const form = useForm<Values>({
    initialValues: before,
    validate: { events: (chosen) => (chosen.length === 0 ? 'Choose at least one event type.' : null) },
  })
  const saving = useMutation({
    mutationFn: (values: Values) =>
      webhook
        ? api.change<WebhookWithSecret>(`/webhooks/${webhook.id}`, (now) =>
            changesOf(bodyOf(before), bodyOf(values), now),
          )
        : api.send<WebhookWithSecret>('POST', '/webhooks', bodyOf(values)),
    onError: (error) => form.setErrors(faultsOf(error, fields).at),
    onSuccess: onSaved,
  })
  const is_address_asked = webhook ? webhook.inbox_answer === null : form.values.target === 'server'
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => saving.mutate(values))}>
      {saving.error && <Refusal>{faultsOf(saving.error, fields).rest}</Refusal>}
      {!webhook && (
        <Radio.Group label="Send to" {...form.getInputProps('target')}>
          <div className={styles.choices}>
            <Radio value="server" label="My server" />
            <Radio value="inbox" label="Built-in inbox, for testing" />
          </div>
        </Radio.Group>
      )}
      {is_address_asked && (
        <TextInput
          label="URL"
          placeholder="https://hooks.example.com/parley"
          required
          {...(!webhook && { 'data-autofocus': true })}
          {...form.getInputProps('url')}
        />
      )}
      <MultiSelect
        label="Events"
        description="Choose event types."
        data={choicesOf(event_types)}
        searchable
        hidePickedOptions
        comboboxProps={{ shadow: 'md' }}
        {...form.getInputProps('events')}
        onChange={(chosen) => form.setFieldValue('events', withoutOthers(chosen))}
      />
      <TextInput label="Description" placeholder="CRM sync" {...form.getInputProps('description')} />
      <Button type="submit" loading={saving.isPending}>
        {webhook ? 'Save changes' : 'Create webhook'}
      </Button>
    </form>
  )
}

/** What stands for all goes with nothing else: the one that was chosen last counts. */
const withoutOthers = (chosen: string[]): string[] =>
  chosen.at(-1) === '*' ? ['*'] : chosen.filter((pattern) => pattern !== '*')

const valuesOf = (webhook?: Webhook): Values => ({
  target: 'server',
  url: webhook?.url ?? '',
  events: webhook?.events ?? ['*'],
  description: webhook?.description ?? '',
})

function changesOf(before: Body, wanted: Body, now: Webhook): Partial<Body> {
  const changes = changedFields(before, wanted)
  return changes.events ? { ...changes, events: eventsOf(before.events, changes.events, now.events) } : changes
}

const eventsOf = (before: string[], wanted: string[], now: string[]): string[] =>
  wanted.includes('*') ? wanted : withoutOthers(mergeList(before, wanted, now))

type Body = ReturnType<typeof bodyOf>

const bodyOf = ({ target, url, events, description }: Values) => ({
  url: target === 'inbox' ? 'inbox' : url,
  events,
  description,
})
