import { test_times } from '../../../server/clocks/time.ts'
import { background_kinds, due_kinds, live_kinds } from '../../../server/due-kinds.ts'
import { lastPositions } from '../../../server/events/positions.ts'
import { addTenants } from '../../../server/kit/postgres/citus/tenants.ts'
import { sql } from '../../../server/kit/postgres/sql.ts'
import { readBacklogs } from '../../../server/kit/work/backlog.ts'
import { moveDue, noteAllDue } from '../../../server/kit/work/due.ts'
import { recordForPerson } from '../../../server/people/audit.ts'
import { due_deliveries } from '../../../server/webhooks/claims.ts'
import * as workspaces from '../../../server/workspaces/store.ts'
import type { Server } from '../harness.ts'
import { newContact } from '../samples.ts'
import { getInTwoWorkspaces } from './gets.ts'

/** Sends the statements that only a database gets that isn't sharded. */
export async function sendUnsharded(server: Server): Promise<void> {
  const { id } = await server.workspace()
  await addTenants(server.pool, workspaces.all_workspaces)
  await server.workspace().then(({ call }) => call('POST', '/contacts', newContact()))
  await lastPositions(server.pool, [id, (await server.workspace()).id])
  await getInTwoWorkspaces(server)
  await recordForPerson(server.at(id), { action: 'session.create', person_id: id })
  for (const kind of background_kinds)
    await server.pool.run(
      sql`insert into due_workspaces (workspace_id, kind, due_at) values (${id}, ${kind}, '-infinity')`,
    )
  await noteAllDue(server.pool, { kinds: due_kinds, workspaces: workspaces.all_workspaces })
  await moveDue(server.at(id), due_deliveries)
  await readBacklogs(server.pool, { kinds: live_kinds, test_times })
}
