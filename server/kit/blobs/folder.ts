import fs from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Blobs } from './blobs.ts'
import { inScratchFolder } from './scratch.ts'

const chunk_bytes = 64 * 1024
/** Recordings are private: other users of the machine can't read them. */
const private_folder = 0o700
const private_file = 0o600

/** Keeps blobs as files. The folder is created when it is needed. */
export function openFolder(folder: string): Blobs {
  const pathOf = (key: string) => path.join(folder, ...key.split('/'))
  return {
    put: (key, { size, stream }) =>
      inScratchFolder(folder, async (scratch) => {
        const temporary = path.join(scratch, 'blob')
        const file = await fs.open(temporary, 'wx', private_file)
        // `flush` writes the file to the disk before it gets its name.
        await pipeline(stream, file.createWriteStream({ flush: true }))
        const written = (await fs.stat(temporary)).size
        if (written !== size) throw new Error(`the blob has ${written} bytes instead of ${size}`)
        const target = pathOf(key)
        await fs.mkdir(path.dirname(target), { recursive: true, mode: private_folder })
        await fs.rename(temporary, target)
        await flushFolder(path.dirname(target))
      }),
    async open(key, range) {
      const file = await unlessMissing(fs.open(pathOf(key)))
      if (!file) return undefined
      const { size } = await file.stat()
      return { size, stream: file.createReadStream({ ...range, highWaterMark: chunk_bytes }) }
    },
    size: async (key) => (await unlessMissing(fs.stat(pathOf(key))))?.size,
    async remove(key) {
      const target = pathOf(key)
      if ((await unlessMissing(fs.rm(target).then(() => true))) ?? false) await flushFolder(path.dirname(target))
    },
    close: async () => {},
  }
}

const unlessMissing = <T>(done: Promise<T>): Promise<T | undefined> =>
  done.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })

/** Writes the folder to the disk: a name that was added or removed is otherwise lost when the power fails. */
export async function flushFolder(folder: string): Promise<void> {
  const opened = await fs.open(folder)
  try {
    await opened.sync()
  } finally {
    await opened.close()
  }
}
