import { readSealed } from '../consent/secret.ts'
import type { InWorkspace } from '../kit/at.ts'
import { sql } from '../kit/postgres/sql.ts'

/** An erasure as a backup needs it to erase a person again. Nothing in it says who it was. */
export interface Exported {
  id: string
  contact_id: string
  /** The hashes of the person's numbers, in hexadecimal. */
  phone_hmacs: string[]
  created_at: string
  /** When the erasure ended. Null while it runs. */
  ended_at: string | null
}

export interface ExportedOfWorkspace {
  id: string
  /** The sealed secret with which the hashes were made. Null if nothing was erased. */
  ledger_secret: string | null
  erasures: Exported[]
}

/** Returns all erasures of the workspace, the oldest first. */
export async function exportAll(at: InWorkspace): Promise<ExportedOfWorkspace> {
  const { db, workspace } = at
  const erasures = await db.many<Exported>(
    sql`select id, contact_id, array(select encode(key, 'hex') from unnest(phone_hmacs) as key) as phone_hmacs, created_at, ended_at
      from erasures where workspace_id = ${workspace} order by created_at, id`,
  )
  return { id: workspace, ledger_secret: (await readSealed(at)) ?? null, erasures }
}
