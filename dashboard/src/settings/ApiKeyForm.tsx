import { Checkbox, Radio, Select, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { ApiKeyWithSecret } from '../../../server/api-keys/schema.ts'
import { useApi } from '../kit/api.ts'
import { FormButtons } from '../kit/Dialog.tsx'
import { formErrors } from '../kit/error-messages.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { useUnsaved } from '../kit/unsaved.tsx'
import { scopes } from './api-key.ts'
import styles from './settings.module.css'

const day_ms = 86_400_000
const expirations = [
  { value: '0', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]
const fields = ['name', 'scopes', 'expires_at']

interface Values {
  name: string
  access: 'all' | 'some'
  scopes: string[]
  days: string
}

interface ApiKeyFormProps {
  onCreated: (key: ApiKeyWithSecret) => unknown
  onCancel: () => void
}

export function ApiKeyForm({ onCreated, onCancel }: ApiKeyFormProps) {
  const api = useApi()
  const form = useForm<Values>({
    initialValues: { name: '', access: 'all', scopes: ['contacts:read'], days: '0' },
    validate: {
      scopes: (chosen, { access }) => (access === 'some' && chosen.length === 0 ? 'Choose at least one scope.' : null),
    },
  })
  useUnsaved(form.isDirty())
  const creating = useMutation({
    mutationFn: (values: Values) => api.send<ApiKeyWithSecret>('POST', '/api_keys', toBody(values)),
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: onCreated,
  })
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => creating.mutate(values))}>
      {creating.error && <ErrorAlert>{formErrors(creating.error, fields).message}</ErrorAlert>}
      <TextInput
        label="Name"
        description="What the key is used for."
        placeholder="Website form"
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Radio.Group label="Access" {...form.getInputProps('access')}>
        <div className={styles.choices}>
          <Radio value="all" label="Full access, except API keys and the audit log" />
          <Radio value="some" label="Choose scopes" />
        </div>
      </Radio.Group>
      {form.values.access === 'some' && (
        <Checkbox.Group label="Scopes" {...form.getInputProps('scopes')}>
          <div className={styles.scopes}>
            {scopes.map(({ value, label }) => (
              <Checkbox key={value} value={value} label={label} description={value} />
            ))}
          </div>
        </Checkbox.Group>
      )}
      <Select
        label="Expires"
        data={expirations}
        allowDeselect={false}
        {...form.getInputProps('days')}
        error={form.errors.expires_at}
      />
      <FormButtons
        label="Create API key"
        is_pending={creating.isPending}
        errors={form.errors}
        labels={{ expires_at: 'Expires' }}
        onCancel={onCancel}
      />
    </form>
  )
}

const toBody = ({ name, access, scopes, days }: Values) => ({
  name,
  scopes: access === 'all' ? null : scopes,
  expires_at: days === '0' ? null : new Date(Date.now() + Number(days) * day_ms).toISOString(),
})
