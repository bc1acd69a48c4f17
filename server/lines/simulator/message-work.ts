import * as channels from '../../channels/store.ts'
import { askingOf } from '../../consent/written.ts'
import { type At, atLater, inTransaction } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { type Sql, sql } from '../../kit/postgres/sql.ts'
import { Problem } from '../../kit/problem.ts'
import { announce, assertHeld, isHeld, type Lease, type RowWork } from '../../kit/work/rows.ts'
import { receive } from '../../messages/receive.ts'
import { record } from '../../messages/reports.ts'
import { findMessageThread, type MessageThread } from '../../messages/threads.ts'
import { onAttempt, personOf } from './people.ts'
import { drawFrom } from './random.ts'
import { chooseTexter, randomOf, replyTo, reportOn } from './texting.ts'

const table = 'simulated_messages'

export const report_after_ms = 2_000
const reply_after_ms = [20_000, 60_000] as const

/** The steps of a message: the carrier reports, then the person replies. */
const steps = { report: 0, reply: 1 }

interface Row {
  channel_id: string
  person: string
  step: number
}

export const carrierId = (message_id: string): string => `simulated-${message_id}`

/** Takes a message as a carrier does. A message that comes again has no effect. */
export async function accept(
  at: At,
  { id, channel_id, to }: { id: string; channel_id: string; to: string },
): Promise<void> {
  const { db, workspace, now } = atLater(at)
  const person = await chooseTexter(at, to)
  await db.run(
    sql`insert into simulated_messages (workspace_id, id, channel_id, person, step, created_at, due_at)
      values (${workspace}, ${id}, ${channel_id}, ${person}, ${steps.report}, ${clock.iso(now)},
        ${clock.iso(now + report_after_ms)})
      on conflict (workspace_id, id) do nothing`,
  )
  announce(at, { table })
}

/** The work of carriers and people after a message was sent. */
export const work: RowWork = {
  table,
  begin: async (at, lease) => async () => {
    await inTransaction(atLater(at), (at) => takeStep(at, lease)).catch((error: unknown) => drop(at, lease, error))
    return false
  },
  giveUp: async (at, lease) => end(at, lease),
}

/** Drops a message that can't be received because nobody answers it any more. */
async function drop(at: At, lease: Lease, error: unknown): Promise<void> {
  if (!(error instanceof Problem)) throw error
  await end(at, lease)
}

async function takeStep(at: At, lease: Lease): Promise<void> {
  const row = await at.db.maybe<Row>(
    sql`select channel_id, person, step from simulated_messages where ${isHeld(lease)} for no key update`,
  )
  assertHeld(row ? 1 : 0)
  const thread = row && (await findMessageThread(at, lease.id))
  const reply_at = row && thread && row.step === steps.report ? await report(at, { lease, row, thread }) : undefined
  if (row && thread && row.step === steps.reply) await reply(at, { lease, row, thread })
  if (reply_at === undefined) await end(at, lease)
  else await hold(at, lease, sql`step = ${steps.reply}, due_at = ${clock.iso(reply_at)}`)
}

interface Step {
  lease: Lease
  row: Row
  thread: MessageThread
}

const personIn = ({ row, thread }: Step) => personOf(onAttempt(row.person, thread.is_first ? 1 : 2))

/** Reports what has become of the message. Returns when the person replies, if it may. */
async function report(at: At, step: Step): Promise<number | undefined> {
  const { row, thread } = step
  const { id } = step.lease
  const person = personIn(step)
  const told = reportOn(person, thread)
  if (!told) return undefined
  const { channel_id } = row
  const carrier_id = carrierId(id)
  await record(at, [{ id, channel_id, carrier_id, ...told }])
  if (person.has_repeated_reports)
    await record(at, [
      { id, channel_id, carrier_id, status: 'sent', error: null },
      { id, channel_id, carrier_id, ...told },
    ])
  if (told.status === 'failed' || person.texting.is_silent) return undefined
  return at.now + drawFrom(await randomOf(at, thread), reply_after_ms)
}

/**
 * Receives the person's reply as a carrier would bring it. A disabled channel receives only words such as STOP, and
 * sentences that say the same.
 */
async function reply(at: At, step: Step): Promise<void> {
  const { lease, row, thread } = step
  const { counterpart, agent_id } = thread
  const channel = await channels.find(at, row.channel_id)
  const text = replyTo(personIn(step), await randomOf(at, thread), thread)
  if (!channel || counterpart === null || text === undefined) return
  if (channel.status === 'disabled' && !askingOf(text, { by_sms: true })) return
  const answering = { id: channel.id, agent_id: channel.agent_id ?? agent_id }
  await receive(at, [{ channel: answering, carrier_id: `${carrierId(lease.id)}-reply`, from: counterpart, text }])
}

const hold = async ({ db }: At, lease: Lease, changes: Sql): Promise<void> =>
  assertHeld(await db.run(sql`update simulated_messages set ${changes} where ${isHeld(lease)}`))

const end = async ({ db }: At, lease: Lease): Promise<void> =>
  assertHeld(await db.run(sql`delete from simulated_messages where ${isHeld(lease)}`))
