import type { Readable } from 'node:stream'

/**
 * A response that takes long to generate. Other work runs between its pieces, so each should take about a millisecond.
 */
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
  /** Differs when the bytes differ. It becomes the ETag. */
  version: string
  /** Reads the whole file, or the bytes from `start` to `end`, which is included. */
  read: (range?: { start: number; end: number }) => Promise<Readable>
}
