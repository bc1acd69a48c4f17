import fs from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import * as clock from '../clock.ts'
import { errorCode } from '../problem.ts'

/** Longer than any work, which may wait for its turn in between. What is older was left by a killed process. */
const abandoned_after_ms = clock.day_ms

/** Names say which process has made them, so that the next one knows what a kill has left. */
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

/** Removes what killed processes have left. Call it before this process has made any: an earlier one may have had its id. */
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
    // It belongs to another user.
    return errorCode(error) === 'EPERM'
  }
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await fs.readdir(parent)) {
    const abandoned = path.join(parent, name)
    // Another process may remove it at the same time.
    const stat = await fs.stat(abandoned).catch(() => undefined)
    if (stat && stat.mtimeMs < clock.wall() - abandoned_after_ms)
      await fs.rm(abandoned, { recursive: true, force: true })
  }
}
