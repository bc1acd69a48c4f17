import { parentPort } from 'node:worker_threads'
import { type Blocks, UnreadableError } from './blocks.ts'
import { decoderNamed } from './encoding.ts'
import type { FileKind } from './kinds.ts'
import { cutPassages, type ParsedPassage } from './passages.ts'

/** An order for the thread: a file, and then `more` whenever the receiver is ready for more of its passages. */
export type ParseOrder = { type: 'read'; kind: FileKind; file: Uint8Array } | { type: 'more' }

/**
 * A message of the thread. For each file it sends `reading` first and `end` last. A failure before `reading` has
 * nothing to do with the file.
 */
export type ParseMessage =
  | { type: 'reading' }
  | { type: 'passages'; passages: ParsedPassage[] }
  | { type: 'end'; characters: number }
  | { type: 'unreadable'; reason: string }

/** The thread sends this many passages at a time. The receiver asks for more, so that it doesn't get all at once. */
const passages_per_message = 200

const send = (message: ParseMessage): void => parentPort?.postMessage(message)
let sendMore: () => void = () => {}

// Only `reader-process.ts` starts the thread. An error that `read` throws ends it.
parentPort?.on('message', (order: ParseOrder) => {
  if (order.type === 'more') sendMore()
  else void read(order)
})

async function read({ kind, file }: Extract<ParseOrder, { type: 'read' }>): Promise<void> {
  const readBlocks = await readerOf(kind)
  send({ type: 'reading' })
  try {
    const { all } = await readBlocks(Buffer.from(file.buffer, file.byteOffset, file.byteLength))
    const passages = cutPassages(all)
    if (passages.length === 0) throw new UnreadableError('The file has no text.')
    for (let index = 0; index < passages.length; index += passages_per_message) {
      const { promise: more, resolve } = Promise.withResolvers<void>()
      sendMore = resolve
      send({ type: 'passages', passages: passages.slice(index, index + passages_per_message) })
      await more
    }
    send({ type: 'end', characters: passages.reduce((sum, { text }) => sum + text.length, 0) })
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error
    send({ type: 'unreadable', reason: error.message })
  }
}

/** Returns the reader of a kind. It imports only what it needs. */
async function readerOf(kind: FileKind): Promise<(bytes: Buffer) => Blocks | Promise<Blocks>> {
  switch (kind) {
    case 'pdf':
      return (await import('./pdf.ts')).readPdf
    case 'word':
      return (await import('./word.ts')).readWord
    case 'html': {
      const { readHtml } = await import('./html.ts')
      return (bytes) => readHtml(decode(bytes, decoderIn(bytes)))
    }
    case 'csv': {
      const { readCsv } = await import('./csv.ts')
      return (bytes) => readCsv(decode(bytes))
    }
    case 'markdown': {
      const { readMarkdown } = await import('./markdown.ts')
      return (bytes) => readMarkdown(decode(bytes))
    }
    case 'text': {
      const { readText } = await import('./text.ts')
      return (bytes) => readText(decode(bytes))
    }
  }
}

/**
 * Decodes a file. Bytes that are no UTF-8, without a mark of UTF-16, were written by an old program for Windows, if
 * nothing says otherwise.
 */
function decode(bytes: Buffer, otherwise = new TextDecoder('windows-1252')): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return otherwise.decode(bytes)
  }
}

/** Returns a decoder for the encoding that a page says it has. */
function decoderIn(bytes: Buffer): TextDecoder | undefined {
  const start = bytes.toString('latin1', 0, 2_048)
  return decoderNamed(/<meta[^>]{0,200}charset=["']?([\w.:-]{1,40})/i.exec(start)?.[1])
}
