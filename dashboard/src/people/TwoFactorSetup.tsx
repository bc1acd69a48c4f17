import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { RecoveryCodes as Codes, TwoFactorSecret } from '../../../server/people/schema.ts'
import { CopyButton } from '../kit/CopyButton.tsx'
import { CopyField } from '../kit/CopyField.tsx'
import { errorMessage, formErrors } from '../kit/error-messages.ts'
import { ImportIcon } from '../kit/icons.tsx'
import { lazyPart } from '../kit/lazy-part.tsx'
import { createClient } from '../kit/request.ts'
import { useSession } from '../kit/session.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { useUnsaved } from '../kit/unsaved.tsx'
import styles from './two-factor.module.css'

/** The code is loaded when it is shown: its encoder is larger than the rest. */
const QrCode = lazyPart(async () => (await import('./QrCode.tsx')).QrCode, <div className={styles.qr} />)

interface TwoFactorSetupProps {
  /** Is called when two-factor sign-in is on, and the recovery codes are shown. */
  onTurnedOn: () => void
  onDone: () => unknown
}

/** Sets up two-factor sign-in. It begins with a button, so that a secret is made only for those who want one. */
export function TwoFactorSetup({ onTurnedOn, onDone }: TwoFactorSetupProps) {
  const [codes, setCodes] = useState<string[]>()
  const starting = useMutation({
    mutationFn: () => createClient().send<TwoFactorSecret>('POST', '/app/two_factor'),
  })
  if (codes) return <RecoveryCodes codes={codes} onDone={onDone} />
  if (starting.data)
    return (
      <AddApp
        {...starting.data}
        onTurnedOn={({ recovery_codes }) => {
          setCodes(recovery_codes)
          onTurnedOn()
        }}
      />
    )
  return (
    <div className={styles.steps}>
      {starting.error && <ErrorAlert>{errorMessage(starting.error)}</ErrorAlert>}
      <Button className={styles.button} loading={starting.isPending} onClick={() => starting.mutate()}>
        Set up two-factor sign-in
      </Button>
    </div>
  )
}

const fields = ['password', 'code']

function AddApp({ secret, url, onTurnedOn }: TwoFactorSecret & { onTurnedOn: (codes: Codes) => void }) {
  const form = useForm({ initialValues: { password: '', code: '' } })
  const turningOn = useMutation({
    mutationFn: (body: object) => createClient().send<Codes>('POST', '/app/two_factor/turn_on', body),
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: onTurnedOn,
  })
  return (
    <form className={styles.steps} onSubmit={form.onSubmit((values) => turningOn.mutate(values))}>
      {turningOn.error && <ErrorAlert>{formErrors(turningOn.error, fields).message}</ErrorAlert>}
      <p>
        Scan this code with an authenticator app, such as Google Authenticator, Microsoft Authenticator or 1Password.
      </p>
      <QrCode text={url} label="QR code for the authenticator app" />
      <CopyField label="Or enter this key in the app" value={secret} copy_label="Copy key" />
      <TextInput
        label="Code from the app"
        placeholder="123456"
        autoComplete="one-time-code"
        inputMode="numeric"
        required
        {...form.getInputProps('code')}
      />
      <PasswordInput
        label="Your password"
        autoComplete="current-password"
        required
        {...form.getInputProps('password')}
      />
      <Button type="submit" className={styles.button} loading={turningOn.isPending}>
        Turn on
      </Button>
    </form>
  )
}

const uncopied = {
  title: 'Close without saving the codes?',
  text: 'You haven’t copied or downloaded your recovery codes, and you won’t be able to see them again.',
  discard_label: 'Close without saving',
}

function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => unknown }) {
  const { person } = useSession()
  const [is_saved, setSaved] = useState(false)
  useUnsaved(!is_saved, uncopied)
  const text = `Recovery codes for Parley, ${person.email}. Each works once.\n\n${codes.join('\n')}\n`
  return (
    <div className={styles.steps}>
      <p>
        Two-factor sign-in is on. Save these recovery codes: you won’t be able to see them again. Each signs you in once
        if you lose your phone.
      </p>
      <ul className={styles.codes} aria-label="Recovery codes" onCopy={() => setSaved(true)}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className={styles.actions}>
        <CopyButton value={codes.join('\n')} label="Copy codes" onCopied={() => setSaved(true)} />
        <Button
          variant="default"
          size="xs"
          leftSection={<ImportIcon size={15} />}
          onClick={() => {
            downloadText('parley-recovery-codes.txt', text)
            setSaved(true)
          }}
        >
          Download
        </Button>
      </div>
      <Button className={styles.button} onClick={onDone} disabled={!is_saved}>
        Done
      </Button>
    </div>
  )
}

function downloadText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
