import fs from 'node:fs'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'

/**
 * A piece is work that the event loop does without a break: as long nobody is answered. It is measured by the processor's time of its
 * thread, so that a busy machine doesn't make it longer.
 */
export const piece_max_ms = 50

export interface Pieces {
  /** What the service needs to be started with. */
  environment: Record<string, string>
  /** The longest since the last call, or 0 if none was longer than `shown_min_ms`. */
  takeLongest: () => number
}

const shown_min_ms = 10
const file_variable = 'PIECES_FILE'

/** Before the service is started. */
export function openPieces(folder: string): Pieces {
  const file = path.join(folder, 'pieces')
  fs.writeFileSync(file, '')
  let taken = 0
  return {
    environment: { NODE_OPTIONS: `--import=${import.meta.filename}`, [file_variable]: file },
    takeLongest() {
      const all = fs.readFileSync(file, 'utf8').split('\n').slice(0, -1)
      const longest = Math.max(0, ...all.slice(taken).map(Number))
      taken = all.length
      return longest
    },
  }
}

/** Runs in the service. A timer is due in each turn of the event loop that does something. */
function watch(file: string): void {
  let before = process.threadCpuUsage()
  const look = () => {
    const { user, system } = process.threadCpuUsage(before)
    const piece_ms = (user + system) / 1_000
    if (piece_ms >= shown_min_ms) fs.appendFileSync(file, `${piece_ms.toFixed()}\n`)
    before = process.threadCpuUsage()
    setTimeout(look, 1).unref()
  }
  look()
}

const file = process.env[file_variable]
if (isMainThread && file && process.argv.includes('serve')) watch(file)
