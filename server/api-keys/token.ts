import { randomBytes } from 'node:crypto'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secret_bytes = 32
const secret_length = 43
const token_pattern = /^pk_[0-9A-Za-z]{32,128}$/

export const isToken = (text: string): boolean => token_pattern.test(text)

/** Returns `pk_` and 32 random bytes in base62. Only the hash of a token is stored. */
export function newToken(): string {
  let rest = BigInt(`0x${randomBytes(secret_bytes).toString('hex')}`)
  let text = ''
  while (text.length < secret_length) {
    text = base62.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  return `pk_${text}`
}
