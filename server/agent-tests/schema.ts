import { type Static, Type } from 'typebox'
import { Agent, created_by, VersionReference, versionOrDraft } from '../agents/schema.ts'
import { optionalId, Usage, variables } from '../conversations/schema.ts'
import {
  allOptional,
  ById,
  body,
  id,
  multiline,
  oneOf,
  optionalText,
  optionalTimestamp,
  text,
  timestamp,
} from '../kit/field.ts'
import * as page from '../kit/postgres/page.ts'
import { named_tool_pattern } from '../tools/schema.ts'

/** An agent has at most this many tests. */
export const tests_max = 500
export const steps_max = 50
/** Limits all answers of tools in a test, as JSON. */
export const tool_answers_bytes_max = 32 * 1024
/** Limits everything in a test, as JSON. */
export const content_bytes_max = 128 * 1024
/** Limits the expectations of a test, in its steps and for its end. */
export const all_expectations_max = 200
/** A test has at most this many patterns. */
export const patterns_max = 50
/** A workspace has at most this many runs at a time. Further ones are refused. */
export const runs_at_once_max = 5
const repeats_max = 20
const replayed_max = 200
/** A result has at most this many failures. Further ones are left out. */
export const failures_max = 20
const expectations_max = 50
const phrases_max = 20
const phrase_max = 500
export const said_max = 4_000
const turns_before_max = 50
const turns_max = 200
export const tool_answers_max = 100

const test_kinds = ['reply', 'conversation', 'simulation'] as const
const media = ['text', 'voice'] as const
export const ends = ['agent_ended', 'handed_over', 'transferred', 'opted_out', 'limit'] as const
const run_statuses = ['queued', 'running', 'completed', 'canceled'] as const
const result_statuses = ['queued', 'passed', 'failed', 'error', 'canceled'] as const

const optionalInteger = (description: string, limits: { minimum: number; maximum: number }) =>
  Type.Optional(Type.Integer({ ...limits, description, examples: [limits.minimum] }))

const expectation_types = [
  'says',
  'never_says',
  'calls_tool',
  'never_calls_tool',
  'result',
  'ends',
  'at_most',
  'cites',
  'judge',
] as const

/** An expectation. Its members depend on its type, which `test-faults.ts` checks. */
export const Expectation = Type.Object(
  {
    type: oneOf(expectation_types, {
      description:
        '`says`, `never_says`: the agent says one of `any_of`. `calls_tool`, `never_calls_tool`: it calls `tool`. `result`: it has ' +
        'collected the result `name`. `ends`: how it ended. `at_most`: limits. `cites`: an answer is based on the document `document_id`. `judge`: a model answers yes to `question`, which is not ' +
        'repeatable.',
      examples: ['says'],
    }),
    any_of: Type.Optional(
      Type.Array(text({ maxLength: phrase_max, examples: ['open at nine'] }), {
        minItems: 1,
        maxItems: phrases_max,
        description:
          'For `says` and `never_says`. A phrase matches when all of its words are said in one turn, in any order: case, accents, ' +
          'number words and small typos make no difference. A pattern is written `/nine|9/`, and ignores case.',
        examples: [['open at nine']],
      }),
    ),
    tool: Type.Optional(
      text({ pattern: named_tool_pattern, description: 'The name of the tool.', examples: ['book_slot'] }),
    ),
    arguments: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: {},
        description:
          'A part of the arguments of the call: objects may have more members. `{"$any": true}` stands for any value.',
        examples: [{ day: '2026-11-17' }],
      }),
    ),
    times: optionalInteger('How often the tool is called. By default at least once.', { minimum: 1, maximum: 100 }),
    name: Type.Optional(
      text({ pattern: '^[a-z0-9_]{1,40}$', description: 'The name of the result.', examples: ['wants_callback'] }),
    ),
    equals: Type.Optional(
      Type.Unsafe<string | number | boolean | null>({
        type: ['string', 'number', 'boolean', 'null'],
        description: 'The value of the result. `null`: it was not collected.',
        examples: [true],
      }),
    ),
    how: Type.Optional(oneOf(ends, { description: 'For `ends`: how it ended.', examples: ['handed_over'] })),
    end_reason: Type.Optional(
      text({ maxLength: 40, description: 'For `ends`, in voice: why the call ended.', examples: ['goal_reached'] }),
    ),
    turns: optionalInteger('For `at_most`: turns of the agent.', { minimum: 0, maximum: 1_000 }),
    tokens: optionalInteger('For `at_most`: tokens, read and written.', { minimum: 0, maximum: 10_000_000 }),
    cost_micros: optionalInteger("For `at_most`: what it costs at the workspace's prices, in millionths.", {
      minimum: 0,
      maximum: 1_000_000_000,
    }),
    latency_ms: optionalInteger('For `at_most`, in voice: the slowest answer.', { minimum: 0, maximum: 600_000 }),
    document_id: Type.Optional(id('For `cites`: the document.')),
    question: Type.Optional(
      text({ maxLength: 1_000, ...multiline, description: 'For `judge`.', examples: ['Was the agent polite?'] }),
    ),
  },
  { title: 'TestExpectation', additionalProperties: false },
)
export type Expectation = Static<typeof Expectation>

const expectations = (description: string) =>
  Type.Array(Expectation, {
    maxItems: expectations_max,
    description,
    examples: [[{ type: 'says', any_of: ['open at nine'] }]],
  })

const said = (description: string, example: string) =>
  text({ maxLength: said_max, ...multiline, description, examples: [example] })

const TestTurn = Type.Object(
  {
    role: oneOf(['contact', 'agent'], { examples: ['contact'] }),
    text: said('What was said.', 'Hello.'),
  },
  { title: 'TestTurn', additionalProperties: false },
)

const TestStep = Type.Object(
  {
    says: said('What the contact says.', 'When are you open?'),
    expect: Type.Optional(expectations("What holds for the agent's answer to this line.")),
  },
  { title: 'TestStep', additionalProperties: false },
)

const ToolAnswer = Type.Object(
  {
    tool: text({ pattern: named_tool_pattern, examples: ['book_slot'] }),
    arguments: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: {},
        description: 'Answers only calls whose arguments have this, as in an expectation.',
        examples: [{ day: '2026-11-17' }],
      }),
    ),
    result: Type.Optional(Type.Unknown({ description: 'What the tool answers.', examples: [{ is_booked: true }] })),
    error: Type.Optional(
      text({ maxLength: 500, description: 'The tool fails with this instead.', examples: ['The day is full.'] }),
    ),
    once: Type.Optional(
      Type.Boolean({ description: 'Answers one call only. By default it answers any number.', examples: [false] }),
    ),
  },
  { title: 'TestToolAnswer', additionalProperties: false },
)
export type ToolAnswer = Static<typeof ToolAnswer>

const Persona = Type.Object(
  {
    goal: text({ maxLength: 1_000, ...multiline, description: 'What the person wants.', examples: ['Book a visit.'] }),
    facts: Type.Optional(
      optionalText({
        maxLength: 4_000,
        ...multiline,
        description: 'What the person knows.',
        examples: ['Free on Fridays.'],
      }),
    ),
    style: Type.Optional(
      optionalText({ maxLength: 500, ...multiline, description: 'How the person talks.', examples: ['In a hurry.'] }),
    ),
  },
  { title: 'TestPersona', additionalProperties: false },
)
export type Persona = Static<typeof Persona>

type Person = Static<typeof Person>
const Person = Type.Object(
  {
    number: text({
      pattern: '^(0[0-9]|1[0-9])$',
      description: 'One of the simulated people: see "Calls" in the guide.',
      examples: ['00'],
    }),
    seed: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_147_483_647,
        description: 'Decides what the person says and when. 1 by default.',
        examples: [1],
      }),
    ),
  },
  { title: 'TestPerson', additionalProperties: false },
)

/** The fields of a contact that is never stored. */
const TestContact = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: {},
  description: 'The fields of the contact that the agent talks with. It is never stored.',
  examples: [{ first_name: 'Ada', time_zone: 'Europe/London' }],
})

const nullable = <T>(schema: object) => Type.Unsafe<T | null>({ ...schema, type: ['object', 'null'] })
const nothing_by_default = 'By default nothing.'

/** The fields of a test. Some depend on its kind, which `test-faults.ts` checks. */
const fields = {
  name: text({ maxLength: 200, description: 'What it checks.', examples: ['Tells the opening hours'] }),
  kind: oneOf(test_kinds, {
    description:
      '`reply`: one answer, after `turns`. `conversation`: the contact says the lines of `steps`. `simulation`: a simulated person ' +
      'talks until the end.',
    examples: ['conversation'],
  }),
  is_enabled: Type.Boolean({
    description: 'Runs leave out tests that are disabled, unless you name them, and the gate does too.',
    examples: [true],
  }),
  begins: oneOf(['agent', 'contact'], {
    description: 'Who speaks first. By default the agent, with its greeting or the start of its script.',
    examples: ['agent'],
  }),
  turns: Type.Array(TestTurn, {
    maxItems: turns_before_max,
    description: `For \`reply\`: what was said before. ${nothing_by_default}`,
    examples: [[]],
  }),
  says: optionalText({
    maxLength: said_max,
    ...multiline,
    description: 'For `reply`: what the contact says then.',
    examples: [null],
  }),
  steps: Type.Array(TestStep, {
    maxItems: steps_max,
    description: 'For `conversation`: what the contact says, one line after the other.',
    examples: [[{ says: 'When are you open?', expect: [{ type: 'says', any_of: ['open at nine'] }] }]],
  }),
  person: nullable<Person>(Person),
  persona: nullable<Persona>(Persona),
  medium: oneOf(media, {
    description: 'For `simulation`: by text, or in a simulated call. Personas talk by text. `text` by default.',
    examples: ['text'],
  }),
  turns_max: Type.Integer({
    minimum: 1,
    maximum: turns_max,
    description: 'For `simulation`: it ends after so many turns of the person. 20 by default.',
    examples: [20],
  }),
  variables,
  contact: nullable<Record<string, unknown>>(TestContact),
  now: optionalTimestamp('The time that the agent sees. By default the real one.'),
  uses_tools: Type.Boolean({
    description:
      'Really calls the tools that `tool_answers` does not answer, and may do so again if the run is interrupted. By default such a ' +
      'call fails the test, and nothing is called.',
    examples: [false],
  }),
  tool_answers: Type.Array(ToolAnswer, {
    maxItems: tool_answers_max,
    description: 'What tools answer. The first one that fits is used. At most 32 kB.',
    examples: [[]],
  }),
  expect: expectations('What holds for the answer, or at the end.'),
}

export const AgentTest = Type.Object(
  {
    id: id('The unique id of the test. Treat it as opaque.'),
    agent_id: id('The agent.'),
    ...fields,
    created_at: timestamp('When the test was created.'),
    updated_at: timestamp('When the test was last changed.'),
  },
  { title: 'AgentTest' },
)
export type AgentTest = Static<typeof AgentTest>
/** The content of a test that a run needs. */
export type TestContent = Pick<AgentTest, keyof typeof fields>

/** The fields besides name and kind that a test has by default. */
export const test_defaults = {
  is_enabled: true,
  begins: 'agent',
  turns: [],
  says: null,
  steps: [],
  person: null,
  persona: null,
  medium: 'text',
  turns_max: 20,
  variables: {},
  contact: null,
  now: null,
  uses_tools: false,
  tool_answers: [],
  expect: [],
} satisfies Omit<TestContent, 'name' | 'kind'>

const { name: test_name, kind: test_kind, ...optional_fields } = fields
const example = {
  name: 'Tells the opening hours',
  kind: 'conversation',
  steps: [{ says: 'When are you open?', expect: [{ type: 'says', any_of: ['open at nine'] }] }],
}

const newAgentTest = body(
  'NewAgentTest',
  { name: test_name, kind: test_kind, ...allOptional(optional_fields) },
  AgentTest,
)
export type NewAgentTest = Static<typeof newAgentTest>
export const NewAgentTest = Type.Unsafe<NewAgentTest>({ ...newAgentTest, examples: [example] })

const agentTestChange = body('AgentTestChange', allOptional(fields), AgentTest)
export type AgentTestChange = Static<typeof agentTestChange>
export const AgentTestChange = Type.Unsafe<AgentTestChange>({ ...agentTestChange, examples: [{ is_enabled: false }] })

export const ByTestId = Type.Object({ ...ById.properties, test_id: id('The id of the test.') })
export const AgentTestQuery = page.query({})

const total = (description: string, example = 0) => Type.Integer({ description, examples: [example] })

export const TestRun = Type.Object(
  {
    id: id('The unique id of the run. Treat it as opaque.'),
    agent_id: id('The agent.'),
    kind: oneOf(['tests', 'replay'], {
      description: '`tests`: tests of the agent. `replay`: conversations of the past, said again.',
      examples: ['tests'],
    }),
    agent_version: Type.Object(
      { id: optionalId('`null` for the draft.'), version_label: VersionReference.properties.version_label },
      { description: 'The version that is tested. Of a draft, the configuration that it had when the run began.' },
    ),
    status: oneOf(run_statuses, {
      description: 'A run that is `completed` may have failed: see `failed` and `errors`.',
      examples: ['queued'],
    }),
    repeat: Type.Integer({ description: 'How often each test is run.', examples: [1] }),
    passes_min: Type.Integer({ description: 'A test passes if it has passed this often.', examples: [1] }),
    tests: total('How many tests or conversations it has.', 3),
    done: total('How many of them have a result.'),
    passed: total('How many have passed.'),
    failed: total('How many have failed.'),
    errors: total('How many could not be run, because a provider failed for example.'),
    usage: Usage,
    created_by,
    created_at: timestamp('When the run was requested.'),
    started_at: optionalTimestamp('When it began.'),
    ended_at: optionalTimestamp('When it was completed or canceled.'),
  },
  { title: 'TestRun' },
)
export type TestRun = Static<typeof TestRun>

export const TestGateQuery = Type.Object({ version: versionOrDraft('The id of a version, or `draft`.') })

export const TestGate = Type.Object(
  {
    deploy_requires: Agent.properties.deploy_requires,
    tests: total('How many tests of the agent are enabled.', 3),
    has_passed: Type.Boolean({
      description:
        'Whether all tests that are enabled have passed in one run on this content, as they are now. Also `true` if none is enabled. ' +
        'With `false`, an agent whose `deploy_requires` is `tests` refuses the deployment.',
      examples: [false],
    }),
    passed_run_id: optionalId('The last run in which they have.'),
    last_run_id: optionalId(
      'The last run on this content that was not canceled, whichever tests it has. It may not have ended yet.',
    ),
  },
  { title: 'TestGate' },
)
export type TestGate = Static<typeof TestGate>

export const TestFailure = Type.Object(
  {
    expectation: Type.Unsafe<Expectation | null>({
      ...Expectation,
      type: ['object', 'null'],
      description:
        'The expectation that does not hold. `null` if something else has failed, such as a tool without an answer.',
    }),
    sentence: Type.String({ description: 'What is wrong.', examples: ['The agent did not say "open at nine".'] }),
    step: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The line of `steps` that it belongs to, from 1. `null` for the test as a whole.',
      examples: [1],
    }),
    seq: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The turn of the conversation at which it shows. `null` if it is none.',
      examples: [3],
    }),
    conversation_id: optionalId('The conversation in which it failed.'),
  },
  { title: 'TestFailure' },
)
export type TestFailure = Static<typeof TestFailure>

/** A difference between a conversation of the past and its replay. */
export const ReplayDifference = Type.Object(
  {
    what: oneOf(['answer', 'end', 'results', 'tools'], { description: 'What differs.', examples: ['answer'] }),
    seq: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: "For answers and tools: the contact's turn in the stored conversation that is answered.",
      examples: [2],
    }),
    recorded: Type.Unknown({ description: 'As it was.', examples: ['We open at nine.'] }),
    replayed: Type.Unknown({ description: 'As the tested version does it.', examples: ['At nine.'] }),
    deployed: Type.Unknown({ description: 'As the deployed version does it today.', examples: ['We open at nine.'] }),
    is_by_chance: Type.Boolean({
      description: 'The deployed version, said again, differs from what was recorded here too.',
      examples: [false],
    }),
  },
  { title: 'ReplayDifference' },
)
export type ReplayDifference = Static<typeof ReplayDifference>

export const TestRunResult = Type.Object(
  {
    id: id('The unique id of the result. Treat it as opaque.'),
    test_id: optionalId('The test. `null` in a replay, and when the test was deleted.'),
    source_conversation_id: optionalId('In a replay: the conversation of the past.'),
    name: Type.String({
      description: 'The name of the test when the run began.',
      examples: ['Tells the opening hours'],
    }),
    kind: oneOf([...test_kinds, 'replay'], { examples: ['conversation'] }),
    status: oneOf(result_statuses, {
      description: '`error`: it could not be run, because a provider failed for example.',
      examples: ['passed'],
    }),
    passes: total('How many of its runs have passed.', 1),
    runs: total('How many runs it had.', 1),
    is_repeatable: Type.Boolean({
      description:
        'Whether each run gives the same: not if a model answers, judges or ranks documents, or a tool was really called.',
      examples: [true],
    }),
    failures: Type.Array(TestFailure, { description: 'What has failed in its runs: at most 20.', examples: [[]] }),
    differences: Type.Array(ReplayDifference, { description: 'In a replay: at most 100.', examples: [[]] }),
    error: optionalText({ description: 'Why it could not be run.', examples: [null] }),
    has_test_changed: Type.Boolean({
      description: 'Whether the test does something else by now. Its name makes no difference.',
      examples: [false],
    }),
    conversation_id: optionalId(
      'The conversation of the first run that failed, else of the first run. It is kept for 30 days.',
    ),
    conversation_ids: Type.Array(id('A conversation.'), { description: 'Of all runs, in order.', examples: [[]] }),
    usage: Usage,
  },
  { title: 'TestRunResult' },
)
export type TestRunResult = Static<typeof TestRunResult>

export const TestRunWithResults = Type.Object(
  {
    ...TestRun.properties,
    results: Type.Array(TestRunResult, {
      description: 'The first 100, failures first. See "List the results of a test run" for all.',
      examples: [[]],
    }),
  },
  { title: 'TestRunWithResults' },
)
export type TestRunWithResults = Static<typeof TestRunWithResults>

export const NewTestRun = Type.Object(
  {
    version_id: Type.Optional(optionalId('The version to test. By default the deployed one.')),
    use_draft: Type.Optional(Type.Boolean({ description: 'Tests the draft instead.', examples: [true] })),
    test_ids: Type.Optional(
      Type.Array(id('The id of a test.'), {
        minItems: 1,
        maxItems: tests_max,
        description: 'By default all that are enabled.',
      }),
    ),
    repeat: Type.Optional(
      Type.Integer({ minimum: 1, maximum: repeats_max, description: '1 by default.', examples: [1] }),
    ),
    passes_min: Type.Optional(
      Type.Integer({ minimum: 1, maximum: repeats_max, description: 'By default all repeats.', examples: [1] }),
    ),
    replay: Type.Optional(
      Type.Object(
        { last: Type.Integer({ minimum: 1, maximum: replayed_max, examples: [50] }) },
        {
          additionalProperties: false,
          description:
            'Says again what contacts have said in the last conversations that were closed, instead of running tests.',
        },
      ),
    ),
  },
  { title: 'NewTestRun', additionalProperties: false, examples: [{ use_draft: true }] },
)
export type NewTestRun = Static<typeof NewTestRun>

export const TestRunQuery = page.query({})
export const TestRunResultQuery = page.query(
  { status: Type.Optional(oneOf(result_statuses, { description: 'Only results with this status.' })) },
  ['position', 20],
)
/** The format of a run: JSON, or a file without ids and times. */
export const TestRunFormat = Type.Object({
  format: oneOf(['json', 'junit'], { default: 'json', description: '`junit`: a JUnit XML file, for CI.' }),
})
