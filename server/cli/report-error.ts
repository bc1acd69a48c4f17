import { InstallError } from '../audio/speech-install.ts'
import { ConfigError } from '../config.ts'
import { SetupError } from '../kit/postgres/embedded/embedded.ts'
import { errorMessage, Problem } from '../kit/problem.ts'
import { product } from '../product.ts'
import { consoleOf, type Shell } from '../start/shell.ts'
import { AmbiguousError, UsageError } from './command.ts'

/** Prints an error on standard error. With `is_json` the last line is `{"error": {"code", "message"}}`, with `details` if there are some. */
export function reportError(shell: Shell, error: unknown, { is_json }: { is_json: boolean }): void {
  const console = consoleOf(shell)
  const code = errorCode(error)
  const message = errorMessage(error)
  // The stack of a bug is printed in both forms.
  if (code === 'INTERNAL_ERROR') console.error(error)
  const details = error instanceof Problem && Object.keys(error.details).length > 0 ? error.details : undefined
  if (is_json) console.error(JSON.stringify({ error: { code, message, details } }))
  else if (error instanceof UsageError) console.error(`${product.short_name}: ${message} (${error.help})`)
  else if (code !== 'INTERNAL_ERROR') console.error(`${product.short_name}: ${message}`)
}

function errorCode(error: unknown): string {
  if (error instanceof Problem) return error.code
  if (error instanceof UsageError || error instanceof AmbiguousError) return 'USAGE_ERROR'
  if ([ConfigError, SetupError, InstallError].some((type) => error instanceof type)) return 'SETUP_ERROR'
  return 'INTERNAL_ERROR'
}
