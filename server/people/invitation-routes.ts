import { ById, Deleted } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import { invalid } from '../kit/problem.ts'
import * as invitations from './invitations.ts'
import * as schema from './schema.ts'
import { startSession } from './sign-in.ts'
import * as people from './store.ts'
import { requireSession, toVisitor } from './visitor.ts'

export const invitation_operations: operation.Operation[] = [
  operation.list({
    id: 'invitations.list',
    path: '/invitations',
    scope: 'invitations:read',
    summary: 'List open invitations',
    query: schema.Query,
    items: schema.Invitation,
    run: (at, { query }) => invitations.list(at, query),
  }),
  operation.write({
    id: 'invitations.create',
    method: 'POST',
    path: '/invitations',
    scope: 'invitations:write',
    summary: 'Create an invitation link',
    body: schema.NewInvitation,
    response: schema.InvitationWithLink,
    status: 201,
    run: (at, request) => {
      const link_start = `${toVisitor(request).address}/invite/`
      return invitations.create(at, { ...request.body, invited_by: requireSession(request).id, link_start })
    },
  }),
  operation.write({
    id: 'invitations.delete',
    method: 'DELETE',
    path: '/invitations/:id',
    scope: 'invitations:write',
    summary: 'Withdraw an invitation',
    params: ById,
    response: Deleted,
    run: (at, { params }) => invitations.remove(at, params.id),
  }),
  operation.get({
    id: 'invitations.get',
    path: '/invitations/:token',
    scope: 'anyone:read',
    summary: 'Get an open invitation by its link',
    params: schema.ByToken,
    response: schema.OpenInvitation,
    run: (at, { params }) => invitations.getByToken(at, params.token),
  }),
  operation.write({
    id: 'invitations.accept',
    method: 'POST',
    path: '/invitations/:token',
    scope: 'anyone:write',
    summary: 'Accept an invitation, as a new person or as the person who is signed in',
    params: schema.ByToken,
    body: schema.Acceptance,
    response: schema.Session,
    run: async (at, request) => {
      const { token } = request.params
      if (Object.keys(request.body).length > 0) {
        const person = await invitations.acceptAsNew(at, { token, new_person: requireAllFields(request.body) })
        return startSession(at, { person, visitor: toVisitor(request) })
      }
      await invitations.accept(at, { token, person: requireSession(request) })
      return people.toSession(at, requireSession(request))
    },
  }),
]

function requireAllFields({ email, name, password }: schema.Acceptance): schema.NewPerson {
  if (email !== undefined && name !== undefined && password !== undefined) return { email, name, password }
  const missing = Object.entries({ email, name, password }).filter(([, value]) => value === undefined)
  throw invalid(missing.map(([path]) => ({ path, code: 'required', message: `${path} is required.` })))
}
