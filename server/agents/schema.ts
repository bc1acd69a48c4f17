import { type Static, Type } from 'typebox'
import { body, id, multiline, optionalText, text, timestamp } from '../kit/field.ts'
import * as page from '../kit/postgres/page.ts'

const name = text({ maxLength: 200, examples: ['Reception'] })
const instructions = optionalText({
  maxLength: 32_000,
  ...multiline,
  description: 'The instructions that the agent follows.',
  examples: ['Greet the caller and ask how you can help.'],
})
const description_rules = { maxLength: 2000, ...multiline, examples: ['Answers the main line.'] }

export const Agent = Type.Object(
  {
    id: id('The unique id of the agent. Treat it as opaque.'),
    name,
    description: Type.String({ ...description_rules, description: 'What the agent is for. `""` if not set.' }),
    instructions,
    deployed_version: Type.Object(
      {
        id: id('The id of the version.'),
        version_label: Type.String({ examples: ['v1'] }),
      },
      { description: 'The version in use. `instructions` are those of this version.' },
    ),
    created_at: timestamp('When the agent was created.'),
    updated_at: timestamp('When the agent was last updated.'),
  },
  { title: 'Agent' },
)
export type Agent = Static<typeof Agent>

export const AgentVersion = Type.Object(
  {
    id: id('The unique id of the version. Treat it as opaque.'),
    version_label: Type.String({ examples: ['v1'] }),
    instructions,
    created_at: timestamp('When the version was created.'),
  },
  { title: 'AgentVersion' },
)
export type AgentVersion = Static<typeof AgentVersion>

export const NewAgent = body(
  'NewAgent',
  { name, description: Type.Optional(optionalText(description_rules)), instructions: Type.Optional(instructions) },
  Agent,
)
export type NewAgent = Static<typeof NewAgent>

export const AgentQuery = page.query({})
export type AgentQuery = Static<typeof AgentQuery>
