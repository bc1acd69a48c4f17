import { Console } from 'node:console'
import type { Readable, Writable } from 'node:stream'

/** What the command line uses of `process`. Tests run commands in their own process, with another shell. */
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

/** Prints lines. Unlike `write`, it doesn't fail when nobody reads them any more. */
export const consoleOf = ({ stdout, stderr }: Shell): Console => new Console(stdout, stderr)
