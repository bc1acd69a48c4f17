import { Type } from 'typebox'
import { ById } from '../kit/field.ts'
import type { Call, Operation } from '../kit/http/operation.ts'
import * as operation from '../kit/http/operation.ts'
import { onUniqueViolation } from '../kit/postgres/errors.ts'
import { invalid, notFound, signedOut } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import * as invitations from './invitations.ts'
import * as members from './members.ts'
import { roleRequired } from './roles.ts'
import * as schema from './schema.ts'
import * as sessions from './sessions.ts'
import * as setup from './setup.ts'
import { changePassword, enter, signIn, signOut } from './sign-in.ts'
import * as people from './store.ts'
import type { Visitor } from './visitor.ts'

const Deleted = Type.Object({ deleted: Type.Literal(true) })
const deleted = { deleted: true } as const

/** Only the door that lets in visitors leads here. */
const visitorOf = ({ caller }: Pick<Call, 'caller'>): Visitor => caller as Visitor

function personOf(call: Pick<Call, 'caller'>): sessions.FoundSession {
  const { session } = visitorOf(call)
  if (!session) throw signedOut()
  return session
}

/** For whom an operation is, its scope says: anyone, a person who is signed in, or by role in the workspace that is named. */
const signing: Operation[] = [
  operation.get({
    id: 'session.get',
    path: '/session',
    scope: 'anyone:read',
    summary: 'Who is signed in, if anyone',
    response: schema.PerhapsSession,
    run: async (at, call) => {
      const { session } = visitorOf(call)
      return session ? people.sessionOf(at, session) : { person: null, workspaces: [] }
    },
  }),
  operation.write({
    id: 'session.create',
    method: 'POST',
    path: '/session',
    scope: 'anyone:write',
    summary: 'Sign in',
    body: schema.SignIn,
    response: schema.Session,
    run: (at, call) => signIn(at, { ...call.body, visitor: visitorOf(call) }),
  }),
  operation.write({
    id: 'session.delete',
    method: 'DELETE',
    path: '/session',
    scope: 'anyone:write',
    summary: 'Sign out',
    response: Deleted,
    run: (at, call) => signOut(at, visitorOf(call)),
  }),
  operation.list({
    id: 'sessions.list',
    path: '/sessions',
    scope: 'person:read',
    summary: "List the person's sessions",
    query: schema.Query,
    items: schema.OpenSession,
    run: (at, call) => {
      const { id, session_id } = personOf(call)
      return sessions.list(at, { person_id: id, current_id: session_id, query: call.query })
    },
  }),
  operation.write({
    id: 'sessions.delete_all',
    method: 'DELETE',
    path: '/sessions',
    scope: 'person:write',
    summary: 'Sign out everywhere',
    response: Deleted,
    run: async (at, call) => {
      await sessions.endAll(at, personOf(call).id)
      visitorOf(call).keep(undefined)
      return deleted
    },
  }),
  operation.write({
    id: 'sessions.delete',
    method: 'DELETE',
    path: '/sessions/:id',
    scope: 'person:write',
    summary: 'End a session',
    params: ById,
    response: Deleted,
    run: async (at, call) => {
      const { id, session_id } = personOf(call)
      if (!(await sessions.end(at, { person_id: id, id: call.params.id }))) throw notFound()
      if (call.params.id === session_id) visitorOf(call).keep(undefined)
      return deleted
    },
  }),
  operation.get({
    id: 'setup.look',
    path: '/setup/:token',
    scope: 'anyone:read',
    summary: 'Whether the link sets up the first person',
    params: schema.ByToken,
    response: schema.Setup,
    run: (at, { params }) => setup.look(at, params.token),
  }),
  operation.write({
    id: 'setup.complete',
    method: 'POST',
    path: '/setup/:token',
    scope: 'anyone:write',
    summary: 'Set up the first person',
    params: schema.ByToken,
    body: schema.NewPerson,
    response: schema.Session,
    run: async (at, call) => {
      const person = await setup.complete(at, { token: call.params.token, input: call.body })
      return enter(at, { person, visitor: visitorOf(call) })
    },
  }),
]

const own: Operation[] = [
  operation.write({
    id: 'person.update',
    method: 'PATCH',
    path: '/person',
    scope: 'person:write',
    summary: 'Change the name',
    body: schema.PersonChange,
    response: schema.Person,
    run: (at, call) => people.rename(at, { id: personOf(call).id, name: call.body.name }),
  }),
  operation.write({
    id: 'password.update',
    method: 'PUT',
    path: '/password',
    scope: 'person:write',
    summary: 'Change the password',
    body: schema.PasswordChange,
    response: Type.Object({ changed: Type.Literal(true) }),
    run: (at, call) => changePassword(at, { email: personOf(call).email, ...call.body, visitor: visitorOf(call) }),
  }),
  operation.write({
    id: 'workspaces.create',
    method: 'POST',
    path: '/workspaces',
    scope: 'person:write',
    summary: 'Create a workspace',
    body: schema.WorkspaceChange,
    response: schema.Workspace,
    status: 201,
    run: (at, call) => people.createWorkspace(at, { person_id: personOf(call).id, name: call.body.name }),
  }),
]

const shared: Operation[] = [
  operation.write({
    id: 'workspace.update',
    method: 'PATCH',
    path: '/workspace',
    scope: 'workspace:write',
    summary: 'Rename the workspace',
    body: schema.WorkspaceChange,
    response: schema.Workspace,
    run: async (at, { body }) => {
      const renamed = await workspaces.rename(at, body.name).catch(onUniqueViolation(people.nameInUse))
      return { ...renamed, role: 'owner' as const }
    },
  }),
  operation.list({
    id: 'members.list',
    path: '/members',
    scope: 'members:read',
    summary: 'List the members',
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
    run: (at, call) =>
      members.setRole(at, { person_id: call.params.person_id, role: call.body.role, by: personOf(call).id }),
  }),
  operation.write({
    id: 'members.delete',
    method: 'DELETE',
    path: '/members/:person_id',
    // Everyone may leave; only owners may remove others.
    scope: 'membership:write',
    summary: 'Remove a member, or leave',
    params: schema.ByPerson,
    response: Deleted,
    run: (at, call) => {
      const { person_id } = call.params
      if (person_id !== personOf(call).id && !call.caller.scopes.has('members:write')) throw roleRequired('owner')
      return members.remove(at, { person_id, by: personOf(call).id })
    },
  }),
  operation.list({
    id: 'invitations.list',
    path: '/invitations',
    scope: 'invitations:read',
    summary: 'List the open invitations',
    query: schema.Query,
    items: schema.Invitation,
    run: (at, { query }) => invitations.list(at, query),
  }),
  operation.write({
    id: 'invitations.create',
    method: 'POST',
    path: '/invitations',
    scope: 'invitations:write',
    summary: 'Invite by link',
    body: schema.NewInvitation,
    response: schema.InvitationWithLink,
    status: 201,
    run: (at, call) => {
      const link_start = `${visitorOf(call).address}/invite/`
      return invitations.create(at, { ...call.body, invited_by: personOf(call).id, link_start })
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
    id: 'invitations.look',
    path: '/invitations/:token',
    scope: 'anyone:read',
    summary: 'What the link invites to',
    params: schema.ByToken,
    response: schema.OpenInvitation,
    run: (at, { params }) => invitations.look(at, params.token),
  }),
  operation.write({
    id: 'invitations.accept',
    method: 'POST',
    path: '/invitations/:token',
    scope: 'anyone:write',
    summary: 'Accept an invitation, as a new person or as who is signed in',
    params: schema.ByToken,
    body: schema.Acceptance,
    response: schema.Session,
    run: async (at, call) => {
      const { token } = call.params
      if (Object.keys(call.body).length > 0) {
        const person = await invitations.acceptAsNew(at, { token, input: whole(call.body) })
        return enter(at, { person, visitor: visitorOf(call) })
      }
      await invitations.accept(at, { token, person: personOf(call) })
      return people.sessionOf(at, personOf(call))
    },
  }),
]

/** What a person does as a person. No part of the public API. */
export const operations: Operation[] = [...signing, ...own, ...shared]

function whole({ email, name, password }: schema.Acceptance): schema.NewPerson {
  if (email !== undefined && name !== undefined && password !== undefined) return { email, name, password }
  const missing = Object.entries({ email, name, password }).filter(([, value]) => value === undefined)
  throw invalid(missing.map(([path]) => ({ path, code: 'required', message: `${path} is required.` })))
}
