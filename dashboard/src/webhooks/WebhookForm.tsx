import { MultiSelect, Radio, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Webhook, WebhookWithSecret } from '../../../server/webhooks/schema.ts'
import { event_types, eventTypeOptions } from '../events/event-types.ts'
import { useApi } from '../kit/api.ts'
import { useConflicts } from '../kit/Conflict.tsx'
import { FormButtons } from '../kit/Dialog.tsx'
import { formErrors } from '../kit/error-messages.ts'
import { changedFields, mergeList } from '../kit/merge.ts'
import type { FormProps } from '../kit/SignedDialogs.tsx'
import { ErrorAlert } from '../kit/states.tsx'
import { useUnsaved } from '../kit/unsaved.tsx'
import styles from './webhooks.module.css'

const fields = ['url', 'events', 'description']
const labels = { url: 'URL' }

interface Values {
  target: 'server' | 'inbox'
  url: string
  events: string[]
  description: string
}

interface WebhookFormProps extends FormProps {
  /** The webhook to edit. Without it, the form creates one. */
  webhook?: Webhook
}

export function WebhookForm({ webhook, onSaved, onCancel }: WebhookFormProps) {
  const api = useApi()
  const [before] = useState(() => toValues(webhook))
  const form = useForm<Values>({
    initialValues: before,
    validate: { events: (chosen) => (chosen.length === 0 ? 'Choose at least one event type.' : null) },
  })
  const setSaved = useUnsaved(form.isDirty())
  const conflicts = useConflicts({ merged: ['events'], labels })
  const saving = useMutation({
    mutationFn: (values: Values) =>
      webhook
        ? api.update<WebhookWithSecret>(`/webhooks/${webhook.id}`, async (current) => {
            const chosen = await conflicts.choose({ before, mine: values, theirs: toValues(current) })
            return toChanges(toBody(before), toBody(chosen), current)
          })
        : api.send<WebhookWithSecret>('POST', '/webhooks', toBody(values)),
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: (saved) => {
      setSaved()
      return onSaved(saved)
    },
  })
  const has_url = webhook ? webhook.inbox_answer === null : form.values.target === 'server'
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => saving.mutate(values))}>
      {conflicts.dialog}
      {saving.error && <ErrorAlert>{formErrors(saving.error, fields).message}</ErrorAlert>}
      {!webhook && (
        <Radio.Group label="Send to" {...form.getInputProps('target')}>
          <div className={styles.choices}>
            <Radio value="server" label="My server" />
            <Radio value="inbox" label="Built-in inbox, for testing" />
          </div>
        </Radio.Group>
      )}
      {has_url && (
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
        data={eventTypeOptions(event_types, 'All events, except of API keys')}
        searchable
        hidePickedOptions
        comboboxProps={{ shadow: 'md' }}
        {...form.getInputProps('events')}
        onChange={(chosen) => form.setFieldValue('events', resolveWildcard(chosen))}
      />
      <TextInput label="Description" placeholder="CRM sync" {...form.getInputProps('description')} />
      <FormButtons
        label={webhook ? 'Save changes' : 'Create webhook'}
        is_pending={saving.isPending}
        errors={form.errors}
        labels={labels}
        onCancel={onCancel}
      />
    </form>
  )
}

/**
 * Resolves a choice of patterns. `*` stands for all events but those of API keys, and excludes other patterns: the last
 * choice wins.
 */
function resolveWildcard(chosen: string[]): string[] {
  const isBesideAll = (pattern = '') => pattern === '*' || pattern.startsWith('api_key.')
  return chosen.includes('*') && isBesideAll(chosen.at(-1))
    ? chosen.filter((pattern) => isBesideAll(pattern))
    : chosen.filter((pattern) => pattern !== '*')
}

const toValues = (webhook?: Webhook): Values => ({
  target: 'server',
  url: webhook?.url ?? '',
  events: webhook?.events ?? ['*'],
  description: webhook?.description ?? '',
})

function toChanges(before: Body, wanted: Body, current: Webhook): Partial<Body> {
  const changes = changedFields(before, wanted)
  return changes.events ? { ...changes, events: mergeEvents(before.events, changes.events, current.events) } : changes
}

const mergeEvents = (before: string[], wanted: string[], current: string[]): string[] =>
  wanted.includes('*') ? wanted : resolveWildcard(mergeList(before, wanted, current))

type Body = ReturnType<typeof toBody>

const toBody = ({ target, url, events, description }: Values) => ({
  url: target === 'inbox' ? 'inbox' : url,
  events,
  description,
})
