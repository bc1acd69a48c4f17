import { Alert } from '@mantine/core'
import { useState } from 'react'
import { CopyField } from './CopyField.tsx'
import { FormButtons } from './Dialog.tsx'
import { AlertIcon } from './icons.tsx'
import { Stack } from './Page.tsx'
import { secret, useUnsaved } from './unsaved.tsx'

/** Shows a new signing secret, once. */
export function NewSecret({ value, onDone }: { value: string; onDone: () => void }) {
  const [is_copied, setCopied] = useState(false)
  const setSaved = useUnsaved(!is_copied, secret)
  const finish = () => {
    setSaved()
    onDone()
  }
  return (
    <Stack>
      <Alert icon={<AlertIcon />} color="yellow">
        Copy this secret now. You won’t be able to see it again. Your server uses it to verify signatures.
      </Alert>
      <CopyField label="Signing secret" value={value} copy_label="Copy secret" onCopied={() => setCopied(true)} />
      <FormButtons label="Done" onClick={finish} />
    </Stack>
  )
}
