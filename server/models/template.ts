import { truncate } from '../kit/text.ts'

export type Values = Record<string, string | number | boolean | null>

const value_length_max = 1000
/** Matches a placeholder. It has no braces inside, so that an unclosed one is not read again and again. */
const placeholder = /\{\{([^{}|]*)(?:\|([^{}]*))?\}\}/g

/**
 * Replaces `{{name}}` and `{{name|default}}`. Values are inserted as they are: placeholders in them are not replaced. A
 * value that is missing or empty gives the default, or nothing.
 */
export const fill = (text: string, values: Values): string =>
  text.replace(placeholder, (_, name: string, default_value = '') => {
    const key = name.trim()
    const value = Object.hasOwn(values, key) ? (values[key] ?? '') : ''
    return truncate(String(value), value_length_max) || default_value.trim()
  })
