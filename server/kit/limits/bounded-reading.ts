import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import * as clock from '../clock.ts'
import { letOthersRun } from '../let-others-run.ts'

/**
 * A call has 50 frames of sound a second, and fewer messages. Frames that were held up for five seconds come at once.
 */
const frames_per_second_max = 1_000
/** This many bytes are parsed before other work runs. The shortest frame has six bytes. */
const piece_bytes = 4 * 1024

/**
 * A client that has shown no token may send this much in all. The first two messages of a carrier have less than 1 kB.
 */
const silent_max = { frames: 2, bytes: 4 * 1024 }

/** One message may come in this many frames. The library counts messages, and not the frames that they come in. */
export const message_frames_max = 8

export interface ReadingBounds {
  bytes_per_second_max?: number
  /** Whether the client has shown no token. */
  isSilent?: () => boolean
  /** Called before the socket of a client that has sent too much is closed. */
  onExcess?: () => void
}

/**
 * Reads a connection in pieces, so that other work runs between them: the pieces of all sockets share their time. A
 * client that sends more than any call needs is disconnected, also while the socket is being closed. A client that has
 * shown no token may send little in all.
 */
export function boundReading(socket: WebSocket, connection: Duplex, bounds: ReadingBounds): void {
  const { bytes_per_second_max = Infinity, isSilent = () => false, onExcess = () => {} } = bounds
  const total = { frames: 0, bytes: 0 }
  let window = { since: clock.ticks(), frames: 0, bytes: 0 }
  let is_waiting = false
  const count = (frames: number, bytes: number) => {
    const now = clock.ticks()
    if (now - window.since > 1_000) window = { since: now, frames: 0, bytes: 0 }
    window.frames += frames
    window.bytes += bytes
    total.frames += frames
    total.bytes += bytes
    if (window.frames > frames_per_second_max || window.bytes > bytes_per_second_max) cutOff()
    if (total.frames > silent_max.frames && isSilent()) cutOff()
  }
  const cutOff = () => {
    if (connection.destroyed) return
    onExcess()
    // Drops the bytes that have come already, which the library would parse.
    connection.removeAllListeners('data')
    while (connection.readableLength > 0) connection.read()
    socket.terminate()
  }
  const readPiece = () => {
    if (is_waiting) return
    const bytes_max = isSilent() ? Math.min(piece_bytes, silent_max.bytes - total.bytes) : piece_bytes
    if (bytes_max <= 0 && connection.readableLength > 0) return cutOff()
    // The listeners of `data` get the piece. Reading all that is left also ends a stream that has no more.
    const piece: Buffer | null = connection.read(connection.readableLength > bytes_max ? bytes_max : undefined)
    if (piece) count(0, piece.length)
    if (connection.readableLength === 0) return
    is_waiting = true
    void letOthersRun({ is_urgent: true }).then(() => {
      is_waiting = false
      readPiece()
    })
  }
  for (const event of ['message', 'ping', 'pong']) socket.on(event, () => count(1, 0))
  // A stream with a listener of `readable` doesn't flow by itself.
  connection.on('readable', readPiece)
}
