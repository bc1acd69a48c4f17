import type { IncomingHttpHeaders } from 'node:http'

/**
 * Headers for the page of a built web application: it loads only files of this server, plays only those and what it
 * holds in memory, has no inline styles, and can't be framed.
 */
export const app_page_headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; media-src 'self' blob:; " +
    "connect-src 'self'; frame-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

/** Headers for responses to a signed-in person: neither the browser nor a proxy may store them. */
export const private_response_headers = {
  'cache-control': 'no-store',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

export interface CookieOptions {
  name: string
  is_secure: boolean
}

/** Browsers accept a cookie with the prefix `__Host-` only from this host over TLS. */
export const cookieFor = (name: string, public_url: string | undefined): CookieOptions =>
  public_url?.startsWith('https:') ? { name: `__Host-${name}`, is_secure: true } : { name, is_secure: false }

/** A `Set-Cookie` value. A `max_age_seconds` of 0 removes the cookie. */
export const formatCookie = ({ name, is_secure }: CookieOptions, value: string, max_age_seconds: number): string =>
  `${name}=${value}; Path=/; Max-Age=${max_age_seconds}; HttpOnly; SameSite=Lax${is_secure ? '; Secure' : ''}`

export function readCookie({ name }: CookieOptions, { cookie = '' }: IncomingHttpHeaders): string | undefined {
  for (const pair of cookie.split(';')) {
    const [cookie_name = '', value] = pair.split('=', 2)
    if (cookie_name.trim() === name) return value?.trim()
  }
  return undefined
}

/** Whether `Origin` is the origin of `public_url`, or the requested host if there is no `public_url`. */
export function isSameOrigin({ origin, host }: IncomingHttpHeaders, public_url: string | undefined): boolean {
  const from = origin === undefined ? undefined : URL.parse(origin)
  if (!from) return false
  if (public_url) return from.origin === new URL(public_url).origin
  return (
    /^https?:$/.test(from.protocol) && host !== undefined && from.host === URL.parse(`${from.protocol}//${host}`)?.host
  )
}
