import * as operation from '../kit/http/operation.ts'
import * as schema from './schema.ts'
import * as setup from './setup.ts'
import { changePassword, startSession } from './sign-in.ts'
import * as people from './store.ts'
import { requireSession, toVisitor } from './visitor.ts'

/** The operations of the first setup, and of what a person does with their own account. */
export const account_operations: operation.Operation[] = [
  operation.get({
    id: 'setup.get',
    path: '/setup/:token',
    scope: 'anyone:read',
    summary: 'Check a setup link',
    params: schema.ByToken,
    response: schema.Setup,
    run: (at, { params }) => setup.checkToken(at, params.token),
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
    run: async (at, request) => {
      const person = await setup.complete(at, { token: request.params.token, new_person: request.body })
      return startSession(at, { person, visitor: toVisitor(request) })
    },
  }),
  operation.write({
    id: 'person.update',
    method: 'PATCH',
    path: '/person',
    scope: 'person:write',
    summary: 'Change your name',
    body: schema.PersonChange,
    response: schema.Person,
    run: (at, request) => people.rename(at, { id: requireSession(request).id, name: request.body.name }),
  }),
  operation.write({
    id: 'password.update',
    method: 'PUT',
    path: '/password',
    scope: 'person:write',
    summary: 'Change your password',
    body: schema.PasswordChange,
    response: schema.PasswordChanged,
    run: (at, request) =>
      changePassword(at, { email: requireSession(request).email, ...request.body, visitor: toVisitor(request) }),
  }),
  operation.write({
    id: 'workspaces.create',
    method: 'POST',
    path: '/workspaces',
    scope: 'person:write',
    summary: 'Create a workspace',
    body: schema.NewWorkspace,
    response: schema.Workspace,
    status: 201,
    run: (at, request) => people.createWorkspace(at, { ...request.body, person_id: requireSession(request).id }),
  }),
]
