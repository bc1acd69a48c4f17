import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { TwoFactor } from '../../../server/people/schema.ts'
import { Dialog, FormButtons } from '../kit/Dialog.tsx'
import { formErrors } from '../kit/error-messages.ts'
import { formatCount } from '../kit/format.ts'
import { Card } from '../kit/Page.tsx'
import { createClient } from '../kit/request.ts'
import { Status } from '../kit/Status.tsx'
import { session_query } from '../kit/session.ts'
import { ErrorAlert, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { showToast } from '../kit/toast.ts'
import { TwoFactorSetup } from '../people/TwoFactorSetup.tsx'
import styles from './settings.module.css'

const query_key = ['two_factor']

export function TwoFactorCard() {
  const client = useQueryClient()
  // This stays true while the recovery codes are shown, although two-factor sign-in is on already.
  const [is_setting_up, setSettingUp] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: query_key,
    queryFn: ({ signal }) => createClient().get<TwoFactor>('/app/two_factor', {}, { signal }),
  })
  const refresh = async () => {
    await Promise.all([client.invalidateQueries({ queryKey: query_key }), client.invalidateQueries(session_query)])
  }
  const is_on = data?.is_on && !is_setting_up
  return (
    <Card title="Two-factor sign-in" aside={is_on && <Status tone="success">On</Status>}>
      {error && !data && <LoadError error={error} retry={refetch} />}
      {!data && !error && <LoadingSkeleton lines={2} />}
      {data && is_on && <TurnedOn {...data} refresh={refresh} />}
      {data && !is_on && (
        <div className={styles.form}>
          {!is_setting_up && <p className={styles.quiet}>Sign in with your password and a code from your phone.</p>}
          <TwoFactorSetup
            onTurnedOn={() => setSettingUp(true)}
            onDone={async () => {
              await refresh()
              setSettingUp(false)
            }}
          />
        </div>
      )}
    </Card>
  )
}

function TurnedOn({ recovery_codes_left, refresh }: TwoFactor & { refresh: () => Promise<void> }) {
  const [is_open, setOpen] = useState(false)
  const close = () => setOpen(false)
  const left =
    recovery_codes_left === 0
      ? 'No recovery codes are'
      : `${formatCount(recovery_codes_left, 'recovery code')} ${recovery_codes_left === 1 ? 'is' : 'are'}`
  return (
    <div className={styles.form}>
      <p className={styles.quiet}>{left} left. To get new ones, turn two-factor sign-in off and set it up again.</p>
      <Button variant="default" className={styles.submit} onClick={() => setOpen(true)}>
        Turn off
      </Button>
      <Dialog is_open={is_open} onClose={close} title="Turn off two-factor sign-in?">
        <TurnOffForm
          onCancel={close}
          onDone={async () => {
            close()
            await refresh()
            showToast('Two-factor sign-in is off.')
          }}
        />
      </Dialog>
    </div>
  )
}

const fields = ['password', 'code']

function TurnOffForm({ onCancel, onDone }: { onCancel: () => void; onDone: () => Promise<void> }) {
  const form = useForm({ initialValues: { password: '', code: '' } })
  const turningOff = useMutation({
    mutationFn: (body: object) => createClient().send('POST', '/app/two_factor/turn_off', body),
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: onDone,
  })
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => turningOff.mutate(values))}>
      {turningOff.error && <ErrorAlert>{formErrors(turningOff.error, fields).message}</ErrorAlert>}
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        required
        data-autofocus
        {...form.getInputProps('password')}
      />
      <TextInput
        label="Code"
        description="From your authenticator app, or one of your recovery codes."
        autoComplete="one-time-code"
        required
        {...form.getInputProps('code')}
      />
      <FormButtons
        label="Turn off"
        is_dangerous
        is_pending={turningOff.isPending}
        errors={form.errors}
        onCancel={onCancel}
      />
    </form>
  )
}
