import { type Static, Type } from 'typebox'
import { body, id, multiline, optionalText, text, timestamp } from '../kit/field.ts'
import * as page from '../kit/postgres/page.ts'

const name = text({ maxLength: 200, examples: ['Reception'] })
const instructions = optionalText({
  maxLength: 32_000,
  ...multiline,
  description: 'What the agent is told to do.',
  examples: ['Greet the caller and ask how you can help.'],
})
const about = { maxLength: 2000, ...multiline, examples: ['Answers the main line.'] }

export const Agent = Type.Object(
  {
    id: id('Unique identifier; treat it as opaque.'),
    name,
    description: Type.String({ ...about, description: '`""` when unset.' }),
    instructions,
    deployed_version: Type.Object(
      {
        id: id("The version's identifier."),
        version_label: Type.String({ examples: ['v1'] }),
      },
      { description: 'The version that answers. Its instructions are those shown.' },
    ),
    created_at: timestamp('When it was created.'),
    updated_at: timestamp('When it was last changed.'),
  },
  { title: 'Agent' },
)
export type Agent = Static<typeof Agent>

export const AgentVersion = Type.Object(
  {
    id: id('Unique identifier; treat it as opaque.'),
    version_label: Type.String({ examples: ['v1'] }),
    instructions,
    created_at: timestamp('When it was created.'),
  },
  { title: 'AgentVersion' },
)
export type AgentVersion = Static<typeof AgentVersion>

export const NewAgent = body(
  'NewAgent',
  { name, description: Type.Optional(optionalText(about)), instructions: Type.Optional(instructions) },
  Agent,
)
export type NewAgent = Static<typeof NewAgent>

export const AgentQuery = page.query({})
export type AgentQuery = Static<typeof AgentQuery>
