import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const sqlite_busy = 5

export interface Holder {
  pid: number
  command: string
}

export interface Lock {
  release(): void
}

/**
 * Takes the lock file, or returns undefined when it is taken. It is SQLite's own lock on an empty database: the
 * kernel lets go of it however the process dies, and no process id can be mistaken for that of another.
 */
export function tryLock(path: string, command: string): Lock | undefined {
  const file = new DatabaseSync(path, { timeout: 0 })
  try {
    file.exec('pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    file.close()
    if (isBusy(error)) return undefined
    throw error
  }
  tellHolder(path, { pid: process.pid, command })
  return {
    release() {
      rmSync(holderPath(path), { force: true })
      file.close()
    },
  }
}

/** Who has the lock. Undefined when that isn't known: the one who took it hasn't said so yet. */
export function lockHolder(path: string): Holder | undefined {
  try {
    const holder: Holder = JSON.parse(readFileSync(holderPath(path), 'utf8'))
    // A killed holder leaves its name behind: it isn't the one who has the lock now.
    process.kill(holder.pid, 0)
    return holder
  } catch {
    return undefined
  }
}

/** Renamed into place, so that nobody reads half of it. */
function tellHolder(path: string, holder: Holder) {
  const draft = `${holderPath(path)}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(holder)}\n`)
  renameSync(draft, holderPath(path))
}

function holderPath(path: string) {
  return `${path}.json`
}

function isBusy(error: unknown) {
  return error instanceof Error && 'errcode' in error && error.errcode === sqlite_busy
}
