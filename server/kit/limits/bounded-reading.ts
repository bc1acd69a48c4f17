import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import * as clock from '../clock.ts'
import { letOthersRun } from '../let-others-run.ts'

/** A call has 50 frames of sound a second, and fewer messages. What was held up for five seconds comes at once. */
const frames_per_second_max = 1_000
/** What is parsed before others run. The shortest frame has six bytes. */
const piece_bytes = 4 * 1024

/** Of whoever has shown no token. The two first messages of a carrier have less than 1 kB. */
const silent_max = { frames: 2, bytes: 4 * 1024 }

/** Of one message. The library counts messages, and not the frames that they come in. */
export const message_frames_max = 8

export interface ReadingBounds {
  bytes_per_second_max?: number
  /** Whether it has shown no token. */
  isSilent?: () => boolean
  /** Is called before the socket is closed. */
  onExcess?: () => void
}

/**
 * Reads what comes over the connection in pieces, so that others run between them: the pieces of all sockets share their time. Whoever
 * sends more than any call needs is disconnected, also while the socket is being closed. Whoever has shown no token may send little in
 * all.
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
    // The library would parse what has come already.
    connection.removeAllListeners('data')
    while (connection.readableLength > 0) connection.read()
    socket.terminate()
  }
  const readPiece = () => {
    if (is_waiting) return
    const bytes_max = isSilent() ? Math.min(piece_bytes, silent_max.bytes - total.bytes) : piece_bytes
    if (bytes_max <= 0 && connection.readableLength > 0) return cutOff()
    // Whoever listens to `data` gets it. To read all that is left also ends a stream that has no more.
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
  // While someone listens to this, the stream doesn't flow by itself.
  connection.on('readable', readPiece)
}
