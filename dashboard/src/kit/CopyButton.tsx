import { Button, CopyButton } from '@mantine/core'
import { CheckIcon, CopyIcon } from './icons.tsx'

export function Copy({ value, label = 'Copy' }: { value: string; label?: string }) {
  return (
    <CopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          size="xs"
          onClick={copy}
          leftSection={copied ? <CheckIcon size={15} /> : <CopyIcon size={15} />}
        >
          {copied ? 'Copied' : label}
        </Button>
      )}
    </CopyButton>
  )
}
