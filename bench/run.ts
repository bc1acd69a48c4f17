import fs from 'node:fs'
import { parseArgs } from 'node:util'
import { SetupError } from '../server/kit/postgres/embedded/embedded.ts'
import { importing, rows_by_default } from './import/import.ts'
import { scale } from './scale/scale.ts'
import { throughput } from './throughput.ts'
import { delivering } from './webhooks/webhooks.ts'

const help = `Usage: npm run bench [-- OPTIONS]

Compares Parley with a plain handler and with the web framework alone, on this machine, in under three minutes.
The table shows missed targets. The exit status is 0 unless the benchmark fails.

  --scale       measure lists and searches of 1,000,000 contacts, compared with plain SQL and smaller workspaces
  --import      measure a CSV import, compared with COPY of the same rows into the same table
  --webhooks    measure latency and throughput of webhooks to 200 endpoints, one of which hangs
  --rows COUNT  the number of rows for --import (default ${rows_by_default})
  --json FILE   also write the table to a file
  --help        show this help`

/** An error of the user. The message is one line. */
class UsageError extends Error {}

function parse() {
  try {
    return parseArgs({
      options: {
        json: { type: 'string' },
        scale: { type: 'boolean' },
        import: { type: 'boolean' },
        webhooks: { type: 'boolean' },
        rows: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    const [sentence] = String(Object(error).message).split(/\. |\n/)
    throw new UsageError(`${sentence} (npm run bench -- --help)`)
  }
}

function parseRows(rows: string | undefined): number {
  if (rows === undefined) return rows_by_default
  if (/^[1-9]\d{0,8}$/.test(rows)) return Number(rows)
  throw new UsageError('--rows must be a whole number, such as 1000000 (npm run bench -- --help)')
}

/** Aborts on a signal. The run then cleans up and ends. */
function onInterrupt(): AbortSignal {
  const controller = new AbortController()
  const abort = () => {
    // The launcher then doesn't pass on the same signal.
    if (process.connected) process.send?.('stopping')
    controller.abort(new UsageError('interrupted'))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, abort)
  process.on('disconnect', abort)
  process.channel?.unref()
  return controller.signal
}

async function main(): Promise<void> {
  const { json, scale: is_scale, import: is_import, webhooks: is_webhooks, rows, help: is_help } = parse()
  if (is_help) return console.log(help)
  await using stack = new AsyncDisposableStack()
  const signal = onInterrupt()
  const table = is_import
    ? await importing(stack, signal, parseRows(rows))
    : await (is_scale ? scale : is_webhooks ? delivering : throughput)(stack, signal)
  if (json !== undefined) fs.writeFileSync(json, `${JSON.stringify(table, null, 2)}\n`)
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const is_expected = error instanceof UsageError || error instanceof SetupError
    console.error(is_expected ? `bench: ${error.message}` : error)
    process.exit(1)
  },
)
