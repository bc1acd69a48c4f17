import { Button, CopyButton as MantineCopyButton } from '@mantine/core'
import { CheckIcon, CopyIcon } from './icons.tsx'

interface CopyButtonProps {
  value: string
  label?: string
  onCopied?: () => void
}

export function CopyButton({ value, label = 'Copy', onCopied }: CopyButtonProps) {
  return (
    <MantineCopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          size="xs"
          onClick={() => {
            copy()
            onCopied?.()
          }}
          leftSection={copied ? <CheckIcon size={15} /> : <CopyIcon size={15} />}
        >
          {copied ? 'Copied' : label}
        </Button>
      )}
    </MantineCopyButton>
  )
}
