import { randomBytes, randomUUID } from 'node:crypto'
import * as clock from './clock.ts'

let last_ms = 0
let count = 0
const count_max = 0xfff

/** A UUIDv7: 48 bits of time, a 12-bit counter, 62 random bits. Ids of one process sort in the order of creation. */
export function newId(): string {
  const now = clock.wall()
  if (now > last_ms) {
    last_ms = now
    count = 0
  } else if (count < count_max) {
    count += 1
  } else {
    last_ms += 1
    count = 0
  }
  const time = last_ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, '0')}-${randomUUID().slice(19)}`
}

/** The smallest id that can be created at this time. */
export function firstIdOf(time_ms: number): string {
  const time = Math.max(0, time_ms).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

/** Returns when the id was created. */
export const timeOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const isId = (text: string): boolean => uuid.test(text)

/** Returns a generator of request ids, which are unique across processes and cheap. */
export function requestIds(): () => string {
  const process_part = randomBytes(9).toString('base64url')
  let count = 0
  return () => {
    count += 1
    return `req_${process_part}_${count.toString(36)}`
  }
}
