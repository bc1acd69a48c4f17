import type { AtOutside } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { GrowingBuffer } from '../kit/outbound/growing-buffer.ts'
import { OutboundError, ResponseTooLong, TooManyChunks } from '../kit/outbound/request.ts'
import { truncate } from '../kit/text.ts'
import { isShortage } from '../kit/work/shortage.ts'
import { product } from '../product.ts'
import { UnreadableError } from './parse/blocks.ts'
import { decoderNamed } from './parse/encoding.ts'
import { type FileKind, kindOf } from './parse/kinds.ts'
import { file_bytes_max } from './schema.ts'

const timeout_ms = 30_000
const redirects_max = 5

export interface FetchedFile {
  file: Buffer
  kind: FileKind
}

/** Fetches a page or a file. Each redirect is checked as the URL itself is. Fails with an UnreadableError, or another error if this machine is to blame. */
export async function fetchDocument(at: AtOutside, url: string, isStopping: () => boolean): Promise<FetchedFile> {
  const until = clock.ticks() + timeout_ms
  let next = url
  for (let redirects = 0; redirects <= redirects_max; redirects += 1) {
    const answer = await request(at, next, until - clock.ticks(), isStopping)
    if (typeof answer !== 'string') return answer
    next = answer
  }
  throw new UnreadableError(`The URL redirects more than ${redirects_max} times.`)
}

/** Sends a request. Returns the URL to which it redirects, or the file. */
async function request(
  { tools }: AtOutside,
  url: string,
  time_left_ms: number,
  isStopping: () => boolean,
): Promise<string | FetchedFile> {
  const refusal = await tools.outbound.refusal(url)
  if (refusal) throw new UnreadableError(`The URL ${refusal}`)
  if (time_left_ms <= 0) throw new UnreadableError(`There was no response within ${timeout_ms / 1000} seconds.`)
  const stopping = new AbortController()
  const timer = setInterval(() => isStopping() && stopping.abort(), 200)
  try {
    const { status, headers, body } = await tools.outbound.stream(url, {
      method: 'GET',
      headers: {
        accept: 'text/html, text/markdown, text/plain, application/pdf, */*;q=0.5',
        'accept-encoding': 'identity',
        'user-agent': product.name,
      },
      head_timeout_ms: time_left_ms,
      timeout_ms: time_left_ms,
      bytes_max: file_bytes_max,
      signal: stopping.signal,
    })
    const location = [headers.location].flat()[0]
    if (status >= 300 && status < 400 && location !== undefined) {
      await body.cancel()
      const target = URL.parse(location, url)
      if (!target) throw new UnreadableError('The URL redirects to something that is no URL.')
      target.hash = ''
      return target.href
    }
    if (status !== 200) {
      await body.cancel()
      throw new UnreadableError(`The server has answered with ${status}.`)
    }
    const [encoding = 'identity'] = [headers['content-encoding']].flat()
    if (encoding !== 'identity') {
      await body.cancel()
      throw new UnreadableError(`The response was compressed (${truncate(encoding, 20)}), which was not asked for.`)
    }
    const type = [headers['content-type']].flat()[0]
    const decoder = decoderOf(type)
    const bytes = new GrowingBuffer()
    for await (const piece of body) bytes.add(decoder ? Buffer.from(decoder.decode(piece, { stream: true })) : piece)
    if (decoder) bytes.add(Buffer.from(decoder.decode()))
    const file = bytes.take()
    if (file.length === 0) throw new UnreadableError('The response was empty.')
    // Only the extension matters, so the name is not unescaped.
    const name = new URL(url).pathname.split('/').at(-1) ?? ''
    const kind = kindOf({ head: file.subarray(0, 1_024), name, type })
    if (typeof kind === 'object') throw new UnreadableError(kind.refusal)
    return { file, kind }
  } catch (error) {
    if (error instanceof ResponseTooLong && !(error instanceof TooManyChunks))
      throw new UnreadableError('The response has more than 20 MB.')
    if (error instanceof OutboundError && !isStopping() && !isShortage(error)) throw new UnreadableError(error.message)
    throw error
  } finally {
    clearInterval(timer)
  }
}

/**
 * Returns a decoder for a text in another encoding, which is kept in UTF-8. Without one that is known, the parser finds
 * out the encoding.
 */
function decoderOf(type = ''): TextDecoder | undefined {
  const [, label] = /^(?:text\/|application\/xhtml).*;\s*charset=["']?([\w.:-]{1,40})/i.exec(type) ?? []
  const decoder = decoderNamed(label)
  return decoder?.encoding === 'utf-8' ? undefined : decoder
}
