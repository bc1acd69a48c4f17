import type { Row } from './rows.ts'

/** Requests a second. */
export interface Measured {
  name: string
  ours: number
  plain: number
  bare: number
}

const memory_max_megabytes = 250
const widths = [32, 9, 9, 9, 20, 20]

export const headOf = (): string => columns(['', 'Parley', 'plain', 'bare', 'Parley / plain', 'Parley / bare'])

export function lineOf({ name, ours, plain, bare }: Measured, to_reach: Row['to_reach']): string {
  const counts = [ours, plain, bare].map((count) => Math.round(count).toLocaleString('en'))
  return columns([name, ...counts, ratio(ours / plain, to_reach.plain), ratio(ours / bare, to_reach.bare)])
}

export function memoryLine(megabytes: number): string {
  const verdict = megabytes < memory_max_megabytes ? 'met' : 'missed'
  return `Parley's process had at most ${Math.round(megabytes)} MB resident (below ${memory_max_megabytes}: ${verdict}).`
}

function ratio(reached: number, wanted: number | undefined): string {
  const text = reached.toFixed(2)
  // Padded to the place of the judgement, so that the ratios stand below each other.
  if (wanted === undefined) return `${text}${' '.repeat(13)}`
  return `${text} ${`(${wanted.toFixed(1)}: ${reached >= wanted ? 'met' : 'missed'})`.padEnd(12)}`
}

const columns = ([name = '', ...rest]: string[]): string =>
  name.padEnd(widths[0] ?? 0) + rest.map((text, index) => text.padStart(widths[index + 1] ?? 0)).join('')

export const median = (values: number[]): number =>
  values.toSorted((left, right) => left - right)[values.length >> 1] ?? 0
