/** A bucket of a service with Amazon's S3 API. */
export interface Bucket {
  /** The URL of the bucket, with the prefix of its keys, without a slash at the end. */
  url: string
  region: string
  key_id: string
  secret: string
}

const default_region = 'us-east-1'

/**
 * Reads `s3://KEY_ID:SECRET@host[:port]/bucket[/prefix][?region=...&tls=off]`, in which special characters are
 * percent-encoded. Undefined if it is something else.
 */
export function parseBucketUrl(text: string): Bucket | undefined {
  const url = URL.parse(text)
  if (url?.protocol !== 's3:' || url.hash) return undefined
  const { tls = 'on', region = default_region, ...unknown } = Object.fromEntries(url.searchParams)
  if (!/^(on|off)$/.test(tls) || !/^[a-z0-9-]+$/.test(region) || Object.keys(unknown).length > 0) return undefined
  const path = url.pathname.replace(/\/+$/, '')
  if (!/^(\/[A-Za-z0-9][A-Za-z0-9._-]*)+$/.test(path)) return undefined
  const [key_id, secret] = [decode(url.username), decode(url.password)]
  if (!url.host || !key_id || !secret) return undefined
  return { url: `${tls === 'off' ? 'http' : 'https'}://${url.host}${path}`, region, key_id, secret }
}

/** Undefined unless it is printable ASCII: other characters can't be sent in a header. */
function decode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text)
    return /^[\x21-\x7e]+$/.test(decoded) ? decoded : undefined
  } catch {
    return undefined
  }
}
