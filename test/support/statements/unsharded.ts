import { lastPositions } from '../../../server/events/positions.ts'
import { inTransaction } from '../../../server/kit/at.ts'
import * as workspaces from '../../../server/workspaces/store.ts'
import type { Server } from '../harness.ts'
import { getInTwoWorkspaces } from './gets.ts'

/** Sends the statements that only a database gets that isn't sharded. */
export async function sendUnsharded(server: Server): Promise<void> {
  const { id } = await server.workspace()
  await inTransaction(server.at(id), workspaces.lock)
  await lastPositions(server.pool, [id, (await server.workspace()).id])
  await getInTwoWorkspaces(server)
}
