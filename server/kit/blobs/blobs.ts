import type { Readable } from 'node:stream'

/** Large binary objects, by key. Errors are a Problem, with the cause. */
export interface Blobs {
  /** Writes the whole blob or nothing, and replaces an earlier one. */
  put: (key: string, blob: Blob) => Promise<void>
  /** Undefined if there is none. `size` is that of the whole blob, also when only a range is read. */
  open: (key: string, range?: Range) => Promise<Blob | undefined>
  size: (key: string) => Promise<number | undefined>
  /** Does nothing if there is none. */
  remove: (key: string) => Promise<void>
  close: () => Promise<void>
}

export interface Blob {
  /** The size is in bytes. */
  size: number
  stream: Readable
}

/** Positions of bytes. `end` is included. */
export interface Range {
  start: number
  end: number
}
