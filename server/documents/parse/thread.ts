import { parentPort, workerData } from 'node:worker_threads'
import { type Blocks, UnreadableError } from './blocks.ts'
import { readCsv } from './csv.ts'
import { readHtml } from './html.ts'
import type { FileKind } from './kinds.ts'
import { readMarkdown, readText } from './markdown.ts'
import { cutPassages, type ParsedPassage } from './passages.ts'
import { readPdf } from './pdf.ts'
import { readWord } from './word.ts'

/** The thread gets this. */
export interface ParseRequest {
  kind: FileKind
  file: Uint8Array
}

/** The thread sends these, and `end` last. */
export type ParseMessage =
  | { type: 'passages'; passages: ParsedPassage[] }
  | { type: 'end'; characters: number }
  | { type: 'unreadable'; reason: string }

/** So that the receiver doesn't read all at once. */
const passages_per_message = 200

// Only `parser.ts` starts the thread.
const { kind, file } = workerData as ParseRequest
const send = (message: ParseMessage): void => parentPort?.postMessage(message)

try {
  const { all } = await read(Buffer.from(file.buffer, file.byteOffset, file.byteLength))
  const passages = cutPassages(all)
  if (passages.length === 0) throw new UnreadableError('The file has no text.')
  for (let index = 0; index < passages.length; index += passages_per_message)
    send({ type: 'passages', passages: passages.slice(index, index + passages_per_message) })
  send({ type: 'end', characters: passages.reduce((sum, { text }) => sum + text.length, 0) })
} catch (error) {
  if (!(error instanceof UnreadableError)) throw error
  send({ type: 'unreadable', reason: error.message })
}

async function read(bytes: Buffer): Promise<Blocks> {
  if (kind === 'pdf') return readPdf(bytes)
  if (kind === 'word') return readWord(bytes)
  const text = decode(bytes)
  if (kind === 'html') return readHtml(text)
  if (kind === 'csv') return readCsv(text)
  return kind === 'markdown' ? readMarkdown(text) : readText(text)
}

/** What is no UTF-8 and has no mark of UTF-16 was written by an old program for Windows. */
function decode(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
