/** The only place that asks what time it is. A time is a number of milliseconds, and ISO 8601 text outside. */
export const now = (): number => Date.now()

export const iso = (time_ms: number): string => new Date(time_ms).toISOString()

/** NaN when the text is not a time. */
export const parse = (text: string): number => Date.parse(text)

/** Whether the text is a time just as `iso` writes it. */
export function isIso(text: string): boolean {
  const time_ms = parse(text)
  return text.length === 24 && !Number.isNaN(time_ms) && iso(time_ms) === text
}
