import { once } from 'node:events'
import { createServer } from 'node:net'
import { type Config, ConfigError } from '../config.ts'
import type { Shell } from './shell.ts'

/** PostgreSQL allows 100 connections, and commands need some. */
const embedded_connections_max = 90

/** Throws a ConfigError if the service can't run in this many processes. */
export function checkProcesses(processes: number, config: Config, shell: Shell): void {
  if (process.platform !== 'linux') throw new ConfigError('--processes works on Linux only')
  if (!shell.connected) throw new ConfigError('--processes needs the launcher: run npx parley serve')
  const connections = processes * config.database_pool_size
  if (config.database_url || connections <= embedded_connections_max) return
  throw new ConfigError(
    `--processes times DATABASE_POOL_SIZE must be at most ${embedded_connections_max} with the embedded PostgreSQL, but is ${connections}`,
  )
}

/**
 * Fails if the port is in use. Processes that share a port wouldn't notice that another service of the same user shares
 * it, too.
 */
export async function checkPort({ host, port }: Config): Promise<void> {
  const server = createServer().listen({ host, port })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}
