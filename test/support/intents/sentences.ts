import type { Intent } from '../../../server/models/languages/language.ts'

/** Sentences in which an intent is heard, and similar ones in which it is not. */
export type Sentences = Record<Intent, { heard: string[]; not_heard: string[] }>

export const lines = (text: string): string[] => text.trim().split('\n')
