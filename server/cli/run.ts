import type { Database, DatabaseOptions } from '../database.ts'
import type { Service } from '../kit/at.ts'
import { consoleOf, type Shell } from '../start/shell.ts'

/** The result of a command: `data` is printed with --json, `text` without. */
export interface Answer {
  data: object
  text: string
  /** The exit status is 1. */
  has_failed?: boolean
}

/** Opens the database, runs `work`, prints its answer, if it has one, and closes the database. */
export type Run = (
  work: (service: Service, shell: Shell, database: Database) => Promise<Answer | undefined>,
  options?: RunOptions,
) => Promise<void>

type RunOptions = Pick<DatabaseOptions, 'may_create' | 'must_be_empty'>

export function createRun(shell: Shell, isJson: () => boolean): Run {
  const console = consoleOf(shell)
  return async (work, options = { may_create: false }) => {
    const [{ addressOf, readConfig }, { openDatabase }, { openLog }] = await Promise.all([
      import('../config.ts'),
      import('../database.ts'),
      import('../kit/log.ts'),
    ])
    const config = readConfig(shell.env)
    const log = openLog(config.log_level === 'info' ? 'warn' : config.log_level)
    const database = await openDatabase(config, { as: 'command', ...options, say: console.error, log })
    console.error(`Using ${database.name}`)
    const [{ openService }, { readSecretsKeys }] = await Promise.all([
      import('../service.ts'),
      import('../start/secrets-key.ts'),
    ])
    const with_keys = { ...config, ...readSecretsKeys(config) }
    const service = openService(database.pool, with_keys, () => addressOf(config, config.port))
    try {
      const answer = await work(service, shell, database)
      if (answer) console.log(isJson() ? JSON.stringify(answer.data) : answer.text)
      if (answer?.has_failed) shell.exitCode = 1
    } finally {
      await service.tools.outbound.close()
      await database.close()
    }
  }
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
