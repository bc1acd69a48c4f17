import * as operation from '../kit/http/operation.ts'
import * as password_links from './password-links.ts'
import * as schema from './schema.ts'
import { requireSession, toVisitor } from './visitor.ts'

export const password_link_operations: operation.Operation[] = [
  operation.write({
    id: 'password_links.create',
    method: 'POST',
    path: '/members/:person_id/password_link',
    scope: 'members:write',
    summary: 'Create a link with which a member sets a new password',
    params: schema.ByPerson,
    response: schema.PasswordLink,
    status: 201,
    run: (at, request) =>
      password_links.createAsOwner(at, {
        person_id: request.params.person_id,
        link_start: toVisitor(request).address + password_links.path,
        created_by: requireSession(request).id,
      }),
  }),
  operation.get({
    id: 'password_links.get',
    path: '/password_links/:token',
    scope: 'anyone:read',
    summary: 'Check a password link',
    params: schema.ByToken,
    response: schema.OpenPasswordLink,
    run: (at, { params }) => password_links.getByToken(at, params.token),
  }),
  operation.write({
    id: 'password_links.use',
    method: 'POST',
    path: '/password_links/:token',
    scope: 'anyone:write',
    summary: 'Set a new password with a password link',
    params: schema.ByToken,
    body: schema.NewPasswordByLink,
    response: schema.PasswordChanged,
    run: (at, { params, body }) => password_links.use(at, { token: params.token, ...body }),
  }),
]
