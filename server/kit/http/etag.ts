import { hash } from 'node:crypto'

export const etagOf = (state: string): string => `"${state}"`

export const hashOf = (text: string): string => hash('sha1', text, 'base64url')

/** Names the state of a resource that shows more than `updated_at` follows, by the values that can change. */
export const stateFrom = (...values: unknown[]): string => hashOf(JSON.stringify(values))

const tagsOf = (header: string): string[] => header.split(',').map((tag) => tag.trim())

/** If-Match compares strongly: a weak tag never matches. */
export const matches = (header: string, etag: string): boolean => header.trim() === '*' || tagsOf(header).includes(etag)

/** If-None-Match compares weakly. */
export const isKnown = (header: string, etag: string): boolean =>
  header.trim() === '*' || tagsOf(header).some((tag) => tag.replace(/^W\//, '') === etag)
