import { Parley, ParleyError } from '../../sdk/src/index.ts'
import { SetupError } from '../kit/postgres/embedded/embedded.ts'
import { type Code, errorCode, errorMessage, Problem } from '../kit/problem.ts'

const timeout_ms = 30_000
const health_timeout_ms = 5_000

export { ParleyError as ApiError }
export type ApiClient = Parley

/** Sends requests to the API of a running service, as any client does. */
export const openApiClient = (address: string, apiKey: string): ApiClient =>
  new Parley({ apiKey, baseUrl: address, timeoutMs: timeout_ms })

/** Throws a SetupError that says what to do if no service answers at the address. */
export async function assertRunning(address: string): Promise<void> {
  const { ok, status } = await fetch(`${address}/health`, { signal: AbortSignal.timeout(health_timeout_ms) }).catch(
    (error: Error) => {
      throw notThere(address, reasonOf(error))
    },
  )
  if (!ok) throw notThere(address, `status ${status}`)
}

const reasonOf = (error: Error): string => errorCode(error.cause ?? error) ?? errorMessage(error.cause ?? error)

const notThere = (address: string, reason: string) =>
  new SetupError(
    `the service doesn't answer at ${address} (${reason}): start it, or set HOST and PORT, or PUBLIC_URL, as for the service`,
  )

/** What a command reports when the service has refused a request, or has not answered. */
export function toCommandError(error: unknown, address: string): unknown {
  if (!(error instanceof ParleyError)) return error
  const { code, status, message, cause } = error
  if (code === 'UNAUTHORIZED') {
    const reason = 'it uses another database, or the key has expired'
    return new Problem(code, `the service at ${address} doesn't accept the key of this command: ${reason}`)
  }
  if (status === 0) return notThere(address, cause instanceof Error ? reasonOf(cause) : message)
  if (code === 'UNEXPECTED_ANSWER') return notThere(address, `status ${status}`)
  // The other codes are those of problems.
  return new Problem(code as Code, message)
}

/** The first items of a list. */
export async function takeFirst<Item>(list: AsyncIterable<Item>, items_max: number): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of list) if (items.push(item) === items_max) break
  return items
}
