import net from 'node:net'

export interface Talk {
  /** The next request, or undefined when there is no more to say. */
  next: () => Buffer | undefined
  /** Called with the status and the whole answer, in Latin-1. */
  answered: (status: number, answer: string) => void
}

const read_bytes = 64 * 1024
const length_field = 'content-length: '

/**
 * Says one request after the other on one connection, each when the one before is answered. A raw socket that looks
 * only at what it must: the load shares the processors with what it measures.
 */
export function converse(port: number, { next, answered }: Talk): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const buffer = Buffer.allocUnsafe(read_bytes)
  let text = ''

  const say = () => {
    const request = next()
    if (request) return void socket.write(request)
    resolve()
    socket.destroy()
  }
  const hear = (length: number) => {
    text += buffer.toString('latin1', 0, length)
    const answer = text
    const bytes = lengthOf(answer)
    if (bytes === undefined || answer.length < bytes) return
    if (answer.length > bytes) throw new Error(`more came than was announced: ${answer.slice(0, 500)}`)
    text = ''
    answered(Number(answer.slice(9, 12)), answer)
    say()
  }
  const callback = (length: number) => {
    try {
      hear(length)
    } catch (error) {
      reject(error)
      socket.destroy()
    }
    return true
  }
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } }, say)
  socket.on('error', reject)
  socket.on('close', () => reject(new Error('the server closed a connection')))
  return promise
}

/** Of head and body together; undefined as long as the head is not complete. */
function lengthOf(answer: string): number | undefined {
  const head = answer.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  const field = answer.indexOf(length_field)
  if (field === -1 || field > head) throw new Error(`an answer without ${length_field}${answer.slice(0, 500)}`)
  const value = field + length_field.length
  return head + 4 + Number(answer.slice(value, answer.indexOf('\r\n', value)))
}
