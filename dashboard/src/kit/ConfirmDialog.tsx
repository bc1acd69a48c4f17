import { Button, Group, Modal, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { errorMessage, usedByMessage } from './error-messages.ts'
import { ErrorAlert } from './states.tsx'
import { useCover } from './unsaved.tsx'

interface ConfirmDialogProps {
  is_open: boolean
  title: string
  confirm_label: string
  children: ReactNode
  onClose: () => void
  onConfirm: () => Promise<unknown>
}

/** Asks before an action. When that fails, the dialog stays open with the error. */
export function ConfirmDialog({ is_open, title, confirm_label, children, onClose, onConfirm }: ConfirmDialogProps) {
  useCover(is_open)
  const confirming = useMutation({ mutationFn: onConfirm, onSuccess: onClose })
  const close = () => {
    confirming.reset()
    onClose()
  }
  return (
    <Modal opened={is_open} onClose={close} title={title}>
      <Text mb="lg">{children}</Text>
      {confirming.error && (
        <ErrorAlert>
          {errorMessage(confirming.error)} {usedByMessage(confirming.error)}
        </ErrorAlert>
      )}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close} data-autofocus>
          Cancel
        </Button>
        <Button color="red" loading={confirming.isPending} onClick={() => confirming.mutate()}>
          {confirm_label}
        </Button>
      </Group>
    </Modal>
  )
}
