import { Button, Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Integration } from '../../../server/integrations/schema.ts'
import { useApi } from '../kit/api.ts'
import { CopyButton } from '../kit/CopyButton.tsx'
import { FormButtons } from '../kit/Dialog.tsx'
import { formErrors } from '../kit/error-messages.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { showToast } from '../kit/toast.ts'
import { useUnsaved } from '../kit/unsaved.tsx'
import { integrationQuery } from './integration.ts'
import styles from './integrations.module.css'

const fields = ['signing_secret']
const secret_bytes = 32

interface SigningFormProps {
  integration: Integration
  onSaved: () => void
  onCancel: () => void
}

export function SigningForm({ integration: { id, is_signed }, onSaved, onCancel }: SigningFormProps) {
  const api = useApi()
  const client = useQueryClient()
  const form = useForm({ initialValues: { signing_secret: '' } })
  useUnsaved(form.isDirty())
  const saving = useMutation({
    mutationFn: (signing_secret: string | null) =>
      api.send<Integration>('PATCH', `/integrations/${id}`, { signing_secret }),
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: (changed) => {
      client.setQueryData(integrationQuery(api, id).queryKey, changed)
      showToast(changed.is_signed ? 'Unsigned requests are now rejected.' : 'Unsigned requests are now accepted.')
      onSaved()
    },
  })
  const { signing_secret } = form.values
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => saving.mutate(values.signing_secret))}>
      {saving.error && <ErrorAlert>{formErrors(saving.error, fields).message}</ErrorAlert>}
      <Text>
        Requests must be signed according to Standard Webhooks. Paste the sender’s signing secret, or generate one and
        add it to the sender. {is_signed ? 'A new secret replaces the current one.' : ''}
      </Text>
      <TextInput
        label="Signing secret"
        placeholder="whsec_…"
        required
        data-autofocus
        {...form.getInputProps('signing_secret')}
      />
      <Group>
        <Button variant="default" size="xs" onClick={() => form.setFieldValue('signing_secret', newSecret())}>
          Generate secret
        </Button>
        {signing_secret !== '' && <CopyButton value={signing_secret} label="Copy secret" />}
      </Group>
      <Group justify={is_signed ? 'space-between' : 'flex-end'}>
        {is_signed && (
          <Button variant="subtle" loading={saving.isPending} onClick={() => saving.mutate(null)}>
            Accept unsigned
          </Button>
        )}
        <FormButtons label="Save" is_pending={saving.isPending} errors={form.errors} onCancel={onCancel} />
      </Group>
    </form>
  )
}

const newSecret = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(secret_bytes))))}`
