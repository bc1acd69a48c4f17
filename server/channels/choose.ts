import { type At, simulatesPeople } from '../kit/at.ts'
import { sql } from '../kit/postgres/sql.ts'
import type { Kind } from './schema.ts'
import { find, type StoredChannel } from './store.ts'

/** Whether an agent can call or write first by this channel. */
export const canBegin = (channel: StoredChannel, kind: Kind): boolean =>
  channel.kind === kind && channel.provider !== 'web' && channel.status !== 'disabled'

/**
 * Finds the only active channel of a kind that can call or write, when none is named. Returns undefined if there is none, or if there are several. In a
 * live workspace simulators don't count.
 */
export async function chooseActive(at: At, kind: Kind): Promise<StoredChannel | undefined> {
  const [only, second] = await findTwoActive(at, kind)
  return only && !second ? find(at, only.id) : undefined
}

const kind_names: Record<Kind, string> = { web_chat: 'web chat', sms: 'SMS', voice: 'voice' }

/** Says why `chooseActive` has found nothing: "no active SMS channel" or "several active SMS channels". */
export async function explainNoChoice(at: At, kind: Kind): Promise<{ is_none: boolean; reason: string }> {
  const is_none = (await findTwoActive(at, kind)).length === 0
  const name = kind_names[kind]
  return { is_none, reason: is_none ? `no active ${name} channel` : `several active ${name} channels` }
}

const findTwoActive = (at: At, kind: Kind): Promise<{ id: string }[]> =>
  at.db.many<{ id: string }>(
    sql`select id from channels
      where workspace_id = ${at.workspace} and kind = ${kind} and status = 'active' and provider <> 'web'
        and (provider <> 'simulator' or ${simulatesPeople(at)})
      order by id limit 2`,
  )
