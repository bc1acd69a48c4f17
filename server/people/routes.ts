import { Type } from 'typebox'
import { ById } from '../kit/field.ts'
import { type Call, type Operation, operation } from '../kit/http/operation.ts'
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
  operation({
    id: 'session.get',
    method: 'GET',
    path: '/session',
    scope: 'anyone:read',
    summary: 'Who is signed in, if anyone',
    response: schema.PerhapsSession,
    run: async ({ db }, call) => {
      const { session } = visitorOf(call)
      return session ? people.sessionOf(db, session) : { person: null, workspaces: [] }
    },
  }),
  operation({
    id: 'session.create',
    method: 'POST',
    path: '/session',
    scope: 'anyone:write',
    summary: 'Sign in',
    body: schema.SignIn,
    response: schema.Session,
    run: ({ db, now }, call) => signIn(db, call.body, visitorOf(call), now),
  }),
  operation({
    id: 'session.delete',
    method: 'DELETE',
    path: '/session',
    scope: 'anyone:write',
    summary: 'Sign out',
    response: Deleted,
    run: ({ db }, call) => signOut(db, visitorOf(call)),
  }),
  operation({
    id: 'sessions.list',
    method: 'GET',
    path: '/sessions',
    scope: 'person:read',
    summary: "List the person's sessions",
    query: schema.Query,
    items: schema.OpenSession,
    run: ({ db, now }, call) => {
      const { id, session_id } = personOf(call)
      return sessions.list(db, id, session_id, call.query, now)
    },
  }),
  operation({
    id: 'sessions.delete_all',
    method: 'DELETE',
    path: '/sessions',
    scope: 'person:write',
    summary: 'Sign out everywhere',
    response: Deleted,
    run: async ({ db }, call) => {
      await sessions.endAll(db, personOf(call).id)
      visitorOf(call).keep(undefined)
      return deleted
    },
  }),
  operation({
    id: 'sessions.delete',
    method: 'DELETE',
    path: '/sessions/:id',
    scope: 'person:write',
    summary: 'End a session',
    params: ById,
    response: Deleted,
    run: async ({ db }, call) => {
      const { id, session_id } = personOf(call)
      if (!(await sessions.end(db, id, call.params.id))) throw notFound()
      if (call.params.id === session_id) visitorOf(call).keep(undefined)
      return deleted
    },
  }),
  operation({
    id: 'setup.look',
    method: 'GET',
    path: '/setup/:token',
    scope: 'anyone:read',
    summary: 'Whether the link sets up the first person',
    params: schema.ByToken,
    response: schema.Setup,
    run: ({ db, now }, { params }) => setup.look(db, params.token, now),
  }),
  operation({
    id: 'setup.complete',
    method: 'POST',
    path: '/setup/:token',
    scope: 'anyone:write',
    summary: 'Set up the first person',
    params: schema.ByToken,
    body: schema.NewPerson,
    response: schema.Session,
    run: async ({ db, now }, call) => {
      const person = await setup.complete(db, call.params.token, call.body, now)
      return enter(db, person, visitorOf(call), now)
    },
  }),
]

const own: Operation[] = [
  operation({
    id: 'person.update',
    method: 'PATCH',
    path: '/person',
    scope: 'person:write',
    summary: 'Change the name',
    body: schema.PersonChange,
    response: schema.Person,
    run: ({ db }, call) => people.rename(db, personOf(call).id, call.body.name),
  }),
  operation({
    id: 'password.update',
    method: 'PUT',
    path: '/password',
    scope: 'person:write',
    summary: 'Change the password',
    body: schema.PasswordChange,
    response: Type.Object({ changed: Type.Literal(true) }),
    run: ({ db, now }, call) => changePassword(db, personOf(call), call.body, visitorOf(call), now),
  }),
  operation({
    id: 'workspaces.create',
    method: 'POST',
    path: '/workspaces',
    scope: 'person:write',
    summary: 'Create a workspace',
    body: schema.WorkspaceChange,
    response: schema.Workspace,
    status: 201,
    run: ({ db, now }, call) => people.createWorkspace(db, personOf(call).id, call.body.name, now),
  }),
]

const shared: Operation[] = [
  operation({
    id: 'workspace.update',
    method: 'PATCH',
    path: '/workspace',
    scope: 'workspace:write',
    summary: 'Rename the workspace',
    body: schema.WorkspaceChange,
    response: schema.Workspace,
    run: async ({ db, workspace }, { body }) => {
      const renamed = await workspaces.rename(db, workspace, body.name).catch(onUniqueViolation(people.nameInUse))
      return { ...renamed, role: 'owner' as const }
    },
  }),
  operation({
    id: 'members.list',
    method: 'GET',
    path: '/members',
    scope: 'members:read',
    summary: 'List the members',
    query: schema.Query,
    items: schema.Member,
    run: ({ db, workspace }, { query }) => members.list(db, workspace, query),
  }),
  operation({
    id: 'members.update',
    method: 'PATCH',
    path: '/members/:person_id',
    scope: 'members:write',
    summary: "Change a member's role",
    params: schema.ByPerson,
    body: schema.MemberChange,
    response: schema.Member,
    run: ({ db, workspace }, call) =>
      members.setRole(db, workspace, call.params.person_id, call.body.role, personOf(call).id),
  }),
  operation({
    id: 'members.delete',
    method: 'DELETE',
    path: '/members/:person_id',
    // Everyone may leave; only owners may remove others.
    scope: 'membership:write',
    summary: 'Remove a member, or leave',
    params: schema.ByPerson,
    response: Deleted,
    run: ({ db, workspace }, call) => {
      const { person_id } = call.params
      if (person_id !== personOf(call).id && !call.caller.scopes.has('members:write')) throw roleRequired('owner')
      return members.remove(db, workspace, person_id, personOf(call).id)
    },
  }),
  operation({
    id: 'invitations.list',
    method: 'GET',
    path: '/invitations',
    scope: 'invitations:read',
    summary: 'List the open invitations',
    query: schema.Query,
    items: schema.Invitation,
    run: ({ db, workspace, now }, { query }) => invitations.list(db, workspace, query, now),
  }),
  operation({
    id: 'invitations.create',
    method: 'POST',
    path: '/invitations',
    scope: 'invitations:write',
    summary: 'Invite by link',
    body: schema.NewInvitation,
    response: schema.InvitationWithLink,
    status: 201,
    run: ({ db, workspace, now }, call) => {
      const link_start = `${visitorOf(call).address}/invite/`
      return invitations.create(db, workspace, call.body, personOf(call).id, link_start, now)
    },
  }),
  operation({
    id: 'invitations.delete',
    method: 'DELETE',
    path: '/invitations/:id',
    scope: 'invitations:write',
    summary: 'Withdraw an invitation',
    params: ById,
    response: Deleted,
    run: ({ db, workspace }, { params }) => invitations.remove(db, workspace, params.id),
  }),
  operation({
    id: 'invitations.look',
    method: 'GET',
    path: '/invitations/:token',
    scope: 'anyone:read',
    summary: 'What the link invites to',
    params: schema.ByToken,
    response: schema.OpenInvitation,
    run: ({ db, now }, { params }) => invitations.look(db, params.token, now),
  }),
  operation({
    id: 'invitations.accept',
    method: 'POST',
    path: '/invitations/:token',
    scope: 'anyone:write',
    summary: 'Accept an invitation, as a new person or as who is signed in',
    params: schema.ByToken,
    body: schema.Acceptance,
    response: schema.Session,
    run: async ({ db, now }, call) => {
      const { token } = call.params
      if (Object.keys(call.body).length > 0) {
        const person = await invitations.acceptAsNew(db, token, whole(call.body), now)
        return enter(db, person, visitorOf(call), now)
      }
      await invitations.accept(db, token, personOf(call), now)
      return people.sessionOf(db, personOf(call))
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
