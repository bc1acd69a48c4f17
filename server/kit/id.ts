import { randomBytes, randomUUID } from 'node:crypto'
import * as clock from './clock.ts'

let last_ms = 0
let count = 0
const count_max = 0xfff

/** UUIDv7, in the order in which this process makes them: 48 bits of time, 12 that count, 62 of chance. */
export function newId(): string {
  const now = clock.now()
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

/** No id that was made at that time or later is before it. */
export function firstIdOf(time_ms: number): string {
  const time = Math.max(0, time_ms).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const isId = (text: string): boolean => uuid.test(text)

/** For requests: unique over processes and time, and cheap. */
export function requestIds(): () => string {
  const start = randomBytes(9).toString('base64url')
  let count = 0
  return () => {
    count += 1
    return `req_${start}_${count.toString(36)}`
  }
}
