import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import { CheckIcon, CopyIcon } from './icons.tsx'
import { showErrorMessage } from './toast.ts'

interface CopyButtonProps {
  value: string
  label?: string
  onCopied?: () => void
}

export function CopyButton({ value, label = 'Copy', onCopied }: CopyButtonProps) {
  const { copy, copied, error } = useClipboard({ timeout: 2_000 })
  const latest = useRef(onCopied)
  latest.current = onCopied
  useEffect(() => {
    if (copied) latest.current?.()
  }, [copied])
  useEffect(() => {
    // Copying fails, for example, on a page without https.
    if (error) showErrorMessage('Couldn’t copy. Select the text and copy it.')
  }, [error])
  return (
    <Button
      variant="default"
      size="xs"
      onClick={() => copy(value)}
      leftSection={copied ? <CheckIcon size={15} /> : <CopyIcon size={15} />}
    >
      {copied ? 'Copied' : label}
    </Button>
  )
}
