import type { At } from '../at.ts'
import * as clock from '../clock.ts'
import { type IsStopping, inBatches } from './in-batches.ts'
import { raw, sql } from './sql.ts'

/** Where uploaded files are, and which table has their ids as `file_id` once they are used. */
interface Tables {
  files: string
  users: string
}

export interface Uploads {
  remove: (at: At, id: string) => Promise<number>
  /** Deletes a file unless it is used. */
  discard: (at: At, id: string) => Promise<void>
  /**
   * Deletes files that nothing uses and that are older than any upload in progress. It deletes one at a time, because a file can
   * have as many chunks as one statement should delete.
   */
  removeUnused: (at: At, options: { before: number; isStopping: IsStopping | undefined }) => Promise<void>
}

/** Deletes files that were stored while they arrived, before anything used them. */
export function uploadsIn(tables: Tables): Uploads {
  const [files, users] = [raw(tables.files), raw(tables.users)]
  return {
    remove({ db, workspace }, id) {
      return db.run(sql`delete from ${files} where workspace_id = ${workspace} and id = ${id}`)
    },
    async discard({ db, workspace }, id) {
      await db.run(
        sql`delete from ${files} where workspace_id = ${workspace} and id = ${id}
          and not exists (select from ${users} where workspace_id = ${workspace} and file_id = ${id})`,
      )
    },
    async removeUnused({ db, workspace }, { before, isStopping }) {
      const removeOne = () =>
        db.run(
          sql`delete from ${files} where workspace_id = ${workspace} and id = any(array(
            select id from ${files} as file where workspace_id = ${workspace} and created_at < ${clock.iso(before)}
              and not exists (select from ${users} as used where used.workspace_id = ${workspace} and used.file_id = file.id)
            order by created_at limit 1))`,
        )
      await inBatches(1, removeOne, isStopping)
    },
  }
}
