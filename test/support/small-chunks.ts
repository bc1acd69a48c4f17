import type { ServerResponse } from 'node:http'

/** A body of HTTP chunks with one byte each. */
export const inChunksOfOneByte = (body: Buffer | string): Buffer =>
  Buffer.concat([
    Buffer.concat(Array.from(Buffer.from(body), (byte) => Buffer.from([0x31, 13, 10, byte, 13, 10]))),
    Buffer.from('0\r\n\r\n'),
  ])

/** Sends the same chunks again and again until the body has so many bytes. Node itself would send each in a packet of its own. */
export function answerInChunksOfOneByte(
  response: ServerResponse,
  { status = 200, type, body, times = 1 }: { status?: number; type: string; body: string; times?: number },
): void {
  const { socket } = response
  if (!socket) return
  response.writeHead(status, { 'content-type': type, 'transfer-encoding': 'chunked', connection: 'close' })
  response.flushHeaders()
  const piece = inChunksOfOneByte(body)
  const last = piece.subarray(-5)
  let left = times
  const write = (): void => {
    while (!socket.destroyed && left > 0) {
      left -= 1
      if (!socket.write(piece.subarray(0, -5))) return void socket.once('drain', write)
    }
    socket.end(last)
  }
  socket.on('error', () => {})
  write()
}
