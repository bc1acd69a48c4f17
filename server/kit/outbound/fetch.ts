import { letOthersRun } from '../let-others-run.ts'
import { GrowingBuffer } from './growing-buffer.ts'
import { assertFewValues } from './json-limits.ts'
import type { Outbound } from './outbound.ts'
import { canceled, OutboundError, ResponseTooLong } from './request.ts'
import type { StreamRequest } from './stream.ts'

export interface FetchOptions extends Pick<StreamRequest, 'head_timeout_ms' | 'timeout_ms' | 'bytes_max'> {
  /** Requests to other origins are refused. */
  origin: string
  is_trusted: boolean
  /** Limits a body that is not read as a stream. */
  whole_bytes_max: number
  /** Whether `changeBody` limits the JSON values itself. */
  is_checked?: boolean | undefined
  /** Changes a body that is not read as a stream, before the library reads it. */
  changeBody?: ((text: string) => string) | undefined
  /** Only a successful response with this content type is read as a stream. Undefined: any successful response is. */
  stream_type?: string
  readStream?: (body: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>
}

const status_max = 599
/** A Response with one of these statuses may not have a body. */
const bodiless_statuses = [204, 205, 304]

/** A `fetch` for libraries that take one. Follows no redirects, and accepts only bodies that are text, bytes or forms. */
export function fetchThrough(
  outbound: Outbound,
  { origin, is_trusted, whole_bytes_max, is_checked, changeBody, stream_type, readStream, ...limits }: FetchOptions,
): typeof fetch {
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input)
    if (new URL(url).origin !== origin) throw new OutboundError('The URL belongs to another server.')
    const { signal, method = 'GET' } = init
    const { body, headers: body_headers } = await encode(init.body ?? null)
    const request = {
      ...limits,
      method: method as 'GET' | 'POST',
      headers: { ...Object.fromEntries(new Headers(init.headers)), ...body_headers, 'accept-encoding': 'identity' },
      ...(body !== null && { body }),
      signal: signal ?? undefined,
    }
    const response = await outbound.stream(url, request, { is_trusted }).catch((error: unknown) => {
      // Callers of a `fetch` recognize an abort by its reason.
      throw signal?.aborted && error instanceof OutboundError && error.message === canceled ? signal.reason : error
    })
    const { status } = response
    if (status > status_max) throw new OutboundError('The response was not HTTP.')
    const headers = Object.entries(response.headers).flatMap(([name, values = []]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    )
    if (bodiless_statuses.includes(status)) {
      await response.body.cancel()
      return new Response(null, { status, headers })
    }
    const is_of_type = stream_type === undefined || String(response.headers['content-type']).startsWith(stream_type)
    if (readStream && status < 300 && is_of_type) return new Response(readStream(response.body), { status, headers })
    const whole = readWhole(response.body, { whole_bytes_max, is_checked, changeBody })
    return new Response(ReadableStream.from(whole), { status, headers })
  }
}

/** Encodes the body. A form also gets a header that names its boundary. */
async function encode(body: unknown): Promise<{ body: string | Uint8Array | null; headers?: Record<string, string> }> {
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) return { body }
  if (!(body instanceof FormData)) throw new Error('the body is neither text nor bytes nor a form')
  const encoded = new Response(body)
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' }
  return { body: await encoded.bytes(), headers }
}

type WholeOptions = Pick<FetchOptions, 'whole_bytes_max' | 'is_checked' | 'changeBody'>

/** Yields one piece, because the library parses it at once. */
async function* readWhole(
  body: ReadableStream<Uint8Array>,
  { whole_bytes_max, is_checked = false, changeBody }: WholeOptions,
): AsyncGenerator<Uint8Array> {
  const bytes = new GrowingBuffer()
  for await (const piece of body) {
    bytes.add(piece)
    if (bytes.length > whole_bytes_max)
      throw new ResponseTooLong(`The response has more than ${whole_bytes_max} bytes.`)
  }
  await letOthersRun({ is_urgent: true })
  const whole = bytes.take()
  if (!is_checked) assertFewValues(whole)
  yield changeBody ? Buffer.from(changeBody(whole.toString())) : whole
}
