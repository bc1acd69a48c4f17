import { notifications } from '@mantine/notifications'
import { errorMessage } from './error-messages.ts'

const error_shown_ms = 8_000
const common = { withBorder: true, closeButtonProps: { 'aria-label': 'Dismiss' } }

export const showToast = (message: string): void => void notifications.show({ ...common, message, color: 'teal' })

export const showError = (error: unknown): void => showErrorMessage(errorMessage(error))

export const showErrorMessage = (message: string): void =>
  void notifications.show({ ...common, message, color: 'red', autoClose: error_shown_ms })
