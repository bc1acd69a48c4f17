const unit_seconds: Record<string, number> = { min: 60, h: 3_600, d: 86_400 }

/** "15 min, 2 h". */
export const formatWaits = (waits_seconds: number[]): string => waits_seconds.map(formatWait).join(', ')

function formatWait(seconds: number): string {
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`
  return `${seconds / 60} min`
}

/** Reads waits. A wait that can't be read is sent as it is, and the server says so. */
export const parseWaits = (text: string): (number | string)[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseWait)

function parseWait(text: string): number | string {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?) ?(min|h|d)$/.exec(text) ?? []
  const seconds = unit_seconds[unit]
  return number === undefined || seconds === undefined ? text : Math.round(Number(number) * seconds)
}

export const isWaits = (text: string): boolean => parseWaits(text).every((wait) => typeof wait === 'number')
