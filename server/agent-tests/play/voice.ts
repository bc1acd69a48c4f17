import { summarize } from '../../calls/facts.ts'
import { newCall } from '../../calls/queue.ts'
import { runAhead } from '../../calls/work.ts'
import { newRow, type Row } from '../../conversations/rows.ts'
import { type Plan, planFor } from '../../drivers/plan-save.ts'
import * as clock from '../../kit/clock.ts'
import { letOthersRun } from '../../kit/let-others-run.ts'
import { simulator } from '../../lines/simulator/carrier.ts'
import { setChances } from '../../lines/simulator/choose.ts'
import { default_mix } from '../../workspaces/defaults.ts'
import { limited } from './limited-line.ts'
import {
  assertNotAborted,
  contactOf,
  isScripted,
  type PlayedTest,
  type PlayRecord,
  type Scene,
  zoneFor,
} from './scene.ts'
import { openTestTools } from './tools.ts'

const seed_default = 1
/** No call lasts this long. */
const horizon_ms = clock.day_ms

/**
 * Plays a call to a simulated person, as in a test workspace: it runs ahead in memory. It depends on the test's seed
 * only.
 */
export async function playVoice(scene: Scene, test: PlayedTest): Promise<PlayRecord> {
  const { agent, version, configuration, log } = scene
  const { number, seed = seed_default } = test.person ?? { number: '00' }
  const now = test.now === null ? scene.created_at : clock.parse(test.now)
  const at = { ...scene.at, now }
  setChances(at, { seed, mix: default_mix, is_by_number: true })
  const contact = contactOf(test, clock.iso(now), { is_needed: true })
  if (!contact) throw new Error('a call needs a contact')
  const row = newCall(at, {
    agent,
    version,
    channel: null,
    to: contact.phone_number,
    contact_id: contact.id,
    is_test: true,
    attempt: 1,
    status: 'queued',
    simulate: number,
    variables: test.variables,
  })
  const tools = await openTestTools(scene, { part: test, conversation_id: row.id, kind: 'voice', contact })
  const carrier = limited(simulator, { turns_max: test.turns_max, signal: scene.signal })
  const call = { row, contact, time_zone: zoneFor(contact, scene, now), configuration, horizon: now + horizon_ms }
  const save = await runAhead(at, call, { carrier, tools, log })
  const { conversation_save, new_conversation } = save
  const begun =
    new_conversation && newRow({ ...new_conversation, contact_id: null, counterpart: null, is_test: true }, no_lease)
  const plan = begun && conversation_save && planFor({ ...at, now: save.now }, conversation_save, begun)
  if (plan) scene.spend(plan.after.usage)
  assertNotAborted(scene)
  await letOthersRun()
  if (!begun) throw new Error('a call has ended without a conversation')
  const turns = plan ? [...plan.closed, ...plan.inserted] : []
  const runs = plan?.runs ?? []
  const { end_reason, duration_ms } = summarize(save.facts)
  const failed = turns.find(({ turn }) => turn.finish_reason === 'failed' && turn.error !== null)
  return {
    conversation: closed(plan?.after ?? begun),
    turns,
    runs,
    how: carrier.is_at_limit ? 'limit' : howOf(plan, end_reason),
    end_reason,
    duration_ms,
    marks: [],
    faults: tools.unanswered.map(({ run, sentence }) => ({
      sentence,
      step: null,
      seq: runs.find(({ id }) => id === run)?.seq ?? null,
    })),
    error: isScripted(scene) ? null : (failed?.turn.error ?? null),
    has_called: tools.has_called,
  }
}

const no_lease = { due_at: null, lease_token: null }

const closed = (row: Row): Row => ({
  ...row,
  status: 'closed',
  close_reason: row.close_reason ?? 'contact_ended',
  awaits_answer: false,
  is_answering: false,
  waiting_since: null,
  ...no_lease,
})

/** Says how the call ended. A call that was handed over stays so, however it ended then. */
function howOf(plan: Plan | undefined, end_reason: string | null): PlayRecord['how'] {
  if (end_reason === 'transferred' || end_reason === 'opted_out') return end_reason
  // The plan changes this only when it hands over.
  if (plan && 'hand_over_reason' in plan.save.changes) return 'handed_over'
  if (end_reason === 'max_duration' || plan?.after.close_reason === 'limit') return 'limit'
  return end_reason === 'agent_hung_up' || end_reason === 'goal_reached' || end_reason === 'voicemail_left'
    ? 'agent_ended'
    : null
}
