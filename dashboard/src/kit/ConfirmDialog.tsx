import { Button, Group, Modal, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { sayOf } from './error-messages.ts'
import { Refusal } from './states.tsx'

interface AskProps {
  is_open: boolean
  title: string
  /** The verb on the button. */
  answer: string
  children: ReactNode
  onClose: () => void
  onYes: () => Promise<unknown>
}

/** Asks before what can't be taken back. Stays open, and says why, when it fails. */
export function Ask({ is_open, title, answer, children, onClose, onYes }: AskProps) {
  const doing = useMutation({ mutationFn: onYes, onSuccess: onClose })
  const close = () => {
    doing.reset()
    onClose()
  }
  return (
    <Modal opened={is_open} onClose={close} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Text mb="lg">{children}</Text>
      {doing.error && <Refusal>{sayOf(doing.error)}</Refusal>}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close} data-autofocus>
          Cancel
        </Button>
        <Button color="red" loading={doing.isPending} onClick={() => doing.mutate()}>
          {answer}
        </Button>
      </Group>
    </Modal>
  )
}
