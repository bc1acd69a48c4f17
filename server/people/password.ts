import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { openQueuePerKey } from '../kit/limits/key-queues.ts'

/** OWASP's minimum: about 50 ms of CPU time. Each stored hash contains its parameters, so these can be raised later. */
const memory_kib = 19 * 1024
const passes = 2
const parallelism = 1
const salt_bytes = 16
const hash_bytes = 32
/** Limits the memory and threads of the process that a flood of sign-ins takes. Calls that wait too long fail with 503. */
const concurrent_max = 2

const hash_pattern = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

/** A password is compared with this hash when the person doesn't exist, so that the check takes the same time. */
const dummy_hash = formatHash(randomBytes(salt_bytes), randomBytes(hash_bytes))

const limitConcurrency = openQueuePerKey(concurrent_max)

/** Returns the hash to store, with its salt and parameters. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(salt_bytes)
  return formatHash(nonce, await runArgon2(password, { nonce, memory: memory_kib, passes, parallelism }))
}

/** Checks a password. Returns false after the same time when there is no hash to compare with. */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, memory, times, threads, salt = '', hash = ''] = hash_pattern.exec(stored ?? dummy_hash) ?? []
  const expected = Buffer.from(hash, 'base64')
  const actual = await runArgon2(password, {
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(times),
    parallelism: Number(threads),
  })
  return timingSafeEqual(actual, expected) && stored !== undefined
}

type Cost = Pick<Argon2Parameters, 'nonce' | 'memory' | 'passes' | 'parallelism'>

/** Hashes a password. It is normalized, because keyboards encode letters such as é in different ways. */
const runArgon2 = (password: string, cost: Cost): Promise<Buffer> =>
  limitConcurrency(
    'argon2',
    () =>
      new Promise((resolve, reject) => {
        argon2('argon2id', { ...cost, message: password.normalize('NFC'), tagLength: hash_bytes }, (error, hash) =>
          error ? reject(error) : resolve(hash),
        )
      }),
  )

function formatHash(salt: Buffer, hash: Buffer): string {
  const encode = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=${memory_kib},t=${passes},p=${parallelism}$${encode(salt)}$${encode(hash)}`
}
