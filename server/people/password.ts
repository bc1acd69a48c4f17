import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { queuePerKey } from '../kit/limits/key-queues.ts'

/** As OWASP asks for at least: some 50 ms of a processor. The kept form tells them, so that they can grow. */
const memory_kib = 19 * 1024
const passes = 2
const parallelism = 1
const salt_bytes = 16
const hash_bytes = 32
/** So that a flood of them takes neither the memory nor the threads that others need. Who would wait too long gets 503. */
const at_once_max = 2

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

/** Nobody's: compared with when there is no such person, which then takes as long. */
const nobodys = formOf(randomBytes(salt_bytes), randomBytes(hash_bytes))

const inTurn = queuePerKey(at_once_max)

/** What is kept of a password. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(salt_bytes)
  return formOf(nonce, await hashOf(password, { nonce, memory: memory_kib, passes, parallelism }))
}

/** False after the same time when there is nothing to compare with. */
export async function isPassword(password: string, kept: string | undefined): Promise<boolean> {
  const [, memory, times, threads, salt = '', hash = ''] = form.exec(kept ?? nobodys) ?? []
  const expected = Buffer.from(hash, 'base64')
  const actual = await hashOf(password, {
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(times),
    parallelism: Number(threads),
  })
  return timingSafeEqual(actual, expected) && kept !== undefined
}

type Cost = Pick<Argon2Parameters, 'nonce' | 'memory' | 'passes' | 'parallelism'>

/** Composed, so that an é is the same on every keyboard. */
const hashOf = (password: string, cost: Cost): Promise<Buffer> =>
  inTurn(
    'argon2',
    () =>
      new Promise((resolve, reject) => {
        argon2('argon2id', { ...cost, message: password.normalize('NFC'), tagLength: hash_bytes }, (error, hash) =>
          error ? reject(error) : resolve(hash),
        )
      }),
  )

function formOf(salt: Buffer, hash: Buffer): string {
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=${memory_kib},t=${passes},p=${parallelism}$${text(salt)}$${text(hash)}`
}
