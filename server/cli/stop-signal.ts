import type { Shell, StopSignal } from '../start/shell.ts'

/** The exit codes that shells report for these signals. */
const exit_codes: Record<StopSignal, number> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }

/** Returns a signal that Ctrl-C and other signals abort, and that is aborted when nobody reads the output any more. */
export function stopSignal(shell: Shell): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    shell.on(signal, () => {
      shell.exitCode = exit_codes[signal]
      stop.abort()
    })
  }
  shell.stdout.on('error', () => stop.abort())
  return stop.signal
}
