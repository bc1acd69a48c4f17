import type { Config } from '../../server/config.ts'
import { withDatabase } from '../support/database.ts'
import { openServer, type Server, testPool } from '../support/harness.ts'

/** Gives the work so many servers over one database, as so many processes: the run's, or in a plain script one of its own. */
export async function withServers(
  count: number,
  changes: Partial<Config>,
  work: (servers: Server[]) => Promise<void>,
): Promise<void> {
  const over = async (url: string) => {
    const servers: Server[] = []
    try {
      while (servers.length < count) servers.push(await openServer(testPool(url), changes))
      await work(servers)
    } finally {
      for (const server of servers) await server.close()
    }
  }
  const url = process.env.TEST_DATABASE_URL
  await (url ? over(url) : withDatabase('.cache/scenarios', over))
}
