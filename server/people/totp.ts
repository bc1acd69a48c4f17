import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Codes of authenticator apps, as most of them make them: RFC 6238 with SHA-1, six digits and steps of 30 seconds. */
const step_ms = 30_000
const digits = 6
/** The length of a SHA-1, as RFC 4226 recommends. */
const secret_bytes = 20
/** The clock of a telephone may be this many steps fast or slow. */
const steps_off_max = 1

const base32_letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** In base32, which apps accept. */
export const newTotpSecret = (): string => toBase32(randomBytes(secret_bytes))

/** What a QR code holds: https://github.com/google/google-authenticator/wiki/Key-Uri-Format. */
export function totpUrl({ secret, issuer, account }: { secret: string; issuer: string; account: string }): string {
  const [name, label] = [encodeURIComponent(issuer), encodeURIComponent(account)]
  return `otpauth://totp/${name}:${label}?secret=${secret}&issuer=${name}`
}

/** @internal */
export const stepAt = (now: number): number => Math.floor(now / step_ms)

/** @internal */
export function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The step around `now`, and after `last_step`, that has this code. */
export function findStep(
  secret: string,
  { code, now, last_step }: { code: string; now: number; last_step: number },
): number | undefined {
  const current = stepAt(now)
  const steps = Array.from({ length: 2 * steps_off_max + 1 }, (_, index) => current - steps_off_max + index)
  return steps.filter((step) => step > last_step).find((step) => isEqual(codeOf(secret, step), code))
}

function isEqual(one: string, other: string): boolean {
  const [bytes, others] = [Buffer.from(one), Buffer.from(other)]
  return bytes.length === others.length && timingSafeEqual(bytes, others)
}

/** Without padding. */
export function toBase32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => base32_letters[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => base32_letters.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
