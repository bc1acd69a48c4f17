import { AwsV4Signer } from 'aws4fetch'
import { Agent, type Dispatcher, request } from 'undici'
import type { Blobs, Range } from './blobs.ts'
import type { Bucket } from './bucket-url.ts'

const connect_timeout_ms = 5_000
/** A request fails when no byte of the answer, or of the body, has come for this long. */
const silence_max_ms = 15_000
const short_request_max_ms = 15_000
/** An upload fails after this long. `calls/record/files.ts` waits longer for an upload whose process was killed. */
const upload_max_ms = 60_000
const connections_max = 32
const header_bytes_max = 16 * 1024
/** The description of an error is cut to this length. */
const error_characters_max = 4_000

type Method = 'GET' | 'HEAD' | 'PUT' | 'DELETE'
type Options = Pick<Dispatcher.RequestOptions, 'body' | 'signal'> & { headers?: Record<string, string> }

/** Keeps blobs in a bucket of Amazon S3, or of another service with the same API. The operator names it, so it may be private. */
export function openBucket({ url, region, key_id, secret }: Bucket): Blobs {
  const agent = new Agent({
    allowH2: false,
    connections: connections_max,
    maxHeaderSize: header_bytes_max,
    connect: { timeout: connect_timeout_ms },
    headersTimeout: silence_max_ms,
    bodyTimeout: silence_max_ms,
  })

  async function send(method: Method, key: string, { headers = {}, ...options }: Options) {
    const signer = new AwsV4Signer({
      method,
      url: `${url}/${key}`,
      headers,
      accessKeyId: key_id,
      secretAccessKey: secret,
      service: 's3',
      region,
    })
    const signed = await signer.sign()
    return request(signed.url, {
      ...options,
      method,
      headers: Object.fromEntries(signed.headers),
      dispatcher: agent,
    })
  }

  /** Undefined if there is no such blob. */
  async function expectSuccess(method: Method, key: string, options: Options) {
    const response = await send(method, key, options)
    // A body that is destroyed emits an error, which would end the process. Readers notice it by themselves.
    response.body.on('error', () => {})
    if (response.statusCode < 300) return response
    const description = await readStart(response.body)
    const code = /<Code>(\w{1,100})<\/Code>/.exec(description)?.[1]
    if (response.statusCode === 404 && code !== 'NoSuchBucket') return undefined
    throw new Error(`the bucket answered ${method} with ${response.statusCode}${code ? ` (${code})` : ''}`)
  }

  const short = () => AbortSignal.timeout(short_request_max_ms)

  return {
    async put(key, { size, stream }) {
      const signal = AbortSignal.timeout(upload_max_ms)
      const headers = { 'content-length': String(size) }
      const response = await expectSuccess('PUT', key, { body: stream, headers, signal }).finally(() =>
        stream.destroy(),
      )
      if (!response) throw new Error('the bucket answered PUT with 404')
      await response.body.dump()
    },
    async open(key, range) {
      const headers = range && { range: `bytes=${range.start}-${range.end}` }
      const response = await expectSuccess('GET', key, { ...(headers && { headers }) })
      if (!response) return undefined
      const size = sizeOf(response, range)
      if (size !== undefined) return { size, stream: response.body }
      response.body.destroy()
      throw new Error('the bucket sent other bytes than were requested')
    },
    async size(key) {
      const response = await expectSuccess('HEAD', key, { signal: short() })
      await response?.body.dump()
      return response && sizeOf(response, undefined)
    },
    async remove(key) {
      const response = await expectSuccess('DELETE', key, { signal: short() })
      await response?.body.dump()
    },
    close: () => agent.destroy(),
  }
}

/** The size of the whole blob. Undefined if the answer has other bytes than were requested, as when a server ignores Range. */
function sizeOf({ statusCode, headers }: Dispatcher.ResponseData, range: Range | undefined): number | undefined {
  const length = Number(headers['content-length'] ?? Number.NaN)
  if (!range) return statusCode === 200 && Number.isSafeInteger(length) ? length : undefined
  const [, start, end, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(String(headers['content-range'])) ?? []
  const is_requested =
    Number(start) === range.start && Number(end) === range.end && length === range.end - range.start + 1
  return statusCode === 206 && is_requested ? Number(size) : undefined
}

async function readStart(body: Dispatcher.ResponseData['body']): Promise<string> {
  let text = ''
  body.setEncoding('utf8')
  for await (const chunk of body) {
    text += chunk
    if (text.length > error_characters_max) break
  }
  return text
}
