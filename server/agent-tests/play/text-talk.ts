import { newConversation } from '../../conversations/begin.ts'
import { newRow, type Row } from '../../conversations/rows.ts'
import type { RunToSave } from '../../conversations/tool-runs.ts'
import { newTurn, type TurnOf } from '../../conversations/turns.ts'
import { type Answerer, openAnswerer } from '../../drivers/answerer.ts'
import { Driver } from '../../drivers/driver.ts'
import { Journal } from '../../drivers/journal.ts'
import { planFor, type Save, type Saved } from '../../drivers/plan-save.ts'
import type { AtOutside } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { newId } from '../../kit/id.ts'
import { letOthersRun } from '../../kit/let-others-run.ts'
import { openScheduler } from '../../kit/work/scheduler.ts'
import { settingsFor, time_limits, valuesOf } from '../../talk/settings.ts'
import { type Entry, newState, type Usage } from '../../talk/state.ts'
import {
  assertNotAborted,
  contactOf,
  isScripted,
  type Mark,
  type Part,
  PlayError,
  type PlayRecord,
  type Scene,
  zoneFor,
} from './scene.ts'
import { openTestTools, type TestTools } from './tools.ts'

/** The error of a play in which no model could answer. */
const no_answer = 'The model has not answered.'

/** The limits are those of conversations: a model that hangs ends the play after them. */
const waits = time_limits

/** Notes what a model or a provider has done wrong since the contact last said something. */
class TestJournal extends Journal {
  faults: string[] = []

  override fail(error: string): void {
    this.faults.push(error)
    super.fail(error)
  }
}

/** Holds a conversation by text in memory, run by the same driver as all others. Time stands still in it. */
export class TextTalk {
  readonly #scene: Scene
  readonly #at: AtOutside
  readonly #tools: TestTools
  readonly #journal: TestJournal
  readonly #driver: Driver
  readonly #answerer: Answerer
  readonly #turns: TurnOf[] = []
  readonly #runs: RunToSave[] = []
  #row: Row
  #error: unknown

  private constructor(scene: Scene, parts: OpenedTalk) {
    const { at, row, tools, answerer, engine, journal } = parts
    this.#scene = scene
    this.#at = at
    this.#row = row
    this.#tools = tools
    this.#answerer = answerer
    this.#journal = journal
    const drive = {
      save: async (_at: unknown, save: Save) => this.#save(save),
      beginRuns: async () => true,
      onChange: () => {},
      onError: (error: unknown) => {
        this.#error ??= error
      },
    }
    const scheduler = openScheduler({ now: at.now, is_test: true })
    const talk = { engine, progress: null, contact_ended_at: null }
    this.#driver = new Driver({ at, scheduler, answerer, tools, journal, is_live: false, log: scene.log }, talk, drive)
  }

  /** Opens the conversation. `before` was said before it begins. */
  static async open(scene: Scene, part: Part, before: { role: 'contact' | 'agent'; text: string }[] = []) {
    const { agent, version, configuration } = scene
    const now = part.now === null ? scene.created_at : clock.parse(part.now)
    const at = { ...scene.at, now }
    const contact = contactOf(part, clock.iso(now))
    const time_zone = zoneFor(contact, scene, now)
    const beginning = newConversation(at, {
      agent,
      version: { ...version, configuration },
      kind: 'api',
      channel_id: null,
      contact_id: null,
      counterpart: null,
      variables: part.variables,
      awaits_answer: false,
      is_test: true,
    })
    const row = newRow(beginning, { due_at: null, lease_token: token })
    const tools = await openTestTools(scene, { part, conversation_id: row.id, kind: 'api', contact })
    const claimed = { ...beginning, contact, time_zone, script_state: null, turns: [] }
    const answerer = openAnswerer({ at, claimed, configuration, tools })
    const values = valuesOf(beginning, { contact, time_zone, now })
    const { say_while, rules: tool_rules } = tools
    const settings = settingsFor(configuration, { values, say_while, tool_rules, time_limits: waits, kind: 'api' })
    const history = before.map(({ role, text }): Entry => ({ role, text, is_cut: false, runs: [] }))
    const engine = { ...newState(settings, now), history, turns: before.length }
    const journal = new TestJournal({
      id: row.id,
      token,
      seen: { status: row.status, turn_count: before.length },
      results: {},
      waited_ms: 0,
      is_timed: configuration.script === null,
    })
    const talk = new TextTalk(scene, { at, row, tools, answerer, engine, journal })
    for (const { role, text } of before) talk.#addTurn(role, text)
    return talk
  }

  get id(): string {
    return this.#row.id
  }

  /** Returns only finished turns, in order. */
  get turns(): readonly TurnOf[] {
    return this.#turns
  }

  get last_seq(): number {
    return this.#row.turn_count
  }

  get results(): Record<string, unknown> {
    return this.#row.results
  }

  get status(): Row['status'] {
    return this.#row.status
  }

  get how(): PlayRecord['how'] {
    const { status, close_reason } = this.#row
    if (status === 'handed_over') return 'handed_over'
    if (status !== 'closed') return null
    if (close_reason === 'opted_out' || close_reason === 'limit') return close_reason
    return close_reason === 'agent_ended' ? 'agent_ended' : null
  }

  /** Begins: the agent speaks first, if it has first words. */
  async begin(): Promise<void> {
    this.#driver.take({ type: 'opened', id: newId() })
    await this.#settle()
  }

  /** Says a line of the contact, which the agent answers. */
  async say(text: string): Promise<void> {
    const journal = this.#journal
    journal.faults = []
    this.#addTurn('contact', text)
    journal.restart()
    this.#answerer.addMessage({ seq: this.#row.turn_count, text })
    const asks_for_person = await this.#answerer.asksForPerson(text)
    this.#driver.take({ type: 'message', id: newId(), text, asks_for_person })
    await this.#settle()
  }

  #addTurn(role: 'contact' | 'agent', text: string): void {
    const created_at = clock.iso(this.#at.now)
    const seq = this.#row.turn_count + 1
    this.#turns.push({ id: this.#row.id, turn: newTurn({ seq, role, text, created_at }) })
    this.#row = { ...this.#row, turn_count: seq, last_turn_at: created_at }
    this.#journal.seen = { ...this.#journal.seen, turn_count: seq }
  }

  /** Waits until nothing is left to be done. */
  async #settle(): Promise<void> {
    const stop = () => this.#driver.stop()
    this.#scene.signal.addEventListener('abort', stop)
    try {
      await this.#driver.idle()
      await this.#driver.write()
      assertNotAborted(this.#scene)
      if (this.#error) throw this.#error
      const fault = this.#journal.faults.at(-1)
      if (this.#turns.at(-1)?.turn.finish_reason === 'failed' && fault !== undefined && !isScripted(this.#scene))
        throw new PlayError(fault || no_answer)
    } finally {
      this.#scene.signal.removeEventListener('abort', stop)
    }
    await letOthersRun()
  }

  #save(save: Save): Saved {
    const plan = planFor(this.#at, save, this.#row)
    this.#scene.spend(difference(plan.after.usage, this.#row.usage))
    this.#row = plan.after
    this.#turns.push(...plan.closed, ...plan.inserted)
    this.#runs.push(...plan.runs)
    this.#journal.seen = { status: plan.after.status, turn_count: plan.after.turn_count }
    return plan.outcome
  }

  /** Ends the conversation, whatever its state. Nothing more can be said. */
  async end(given: Pick<PlayRecord, 'marks' | 'faults' | 'error'> & { is_at_limit?: boolean }): Promise<PlayRecord> {
    const { is_at_limit = false, ...more } = given
    this.#driver.stop()
    // This also writes runs that belong to no turn.
    await this.#driver.write({ release: { timers: {}, idle_ms: 0, needs_summary: false } })
    const { how } = this
    const row = this.#row
    const close_reason = row.status === 'closed' ? row.close_reason : is_at_limit ? 'limit' : 'contact_ended'
    return {
      ...more,
      conversation: {
        ...row,
        status: 'closed',
        close_reason,
        awaits_answer: false,
        is_answering: false,
        waiting_since: null,
        due_at: null,
        lease_token: null,
      },
      turns: this.#turns,
      runs: this.#runs,
      how: how ?? (is_at_limit ? 'limit' : null),
      end_reason: null,
      duration_ms: null,
      has_called: this.#tools.has_called,
      faults: [...more.faults, ...this.#unanswered()],
    }
  }

  /** Returns the calls of tools for which the test has no answer, at their turns. */
  #unanswered(): PlayRecord['faults'] {
    return this.#tools.unanswered.map(({ run, sentence }) => {
      const seq = this.#runs.find(({ id }) => id === run)?.seq ?? null
      return { sentence, step: null, seq }
    })
  }
}

interface OpenedTalk {
  at: AtOutside
  row: Row
  tools: TestTools
  answerer: Answerer
  engine: ReturnType<typeof newState>
  journal: TestJournal
}

const difference = (after: Usage, before: Usage): Usage => ({
  input_tokens: after.input_tokens - before.input_tokens,
  output_tokens: after.output_tokens - before.output_tokens,
})

/** The token of a lease, which a conversation in memory doesn't need. */
const token = 'test'

/** Runs the work, and keeps what was said until a model has failed. */
export async function untilEnd(
  talk: TextTalk,
  marks: Mark[],
  run: () => Promise<PlayRecord['faults']>,
  isAtLimit = () => false,
): Promise<PlayRecord> {
  let faults: PlayRecord['faults'] = []
  let error: string | null = null
  try {
    faults = await run()
  } catch (thrown) {
    if (!(thrown instanceof PlayError)) throw thrown
    error = thrown.message
  }
  return talk.end({ marks, faults, error, is_at_limit: isAtLimit() })
}
