import { Console } from 'node:console'
import type { Readable, Writable } from 'node:stream'

/** The parts of `process` that the command line uses. Tests run commands in their own process, with another shell. */
export interface Shell {
  env: Record<string, string | undefined>
  stdin: Readable & { isTTY?: boolean; setRawMode?: (is_raw: boolean) => unknown }
  stdout: Writable & { isTTY?: boolean }
  stderr: Writable & { isTTY?: boolean }
  /** The exit status of a command that ends by itself. */
  exitCode?: number | string | null | undefined
  exit: (code: number) => void
  on: {
    (event: StopSignal | 'disconnect', listener: () => void): unknown
    (event: 'message', listener: (message: unknown) => void): unknown
    (event: 'uncaughtException', listener: (error: Error) => void): unknown
  }
  /** The connection to the launcher. */
  connected?: boolean
  channel?: { unref: () => void } | null | undefined
  send?: (message: unknown, handle: undefined, options: undefined, onSent: () => void) => unknown
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** Returns a console that prints lines. Unlike `write`, it doesn't fail when nobody reads them any more. */
export const consoleOf = ({ stdout, stderr }: Shell): Console => new Console({ stdout, stderr, colorMode: false })

/** Returns the same shell, whose output can't command a terminal, whatever a server or a file has sent. */
export function safeShell(shell: Shell): Shell {
  const streams = { stdout: safeStream(shell.stdout), stderr: safeStream(shell.stderr) }
  return replaceMembers(shell, streams)
}

/** Makes a stream safe. Bytes are a file, and are changed only on a terminal. */
function safeStream<Stream extends Shell['stdout']>(stream: Stream): Stream {
  const decoder = new TextDecoder()
  const toSafeChunk = (chunk: unknown): unknown => {
    if (typeof chunk === 'string') return toSafe(chunk)
    return stream.isTTY && chunk instanceof Uint8Array ? toSafe(decoder.decode(chunk, { stream: true })) : chunk
  }
  const write = (chunk: unknown, ...more: []) => stream.write(toSafeChunk(chunk), ...more)
  return replaceMembers(stream, { write })
}

/** Matches what commands themselves send to a terminal: colors, and a line that is written over. */
const own = String.raw`^\r|\r\n|\u001b\[(?:1|22|31|32|39)m|\u001b\[K$`
/** Matches control characters but tabs and line feeds, and what changes the direction of text. */
const unsafe = String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]`
const own_or_unsafe = new RegExp(`(${own})|${unsafe}`, 'g')

/** Escapes unsafe characters as JSON does, so that JSON stays what it is. */
const toSafe = (text: string): string =>
  text.replace(own_or_unsafe, (found, is_own?: string) => (is_own === undefined ? escaped(found) : found))

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Returns the object itself but for these members. It is no copy, because `process` and its streams keep what they need
 * in themselves.
 */
function replaceMembers<Whole extends object>(whole: Whole, members: Partial<Record<string, unknown>>): Whole {
  return new Proxy(whole, {
    get(target, name) {
      if (typeof name === 'string' && Object.hasOwn(members, name)) return members[name]
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
    set: (target, name, value) => Reflect.set(target, name, value),
  })
}

/**
 * Writes an entry of a list that has one for each line. Further lines of an entry are indented, so that none looks like
 * an entry.
 */
export const asEntry = (text: string): string => `${text.replaceAll('\n', '\n    ')}\n`
