import { notifications } from '@mantine/notifications'
import { sayOf } from './error-messages.ts'

export const tell = (message: string): void =>
  void notifications.show({ message, color: 'teal', withBorder: true, closeButtonProps: { 'aria-label': 'Dismiss' } })

export const tellProblem = (error: unknown): void => tellFailure(sayOf(error))

export const tellFailure = (message: string): void =>
  void notifications.show({
    message,
    color: 'red',
    withBorder: true,
    autoClose: 8_000,
    closeButtonProps: { 'aria-label': 'Dismiss' },
  })
