import { randomBytes } from 'node:crypto'
import type { Config } from '../../server/config.ts'
import { withDatabase } from '../support/database.ts'
import { openServer, type Server, testPool } from '../support/harness.ts'

/** Runs `work` with this many servers on one database: that of the test run, or a new one. */
export async function withServers(
  count: number,
  changes: Partial<Config>,
  work: (servers: Server[]) => Promise<void>,
): Promise<void> {
  const settings = { secrets_key: randomBytes(32).toString('base64'), ...changes }
  const runWith = async (url: string) => {
    const servers: Server[] = []
    try {
      while (servers.length < count) servers.push(await openServer(testPool(url), settings))
      await work(servers)
    } finally {
      for (const server of servers) await server.close()
    }
  }
  const url = process.env.TEST_DATABASE_URL
  await (url ? runWith(url) : withDatabase('.cache/scenarios', runWith))
}
