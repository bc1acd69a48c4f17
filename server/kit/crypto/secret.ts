import { hash, randomBytes } from 'node:crypto'

/** 32 random bytes in base64url, for a link or a cookie. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

export const isSecret = (text: string): boolean => /^[\w-]{43}$/.test(text)

/** The hash that is stored. It needs no salt, because 32 random bytes can't be guessed. */
export const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer')
