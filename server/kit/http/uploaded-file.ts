import type { TSchema } from 'typebox'
import type { At } from '../at.ts'

export interface StoredFile {
  id: string
  name: string | null
}

/** Lets an operation take a file as multipart/form-data instead of the JSON body. */
export interface Upload {
  /** The schema of the form's part `options`. */
  options: TSchema
  content_type: string
  example: string
  bytes_max: number
  /** Stores the file while it arrives, before the write's transaction begins, and returns its id. */
  store: (at: At, bytes: AsyncIterable<Buffer>) => Promise<string>
  /** Deletes the file unless the write has taken it over. */
  discard: (at: At, id: string) => Promise<void>
}
