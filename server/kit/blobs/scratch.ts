import fs from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import * as clock from '../clock.ts'
import { errorCode } from '../problem.ts'

/** A folder older than this was left by a killed process: no work takes as long, even if it waits in between. */
const abandoned_after_ms = clock.day_ms

/**
 * Names of folders say which process has made them, so that the next process knows which ones a killed one has left.
 */
const prefix_of_host = `work-${hostname()}-`

/** Runs the work with a temporary folder inside `folder`, so that its files can be renamed to places in `folder`. */
export async function inScratchFolder<T>(folder: string, work: (scratch: string) => Promise<T>): Promise<T> {
  const parent = parentIn(folder)
  await fs.mkdir(parent, { recursive: true, mode: 0o700 })
  await removeAbandoned(parent)
  const scratch = await fs.mkdtemp(path.join(parent, `${prefix_of_host}${process.pid}-`))
  try {
    return await work(scratch)
  } finally {
    await fs.rm(scratch, { recursive: true, force: true })
  }
}

const parentIn = (folder: string): string => path.join(folder, '.temporary')

/**
 * Removes the folders that killed processes have left. Call it before this process makes any: a killed process may have
 * had the same id.
 */
export async function removeLeftovers(folder: string): Promise<void> {
  const names = await fs.readdir(parentIn(folder)).catch(() => [])
  for (const name of names) {
    const [, pid = ''] = name.split(prefix_of_host)
    const id = Number.parseInt(pid, 10)
    const is_left = id === process.pid || (id > 0 && !isRunning(id))
    if (is_left) await fs.rm(path.join(parentIn(folder), name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // The error EPERM means that the process runs, for another user.
    return errorCode(error) === 'EPERM'
  }
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await fs.readdir(parent)) {
    const abandoned = path.join(parent, name)
    // Another process may remove the folder at the same time.
    const stat = await fs.stat(abandoned).catch(() => undefined)
    if (stat && stat.mtimeMs < clock.wall() - abandoned_after_ms)
      await fs.rm(abandoned, { recursive: true, force: true })
  }
}
