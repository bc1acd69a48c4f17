import { Checkbox, PasswordInput, Select, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Provider, ProviderKind } from '../../../server/models/schema.ts'
import { useApi } from '../kit/api.ts'
import { useConflicts } from '../kit/Conflict.tsx'
import { FormButtons } from '../kit/Dialog.tsx'
import { formErrors } from '../kit/error-messages.ts'
import { changedFields } from '../kit/merge.ts'
import { isSameOrigin } from '../kit/request.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { useUnsaved } from '../kit/unsaved.tsx'
import { isSpeechOnly } from './providers-query.ts'
import styles from './settings.module.css'

const fields = ['kind', 'name', 'base_url', 'default_model', 'embedding_model', 'api_key', 'is_default']
const labels = { base_url: 'Base URL', api_key: 'API key', is_default: 'Default provider' }

export const kind_names: Record<ProviderKind, string> = {
  openai_compatible: 'OpenAI-compatible',
  anthropic: 'Anthropic',
  elevenlabs: 'ElevenLabs (speech)',
  deepgram: 'Deepgram (speech)',
}
const kinds = Object.entries(kind_names).map(([value, label]) => ({ value, label }))

/** Examples for the fields. A URL that is left blank is that of the vendor. */
const examples: Record<ProviderKind, { name: string; base_url: string; default_model: string }> = {
  openai_compatible: { name: 'OpenAI', base_url: 'https://api.openai.com/v1', default_model: 'gpt-5-mini' },
  anthropic: { name: 'Anthropic', base_url: 'https://api.anthropic.com/v1', default_model: 'claude-sonnet-4-5' },
  elevenlabs: { name: 'ElevenLabs', base_url: 'https://api.elevenlabs.io/v1', default_model: 'eleven_flash_v2_5' },
  deepgram: { name: 'Deepgram', base_url: 'https://api.deepgram.com/v1', default_model: 'nova-3' },
}

interface Values {
  kind: ProviderKind
  name: string
  base_url: string
  default_model: string
  embedding_model: string
  api_key: string
  is_default: boolean
}

interface ProviderFormProps {
  /** The provider to edit. Without it, the form creates one. */
  provider?: Provider
  is_default: boolean
  onSaved: (provider: Provider) => unknown
  onCancel: () => void
}

export function ProviderForm({ provider, is_default, onSaved, onCancel }: ProviderFormProps) {
  const api = useApi()
  const [before] = useState(() => toValues(provider, is_default))
  const form = useForm<Values>({ initialValues: before })
  const conflicts = useConflicts({ labels })
  const saving = useMutation({
    mutationFn: (values: Values) =>
      provider
        ? api.update<Provider>(`/providers/${provider.id}`, async (current) => {
            const theirs = toValues(current, current.is_default)
            return changedFields(before, await conflicts.choose({ before, mine: values, theirs }))
          })
        : api.send<Provider>('POST', '/providers', toBody(values)),
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: onSaved,
  })
  const { kind, base_url } = form.values
  const example = examples[kind]
  const is_speech = isSpeechOnly(kind)
  useUnsaved(form.isDirty())
  const is_key_kept = provider?.has_api_key && isSameOrigin(before.base_url, base_url)
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => saving.mutate(values))}>
      {conflicts.dialog}
      {saving.error && <ErrorAlert>{formErrors(saving.error, fields).message}</ErrorAlert>}
      {!provider && (
        <Select
          label="Kind"
          description="Most model servers are OpenAI-compatible."
          data={kinds}
          allowDeselect={false}
          {...form.getInputProps('kind')}
        />
      )}
      <TextInput
        label="Name"
        description="Agents refer to the provider by its name."
        placeholder={example.name}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <TextInput
        label="Base URL"
        required={Boolean(provider)}
        placeholder={example.base_url}
        {...(!provider && { description: 'Leave blank to use the one of the vendor.' })}
        {...form.getInputProps('base_url')}
      />
      <TextInput
        label="Default model"
        description={
          is_speech ? 'Optional. A model that hears or one that speaks.' : 'Used when an agent names no model.'
        }
        placeholder={example.default_model}
        required={!is_speech}
        {...form.getInputProps('default_model')}
      />
      {kind === 'openai_compatible' && (
        <TextInput
          label="Embedding model"
          description="Optional. Turns texts into vectors."
          placeholder="text-embedding-3-small"
          {...form.getInputProps('embedding_model')}
        />
      )}
      <PasswordInput
        label="API key"
        description={keyHint(provider, is_key_kept)}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': 'Show API key' }}
        {...form.getInputProps('api_key')}
      />
      {!is_speech && (
        <Checkbox
          label="Default provider"
          description="Agents without a model use it."
          {...form.getInputProps('is_default', { type: 'checkbox' })}
        />
      )}
      <FormButtons
        label={provider ? 'Save changes' : 'Create provider'}
        is_pending={saving.isPending}
        errors={form.errors}
        labels={labels}
        onCancel={onCancel}
      />
    </form>
  )
}

function keyHint(provider: Provider | undefined, is_key_kept: boolean | undefined): string {
  if (!provider?.has_api_key) return 'Stored encrypted. You won’t be able to see it again.'
  return is_key_kept
    ? 'A key is stored. Leave blank to keep it.'
    : 'The stored key is removed, because the URL’s host has changed. Enter it again.'
}

const toValues = (provider: Provider | undefined, is_default: boolean): Values => ({
  kind: provider?.kind ?? 'openai_compatible',
  name: provider?.name ?? '',
  base_url: provider?.base_url ?? '',
  default_model: provider?.default_model ?? '',
  embedding_model: provider?.embedding_model ?? '',
  api_key: '',
  is_default,
})

/** Makes the body, without a blank URL, which would not be valid, and without what its kind doesn't have. */
const toBody = ({ base_url, embedding_model, is_default, ...rest }: Values) => ({
  ...rest,
  ...(base_url.trim() !== '' && { base_url }),
  ...(rest.kind === 'openai_compatible' && { embedding_model }),
  ...(!isSpeechOnly(rest.kind) && { is_default }),
})
