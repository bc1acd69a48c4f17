import { inTransaction } from '../../../server/kit/at.ts'
import * as workspaces from '../../../server/workspaces/store.ts'
import type { Server } from '../harness.ts'

/** Sends the statements that only a database gets that isn't sharded. */
export async function sendUnsharded({ workspace, at }: Server): Promise<void> {
  const { id } = await workspace()
  await inTransaction(at(id), workspaces.lock)
}
