import type { Actor } from '../kit/at.ts'

/** Who or what causes events. */
export const actor_types = ['key', 'person', 'agent', 'integration', 'operator', 'system'] as const
export type ActorType = (typeof actor_types)[number]

/** The actor for someone on the command line. */
export const operator: Actor = { type: 'operator', id: null }

export const agentActor = (id: string): Actor => ({ type: 'agent', id })
