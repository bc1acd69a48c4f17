import { type Static, Type } from 'typebox'
import { ById, body, check, id, multiline, oneOf, optionalText, text, timestamp } from '../kit/field.ts'
import { hashState } from '../kit/http/etag.ts'
import type { Caller } from '../kit/http/operation.ts'
import { isId } from '../kit/id.ts'
import * as page from '../kit/postgres/page.ts'
import { KeptMcpTool } from '../tools/mcp-schema.ts'
import { Configuration, configuration_changes, instructions } from './configuration.ts'

export const agents_max = 1_000
/** An agent has at most this many versions. */
export const versions_max = 10_000

const name = text({ maxLength: 200, examples: ['Reception'] })
const description_rules = { maxLength: 2000, ...multiline, examples: ['Answers the main line.'] }
const version_label = Type.String({ examples: ['v1'] })
const percent = { minimum: 1, maximum: 100, examples: [20] }
const example = { name: 'Reception', description: 'Answers the main line.', instructions: 'Greet the caller.' }

export const VersionReference = Type.Object(
  { id: id('The id of the version.'), version_label },
  { title: 'VersionReference' },
)
export type VersionReference = Static<typeof VersionReference>

export interface Candidate {
  version: VersionReference
  percent: number
}

export interface Author {
  kind: (typeof author_kinds)[number]
  id: string | null
}

/** An author with its name, which is not stored because it can change: `withAuthors` adds it. */
export interface NamedAuthor extends Author {
  name: string | null
}

/** The requirements before a version is deployed. */
const deploy_requirements = ['none', 'tests'] as const
const deploy_requires = oneOf(deploy_requirements, {
  description:
    '`tests`: a version can only be deployed when all tests that are enabled have passed on it. Only owners may change it, and API ' +
    'keys that list the scope `agents:force`.',
  examples: ['none'],
})
const force = Type.Optional(
  Type.Boolean({
    description:
      'Deploys although tests are required and have not passed. Only for owners, and API keys that list the scope `agents:force`.',
    examples: [false],
  }),
)

const author_kinds = ['api_key', 'person', 'command'] as const

export const created_by = Type.Unsafe<NamedAuthor | null>({
  title: 'VersionAuthor',
  type: ['object', 'null'],
  required: ['kind', 'id', 'name'],
  properties: {
    kind: oneOf(author_kinds),
    id: { type: ['string', 'null'], description: 'The id of the API key or person; `null` for the command line.' },
    name: {
      type: ['string', 'null'],
      description:
        'The current name of the person or API key. `null` for the command line, and if they no longer exist.',
    },
  },
  description: 'Who did it. `null` if it was not recorded.',
  examples: [{ kind: 'api_key', id: '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa', name: 'CRM sync' }],
})

export function authorOf({ id, authenticated_by }: Caller): Author {
  if (authenticated_by === 'command') return { kind: 'command', id: null }
  return { kind: authenticated_by === 'session' ? 'person' : 'api_key', id }
}

export const Agent = Type.Object(
  {
    id: id('The unique id of the agent. Treat it as opaque.'),
    name,
    description: Type.String({ ...description_rules, description: 'What the agent is for. `""` if not set.' }),
    instructions,
    deployed_version: Type.Object(VersionReference.properties, {
      title: 'DeployedVersion',
      description: 'The version in use. `instructions` are those of this version.',
    }),
    candidate: Type.Unsafe<Candidate | null>({
      title: 'AgentCandidate',
      type: ['object', 'null'],
      required: ['version', 'percent'],
      properties: { version: VersionReference, percent: Type.Integer(percent) },
      description: 'A version that is tried with `percent` of the counterparts, beside the deployed one.',
      examples: [null],
    }),
    has_unpublished_changes: Type.Boolean({
      description: "Whether the draft differs from all of the agent's versions.",
      examples: [false],
    }),
    deploy_requires,
    can_answer: Type.Boolean({
      description:
        '`false` while the deployed version has neither a script nor a model that can be asked: a model whose provider exists, and ' +
        'holds an API key or needs none. The model itself is not asked.',
      examples: [true],
    }),
    cannot_answer_reason: optionalText({
      description: "Why the agent can't answer, as a sentence. `null` if it can.",
      examples: [null],
    }),
    created_at: timestamp('When the agent was created.'),
    updated_at: timestamp('When the agent was last updated.'),
  },
  { title: 'Agent' },
)
export type Agent = Static<typeof Agent>

export const AgentWithDraft = Type.Object({ ...Agent.properties, draft: Configuration }, { title: 'AgentWithDraft' })
export type AgentWithDraft = Static<typeof AgentWithDraft>

/** Whether the agent can answer, which depends on the providers of the workspace, too. */
export type Answering = Pick<Agent, 'can_answer' | 'cannot_answer_reason'>
export type FoundAgent = Omit<AgentWithDraft, keyof Answering>

/** The version includes the reason, because a change of a provider may change whether the agent can answer. */
export const agentVersion = ({ updated_at, cannot_answer_reason }: Agent): string =>
  hashState(updated_at, cannot_answer_reason)

const draft = Type.Object(configuration_changes, {
  title: 'AgentConfigurationChange',
  additionalProperties: false,
  description: 'The configuration. Fields that are not sent keep their values. Other configuration fields are ignored.',
})
const editable = {
  description: Type.Optional(optionalText(description_rules)),
  ...configuration_changes,
  draft: Type.Optional(draft),
}

const newAgent = body('NewAgent', { name, ...editable }, AgentWithDraft)
export type NewAgent = Static<typeof newAgent>
export const NewAgent = Type.Unsafe<NewAgent>({ ...newAgent, examples: [example] })

const agentChange = body(
  'AgentChange',
  { name: Type.Optional(name), deploy_requires: Type.Optional(deploy_requires), ...editable },
  AgentWithDraft,
)
export type AgentChange = Static<typeof agentChange>
export const AgentChange = Type.Unsafe<AgentChange>({
  ...agentChange,
  examples: [{ instructions: 'Greet the caller by name.', limits: { turns_max: 50 } }],
})

export const AgentVersion = Type.Object(
  {
    id: id('The unique id of the version. Treat it as opaque.'),
    version_label,
    instructions,
    note: Type.Unsafe<string | null>({ type: ['string', 'null'], examples: ['Asks for the name first.'] }),
    created_by,
    created_at: timestamp('When the version was created.'),
  },
  { title: 'AgentVersion' },
)
export type AgentVersion = Static<typeof AgentVersion>

export const AgentVersionWithConfiguration = Type.Object(
  {
    ...AgentVersion.properties,
    configuration: Configuration,
    mcp_tools: Type.Array(KeptMcpTool, {
      description:
        'The tools of servers that `configuration.tools` names, as they were when the version was published. A tool that has changed ' +
        'since is not called.',
      examples: [[]],
    }),
  },
  { title: 'AgentVersionWithConfiguration' },
)
export type AgentVersionWithConfiguration = Static<typeof AgentVersionWithConfiguration>

export const NewVersion = Type.Object(
  {
    note: Type.Optional(
      optionalText({
        maxLength: 500,
        ...multiline,
        description: 'What is new in this version.',
        examples: ['Asks for the name first.'],
      }),
    ),
    deploy: Type.Optional(Type.Boolean({ description: 'Also deploys the version.', examples: [true] })),
    force,
  },
  { title: 'NewAgentVersion', additionalProperties: false },
)
export type NewVersion = Static<typeof NewVersion>

const DifferenceSide = Type.Object(
  {
    id: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'uuid',
      description: '`null` for the draft.',
      examples: ['019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa'],
    }),
    version_label: Type.String({ description: '`draft` for the draft.', examples: ['v1'] }),
  },
  { title: 'DifferenceSide' },
)
const anything = Type.Unsafe<unknown>({ description: 'Any JSON value.' })

export const Difference = Type.Object(
  {
    from: DifferenceSide,
    to: DifferenceSide,
    fields: Type.Array(Type.Object({ path: Type.String(), before: anything, after: anything }), {
      description: 'The fields that differ, without the instructions and the nodes of the script.',
      examples: [[{ path: 'limits.turns_max', before: 200, after: 50 }]],
    }),
    instructions: Type.Array(
      Type.Object({ change: oneOf(['same', 'added', 'removed']), text: Type.String({ description: 'Whole lines.' }) }),
      {
        description:
          'All lines of both sides, in order. Empty if the instructions are the same. If more than 150 lines differ, all ' +
          'lines count as changed.',
        examples: [
          [
            { change: 'same', text: 'Greet the caller.\n' },
            { change: 'added', text: 'Ask for the name.\n' },
          ],
        ],
      },
    ),
    script: Type.Array(
      Type.Object({
        node: Type.String(),
        change: oneOf(['added', 'removed', 'changed']),
        before: anything,
        after: anything,
      }),
      { description: 'The nodes of the script that differ.', examples: [[]] },
    ),
  },
  { title: 'AgentDifference' },
)
export type Difference = Static<typeof Difference>

/** A parameter of a query: the id of a version, or `draft`. */
export const versionOrDraft = (description: string) =>
  text({
    default: 'draft',
    description,
    [check]: (value) =>
      value === 'draft' || isId(value)
        ? undefined
        : { code: 'format', message: 'must be the id of a version, or draft.' },
  })

export const DifferenceQuery = Type.Object({ against: versionOrDraft('The id of another version, or `draft`.') })

export const Deployment = Type.Object(
  {
    id: id('The unique id of the deployment. Treat it as opaque.'),
    version: VersionReference,
    percent: Type.Integer({ ...percent, description: 'Below 100 the version became the candidate.', examples: [100] }),
    is_forced: Type.Boolean({
      description: 'It was deployed although tests were required and had not passed.',
      examples: [false],
    }),
    created_by,
    created_at: timestamp('When it was deployed.'),
  },
  { title: 'Deployment' },
)
export type Deployment = Static<typeof Deployment>

export const NewDeployment = Type.Object(
  {
    version_id: id('The version to deploy.'),
    percent: Type.Integer({
      ...percent,
      default: 100,
      description: 'Below 100 the version becomes the candidate beside the deployed version.',
    }),
    force,
  },
  { title: 'NewDeployment', additionalProperties: false },
)
export type NewDeployment = Static<typeof NewDeployment>

export const ByVersionId = Type.Object({ ...ById.properties, version_id: id('The id of the version.') })

export const AgentQuery = page.query({})
export type AgentQuery = Static<typeof AgentQuery>
