import * as counts from '../conversations/counted.ts'
import { firstAnswerIn, reportProgress } from '../conversations/counted.ts'
import { event_types } from '../conversations/event-types.ts'
import { insertRows, lockAll, newRow, type Row, shownOf, updateReleased, updateSaved } from '../conversations/rows.ts'
import type { Conversation } from '../conversations/schema.ts'
import { addTokens, announce, threads_changed } from '../conversations/store.ts'
import { saveRuns } from '../conversations/tool-runs.ts'
import { closeTurns, insertTurns, type TurnOf } from '../conversations/turns.ts'
import { agentActor } from '../events/actors.ts'
import * as events from '../events/store.ts'
import { type At, system } from '../kit/at.ts'
import { letOthersRun } from '../kit/let-others-run.ts'
import type { Log } from '../kit/log.ts'
import { openSaves } from '../kit/work/saves.ts'
import { insertMessages, type NewMessage, readSegmentPrice, withMessage } from '../messages/outgoing.ts'
import { tool_duration } from '../tools/run.ts'
import { type Plan, planFor, type Save, type Saved } from './plan-save.ts'

/** Opens saves, which share a transaction when several of one workspace come together. */
export const openConversationSaves = (log: Log): ((at: At, save: Save) => Promise<Saved>) =>
  openSaves<Save, Saved>({
    saveAll: async (at, saves) => {
      const plans = await saveAll(
        at,
        saves.map((save) => ({ save, now: at.now })),
      )
      return plans.map((plan) => plan?.outcome ?? { is_lost: true })
    },
    // These are urgent, because someone waits for the first words, or for what a tool finds out.
    isUrgent: ({ opened, begins_tools = false }) => opened !== undefined || begins_tools,
    log,
  })

interface KnownRows {
  /** The conversations that have no row yet. They get one with what is saved. */
  new_conversations?: NewConversation[]
  /** The rows of the others, if the transaction has locked them. */
  locked?: Map<string, Row>
}

/** Writes several saves, each with its own time. Returns undefined for those whose lease is lost. */
export async function saveAll(
  at: At,
  saves: { save: Save; now: number }[],
  { new_conversations = [], locked }: KnownRows = {},
): Promise<(Plan | undefined)[]> {
  const ids = saves.map(({ save }) => save.id)
  const rows = new Map(locked ?? (await lockAll(at, ids)))
  for (const { conversation, lease_token } of new_conversations)
    rows.set(conversation.id, newRow(conversation, { due_at: null, lease_token }))
  const plans: (Plan | undefined)[] = []
  for (const { save, now } of saves) {
    await letOthersRun({ is_urgent: true })
    const row = rows.get(save.id)
    const plan = row && row.lease_token === save.token ? planFor({ ...at, now }, save, row) : undefined
    // Several saves of one conversation build on each other.
    if (plan) rows.set(save.id, plan.after)
    plans.push(plan)
  }
  await write(
    at,
    plans.filter((plan) => plan !== undefined),
    new_conversations,
  )
  return plans
}

interface NewConversation {
  conversation: Conversation
  lease_token: string
}

async function write(at: At, planned: Plan[], new_conversations: NewConversation[]): Promise<void> {
  if (planned.length === 0) return
  const new_ids = new Set(new_conversations.map(({ conversation }) => conversation.id))
  const segment_price = planned.some(({ after }) => after.kind === 'sms') ? await readSegmentPrice(at) : 0
  const plans = planned.map((plan) => ({
    ...plan,
    inserted: plan.inserted.map((said) => toSend(plan, said, segment_price)),
  }))
  const finished = plans.flatMap(({ closed, inserted }) => [...closed, ...inserted])
  const rows = new Map(plans.map(({ after }) => [after.id, after]))
  const byEvent = (status: Conversation['status']) =>
    plans.flatMap(({ before, after }) =>
      after.status === status && before.status !== status
        ? [{ data: shownOf(after), created_at: after.updated_at, actor: changerOf(after) }]
        : [],
    )
  await Promise.all([
    updateConversations(
      at,
      plans.filter(({ after }) => !new_ids.has(after.id)),
    ),
    insertRows(
      at,
      lastPlans(plans.filter(({ after }) => new_ids.has(after.id))).map(({ after, due_at, is_released }) => ({
        ...after,
        due_at,
        lease_token: is_released ? null : after.lease_token,
      })),
    ),
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
      plans.map(({ before, after }) => ({ from: before.status, to: after.status, is_test: after.is_test })),
    ),
    reportProgress(
      at,
      plans.map(({ before, after, closed, inserted }) => ({
        conversation: after,
        is_handed_over: after.status === 'handed_over' && before.status !== 'handed_over',
        is_closed: after.status === 'closed' && before.status !== 'closed',
        turns: after.turn_count - before.turn_count,
        first_answer_ms: firstAnswerIn(before, [...closed, ...inserted]),
      })),
    ),
    counts.count(
      at,
      new_conversations.map(({ conversation: { is_test } }) => ({ from: null, to: 'open' as const, is_test })),
    ),
    events.record(
      at,
      event_types.started,
      new_conversations.map(({ conversation }) => ({ data: conversation, created_at: conversation.created_at })),
    ),
    // Turns of a call are no events.
    events.record(
      at,
      event_types.turn,
      finished
        .filter(({ speech }) => !speech)
        .map(({ id, turn }) => {
          const { contact_id = null, agent_id = '' } = rows.get(id) ?? {}
          const actor = turn.role === 'agent' ? agentActor(agent_id) : system
          return { data: { id, contact_id, turn }, actor }
        }),
    ),
    events.record(at, event_types.handed_over, byEvent('handed_over')),
    events.record(at, event_types.taken_back, byEvent('open')),
    events.record(at, event_types.closed, byEvent('closed')),
  ])
  // Refused runs are counted when they are written with their turn. They took no time.
  const refused = plans.flatMap(({ runs }) => runs.filter(({ status, seq }) => status === 'refused' && seq !== null))
  at.db.afterCommit(() => {
    for (const { status } of refused) at.tools.metrics.observe(tool_duration, 0, status)
  })
  await at.hooks.run(
    at,
    threads_changed,
    plans.flatMap(({ before, after: { id, kind, status } }) =>
      kind === 'sms' && status === 'closed' && before.status !== 'closed' ? [{ id, what: 'closed' as const }] : [],
    ),
  )
  // Turns that begin are not announced: they show nothing yet in the database.
  for (const { after, closed, inserted, is_released, due_at } of plans)
    if (is_released || closed.length + inserted.length > 0)
      announce(at, after.id, { is_due: is_released && due_at !== null })
}

/**
 * Returns the actor of a change of status. The agent hands over, and ends conversations; what people ask for is written
 * elsewhere.
 */
const changerOf = ({ status, close_reason, agent_id }: Row) =>
  status === 'handed_over' || close_reason === 'agent_ended' ? agentActor(agent_id) : system

/** Adds a message to a turn of a conversation by SMS. The last words to someone who opts out still go out. */
const toSend = ({ after }: Plan, said: TurnOf, segment_price: number): TurnOf & { carried?: NewMessage } =>
  after.kind === 'sms' && said.turn.role !== 'contact'
    ? withMessage(said, { ...after, segment_price, is_exempt: after.close_reason === 'opted_out' })
    : said

/** Writes conversations. A save that releases one also says when it is due next. */
async function updateConversations(at: At, plans: Plan[]): Promise<void> {
  const { released = [], held = [] } = Object.groupBy(lastPlans(plans), ({ is_released }) =>
    is_released ? 'released' : 'held',
  )
  await Promise.all([
    updateSaved(
      at,
      held.map(({ after }) => after),
    ),
    updateReleased(
      at,
      released.map(({ after, due_at }) => ({ ...after, due_at })),
    ),
  ])
}

/** Returns the last plan of each conversation, which has everything: several saves of one build on each other. */
const lastPlans = (plans: Plan[]): Plan[] => [...new Map(plans.map((plan) => [plan.after.id, plan])).values()]
