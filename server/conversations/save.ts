import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import type { Log } from '../kit/log.ts'
import { raw, rowsFrom, sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { openSaves } from '../kit/work/saves.ts'
import * as counts from './counts.ts'
import { event_types } from './event-types.ts'
import { insertMessages, type NewMessage, readSegmentPrice, withMessage } from './outgoing.ts'
import { type Locked, type Plan, planFor, type Save, type Saved, shownOf } from './plan-save.ts'
import type { Conversation } from './schema.ts'
import { announce, columns } from './store.ts'
import { threads_changed } from './threads.ts'
import { addTokens } from './tokens.ts'
import { saveRuns } from './tool-runs.ts'
import { closeTurns, insertTurns, type TurnOf } from './turns.ts'

/** Saves of one workspace that come together share a transaction. */
export const openConversationSaves = (log: Log): ((at: At, save: Save) => Promise<Saved>) =>
  openSaves<Save, Saved>({
    saveAll: async (at, saves) => {
      const plans = await saveAll(
        at,
        saves.map((save) => ({ save, now: at.now })),
      )
      return plans.map((plan) => plan?.outcome ?? { is_lost: true })
    },
    log,
  })

const locked_columns = raw(
  `lease_token, awaits_answer, last_answer_seq, needs_summary, script_state, summarized_until, timers, due_at`,
)

interface Known {
  /** Conversations that have no row yet: they get it with what is saved. */
  begun?: Begun[]
  /** The rows of the others, if the transaction has locked them. */
  locked?: Map<string, Locked>
}

/** Writes several saves, each with its own time. Undefined for those whose lease is lost. */
export async function saveAll(
  at: At,
  saves: { save: Save; now: number }[],
  { begun = [], locked }: Known = {},
): Promise<(Plan | undefined)[]> {
  const ids = saves.map(({ save }) => save.id)
  const rows = new Map(locked ?? (await lockAll(at, ids)))
  for (const one of begun) rows.set(one.conversation.id, toRow(one))
  const plans = saves.map(({ save, now }) => {
    const row = rows.get(save.id)
    const plan = row && row.lease_token === save.token ? planFor({ ...at, now }, save, row) : undefined
    // Several saves of one conversation build on each other.
    if (plan) rows.set(save.id, plan.after)
    return plan
  })
  await write(
    at,
    plans.filter((plan) => plan !== undefined),
    begun,
  )
  return plans
}

interface Begun {
  conversation: Conversation
  lease_token: string
}

const toRow = ({ conversation, lease_token }: Begun): Locked => ({
  ...conversation,
  lease_token,
  awaits_answer: conversation.is_answering,
  ...{ last_answer_seq: 0, needs_summary: false, script_state: null, summarized_until: 0, timers: {}, due_at: null },
})

/** In the order of their ids. Who locks a call too does so after this. */
export async function lockAll({ db, workspace }: At, ids: string[]): Promise<Map<string, Locked>> {
  if (ids.length === 0) return new Map()
  const rows = await db.many<Locked>(
    sql`select ${columns}, ${locked_columns} from conversations
      where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[]) order by id for no key update`,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

async function write(at: At, planned: Plan[], begun: Begun[]): Promise<void> {
  if (planned.length === 0) return
  const new_ids = new Set(begun.map(({ conversation }) => conversation.id))
  const segment_price = planned.some(({ after }) => after.kind === 'sms') ? await readSegmentPrice(at) : 0
  const plans = planned.map((plan) => ({
    ...plan,
    inserted: plan.inserted.map((said) => toSend(plan, said, segment_price)),
  }))
  const finished = plans.flatMap(({ closed, inserted }) => [...closed, ...inserted])
  const contact_ids = new Map(plans.map(({ after }) => [after.id, after.contact_id]))
  const byEvent = (status: Conversation['status']) =>
    plans.flatMap(({ before, after }) =>
      after.status === status && before.status !== status
        ? [{ data: shownOf(after), created_at: after.updated_at }]
        : [],
    )
  await Promise.all([
    updateRows(
      at,
      plans.filter(({ after }) => !new_ids.has(after.id)),
    ),
    insertRows(at, lastPlans(plans.filter(({ after }) => new_ids.has(after.id)))),
    insertTurns(at, [
      ...plans.flatMap(({ opened }) => opened.map((turn) => ({ ...turn, is_open: true }))),
      ...plans.flatMap(({ inserted }) => inserted),
    ]),
    closeTurns(
      at,
      plans.flatMap(({ closed }) => closed),
    ),
    saveRuns(
      at,
      plans.flatMap(({ runs }) => runs),
    ),
    insertMessages(
      at,
      plans.flatMap(({ inserted }) => inserted.flatMap(({ carried }) => carried ?? [])),
    ),
    addTokens(
      at,
      plans.map(({ save: { usage }, after: { channel_id } }) => ({
        channel_id,
        tokens: usage.input_tokens + usage.output_tokens,
      })),
    ),
    counts.count(
      at,
      plans.map(({ before, after }) => ({ from: before.status, to: after.status })),
    ),
    counts.count(
      at,
      begun.map(() => ({ from: null, to: 'open' as const })),
    ),
    events.record(
      at,
      event_types.started,
      begun.map(({ conversation }) => ({ data: conversation, created_at: conversation.created_at })),
    ),
    // What is said in a call is no event.
    events.record(
      at,
      event_types.turn,
      finished
        .filter(({ speech }) => !speech)
        .map(({ id, turn }) => ({ data: { id, contact_id: contact_ids.get(id) ?? null, turn } })),
    ),
    events.record(at, event_types.handed_over, byEvent('handed_over')),
    events.record(at, event_types.taken_back, byEvent('open')),
    events.record(at, event_types.closed, byEvent('closed')),
  ])
  await at.hooks.run(
    at,
    threads_changed,
    plans.flatMap(({ before, after: { id, kind, status } }) =>
      kind === 'sms' && status === 'closed' && before.status !== 'closed' ? [{ id, what: 'closed' as const }] : [],
    ),
  )
  // A turn that begins shows nothing yet in the database.
  for (const { after, closed, inserted, is_released, due_at } of plans)
    if (is_released || closed.length + inserted.length > 0) announce(at, after.id, is_released && due_at !== null)
}

/** By SMS a turn is a message. The last words to someone who opts out still go out. */
const toSend = ({ after }: Plan, said: TurnOf, segment_price: number): TurnOf & { carried?: NewMessage } =>
  after.kind === 'sms' && said.turn.role !== 'contact'
    ? withMessage(said, { ...after, segment_price, is_exempt: after.close_reason === 'opted_out' })
    : said

async function updateRows({ db, workspace }: At, plans: Plan[]): Promise<void> {
  if (plans.length === 0) return
  const rows = plans.map(({ after, due_at, is_released }) => ({
    ...after,
    ...after.usage,
    due_at,
    is_released,
  }))
  await db.run(
    sql`update conversations
      set status = row.status, close_reason = row.close_reason, hand_over_reason = row.hand_over_reason,
        turn_count = row.turn_count, last_turn_at = row.last_turn_at, last_answer_seq = row.last_answer_seq,
        awaits_answer = row.awaits_answer, results = row.results, script_state = row.script_state, summary = row.summary,
        summarized_until = row.summarized_until, needs_summary = row.needs_summary, timers = row.timers,
        input_tokens = row.input_tokens, output_tokens = row.output_tokens, updated_at = row.updated_at,
        due_at = case when row.is_released then row.due_at else conversations.due_at end,
        lease_token = case when row.is_released then null else conversations.lease_token end,
        lease_until = case when row.is_released then null else conversations.lease_until end,
        attempt = case when row.is_released then 0 else conversations.attempt end
      from ${rowsFrom(
        rows,
        `id uuid, status text, close_reason text, hand_over_reason text, turn_count integer,
          last_turn_at timestamptz, last_answer_seq integer, awaits_answer boolean, results jsonb,
          script_state jsonb, summary text, summarized_until integer, needs_summary boolean, timers jsonb,
          input_tokens integer, output_tokens integer, updated_at timestamptz, due_at timestamptz,
          is_released boolean`,
      )}
      where conversations.workspace_id = ${workspace} and conversations.id = row.id`,
  )
}

/** Several saves of one conversation build on each other: the last one has everything. */
const lastPlans = (plans: Plan[]): Plan[] => [...new Map(plans.map((plan) => [plan.after.id, plan])).values()]

/** Conversations that have no row yet. */
async function insertRows({ db, workspace }: At, plans: Plan[]): Promise<void> {
  if (plans.length === 0) return
  const rows = plans.map(({ after, due_at, is_released }) => ({
    ...after,
    ...after.usage,
    due_at,
    version_id: after.agent_version.id,
    version_label: after.agent_version.version_label,
    lease_token: is_released ? null : after.lease_token,
  }))
  await db.run(
    sql`insert into conversations (workspace_id, id, kind, status, channel_id, agent_id, agent_name, version_id, version_label,
        contact_id, counterpart, turn_count, last_turn_at, hand_over_reason, close_reason, results, summary,
        summarized_until, needs_summary, variables, metadata, input_tokens, output_tokens, awaits_answer, last_answer_seq,
        timers, script_state, created_at, updated_at, due_at, lease_token)
      select ${workspace}, id, kind, status, channel_id, agent_id, agent_name, version_id, version_label, contact_id,
        counterpart, turn_count, last_turn_at, hand_over_reason, close_reason, results, summary, summarized_until,
        needs_summary, variables, metadata, input_tokens, output_tokens, awaits_answer, last_answer_seq, timers,
        script_state, created_at, updated_at, due_at, lease_token
      from ${rowsFrom(
        rows,
        `id uuid, kind text, status text, channel_id uuid, agent_id uuid, agent_name text, version_id uuid,
          version_label text, contact_id uuid, counterpart text, turn_count integer, last_turn_at timestamptz,
          hand_over_reason text, close_reason text, results jsonb, summary text, summarized_until integer,
          needs_summary boolean, variables jsonb, metadata jsonb, input_tokens integer, output_tokens integer,
          awaits_answer boolean, last_answer_seq integer, timers jsonb, script_state jsonb, created_at timestamptz,
          updated_at timestamptz, due_at timestamptz, lease_token uuid`,
      )}`,
  )
}
