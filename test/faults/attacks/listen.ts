import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

export type Answer = (response: http.ServerResponse, body: string) => unknown

/** Starts a server that the service may reach, and returns its URL without a path. */
export async function listen(stack: AsyncDisposableStack, answer: Answer): Promise<string> {
  const server = http.createServer((request, response) => {
    // The service closes the connection when it has read enough.
    response.on('error', () => {})
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => answer(response, Buffer.concat(chunks).toString()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

/** Sends the same bytes until they are enough, or until the other side has had enough. */
export function sendLong(response: http.ServerResponse, { bytes, piece }: { bytes: number; piece: Buffer }): void {
  let left = bytes
  const write = (): void => {
    while (!response.destroyed && left > 0) {
      left -= piece.length
      if (!response.write(piece)) return void response.once('drain', write)
    }
    response.end()
  }
  write()
}
