import type { Readable } from 'node:stream'

/** A small file, as text. */
export interface TextFile {
  content_type: string
  name: string
  text: string
}

/** A file of which clients can request ranges. */
export interface StoredContent {
  /** In bytes. */
  size: number
  /** Another one for other bytes. Becomes the ETag. */
  version: string
  /** Reads all of it, or the bytes from `start` to `end`, which is included. */
  read: (range?: { start: number; end: number }) => Promise<Readable>
}
