import { consoleOf, type Shell } from '../start/shell.ts'
import {
  type ApiClient,
  ApiError,
  assertRunning,
  type Hints,
  local_hint,
  openApiClient,
  toCommandError,
} from './api-client.ts'
import { UsageError } from './command.ts'
import { findLogin, type Login } from './logins.ts'
import { type Answer, printAnswer } from './run.ts'

/** The running service that a command asks, and one of its workspaces. */
export interface Target {
  api: ApiClient
  address: string
  workspace: Login['workspace']
  shell: Shell
  is_json: boolean
  /** Returns the error to report instead of an error of the API. */
  toCommandError: (error: unknown) => unknown
}

interface AskOptions {
  /** The name of the workspace. */
  workspace?: string | undefined
  /** The name of the key that the command gets on the machine of the service. */
  command: string
  /** The scopes of that key. */
  scopes: string[]
  /** Restricts the choice to test workspaces, if no name is given. */
  of_kind?: 'test'
}

/** Runs `work` with the API of the running service, and prints its answer, if it has one. */
export type Ask = (options: AskOptions, work: (target: Target) => Promise<Answer | undefined>) => Promise<void>

export function createAsk(shell: Shell, isJson: () => boolean): Ask {
  return async ({ workspace = shell.env.PARLEY_WORKSPACE || undefined, ...options }, work) => {
    const login = findLogin(shell, workspace)
    const askFor = (given: Omit<Target, 'toCommandError' | 'shell' | 'is_json'>, hints: Omit<Hints, 'address'>) => {
      const toReported = (error: unknown) => toCommandError(error, { address: given.address, ...hints })
      return work({ ...given, shell, is_json: isJson(), toCommandError: toReported }).catch((error: unknown) => {
        throw toReported(error)
      })
    }
    const answer = login
      ? await askElsewhere(shell, login, workspace, askFor)
      : await askHere(shell, { ...options, workspace }, askFor)
    if (answer) printAnswer(shell, answer, isJson())
  }
}

type AskFor = (
  target: Pick<Target, 'api' | 'address' | 'workspace'>,
  hints: Omit<Hints, 'address'>,
) => Promise<Answer | undefined>

const hints_elsewhere = {
  unreachable: 'check PARLEY_URL, or the URL of parley login',
  unauthorized: 'it is wrong, revoked or expired. Set PARLEY_API_KEY, or run parley login',
}

async function askElsewhere(
  shell: Shell,
  { url, api_key, workspace: known }: NonNullable<ReturnType<typeof findLogin>>,
  name: string | undefined,
  askFor: AskFor,
): Promise<Answer | undefined> {
  const api = openApiClient(url, api_key)
  const workspace = known ?? (await readWorkspace(api, url))
  if (!known && name !== undefined && ![workspace.name, workspace.id].includes(name))
    throw new UsageError(`PARLEY_API_KEY is of the workspace "${workspace.name}", not of "${name}"`)
  consoleOf(shell).error(`Using the workspace "${workspace.name}" at ${url}`)
  return askFor({ api, address: url, workspace }, hints_elsewhere)
}

/** Reads the workspace of the key. Throws an error to report. */
export const readWorkspace = (api: ApiClient, address: string): Promise<Login['workspace']> =>
  api.workspace.get().then(
    ({ id, name, kind }) => ({ id, name, kind }),
    (error: unknown) => {
      throw toCommandError(error, { address, ...hints_elsewhere })
    },
  )

const hints_here = {
  unreachable: local_hint,
  unauthorized: 'it uses another database, or the key has expired',
}

/** The key of a command that goes on is extended this often. */
const extend_every_ms = 20 * 60_000

/**
 * Asks the service on this machine with a key of its own, which it creates in the database of the service, and deletes
 * at the end, also after an error. After a kill the key stays for up to an hour.
 */
async function askHere(
  shell: Shell,
  { workspace: name, command, scopes, of_kind }: AskOptions,
  askFor: AskFor,
): Promise<Answer | undefined> {
  const [{ addressOf }, { openForCommand }, { chooseWorkspace }] = await Promise.all([
    import('../config.ts'),
    import('./open-for-command.ts'),
    import('./choose-workspace.ts'),
  ])
  const command_keys = await import('../api-keys/command-keys.ts')
  const { config, database } = await openForCommand(shell, { may_create: false, is_read_only: true })
  const { pool } = database
  try {
    const workspace = await chooseWorkspace(database, name, of_kind)
    const address = addressOf(config, config.port)
    await assertRunning(address)
    const key = await command_keys.create(pool, { workspace: workspace.id, name: `parley ${command}`, scopes })
    // A failure shows when the key has expired, because the service refuses it.
    const extending = setInterval(() => void command_keys.extend(pool, key).catch(() => {}), extend_every_ms)
    try {
      const api = openApiClient(address, key.token)
      await assertSameDatabase(api, address, workspace)
      return await askFor({ api, address, workspace }, hints_here)
    } finally {
      clearInterval(extending)
      await command_keys.remove(pool, { workspace: workspace.id, ids: [key.id] }).catch((error: Error) => {
        // The error is not thrown, because it would hide why the work has failed: when the service stops, so may its
        // database.
        shell.exitCode = 1
        consoleOf(shell).error(`The key ${key.id} was not deleted, and expires within an hour: ${error.message}`)
      })
    }
  } finally {
    await database.close()
  }
}

/** Fails if the service has another database, in which the key is not known. Another service must get no secrets. */
async function assertSameDatabase(api: ApiClient, address: string, { id }: Login['workspace']): Promise<void> {
  const found = await api.workspace.get().catch((error: unknown) => {
    throw toCommandError(error, { address, ...hints_here })
  })
  if (found.id !== id)
    throw toCommandError(new ApiError({ code: 'UNAUTHORIZED', message: '' }), { address, ...hints_here })
}
