import * as api_keys from '../api-keys/store.ts'
import { newToken } from '../api-keys/token.ts'
import { type At, inTransaction, type Service } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { Problem } from '../kit/problem.ts'
import { consoleOf, type Shell, type StopSignal } from '../start/shell.ts'
import * as workspaces from '../workspaces/store.ts'
import { type ApiClient, assertRunning, openApiClient, toCommandError } from './api-client.ts'
import { findWorkspace } from './workspace-actions.ts'

/** Shells report these. */
const exit_codes: Record<StopSignal, number> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }

/** Finds the workspace with this name. Without a name it is the oldest one. */
export async function chooseWorkspace(service: Service, name: string | undefined): Promise<workspaces.ListedWorkspace> {
  if (name !== undefined) return findWorkspace(service, name)
  const [oldest] = await workspaces.list({ db: service.pool })
  if (!oldest) throw new Problem('NOT_FOUND', 'there is no workspace: start the service once')
  return oldest
}

export interface OwnKey {
  name: string
  scopes: string[]
  lasts_ms: number
}

/** Gives a command a key of its own. Revokes it also after an error or a signal. After a kill it expires. */
export async function withKey<T>(
  shell: Shell,
  at: At,
  { name, scopes, lasts_ms }: OwnKey,
  work: (token: string) => Promise<T>,
): Promise<T> {
  const token = newToken()
  const created_at = clock.wall()
  const key = { name, scopes, expires_at: clock.iso(created_at + lasts_ms) }
  const { id } = await inTransaction(at, (at) => api_keys.create(at, { token, key, created_at }))
  try {
    return await work(token)
  } catch (error) {
    throw toCommandError(error, at.tools.address())
  } finally {
    await inTransaction(at, (at) => api_keys.revokeAny(at, id)).catch((error: Error) => {
      // Not thrown, because it would hide why the work has failed: when the service stops, so may its database.
      shell.exitCode = 1
      consoleOf(shell).error(`The key ${id} was not revoked and expires at ${key.expires_at}: ${error.message}`)
    })
  }
}

/**
 * Gives a command the API of the running service, whose settings count and can't be seen from here: OUTBOUND_ALLOW_HOSTS and
 * the accounts of the environment. Without a service that uses this database it gets undefined, and says so on standard error.
 */
export async function withService<T>(
  shell: Shell,
  at: At,
  key: OwnKey,
  work: (api: ApiClient | undefined) => Promise<T>,
): Promise<T> {
  const address = at.tools.address()
  const workWithout = (what: string) => {
    consoleOf(shell).error(
      `${what}, so this command goes by its own settings, such as OUTBOUND_ALLOW_HOSTS. If the service runs elsewhere, ` +
        'set HOST and PORT, or PUBLIC_URL, as for the service.',
    )
    return work(undefined)
  }
  if (!(await isRunning(address))) return workWithout(`The service doesn't answer at ${address}`)
  return withKey(shell, at, { ...key, scopes: [...key.scopes, 'workspace:read'] }, async (token) => {
    const api = openApiClient(address, token)
    return (await isServiceOf(at, api)) ? work(api) : workWithout(`The service at ${address} uses another database`)
  })
}

export const isRunning = (address: string): Promise<boolean> =>
  assertRunning(address).then(
    () => true,
    () => false,
  )

/** Only a service with the same database knows the key and the workspace. Others must get no secrets. */
const isServiceOf = (at: At, api: ApiClient): Promise<boolean> =>
  api.workspace.get().then(
    ({ id }) => id === at.workspace,
    () => false,
  )

/** Aborted by Ctrl-C and other signals, and when nobody reads the output any more. */
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
