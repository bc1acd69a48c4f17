import { ById, Deleted } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import { notFound } from '../kit/problem.ts'
import * as schema from './schema.ts'
import * as sessions from './sessions.ts'
import { signIn, signOut } from './sign-in.ts'
import * as people from './store.ts'
import { requireSession, toVisitor } from './visitor.ts'

const signed_out = { person: null, workspaces: [], is_operator: false, has_two_factor: false }

export const session_operations: operation.Operation[] = [
  operation.get({
    id: 'session.get',
    path: '/session',
    scope: 'anyone:read',
    summary: 'Get the current session, if any',
    response: schema.CurrentSession,
    run: async (at, request) => {
      const { session } = toVisitor(request)
      if (session) return { ...(await people.toSession(at, session)), is_set_up: true }
      return { ...signed_out, is_set_up: await people.exist(at) }
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
    run: (at, request) => signIn(at, { ...request.body, visitor: toVisitor(request) }),
  }),
  operation.write({
    id: 'session.delete',
    method: 'DELETE',
    path: '/session',
    scope: 'anyone:write',
    summary: 'Sign out',
    response: Deleted,
    run: (at, request) => signOut(at, toVisitor(request)),
  }),
  operation.list({
    id: 'sessions.list',
    path: '/sessions',
    scope: 'person:read',
    summary: 'List your sessions',
    query: schema.Query,
    items: schema.OpenSession,
    run: (at, request) => {
      const { id, session_id } = requireSession(request)
      return sessions.list(at, { person_id: id, current_id: session_id, query: request.query })
    },
  }),
  operation.write({
    id: 'sessions.delete_all',
    method: 'DELETE',
    path: '/sessions',
    scope: 'person:write',
    summary: 'Sign out everywhere',
    response: Deleted,
    run: async (at, request) => {
      await sessions.endAll(at, requireSession(request).id)
      toVisitor(request).setSessionCookie(undefined)
      return { deleted: true as const }
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
    run: async (at, request) => {
      const { id, session_id } = requireSession(request)
      if (!(await sessions.end(at, { person_id: id, id: request.params.id }))) throw notFound()
      if (request.params.id === session_id) toVisitor(request).setSessionCookie(undefined)
      return { deleted: true as const }
    },
  }),
]
