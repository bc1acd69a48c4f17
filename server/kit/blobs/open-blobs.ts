import { filesUnavailable } from '../problem.ts'
import type { Blobs } from './blobs.ts'
import { openBucket } from './bucket.ts'
import type { Bucket } from './bucket-url.ts'
import { openFolder } from './folder.ts'

const key_length_max = 500

/** Uses the bucket if there is one, otherwise the folder. */
export function openBlobs({ folder, bucket }: { folder: string; bucket: Bucket | undefined }): Blobs {
  const blobs = bucket ? openBucket(bucket) : openFolder(folder)
  const withProblem = async <T>(key: string, work: (key: string) => Promise<T>): Promise<T> => {
    assertKey(key)
    return work(key).catch((error: unknown) => {
      throw filesUnavailable(error)
    })
  }
  return {
    put: (key, blob) => withProblem(key, () => blobs.put(key, blob)),
    open: (key, range) => withProblem(key, () => blobs.open(key, range)),
    size: (key) => withProblem(key, blobs.size),
    remove: (key) => withProblem(key, blobs.remove),
    close: blobs.close,
  }
}

/** Names that begin with a letter or a digit can't lead out of the folder, and are the same in a URL. */
function assertKey(key: string): void {
  if (key.length > key_length_max || !/^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*$/.test(key))
    throw new Error(`this is no key of a blob: ${JSON.stringify(key.slice(0, key_length_max))}`)
}
