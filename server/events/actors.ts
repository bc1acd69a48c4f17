import type { Actor } from '../kit/at.ts'

/** The types of people and things that cause events. */
export const actor_types = ['key', 'person', 'agent', 'integration', 'operator', 'system'] as const
export type ActorType = (typeof actor_types)[number]

/** The actor for someone on the command line. */
export const operator: Actor = { type: 'operator', id: null }

export const agentActor = (id: string): Actor => ({ type: 'agent', id })
