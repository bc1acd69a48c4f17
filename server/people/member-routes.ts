import { Deleted } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import * as members from './members.ts'
import { roleRequired } from './roles.ts'
import * as schema from './schema.ts'
import { requireSession } from './visitor.ts'

export const member_operations: operation.Operation[] = [
  operation.list({
    id: 'members.list',
    path: '/members',
    scope: 'members:read',
    summary: 'List members',
    query: schema.Query,
    items: schema.Member,
    run: (at, { query }) => members.list(at, query),
  }),
  operation.write({
    id: 'members.update',
    method: 'PATCH',
    path: '/members/:person_id',
    scope: 'members:write',
    summary: "Change a member's role",
    params: schema.ByPerson,
    body: schema.MemberChange,
    response: schema.Member,
    run: (at, request) =>
      members.setRole(at, {
        person_id: request.params.person_id,
        role: request.body.role,
        by: requireSession(request).id,
      }),
  }),
  operation.write({
    id: 'members.delete',
    method: 'DELETE',
    path: '/members/:person_id',
    // Everyone may leave; only owners may remove others.
    scope: 'membership:write',
    summary: 'Remove a member, or leave the workspace',
    params: schema.ByPerson,
    response: Deleted,
    run: (at, request) => {
      const { person_id } = request.params
      if (person_id !== requireSession(request).id && !request.caller.scopes.has('members:write'))
        throw roleRequired('owner')
      return members.remove(at, { person_id, by: requireSession(request).id })
    },
  }),
]
