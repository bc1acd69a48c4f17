import type { Row } from './rows.ts'

/** In requests per second. */
export interface Measured {
  name: string
  ours: number
  plain: number
  bare: number
}

const widths = [32, 9, 9, 9, 20, 20]

export const tableHead = (): string => formatColumns(['', 'Parley', 'plain', 'bare', 'Parley / plain', 'Parley / bare'])

export function tableLine({ name, ours, plain, bare }: Measured, targets: Row['targets']): string {
  const counts = [ours, plain, bare].map((count) => Math.round(count).toLocaleString('en'))
  return formatColumns([
    name,
    ...counts,
    formatRatio(ours / plain, targets.plain),
    formatRatio(ours / bare, targets.bare),
  ])
}

export function memoryLine(megabytes: number, max_megabytes: number): string {
  const verdict = megabytes < max_megabytes ? 'met' : 'missed'
  return `Peak resident memory of Parley: ${Math.round(megabytes)} MB (target: below ${max_megabytes} MB, ${verdict}).`
}

function formatRatio(reached: number, target: number | undefined): string {
  const text = reached.toFixed(2)
  // Padded, so that the ratios are aligned.
  if (target === undefined) return `${text}${' '.repeat(13)}`
  return `${text} ${`(${target.toFixed(1)}: ${reached >= target ? 'met' : 'missed'})`.padEnd(12)}`
}

const formatColumns = ([name = '', ...rest]: string[]): string =>
  name.padEnd(widths[0] ?? 0) + rest.map((text, index) => text.padStart(widths[index + 1] ?? 0)).join('')

export const median = (values: number[]): number =>
  values.toSorted((left, right) => left - right)[values.length >> 1] ?? 0
