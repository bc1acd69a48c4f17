import { type Config, readConfig } from '../config.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../database.ts'
import { openLog } from '../kit/log.ts'
import { withAddressOfService } from '../start/address-file.ts'
import { consoleOf, type Shell } from '../start/shell.ts'

export type OpenOptions = Pick<DatabaseOptions, 'may_create' | 'must_be_empty' | 'is_read_only'>

/** Opens the database that the environment names, and prints which it is. */
export async function openForCommand(
  shell: Shell,
  options: OpenOptions,
): Promise<{ config: Config; database: Database }> {
  const console = consoleOf(shell)
  const config = withAddressOfService(readConfig(shell.env), shell.env)
  const log = openLog(config.log_level === 'info' ? 'warn' : config.log_level)
  const database = await openDatabase(config, { as: 'command', ...options, say: console.error, log })
  console.error(`Using ${database.name}`)
  return { config, database }
}
