import type * as types from './types.ts'
import type { VoiceError } from './types.ts'

export const messages = {
  not_supported: 'This browser can’t make calls. Use a current version of Chrome, Edge, Firefox or Safari.',
  insecure: 'Browsers allow the microphone on secure pages only. Open this page with https://, or on localhost.',
  microphone_refused:
    'The microphone is blocked. Allow it in the settings of this page, next to the address, and try again.',
  microphone_missing: 'No microphone was found. Connect one and try again.',
  microphone_busy: 'The microphone can’t be used. Close other programs that use it and try again.',
  microphone_lost: 'The microphone was disconnected. You can still listen.',
  sound_not_loaded:
    'The part of this page that handles sound could not be loaded. Check your connection and try again.',
  sound_failed: 'The sound of this page has stopped working. Start a new call.',
  in_call: 'There is a call on this page already. End it before you start another one.',
  refused: 'This call can’t be connected any more. Start a new one.',
  busy: 'All lines are busy. Try again in a few minutes.',
  lost: 'The connection was lost.',
  failed: 'The call could not be connected. Check your connection and try again.',
} as const

export const newError = (code: keyof typeof messages): VoiceError => ({ code, message: messages[code] })

/** Fails if the promise takes longer. What it waits for goes on. */
export function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(newError('failed')), ms)
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer))
}

export const findObstacle: typeof types.findObstacle = () => {
  if (!globalThis.isSecureContext) return newError('insecure')
  const can_call =
    typeof navigator.mediaDevices?.getUserMedia === 'function' &&
    typeof AudioContext === 'function' &&
    typeof AudioWorkletNode === 'function' &&
    typeof WebSocket === 'function'
  return can_call ? undefined : newError('not_supported')
}

const microphone_codes: Record<string, keyof typeof messages> = {
  NotAllowedError: 'microphone_refused',
  SecurityError: 'microphone_refused',
  NotFoundError: 'microphone_missing',
  OverconstrainedError: 'microphone_missing',
  NotReadableError: 'microphone_busy',
  AbortError: 'microphone_busy',
}

/** Translates an error of getUserMedia. */
export const toMicrophoneError = (error: unknown): VoiceError =>
  newError(microphone_codes[error instanceof DOMException ? error.name : ''] ?? 'microphone_busy')

/** An error that has a code and a message keeps both: it is the service's. */
export function toVoiceError(error: unknown): VoiceError {
  if (typeof error !== 'object' || error === null) return newError('failed')
  const { code, message } = error as Partial<Record<'code' | 'message', unknown>>
  // The code of a DOMException is a number.
  return typeof code === 'string' && typeof message === 'string' ? { code, message } : newError('failed')
}
