import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { chooseEncoding, encodings } from './compression.ts'
import { formatEtag, hashText, matchesWeakly } from './etag.ts'
import type { SiteAnswer, SiteRequest } from './static-site.ts'

const brotli_options = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

export type AnswerDocument = (request: Pick<SiteRequest, 'headers'>) => Promise<SiteAnswer>

/** A text that is made at its first request, and compressed once, in the threads of zlib. Each encoding has its own ETag. */
export function openDocument(render: () => string, headers: Record<string, string> = {}): AnswerDocument {
  let prepared: ReturnType<typeof prepare> | undefined
  return async (request) => {
    prepared ??= prepare(render())
    const { hash, bodies } = await prepared.catch((error: unknown) => {
      // The next request tries again.
      prepared = undefined
      throw error
    })
    const encoding = chooseEncoding(String(request.headers['accept-encoding'] ?? ''), encodings)
    const etag = formatEtag(encoding ? `${hash}-${encoding}` : hash)
    const is_known = matchesWeakly(String(request.headers['if-none-match'] ?? ''), etag)
    return {
      status: is_known ? 304 : 200,
      headers: { ...headers, etag, vary: 'accept-encoding', ...(encoding && { 'content-encoding': encoding }) },
      body: is_known ? '' : bodies[encoding ?? 'identity'],
    }
  }
}

async function prepare(text: string) {
  const identity = Buffer.from(text)
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(identity, brotli_options),
    promisify(gzip)(identity, { level: 9 }),
  ])
  return { hash: hashText(text), bodies: { identity, br, gzip: gzipped } }
}
