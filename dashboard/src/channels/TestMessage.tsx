import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { ChannelWithSettings } from '../../../server/channels/schema.ts'
import { useApi } from '../kit/api.ts'
import { formErrors } from '../kit/error-messages.ts'
import { SendIcon } from '../kit/icons.tsx'
import { Card } from '../kit/Page.tsx'
import { PhoneField } from '../kit/PhoneField.tsx'
import { useToPhoneNumber } from '../kit/phone-number.ts'
import { ErrorAlert } from '../kit/states.tsx'
import type { TestResult } from '../kit/TestResultAlert.tsx'
import { showToast } from '../kit/toast.ts'
import styles from './channels.module.css'

const fields = ['to']

export function TestMessage({ channel: { id } }: { channel: ChannelWithSettings }) {
  const api = useApi()
  const form = useForm({ initialValues: { to: '' } })
  const toPhoneNumber = useToPhoneNumber()
  const sending = useMutation({
    mutationFn: async ({ to }: { to: string }) =>
      api.send<TestResult>('POST', `/channels/${id}/test`, { to: await toPhoneNumber(to) }),
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: ({ is_ok }) => is_ok && showToast('Test message sent.'),
  })
  return (
    <Card title="Test message">
      <form className={styles.settings} onSubmit={form.onSubmit((values) => sending.mutate(values))}>
        <div className={styles.form}>
          {sending.error && <ErrorAlert>{formErrors(sending.error, fields).message}</ErrorAlert>}
          {sending.data?.is_ok === false && <ErrorAlert>The message was not sent. {sending.data.error}</ErrorAlert>}
          <PhoneField label="Send to" description="Your own number." required {...form.getInputProps('to')} />
          <Button
            type="submit"
            variant="default"
            leftSection={<SendIcon size={17} />}
            loading={sending.isPending}
            className={styles.submit}
          >
            Send test message
          </Button>
        </div>
      </form>
    </Card>
  )
}
