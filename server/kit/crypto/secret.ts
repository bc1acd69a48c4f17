import { hash, randomBytes } from 'node:crypto'

/** 32 random bytes, as they stand in a link or a cookie. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

export const isSecret = (text: string): boolean => /^[\w-]{43}$/.test(text)

/** What is kept of a secret. It needs no salt: nobody guesses 32 bytes. */
export const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer')
