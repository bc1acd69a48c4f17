import { randomBytes } from 'node:crypto'
import * as clock from '../../server/kit/clock.ts'
import type { Database } from '../database.ts'
import { addContacts, addTenant, serviceOn } from '../fill.ts'
import { type Server, startServer } from '../processes.ts'
import type { Tenant } from '../rows.ts'

export const workspaces = 8

/** A service on one of the two databases, and what is measured there. */
export interface Side {
  database: Database
  server: Server
  tenants: Tenant[]
}

/** Starts the service on the database, with its workspaces and their contacts. */
export async function openSide(stack: AsyncDisposableStack, database: Database, signal: AbortSignal): Promise<Side> {
  const server = await startServer(stack, 'bin/parley.mjs', ['serve'], {
    DATABASE_URL: database.url,
    PORT: '0',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_SECOND: '0',
  })
  const service = serviceOn(database.pool)
  const tenants: Tenant[] = []
  while (tenants.length < workspaces) {
    signal.throwIfAborted()
    const tenant = await addTenant(database.pool, `Workspace ${tenants.length}`)
    tenant.ids = await addContacts(service, tenant.workspace_id, 0, clock.wall())
    tenants.push(tenant)
  }
  return { database, server, tenants }
}
