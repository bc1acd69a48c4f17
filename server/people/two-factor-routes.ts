import * as operation from '../kit/http/operation.ts'
import * as schema from './schema.ts'
import * as two_factor from './two-factor.ts'
import { requireSession, toVisitor } from './visitor.ts'

export const two_factor_operations: operation.Operation[] = [
  operation.get({
    id: 'two_factor.get',
    path: '/two_factor',
    scope: 'person:read',
    summary: 'Get whether you sign in with two factors',
    response: schema.TwoFactor,
    run: (at, request) => two_factor.get(at, requireSession(request).id),
  }),
  operation.write({
    id: 'two_factor.set_up',
    method: 'POST',
    path: '/two_factor',
    scope: 'person:write',
    summary: 'Get a secret for an authenticator app',
    response: schema.TwoFactorSecret,
    status: 201,
    run: (at, request) => two_factor.setUp(at, requireSession(request)),
  }),
  operation.write({
    id: 'two_factor.turn_on',
    method: 'POST',
    path: '/two_factor/turn_on',
    scope: 'person:write',
    summary: 'Turn on two-factor sign-in',
    body: schema.TwoFactorChange,
    response: schema.RecoveryCodes,
    run: (at, request) => {
      const { email, session_id } = requireSession(request)
      return two_factor.turnOn(at, { email, session_id, ...request.body, visitor: toVisitor(request) })
    },
  }),
  operation.write({
    id: 'two_factor.turn_off',
    method: 'POST',
    path: '/two_factor/turn_off',
    scope: 'person:write',
    summary: 'Turn off two-factor sign-in',
    body: schema.TwoFactorChange,
    response: schema.TwoFactor,
    run: (at, request) =>
      two_factor.turnOff(at, { email: requireSession(request).email, ...request.body, visitor: toVisitor(request) }),
  }),
]
