import type { At, InWorkspace } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import * as page from '../kit/postgres/page.ts'
import { type IdRange, pageById } from '../kit/postgres/page-by-id.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { truncate } from '../kit/text.ts'
import * as files from './files.ts'
import { type Question, type QuestionQuery, query_length_max } from './schema.ts'

const kept_ms = 30 * clock.day_ms
const delete_batch_rows = 1_000
/** A workspace keeps this many questions, the newest. */
const questions_max = 10_000

/** Notes a question for which nothing was found. */
export async function note(
  { db, workspace, now }: At,
  { question, agent_id, conversation_id }: Omit<Question, 'id' | 'created_at'>,
): Promise<void> {
  await db.run(
    sql`insert into document_questions (workspace_id, id, question, agent_id, conversation_id, created_at)
      values (${workspace}, ${newId()}, ${truncate(question, query_length_max)}, ${agent_id}, ${conversation_id}, ${clock.iso(now)})`,
  )
}

export function list({ db, workspace, now }: At, query: QuestionQuery): Promise<page.Page<Question>> {
  const { agent_id } = query
  const own = sql`select id, question, agent_id, conversation_id, created_at from document_questions
    where workspace_id = ${workspace} and created_at > ${clock.iso(now - kept_ms)}
      ${agent_id === undefined ? raw('') : sql`and agent_id::text = ${agent_id}`}`
  return page.readSelection<Question>(db, query, page.newest_first, own)
}

/** Lists the questions of these conversations, in the order of their ids. */
export const listOf = ({ db, workspace }: InWorkspace, conversation_ids: string[], range: IdRange) =>
  db.many<Question>(
    pageById('document_questions', workspace, {
      columns: raw('id, question, agent_id, conversation_id, created_at'),
      where: sql`conversation_id = any(${conversation_ids}::uuid[])`,
      ...range,
    }),
  )

/** Deletes the questions of conversations. Whoever erases what was said in them calls this. */
export const forget = ({ db, workspace }: InWorkspace, conversation_ids: string[]): Promise<number> =>
  db.run(
    sql`delete from document_questions where workspace_id = ${workspace} and conversation_id = any(${conversation_ids}::uuid[])`,
  )

/** Deletes old questions, and uploads that no document has taken over. */
export async function removeOld(at: At, isStopping?: IsStopping): Promise<void> {
  const { db, workspace, now } = at
  const limit = raw(String(delete_batch_rows))
  const removeBatch = () =>
    db.run(
      sql`delete from document_questions where workspace_id = ${workspace} and id = any(array(
        select id from document_questions where workspace_id = ${workspace} and created_at <= ${clock.iso(now - kept_ms)}
        order by created_at limit ${limit}))`,
    )
  await inBatches(delete_batch_rows, removeBatch, isStopping)
  const removeMany = () =>
    db.run(
      sql`delete from document_questions where workspace_id = ${workspace} and id = any(array(
        select id from document_questions where workspace_id = ${workspace}
        order by created_at desc, id desc offset ${raw(String(questions_max))} limit ${limit}))`,
    )
  await inBatches(delete_batch_rows, removeMany, isStopping)
  await files.removeUnused(at, { before: now - clock.day_ms, isStopping })
}
