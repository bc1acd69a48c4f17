import type { Pool } from '../kit/postgres/pool.ts'
import { openRowWatch, type RowWatch } from '../kit/postgres/row-watch.ts'
import { raw } from '../kit/postgres/sql.ts'
import type { Conversation } from './schema.ts'
import { table } from './store.ts'

/** What tells whether something has happened in a conversation. */
export interface Snapshot extends Pick<Conversation, 'id' | 'status' | 'turn_count' | 'updated_at'> {
  last_answer_seq: number
}

declare module '../kit/at.ts' {
  interface Tools {
    watch: RowWatch<Snapshot>
  }
}

export const openWatch = (pool: Pool): RowWatch<Snapshot> =>
  openRowWatch(pool, { table, columns: raw('id, status, turn_count, updated_at, last_answer_seq') })
