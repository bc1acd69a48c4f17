import * as clock from '../kit/clock.ts'
import type { Shell } from '../start/shell.ts'

const show_every_ms = 200

/** Opens a line on a terminal that shows changing text. Elsewhere nothing is shown. */
export function openProgress({ stderr }: Shell): { show: (text: () => string) => void; clear: () => void } {
  let shown_ticks = Number.NEGATIVE_INFINITY
  const write = (text: string) => void (stderr.isTTY && stderr.write(`\r${text}\u001b[K`))
  return {
    show(text) {
      if (clock.ticks() - shown_ticks < show_every_ms) return
      shown_ticks = clock.ticks()
      write(text())
    },
    clear: () => write(''),
  }
}

const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${units[power]}`
}
