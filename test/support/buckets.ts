import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import aws4 from 'aws4'
import S3rver from 's3rver'
import type { Bucket } from '../../server/kit/blobs/bucket-url.ts'
import { temporaryFolder } from './folders.ts'

export interface TestBucket extends Bucket {
  /** Requests whose signature another library computes differently. */
  wrong_signatures: string[]
  requests: string[]
  /** The next request with this method waits for `release`. */
  hold: (method: string) => { begun: Promise<void>; release: () => void }
}

/** A bucket of s3rver, behind a server that checks each signature with aws4. Both end with the tests of the file. */
export async function openTestBucket(): Promise<TestBucket> {
  const [key_id, secret] = ['S3RVER', 'S3RVER']
  const s3rver = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: temporaryFolder(),
    vhostBuckets: false,
    configureBuckets: [{ name: 'recordings', configs: [] }],
  })
  const { port } = await s3rver.run()
  const wrong_signatures: string[] = []
  const requests: string[] = []
  const held = new Map<string, { begin: () => void; released: Promise<void> }>()
  const hold: TestBucket['hold'] = (method) => {
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    held.set(method, { begin: begun.resolve, released: released.promise })
    return { begun: begun.promise, release: released.resolve }
  }
  const proxy = createServer((incoming, outgoing) => {
    const name = `${incoming.method} ${incoming.url}`
    requests.push(name)
    if (!isSignedWith({ key_id, secret }, incoming)) {
      wrong_signatures.push(name)
      outgoing.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>')
      return
    }
    const { method = '', url, headers } = incoming
    const waiting = held.get(method)
    held.delete(method)
    const forward = () => {
      const forwarded = request({ port, host: '127.0.0.1', method, path: url, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(outgoing)
      })
      for (const side of [forwarded, outgoing]) side.on('error', () => outgoing.destroy())
      incoming.on('error', () => forwarded.destroy())
      incoming.pipe(forwarded)
    }
    waiting?.begin()
    if (waiting) void waiting.released.then(forward)
    else forward()
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  after(async () => {
    proxy.closeAllConnections()
    proxy.close()
    s3rver.httpServer.closeAllConnections()
    await s3rver.close()
  })
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/recordings`
  return { url, region: 'us-east-1', key_id, secret, wrong_signatures, requests, hold }
}

/** Signs the request again with aws4, with the headers that were signed. */
function isSignedWith({ key_id, secret }: Pick<Bucket, 'key_id' | 'secret'>, incoming: IncomingMessage): boolean {
  const { authorization = '' } = incoming.headers
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? []
  const headers = Object.fromEntries(names.map((name) => [name, incoming.headers[name]]))
  const signed = aws4.sign(
    { service: 's3', region: 'us-east-1', method: incoming.method ?? '', path: incoming.url ?? '', headers },
    { accessKeyId: key_id, secretAccessKey: secret },
  )
  return signatureOf(signed.headers?.Authorization) === signatureOf(authorization)
}

const signatureOf = (authorization: unknown): string | undefined =>
  /Signature=([0-9a-f]{64})$/.exec(String(authorization))?.[1]
