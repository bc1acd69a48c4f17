import { type Static, Type } from 'typebox'
import { allOptional, body, check, id, oneOf, text, timestamp } from '../kit/field.ts'
import { checkCountry, countries } from './countries.ts'

const keep_days_max = 3_650
const tokens_per_day_limit = 1_000_000_000

const keepDays = (description: string, example: number | null) =>
  Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 1,
    maximum: keep_days_max,
    description: `${description} \`null\` keeps them forever.`,
    examples: [example],
  })

const settings = {
  conversations_keep_days: keepDays('For how many days after it began a conversation is kept, if it is closed.', null),
  tool_runs_keep_days: keepDays('For how many days the runs of tools are kept.', 90),
  tokens_per_day_max: Type.Integer({
    minimum: 0,
    maximum: tokens_per_day_limit,
    description: 'How many tokens the agents of the workspace can use in a day.',
    examples: [2_000_000],
  }),
  allowed_countries: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { title: 'CountryCode', type: 'string', enum: countries, [check]: checkCountry },
    maxItems: countries.length,
    description:
      'The countries whose numbers can be called and written to, as two letters such as `US`. `null` allows those of the ' +
      "workspace's own numbers, and in a test workspace all. An empty list allows none.",
    examples: [null],
  }),
}

const Settings = Type.Object(settings, { description: 'What applies to the whole workspace.' })
export type Settings = Static<typeof Settings>

/** A new setting needs no migration: a workspace that has not set it has the default. */
export const default_settings: Settings = {
  conversations_keep_days: null,
  tool_runs_keep_days: 90,
  tokens_per_day_max: 2_000_000,
  allowed_countries: null,
}

const name = text({
  maxLength: 200,
  description: 'No other workspace of the service can have it.',
  examples: ['Acme'],
})

export const Workspace = Type.Object(
  {
    id: id('The unique id of the workspace. Treat it as opaque.'),
    name,
    kind: oneOf(['live', 'test'], {
      description: "The time of a `test` workspace is that of its test clock. It can't be changed.",
      examples: ['live'],
    }),
    settings: Settings,
    created_at: timestamp('When the workspace was created.'),
    updated_at: timestamp('When the workspace was last changed.'),
  },
  { title: 'Workspace' },
)
export type Workspace = Static<typeof Workspace>

export const WorkspaceChange = body(
  'WorkspaceChange',
  allOptional({
    name,
    settings: Type.Object(allOptional(settings), {
      additionalProperties: false,
      description: 'Members that are left out keep their values.',
    }),
  }),
  Workspace,
)
export type WorkspaceChange = Static<typeof WorkspaceChange>
