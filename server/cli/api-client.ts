import { Parley, ParleyError } from '../../sdk/src/index.ts'
import { SetupError } from '../kit/postgres/embedded/setup-error.ts'
import { type Code, errorCode, errorMessage, Problem } from '../kit/problem.ts'

const timeout_ms = 30_000
const health_timeout_ms = 5_000

export { ParleyError as ApiError }
export type ApiClient = Parley

/** Sends requests to the API of a running service, as any client does. */
export const openApiClient = (address: string, apiKey: string): ApiClient =>
  new Parley({ apiKey, baseUrl: address, timeoutMs: timeout_ms })

export const local_hint = 'start it, or set HOST and PORT, or PUBLIC_URL, as for the service'

/** Throws a SetupError that says what to do if no service answers at the address. */
export async function assertRunning(address: string, hint = local_hint): Promise<void> {
  const { ok, status } = await fetch(`${address}/health`, { signal: AbortSignal.timeout(health_timeout_ms) }).catch(
    (error: Error) => {
      throw notThere(address, reasonOf(error), hint)
    },
  )
  if (!ok) throw notThere(address, `status ${status}`, hint)
}

export const isRunning = (address: string): Promise<boolean> =>
  assertRunning(address).then(
    () => true,
    () => false,
  )

const reasonOf = (error: Error): string => errorCode(error.cause ?? error) ?? errorMessage(error.cause ?? error)

const notThere = (address: string, reason: string, hint: string) =>
  new SetupError(`the service doesn't answer at ${address} (${reason}): ${hint}`)

/** The words in which a command reports what the service has refused, or has not answered. */
export interface Hints {
  address: string
  /** The advice if nobody answers at the address. */
  unreachable: string
  /** The reason why the key may not be accepted. */
  unauthorized: string
}

export function toCommandError(error: unknown, { address, unreachable, unauthorized }: Hints): unknown {
  if (!(error instanceof ParleyError)) return error
  const { code, status, message, details, cause } = error
  if (code === 'UNAUTHORIZED')
    return new Problem(code, `the service at ${address} doesn't accept the key of this command: ${unauthorized}`)
  if (status === 0) return notThere(address, cause instanceof Error ? reasonOf(cause) : message, unreachable)
  if (code === 'UNEXPECTED_ANSWER') return notThere(address, `status ${status}`, unreachable)
  // The other codes are those of problems.
  return new Problem(code as Code, message, details)
}

/** Returns the first items of a list. */
export async function takeFirst<Item>(list: AsyncIterable<Item>, items_max: number): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of list) if (items.push(item) === items_max) break
  return items
}
