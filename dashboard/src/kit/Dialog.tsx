import { Button, Group, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { FormErrors, type FormErrorsProps } from './FormErrors.tsx'
import { useCloseGuard } from './unsaved.tsx'

interface DialogProps {
  is_open: boolean
  title: ReactNode
  size?: 'md' | 'lg' | 'xl'
  onClose: () => void
  children: ReactNode
}

/** A dialog, which asks before it discards what `useUnsaved` guards inside it. Its buttons are FormButtons. */
export function Dialog({ is_open, title, size = 'md', onClose, children }: DialogProps) {
  const { close, guarded, question } = useCloseGuard(onClose)
  return (
    <>
      <Modal opened={is_open} onClose={close} title={title} size={size} closeButtonProps={{ 'aria-label': 'Close' }}>
        {guarded(children)}
      </Modal>
      {question}
    </>
  )
}

interface FormButtonsProps extends Partial<FormErrorsProps> {
  /** The label of the action, which is a verb. */
  label: string
  is_pending?: boolean
  is_disabled?: boolean
  is_dangerous?: boolean
  onCancel?: () => void
  /** Runs the action. Without it, the button submits the form around it. */
  onClick?: () => void
}

/** Shows Cancel and the action, at the right. */
export function FormButtons({
  label,
  is_pending,
  is_disabled,
  is_dangerous,
  onCancel,
  onClick,
  errors = {},
  ...named
}: FormButtonsProps) {
  return (
    <Group justify="flex-end" gap={8}>
      <FormErrors errors={errors} {...named} />
      {onCancel && (
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      )}
      <Button
        type={onClick ? 'button' : 'submit'}
        loading={is_pending ?? false}
        disabled={is_disabled ?? false}
        {...(is_dangerous && { color: 'red' })}
        {...(onClick && { onClick })}
      >
        {label}
      </Button>
    </Group>
  )
}
