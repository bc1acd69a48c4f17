import { hash } from 'node:crypto'

export const formatEtag = (state: string): string => `"${state}"`

export const hashText = (text: string): string => hash('sha1', text, 'base64url')

/** The state of a resource whose fields can change without a new `updated_at`. Pass the values that can change. */
export const hashState = (...values: unknown[]): string => hashText(JSON.stringify(values))

const parseTags = (header: string): string[] => header.split(',').map((tag) => tag.trim())

/** If-Match compares strongly: a weak tag never matches. */
export const matchesStrongly = (header: string, etag: string): boolean =>
  header.trim() === '*' || parseTags(header).includes(etag)

/** If-None-Match compares weakly. */
export const matchesWeakly = (header: string, etag: string): boolean =>
  header.trim() === '*' || parseTags(header).some((tag) => tag.replace(/^W\//, '') === etag)
