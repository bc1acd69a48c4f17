import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { setBounded } from '../limits/bounded-map.ts'

/** Encrypts text that is stored in the database, with AES-256-GCM. */
export interface Seal {
  close: (text: string) => string
  /** Throws when the text was sealed with another key or was changed. */
  open: (sealed: string) => string
}

const nonce_bytes = 12
const tag_bytes = 16
const cached_max = 1_000

/** `info` ties the derived key to its purpose: data is only readable with the `info` it was sealed with. */
export function openSeal(secrets_key: string, info: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', secrets_key, '', info, 32))
  return {
    close(text) {
      const nonce = randomBytes(nonce_bytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonce_bytes))
      decipher.setAuthTag(bytes.subarray(nonce_bytes, nonce_bytes + tag_bytes))
      const text = decipher.update(bytes.subarray(nonce_bytes + tag_bytes))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    },
  }
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
