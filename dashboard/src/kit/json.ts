export const toJsonText = (value: unknown): string => JSON.stringify(value, null, 2)

/** Says what is wrong with the text of a JSON field, or returns null. */
export function jsonError(text: string): string | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return `This is not valid JSON. ${error instanceof Error ? error.message : ''}`
  }
}
