import * as calls from '../../calls/queue.ts'
import { callWatch } from '../../calls/store.ts'
import { conversationWatch } from '../../conversations/stream.ts'
import { type At, inTransaction } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { isId } from '../../kit/id.ts'
import { sql, toArrayLiteral } from '../../kit/postgres/sql.ts'
import * as messages from '../../messages/withdraw.ts'
import * as counts from '../counts.ts'
import { type LastColumn, takeBackDialing } from '../enrollment-rows.ts'
import { stopClaims } from '../rows.ts'

/** Limits the wait for a carrier. One that answers no sooner has the call by now, or never gets it. */
const wait_max_ms = 15_000

/**
 * Prepares to pause or cancel a campaign, so that no call goes out after the answer. The dialer claims nothing from
 * here on. Calls that were claimed and not dialled are taken back, those that are being dialled are waited for, and
 * those that the carrier has no time for are ended.
 */
export async function hold(at: At, id: string): Promise<void> {
  if (!isId(id) || !(await stopClaims(at, id))) return
  const threads = await inTransaction(at, (at) => takeBackUnsent(at, id))
  const until = clock.ticks() + wait_max_ms
  for (;;) {
    const [call_ids, conversation_ids] = await Promise.all([
      calls.findDialing(at, id),
      messages.findSending(at, threads),
    ])
    if (call_ids.length === 0 && conversation_ids.length === 0) return
    if (call_ids.length > 0 && (await inTransaction(at, (at) => calls.endWaiting(at, id))) > 0) continue
    const rest_ms = until - clock.ticks()
    if (rest_ms <= 0) return
    await waitForLook(at, { call_ids, conversation_ids, rest_ms })
  }
}

interface AttemptsUnderWay {
  call_ids: string[]
  conversation_ids: string[]
  rest_ms: number
}

/** Resolves when the watch has looked at one of the rows: after a commit of this process at once, else with its next poll. */
async function waitForLook(at: At, { call_ids, conversation_ids, rest_ms }: AttemptsUnderWay): Promise<void> {
  const looked = Promise.withResolvers<void>()
  const stops = [
    ...call_ids.map((id) => callWatch.of(at).open(at, id, () => looked.resolve())),
    ...conversation_ids.map((id) => conversationWatch.of(at).open(at, id, () => looked.resolve())),
  ]
  const timer = setTimeout(looked.resolve, rest_ms)
  await looked.promise
  clearTimeout(timer)
  for (const stop of stops) stop()
}

/**
 * Takes back attempts that were not sent. Doesn't lock the campaign, because calls that end lock it after themselves.
 * Returns the conversations by SMS in which the first message is being sent.
 */
async function takeBackUnsent(at: At, campaign_id: string): Promise<string[]> {
  const { db, workspace } = at
  const threads = await db.many<{ id: string }>(
    sql`select last_conversation_id as id from enrollments
      where workspace_id = ${workspace} and campaign_id = ${campaign_id} and status = 'dialing'
        and last_conversation_id is not null`,
  )
  const ids = threads.map(({ id }) => id)
  await takeBack(at, {
    campaign_id,
    ids: await calls.withdraw(at, { campaign_id, which: 'all' }),
    column: 'last_call_id',
  })
  // The attempts are taken back before the conversations are closed, which would end them.
  const unsent = await messages.findUnsent(at, ids)
  await takeBack(at, { campaign_id, ids: unsent, column: 'last_conversation_id' })
  await messages.withdraw(at, unsent)
  return ids
}

/** Takes back calls that were not dialled in time, because a process was killed or is slow. The rules decide anew. */
export async function takeBackLate(at: At, campaign_id: string): Promise<void> {
  const ids = await calls.withdraw(at, { campaign_id, which: 'late' })
  await takeBack(at, { campaign_id, ids, column: 'last_call_id' })
}

interface TakeBack {
  campaign_id: string
  ids: string[]
  column: LastColumn
}

async function takeBack(at: At, { campaign_id, ids, column }: TakeBack): Promise<void> {
  if (ids.length === 0) return
  const { db, workspace } = at
  const of_calls = toArrayLiteral(ids)
  const back = await takeBackDialing(at, column, ids)
  await Promise.all([
    db.run(sql`delete from campaign_attempts where workspace_id = ${workspace} and id = any(${of_calls}::uuid[])`),
    counts.count(
      at,
      back.map(({ status }) => ({ campaign_id, counted: 'status', from: 'dialing', to: status })),
    ),
  ])
}
