import { Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Kind } from '../../../server/consent/schema.ts'
import { useApi } from '../kit/api.ts'
import { FormButtons } from '../kit/Dialog.tsx'
import { formErrors } from '../kit/error-messages.ts'
import { Stack } from '../kit/Page.tsx'
import { PhoneField } from '../kit/PhoneField.tsx'
import { useToPhoneNumber } from '../kit/phone-number.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { showToast } from '../kit/toast.ts'
import { useUnsaved } from '../kit/unsaved.tsx'
import { suppressionsKey } from './consent.ts'
import { KindChoice } from './KindChoice.tsx'

const reason_length_max = 500

interface SuppressFormProps {
  /** The number to suppress. Without it, the person enters one. */
  phone_number?: string
  onClose: () => void
}

export function SuppressForm({ phone_number, onClose }: SuppressFormProps) {
  const api = useApi()
  const client = useQueryClient()
  const form = useForm({ initialValues: { phone_number: phone_number ?? '', kind: 'all' as Kind, reason: '' } })
  const fields = phone_number === undefined ? ['phone_number', 'reason'] : ['reason']
  const toPhoneNumber = useToPhoneNumber()
  const setSaved = useUnsaved(form.isDirty())
  const close = () => {
    setSaved()
    onClose()
  }
  const saving = useMutation({
    mutationFn: async ({ reason, ...values }: typeof form.values) =>
      api.send('POST', '/suppressions', {
        ...values,
        phone_number: await toPhoneNumber(values.phone_number),
        ...(reason.trim() !== '' && { reason: reason.trim() }),
      }),
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: async () => {
      close()
      showToast('Number suppressed.')
      await client.invalidateQueries({ queryKey: suppressionsKey(api) })
    },
  })
  const message = saving.error && formErrors(saving.error, fields).message
  return (
    <form onSubmit={form.onSubmit((values) => saving.mutate(values))} noValidate>
      <Stack>
        {message && <ErrorAlert>{message}</ErrorAlert>}
        <Text>
          Agents never write to or call a suppressed number, even if the person agrees. Only owners can remove a
          suppression.
        </Text>
        {phone_number === undefined && (
          <PhoneField label="Phone number" required data-autofocus {...form.getInputProps('phone_number')} />
        )}
        <KindChoice {...form.getInputProps('kind')} value={form.values.kind} />
        <TextInput
          label="Reason"
          description="Optional."
          maxLength={reason_length_max}
          data-autofocus={phone_number !== undefined || undefined}
          {...form.getInputProps('reason')}
        />
        <FormButtons label="Suppress number" is_pending={saving.isPending} errors={form.errors} onCancel={close} />
      </Stack>
    </form>
  )
}
