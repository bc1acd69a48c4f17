import assert from 'node:assert/strict'
import * as command_keys from '../../../server/api-keys/command-keys.ts'
import * as api_keys from '../../../server/api-keys/store.ts'
import { sealed_columns } from '../../../server/cli/secrets.ts'
import { readConfig } from '../../../server/config.ts'
import { live_kinds } from '../../../server/due-kinds.ts'
import { inTransaction } from '../../../server/kit/at.ts'
import * as clock from '../../../server/kit/clock.ts'
import { hashOf } from '../../../server/kit/crypto/secret.ts'
import { listPlacements } from '../../../server/kit/postgres/citus/nodes.ts'
import { isCurrent, isMigrated, listNames, listUnknown } from '../../../server/kit/postgres/migrate.ts'
import { sql } from '../../../server/kit/postgres/sql.ts'
import { countRows, hasRows, listTables } from '../../../server/kit/postgres/tables.ts'
import { sealed_column as two_factor_column } from '../../../server/people/sealed.ts'
import * as people from '../../../server/people/store.ts'
import * as two_factor from '../../../server/people/two-factor.ts'
import { readStatus } from '../../../server/status.ts'
import * as workspaces from '../../../server/workspaces/store.ts'
import { isCluster } from '../cluster.ts'
import { migrations, type Server } from '../harness.ts'

/** What the command line and the start of the service send. */
export async function runCommands(server: Server): Promise<void> {
  await readTheStatus(server)
  const { pool } = server
  const { id, key } = await server.workspace()
  const at = server.at(id)
  await isMigrated(pool)
  await isCurrent(pool, listNames(migrations))
  await listUnknown(pool, migrations)
  const [table] = await listTables(pool)
  await hasRows(pool, table?.name ?? '')
  await countRows(pool, table?.name ?? '')
  await server.fetch('GET', '/ready')
  await workspaces.haveAny({ db: pool })
  const [{ name = '' } = {}] = await workspaces.list({ db: pool })
  await workspaces.find({ db: pool }, name)
  await workspaces.readSettings(at)
  await people.list({ db: pool })
  await inTransaction(at, (at) => api_keys.ensure(at, { token: key, key: { name, scopes: null, expires_at: null } }))
  const [found] = await api_keys.findByHashes({ db: pool }, [hashOf(key)])
  await api_keys.listAll({ db: pool })
  await api_keys.recordUses({ db: pool }, [{ workspace_id: id, id: found?.id ?? '', used_at: clock.wall() }])
  await api_keys.findOwner({ db: pool }, found?.id ?? '')
  await inTransaction(at, (at) => api_keys.revokeAny(at, found?.id ?? ''))
  const command_key = await command_keys.create(pool, { workspace: id, name, scopes: [] })
  await command_keys.extend(pool, command_key)
  await command_keys.remove(pool, { workspace: id, ids: [command_key.id] })
  await two_factor.reset(at, id)
  for (const { list, replace } of [...sealed_columns, two_factor_column]) {
    await list(at, undefined, 1)
    await replace(at, [])
  }
}

/** Reads the status with work that waits, and also as on a sharded database. */
async function readTheStatus({ pool, workspace }: Server): Promise<void> {
  const { id } = await workspace()
  const read = async () => {
    const { attention } = await readStatus(pool, readConfig({}))
    assert.ok(!attention.some((sentence) => sentence.includes('could not be read')), attention.join(' '))
  }
  for (const { kind } of live_kinds)
    await pool.run(sql`insert into due_workspaces (workspace_id, kind, due_at) values (${id}, ${kind}, '-infinity')`)
  await read()
  if (isCluster()) return
  await pool.script(
    'create table pg_dist_partition (); create table pg_dist_placement (shardid bigint, groupid integer)',
  )
  await listPlacements(pool)
  await pool.script('drop table pg_dist_partition, pg_dist_placement')
}
