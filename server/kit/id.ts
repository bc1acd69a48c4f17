import { randomUUIDv7 } from 'node:crypto'

/** UUIDv7: ids made later sort later, which keeps the indexes' growth in one place. */
export const newId = (): string => randomUUIDv7()

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const isId = (text: string): boolean => uuid.test(text)
