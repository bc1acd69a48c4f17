import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

/** A request that a receiver got. */
export interface Received {
  path: string
  headers: Record<string, string>
  body: string
}

export interface Receiver {
  url: string
  received: Received[]
}

type Answer = (response: http.ServerResponse, request: http.IncomingMessage) => unknown

export const respondWith =
  (status: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body)

/** Starts an HTTP server that records its requests. It is closed after the tests of the file. */
export async function receiver(answer: Answer = respondWith(200), tls = false): Promise<Receiver> {
  const received: Received[] = []
  const receive = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString()
    // The headers that tests look at are sent once each.
    received.push({ path: request.url ?? '', headers: request.headers as Received['headers'], body })
    await answer(response, request)
  }
  const take: http.RequestListener = (request, response) => void receive(request, response)
  const server = tls ? https.createServer({ cert, key }, take) : http.createServer(take)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/hook`, received }
}

/** A self-signed certificate, which clients must reject. */
const cert = `-----BEGIN CERTIFICATE-----
MIIBqDCCAU2gAwIBAgIUEMUcZHXLFAKAKdGhlYLb7S985LgwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDAgFw0yNjExMTUwOTExNDBaGA8yMTI2
MTAyMjA5MTE0MFowGDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABCNNFWXfJuA9YYZgIeckQiFHgoz/rKgFZ9Wzf9L+4WwK
q9wDLW+67pG3/x+C6piOxDtvyU/t5GpE1BnkdzGuU+yjczBxMB0GA1UdDgQWBBQp
6YWUX4Yypk1hbXjs5/1enaEBAzAfBgNVHSMEGDAWgBQp6YWUX4Yypk1hbXjs5/1e
naEBAzAPBgNVHRMBAf8EBTADAQH/MB4GA1UdEQQXMBWHBH8AAAGCDXJlY2VpdmVy
LnRlc3QwCgYIKoZIzj0EAwIDSQAwRgIhAIw3ISFdoLu2WSXSXBMrNWD1OcqaLipa
SRhaNhyUMv0sAiEAn/4vkwtJ+Wa6K+bkKra5CBe6FkWrCSpC3Z1i1JVuNxk=
-----END CERTIFICATE-----`
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqWXyqDYwy4FyokhP
MBkVu67tNJ9XS22KKI0Hce3D/KehRANCAAQjTRVl3ybgPWGGYCHnJEIhR4KM/6yo
BWfVs3/S/uFsCqvcAy1vuu6Rt/8fguqYjsQ7b8lP7eRqRNQZ5HcxrlPs
-----END PRIVATE KEY-----`
