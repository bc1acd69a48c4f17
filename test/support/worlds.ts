import { scopes } from '../../server/api.ts'
import { isWrite, type Operation, scopesOf, uploadOf } from '../../server/kit/http/operation.ts'
import { join, raw, sql } from '../../server/kit/postgres/sql.ts'
import { type Role, roles } from '../../server/people/roles.ts'
import * as people from '../../server/people/store.ts'
import type { Server, Tenant } from './harness.ts'
import { hasId, makeOnce, makeSample, pathFor, prepare } from './operations.ts'
import { newPerson, type TestPerson } from './sessions.ts'

/** A workspace in which an operation succeeds. */
export interface World {
  tenant: Tenant
  resource: string
  /** The path of the operation with the id of the resource, below the base path of a door. */
  address: string
}

/** Everything that requests need which are refused. */
interface FirstWorld extends World {
  /** For each scope of the operation, a key that has all others. */
  keys_without: Record<string, string>
  /** A key that has the scopes of the operation alone. */
  own_key: string
  rows: unknown[]
}

/** The worlds of one operation, for tests that run one after the other. */
export interface Worlds<Kind extends Operation = Operation> {
  operation: Kind
  /** The world in which all requests are refused, until `next` was called. */
  first: () => Promise<FirstWorld>
  /** A world for a request that succeeds: the same one, if the operation succeeds there again. */
  next: () => Promise<World>
  /** Members of all worlds. */
  persons: Record<Role, TestPerson>
  other: OtherWorkspace
  server: Server
}

/** A workspace beside those of all operations, with an owner who is in no other. */
interface OtherWorkspace {
  tenant: Tenant
  owner: TestPerson
}

/** Returns what opens the worlds of an operation. A request takes less time than the workspace that it is sent to, so tests share them. */
export async function openWorlds(server: Server) {
  const tenant = await server.workspace()
  const other = { tenant, owner: await newPerson(server, { [tenant.id]: 'owner' }) }
  const persons = {
    owner: await newPerson(server),
    member: await newPerson(server),
    viewer: await newPerson(server),
  }
  const rowsOf = await openRows(server)

  return function worldsOf<Kind extends Operation>(operation: Kind): Worlds<Kind> {
    async function newWorld(): Promise<World> {
      const tenant = await server.workspace()
      for (const role of roles) await people.join(server.at(tenant.id), { person_id: persons[role].id, role })
      const resource = await makeSample(operation, tenant)
      await prepare(operation, tenant, resource)
      return { tenant, resource, address: pathFor(operation, resource) }
    }
    const first = makeOnce(async () => {
      const world = await newWorld()
      const { id, newKey } = world.tenant
      const own = scopesOf(operation)
      const keys_without: Record<string, string> = {}
      for (const scope of own) keys_without[scope] = await newKey({ scopes: scopes.filter((other) => other !== scope) })
      const own_key = await newKey({ scopes: own })
      return { ...world, keys_without, own_key, rows: await rowsOf(id) }
    })
    let is_used = false
    const next = () => {
      const is_first = !is_used || isRepeatable(operation)
      is_used = true
      return is_first ? first() : newWorld()
    }
    return { operation, first, next, persons, other, server }
  }
}

/**
 * Whether the operation succeeds in the same way where it has succeeded. An upload doesn't: the examples of its two
 * types may have the same name.
 */
function isRepeatable(operation: Operation): boolean {
  if (['GET', 'PATCH'].includes(operation.method)) return true
  const creates = isWrite(operation) && operation.method === 'POST' && operation.status === 201
  return creates && !hasId(operation) && !uploadOf(operation)
}

/** Returns what reads all rows of a workspace, but for the times at which its keys were used. */
export async function openRows({ pool }: Server): Promise<(workspace_id: string) => Promise<unknown[]>> {
  const tables = await pool.many<{ table_name: string }>(
    sql`select table_name from information_schema.columns where table_schema = 'public' and column_name = 'workspace_id'`,
  )
  return (workspace_id) => {
    // One statement reads all tables, because there are many tables and operations.
    const each = tables.map(
      ({ table_name }) =>
        sql`select ${table_name}::text as table_name, to_jsonb(stored) - 'last_used_at' as row from ${raw(table_name)} as stored
          where workspace_id = ${workspace_id}`,
    )
    return pool.many(sql`${join(each, ' union all ')} order by 1, 2`)
  }
}
