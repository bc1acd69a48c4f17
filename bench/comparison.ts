import { median } from './table.ts'

/** One measurement, in milliseconds or per second, and what it is compared with. */
export interface Comparison {
  name: string
  ours: number
  beside: number
  ratio: number
  target: string
  is_met: boolean
}

export function atMost(name: string, ours = 0, beside = 0, limit = 0): Comparison {
  const ratio = ours / beside
  return { name, ours, beside, ratio, target: `at most ${limit}`, is_met: ratio <= limit }
}

export function atLeast(name: string, ours = 0, beside = 0, limit = 0): Comparison {
  const ratio = ours / beside
  return { name, ours, beside, ratio, target: `at least ${limit}`, is_met: ratio >= limit }
}

/** Measures each in turn, so that other work on the machine affects all of them, and returns their medians. */
export async function alternate(samples: number, ...measures: (() => Promise<number>)[]): Promise<number[]> {
  const times = measures.map((): number[] => [])
  for (let round = 0; round <= samples; round += 1) {
    for (const [index, measure] of measures.entries()) {
      const time = await measure()
      // The first round warms up.
      if (round > 0) times[index]?.push(time)
    }
  }
  return times.map(median)
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started_at = performance.now()
  await work()
  return performance.now() - started_at
}

export const headerLine = (): string => columns('', 'Parley', 'beside', 'ratio', '')

export const formatRow = ({ name, ours, beside, ratio, target, is_met }: Comparison): string =>
  columns(name, ours.toFixed(1), beside.toFixed(1), ratio.toFixed(2), `(${target}: ${is_met ? 'met' : 'missed'})`)

const columns = (name: string, ...rest: string[]): string =>
  name.padEnd(46) + rest.map((text, index) => (index < 3 ? text.padStart(10) : `  ${text}`)).join('')
