import { errorMessage } from './error-messages.ts'

export interface Toast {
  id: number
  message: string
  tone: 'success' | 'danger'
  shown_ms: number
  shown_at: number
}

const success_ms = 4_000
const error_ms = 8_000
const shown_max = 3
/**
 * A toast this young stays when another page is opened: some actions open one when they are done, to which their toast
 * belongs.
 */
const stays_ms = 1_000

/** The toasts that Toasts.tsx shows. They are not in React, because code outside of components shows toasts, too. */
const shown = { toasts: [] as readonly Toast[], last_id: 0, listeners: new Set<() => void>() }

export const showToast = (message: string): void => show(message, 'success', success_ms)

export const showError = (error: unknown): void => showErrorMessage(errorMessage(error))

export const showErrorMessage = (message: string): void => show(message, 'danger', error_ms)

export const dismissToast = (id: number): void => change(shown.toasts.filter((toast) => toast.id !== id))

/** Removes the toasts that are not new. Call it when another page is opened. */
export const dismissOldToasts = (): void =>
  change(shown.toasts.filter(({ shown_at }) => Date.now() - shown_at < stays_ms))

export const currentToasts = (): readonly Toast[] => shown.toasts

export function subscribeToToasts(listener: () => void): () => void {
  shown.listeners.add(listener)
  return () => shown.listeners.delete(listener)
}

function show(message: string, tone: Toast['tone'], shown_ms: number): void {
  shown.last_id += 1
  change([...shown.toasts, { id: shown.last_id, message, tone, shown_ms, shown_at: Date.now() }].slice(-shown_max))
}

function change(toasts: readonly Toast[]): void {
  shown.toasts = toasts
  for (const listener of shown.listeners) listener()
}
