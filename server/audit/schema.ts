import { type Static, Type } from 'typebox'
import { EntryActor, EntrySubject } from '../events/schema.ts'
import { id, idFilter, optionalText, timestamp } from '../kit/field.ts'
import * as page from '../kit/postgres/page.ts'

export const AuditEntry = Type.Object(
  {
    id: id('The unique id of the entry. Treat it as opaque.'),
    at: timestamp('When it happened, in real time, also in test workspaces.'),
    actor: EntryActor,
    action: Type.String({
      description:
        'What was done: the name of an operation, such as `agents.deploy`. Some are not part of this API: `session.create` is a ' +
        'sign-in, `session.create_failed` a wrong password. More may be added.',
      examples: ['api_keys.create'],
    }),
    subject: EntrySubject,
    ip: optionalText({
      description: 'The IP address of the client. `null` for commands.',
      examples: ['192.0.2.10'],
    }),
    request_id: optionalText({
      description: 'The `X-Request-Id` of the response. `null` for commands.',
      examples: ['req_Zk3vY8qLw2Xn_1f'],
    }),
    count: Type.Integer({
      description:
        'How often it happened. Wrong passwords, and downloads of the same file by the same actor, are one entry for each minute. ' +
        'Parts of a recording that a player gets later, because someone seeks, belong to an entry of the last hour.',
      examples: [1],
    }),
  },
  { title: 'AuditEntry' },
)
export type AuditEntry = Static<typeof AuditEntry>

export const AuditQuery = page.query(
  {
    actor_id: idFilter('Only what this key, person, agent or integration has done.'),
    subject_id: idFilter('Only what was done to this resource or person.'),
    action: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Only this action.', examples: ['api_keys.create'] }),
    ),
    from: Type.Optional(timestamp('Only entries at or after this time.')),
    to: Type.Optional(timestamp('Only entries before this time.')),
  },
  ['-at', '2026-11-15T09:30:00.000Z'],
)
export type AuditQuery = Static<typeof AuditQuery>
