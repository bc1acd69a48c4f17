import type { InWorkspace } from '../kit/at.ts'
import { sql } from '../kit/postgres/sql.ts'
import type { SpeechPart } from '../talk/state.ts'
import type { Turn } from './schema.ts'
import { turnColumns } from './turns.ts'

/** A call ends long before. */
const turns_max = 10_000

/** A turn of a call. `speech` is empty for what was not spoken. */
export interface SpokenTurn extends Turn {
  speech: SpeechPart[]
}

/** Lists the finished turns of a call, oldest first. */
export const listSpoken = ({ db, workspace }: InWorkspace, conversation_id: string): Promise<SpokenTurn[]> =>
  db.many<SpokenTurn>(
    sql`select ${turnColumns(workspace, [{ id: conversation_id }])}, coalesce(speech, '[]') as speech from conversation_turns as turn
      where workspace_id = ${workspace} and conversation_id = ${conversation_id} and not is_open
      order by seq limit ${turns_max}`,
  )
