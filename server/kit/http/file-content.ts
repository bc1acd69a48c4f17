import type { Readable } from 'node:stream'

/** A response that takes long to generate. Others run between its pieces, so each should take about a millisecond. */
export interface PiecedContent {
  /** Null for a resource in the envelope. */
  file: { content_type: string; name: string } | null
  /** A piece may be empty. */
  pieces: Iterable<string>
}

/** A file of which clients can request ranges. */
export interface StoredContent {
  /** The size is in bytes. */
  size: number
  /** Another one for other bytes. Becomes the ETag. */
  version: string
  /** Reads all of it, or the bytes from `start` to `end`, which is included. */
  read: (range?: { start: number; end: number }) => Promise<Readable>
}
