import type { Database } from '../database.ts'
import type { Service } from '../kit/at.ts'
import { consoleOf, type Shell } from '../start/shell.ts'
import { findLogin } from './logins.ts'
import type { OpenOptions } from './open-for-command.ts'

/** The result of a command: `data` is printed with --json, `text` without. */
export interface Answer {
  data: object
  text: string
  /** Whether the command has failed. The exit status is then 1. */
  has_failed?: boolean
}

export function printAnswer(shell: Shell, { data, text, has_failed }: Answer, is_json: boolean): void {
  consoleOf(shell).log(is_json ? JSON.stringify(data) : text)
  if (has_failed) shell.exitCode = 1
}

/** Opens the database, runs `work`, prints its answer, if it has one, and closes the database. */
export type Run = (
  work: (service: Service, shell: Shell, database: Database) => Promise<Answer | undefined>,
  options?: OpenOptions,
) => Promise<void>

export function createRun(shell: Shell, isJson: () => boolean): Run {
  return async (work, options = { may_create: false }) => {
    await assertHere(shell)
    const [{ addressOf }, { openForCommand }] = await Promise.all([
      import('../config.ts'),
      import('./open-for-command.ts'),
    ])
    const { config, database } = await openForCommand(shell, options)
    const [{ openService }, { operator }, { readSecretsKeys }] = await Promise.all([
      import('../service.ts'),
      import('../events/actors.ts'),
      import('../start/secrets-key.ts'),
    ])
    const with_keys = { ...config, ...readSecretsKeys(config) }
    const service = { ...openService(database.pool, with_keys, () => addressOf(config, config.port)), actor: operator }
    try {
      const answer = await work(service, shell, database)
      if (answer) printAnswer(shell, answer, isJson())
    } finally {
      await service.tools.outbound.close()
      await database.close()
    }
  }
}

/**
 * Refuses a database on this machine when the last login is to a service elsewhere: it would most likely be another
 * one.
 */
async function assertHere(shell: Shell): Promise<void> {
  const { PARLEY_URL, DATABASE_URL, DATA_DIR } = shell.env
  const login = DATABASE_URL || DATA_DIR ? undefined : findLogin(shell)
  if (!login) return
  const [{ readConfig }, { hasCluster, SetupError }] = await Promise.all([
    import('../config.ts'),
    import('../kit/postgres/embedded/embedded.ts'),
  ])
  if (!PARLEY_URL && hasCluster(readConfig(shell.env).data_dir)) return
  throw new SetupError(
    `this command needs the database, which no operation of the service at ${login.url} gives: run it where the service ` +
      'runs, or set DATA_DIR or DATABASE_URL as for the service',
  )
}

export function formatTable(header: string[], rows: string[][]): string {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const formatRow = (row: string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [header, ...rows].map(formatRow).join('\n')
}
