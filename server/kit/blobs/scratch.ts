import fs from 'node:fs/promises'
import path from 'node:path'
import * as clock from '../clock.ts'

/** Longer than any work. What is older was left by a killed process. */
const abandoned_after_ms = 60 * 60 * 1000

/** Runs the work with a temporary folder inside `folder`, so that its files can be renamed to places in `folder`. */
export async function inScratchFolder<T>(folder: string, work: (scratch: string) => Promise<T>): Promise<T> {
  const parent = path.join(folder, '.temporary')
  await fs.mkdir(parent, { recursive: true, mode: 0o700 })
  await removeAbandoned(parent)
  const scratch = await fs.mkdtemp(path.join(parent, 'work-'))
  try {
    return await work(scratch)
  } finally {
    await fs.rm(scratch, { recursive: true, force: true })
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
