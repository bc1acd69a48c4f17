import { Alert, Button } from '@mantine/core'
import { CopyField } from './CopyField.tsx'
import { AlertIcon } from './icons.tsx'
import { Stack } from './Page.tsx'

/** Shows a new signing secret, once. */
export function NewSecret({ value, onDone }: { value: string; onDone: () => void }) {
  return (
    <Stack>
      <Alert icon={<AlertIcon />} color="yellow">
        Copy this secret now. You won’t be able to see it again. Your server uses it to verify signatures.
      </Alert>
      <CopyField label="Signing secret" value={value} copy_label="Copy secret" />
      <Button onClick={onDone}>Done</Button>
    </Stack>
  )
}
