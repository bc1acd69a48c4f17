import { costOf } from '../../calls/store.ts'
import { Checker, type Scope, TooMuchWork } from '../expectations.ts'
import { wasCalled } from '../recorded.ts'
import type { Expectation, TestFailure } from '../schema.ts'
import { judge } from './judge.ts'
import { assertNotAborted, PlayError, type PlayedTest, type PlayRecord, type Scene } from './scene.ts'

export interface PlayFindings {
  failures: Omit<TestFailure, 'conversation_id'>[]
  /** Why something can't be checked, such as a judge that has failed. */
  error: string | null
}

/** Checks all expectations of a play. An expectation of a line that was not said is not checked. */
export async function checkPlay(scene: Scene, test: PlayedTest, played: PlayRecord): Promise<PlayFindings> {
  const checker = new Checker(scene.configuration.language)
  const failures: PlayFindings['failures'] = []
  let error: string | null = null
  for (const { expectation, step, scope } of expectationsOf(scene, test, played)) {
    assertNotAborted(scene)
    try {
      const missed = await (expectation.type === 'judge' ? askJudge(expectation) : checker.check(expectation, scope))
      if (missed) failures.push({ expectation, step, ...missed })
    } catch (thrown) {
      if (!(thrown instanceof PlayError) && !(thrown instanceof TooMuchWork)) throw thrown
      error ??= thrown.message
    }
  }
  return {
    failures: inOrder([...failures, ...played.faults.map((one) => ({ expectation: null, ...one }))]),
    error,
  }

  async function askJudge({ question = '' }: Expectation) {
    const verdict = await judge(scene, question, played)
    if (verdict.is_yes) return undefined
    const reason = verdict.reason === '' ? '' : ` ${verdict.reason}`
    return { sentence: `The judge said no to "${question}".${reason}`, seq: null }
  }
}

/** Sorts failures by the lines that they belong to. Those of the whole test come last. */
const inOrder = (failures: PlayFindings['failures']): PlayFindings['failures'] =>
  failures.toSorted(
    (left, right) => (left.step ?? Number.POSITIVE_INFINITY) - (right.step ?? Number.POSITIVE_INFINITY) || 0,
  )

interface InScope {
  expectation: Expectation
  step: number | null
  scope: Scope
}

function expectationsOf(scene: Scene, test: PlayedTest, played: PlayRecord): InScope[] {
  const { marks } = played
  const of_steps = test.steps.flatMap(({ expect = [] }, index) => {
    const mark = marks[index]
    if (!mark) return []
    const scope = { ...scopeOf(scene, played, mark.seq, marks[index + 1]?.seq), results: mark.results, how: mark.how }
    return expect.map((expectation): InScope => ({ expectation, step: index + 1, scope }))
  })
  const from = test.kind === 'reply' ? (marks[0]?.seq ?? Number.POSITIVE_INFINITY) : 0
  const scope = scopeOf(scene, played, from)
  return [...of_steps, ...test.expect.map((expectation): InScope => ({ expectation, step: null, scope }))]
}

/** Returns what was said after one turn and before another, as expectations look at it. */
function scopeOf(
  { settings }: Scene,
  { conversation, turns, runs, how, end_reason, duration_ms }: PlayRecord,
  after: number,
  before = Number.POSITIVE_INFINITY,
): Scope {
  const within = (seq: number | null) => seq === null || (seq > after && seq < before)
  const inside = turns.filter(({ turn }) => within(turn.seq)).map(({ turn }) => turn)
  const agents = inside.filter(({ role }) => role === 'agent')
  const usage = {
    input_tokens: agents.reduce((sum, turn) => sum + turn.usage.input_tokens, 0),
    output_tokens: agents.reduce((sum, turn) => sum + turn.usage.output_tokens, 0),
  }
  const latencies = agents.flatMap(({ latency }) => latency.turn_ms ?? [])
  return {
    turns: agents.map(({ seq, text, heard }) => ({ seq, text: heard ?? text })),
    last_seq: inside.at(-1)?.seq ?? (after > 0 && Number.isFinite(after) ? after : null),
    runs: runs
      .filter((run) => wasCalled(run) && within(run.seq ?? null))
      .map(({ seq = null, ...run }) => ({ ...run, seq })),
    cited: agents.flatMap(({ citations }) => citations.map(({ document_id }) => document_id)),
    results: conversation.results,
    how,
    end_reason,
    tokens: usage.input_tokens + usage.output_tokens,
    cost_micros: costOf({ usage, duration_ms }, settings.prices),
    latency_ms: latencies.length > 0 ? Math.max(...latencies) : null,
  }
}
