import { Type } from 'typebox'
import type { EventType } from '../events/catalog.ts'
import { Agent } from './schema.ts'

/** The fields that `previous` may have. */
export const changing_fields = [
  'name',
  'description',
  'instructions',
  'deployed_version',
  'candidate',
  'has_unpublished_changes',
  'deploy_requires',
  'can_answer',
  'cannot_answer_reason',
] as const

const previous = Type.Partial(Type.Pick(Agent, changing_fields), { title: 'PreviousAgent' })
const scope = 'agents:read'

const DeployedAgent = Type.Object(
  {
    ...Agent.properties,
    is_forced: Type.Boolean({
      description: 'It was deployed although tests were required and had not passed.',
      examples: [false],
    }),
  },
  { title: 'DeployedAgent' },
)

export const event_types = {
  created: {
    name: 'agent.created',
    description: 'An agent was created and its first version was deployed.',
    data: Agent,
    scope,
  },
  updated: {
    name: 'agent.updated',
    description:
      'The name, description or draft of an agent was changed, or its draft was published. `previous` has the previous ' +
      'values of the changed fields. The draft is not part of `data`.',
    data: Agent,
    previous,
    scope,
  },
  deployed: {
    name: 'agent.deployed',
    description:
      'A version of an agent was deployed or rolled back, or its candidate was started, changed or ended. `previous` has ' +
      'the previous values of the changed fields. `is_forced` says that tests were required and had not passed.',
    data: DeployedAgent,
    previous,
    scope,
  },
  deleted: {
    name: 'agent.deleted',
    description: 'An agent was deleted. `data` is the agent as it was.',
    data: Agent,
    scope,
  },
} satisfies Record<string, EventType>
