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
 * Acquires the lock, or returns undefined when another process has it. It is SQLite's lock on an empty database: the kernel
 * releases it however the process dies, and no reused process id can confuse it.
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
  writeHolder(path, { pid: process.pid, command })
  return {
    release() {
      rmSync(holderPath(path), { force: true })
      file.close()
    },
  }
}

/** The process that has the lock. Undefined for a moment after it was acquired, until the holder is written. */
export function lockHolder(path: string): Holder | undefined {
  try {
    const holder: Holder = JSON.parse(readFileSync(holderPath(path), 'utf8'))
    // Throws when the process is gone: a killed holder leaves its file behind.
    process.kill(holder.pid, 0)
    return holder
  } catch {
    return undefined
  }
}

/** Writes to a draft and renames it, so that readers never get a partial file. */
function writeHolder(path: string, holder: Holder) {
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
