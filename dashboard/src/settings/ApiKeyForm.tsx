import { Button, Checkbox, Radio, Select, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { ApiKeyWithSecret } from '../../../server/api-keys/schema.ts'
import { useApi } from '../kit/api.ts'
import { faultsOf } from '../kit/error-messages.ts'
import { Refusal } from '../kit/states.tsx'
import { scopes } from './api-key.ts'
import styles from './settings.module.css'

const day_ms = 86_400_000
const lives = [
  { value: '0', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]
const fields = ['name', 'scopes', 'expires_at']

interface Values {
  name: string
  reach: 'all' | 'some'
  scopes: string[]
  days: string
}

export function KeyForm({ onMade }: { onMade: (key: ApiKeyWithSecret) => unknown }) {
  const api = useApi()
  const form = useForm<Values>({
    initialValues: { name: '', reach: 'all', scopes: ['contacts:read'], days: '0' },
    validate: {
      scopes: (chosen, { reach }) => (reach === 'some' && chosen.length === 0 ? 'Choose at least one scope.' : null),
    },
  })
  const making = useMutation({
    mutationFn: (values: Values) => api.send<ApiKeyWithSecret>('POST', '/api_keys', bodyOf(values)),
    onError: (error) => form.setErrors(faultsOf(error, fields).at),
    onSuccess: onMade,
  })
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => making.mutate(values))}>
      {making.error && <Refusal>{faultsOf(making.error, fields).rest}</Refusal>}
      <TextInput
        label="Name"
        description="What the key is used for."
        placeholder="Website form"
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Radio.Group label="Access" {...form.getInputProps('reach')}>
        <div className={styles.choices}>
          <Radio value="all" label="Full access, except API keys" />
          <Radio value="some" label="Choose scopes" />
        </div>
      </Radio.Group>
      {form.values.reach === 'some' && (
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
        data={lives}
        allowDeselect={false}
        {...form.getInputProps('days')}
        error={form.errors.expires_at}
      />
      <Button type="submit" loading={making.isPending}>
        Create API key
      </Button>
    </form>
  )
}

const bodyOf = ({ name, reach, scopes, days }: Values) => ({
  name,
  scopes: reach === 'all' ? null : scopes,
  expires_at: days === '0' ? null : new Date(Date.now() + Number(days) * day_ms).toISOString(),
})
