import { readSealed } from '../consent/secret.ts'
import type { InWorkspace } from '../kit/at.ts'
import { sql } from '../kit/postgres/sql.ts'

/** What is needed to erase a person again: nothing in it says who it was. */
export interface Exported {
  id: string
  contact_id: string
  /** Hexadecimal. */
  phone_hmacs: string[]
  created_at: string
  /** Null while it runs. */
  ended_at: string | null
}

export interface ExportedOfWorkspace {
  id: string
  /** What the hashes were made with, sealed. Null if nothing was erased. */
  ledger_secret: string | null
  erasures: Exported[]
}

/** All erasures of the workspace, the oldest first. */
export async function exportAll(at: InWorkspace): Promise<ExportedOfWorkspace> {
  const { db, workspace } = at
  const erasures = await db.many<Exported>(
    sql`select id, contact_id, array(select encode(key, 'hex') from unnest(phone_hmacs) as key) as phone_hmacs, created_at, ended_at
      from erasures where workspace_id = ${workspace} order by created_at, id`,
  )
  return { id: workspace, ledger_secret: (await readSealed(at)) ?? null, erasures }
}
