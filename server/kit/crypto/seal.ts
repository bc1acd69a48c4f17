import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { setBounded } from '../limits/bounded-map.ts'

/** Encrypts text that is stored in the database, with AES-256-GCM. */
export interface Seal {
  close: (text: string) => string
  /** Throws when the text was sealed with an unknown key or was changed. */
  open: (sealed: string) => string
  /** Whether the text was sealed with the key that `close` uses. */
  isCurrent: (sealed: string) => boolean
}

interface Key {
  /** Each sealed text begins with this id. It says nothing about the key. */
  id: string
  bytes: Buffer
}

const nonce_bytes = 12
const tag_bytes = 16
const id_bytes = 6
const cached_max = 1_000

/**
 * `info` ties the derived key to its purpose: data is only readable with the `info` it was sealed with. `previous_key` opens
 * what was sealed with another key before or, while keys are exchanged, by another process.
 */
export function openSeal(secrets_key: string, info: string, previous_key?: string): Seal {
  const key = deriveKey(secrets_key, info)
  const keys = [key, ...(previous_key === undefined ? [] : [deriveKey(previous_key, info)])]
  const isCurrent = (sealed: string) => sealed.startsWith(`${key.id}.`)
  return {
    isCurrent,
    close: (text) => `${key.id}.${encrypt(key, text)}`,
    open(sealed) {
      const [id = '', text] = sealed.split('.')
      const opening = keys.find((one) => one.id === id)
      if (!opening || text === undefined) throw new Error('the text was sealed with an unknown key')
      return decrypt(opening, text)
    },
  }
}

/** Identifies a key in sealed texts, and says nothing about it. */
export const idOfKey = (secrets_key: string, info: string): string =>
  Buffer.from(hkdfSync('sha256', secrets_key, '', `${info} id`, id_bytes)).toString('base64url')

const deriveKey = (secrets_key: string, info: string): Key => ({
  id: idOfKey(secrets_key, info),
  bytes: Buffer.from(hkdfSync('sha256', secrets_key, '', info, 32)),
})

function encrypt({ bytes }: Key, text: string): string {
  const nonce = randomBytes(nonce_bytes)
  const cipher = createCipheriv('aes-256-gcm', bytes, nonce)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

function decrypt({ bytes }: Key, text: string): string {
  const sealed = Buffer.from(text, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', bytes, sealed.subarray(0, nonce_bytes))
  decipher.setAuthTag(sealed.subarray(nonce_bytes, nonce_bytes + tag_bytes))
  const opened = decipher.update(sealed.subarray(nonce_bytes + tag_bytes))
  return Buffer.concat([opened, decipher.final()]).toString('utf8')
}

/** Opening costs as much as signing a message, and a sender opens the same few secrets for every message. */
export function cachedOpen(open: Seal['open']): Seal['open'] {
  const opened = new Map<string, string>()
  return (sealed) => {
    const cached = opened.get(sealed)
    if (cached !== undefined) return cached
    const text = open(sealed)
    setBounded(opened, sealed, text, cached_max)
    return text
  }
}
