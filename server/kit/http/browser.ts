import type { IncomingHttpHeaders } from 'node:http'

/** For the pages of the dashboard: everything comes from here, styles only as files, and nobody frames it. */
export const dashboardHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

/** For what the pages ask: it is data for one person, to be kept by nobody. */
export const answerHeaders = {
  'cache-control': 'no-store',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

export interface CookieOptions {
  name: string
  is_secure: boolean
}

/** The prefix makes browsers refuse it from anyone but this host by TLS. */
export const cookieFor = (name: string, public_url: string | undefined): CookieOptions =>
  public_url?.startsWith('https:') ? { name: `__Host-${name}`, is_secure: true } : { name, is_secure: false }

/** Zero seconds take it away. */
export const setCookie = ({ name, is_secure }: CookieOptions, value: string, seconds: number): string =>
  `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${is_secure ? '; Secure' : ''}`

export function readCookie({ name }: CookieOptions, { cookie = '' }: IncomingHttpHeaders): string | undefined {
  for (const pair of cookie.split(';')) {
    const [said = '', value] = pair.split('=', 2)
    if (said.trim() === name) return value?.trim()
  }
  return undefined
}

/** Whether a page of this server asks: the one at `public_url`, or without that the one at the host that was asked. */
export function isOwnPage({ origin, host }: IncomingHttpHeaders, public_url: string | undefined): boolean {
  const from = origin === undefined ? undefined : URL.parse(origin)
  if (!from) return false
  if (public_url) return from.origin === new URL(public_url).origin
  return (
    /^https?:$/.test(from.protocol) && host !== undefined && from.host === URL.parse(`${from.protocol}//${host}`)?.host
  )
}
