import * as clock from '../kit/clock.ts'
import { isSecret } from '../kit/crypto/secret.ts'
import { cookieFor, formatCookie, isSameOrigin, readCookie } from '../kit/http/browser.ts'
import type { IdentifyOptions, RequestHead } from '../kit/http/door.ts'
import type { Caller, ValidRequest } from '../kit/http/operation.ts'
import { isId } from '../kit/id.ts'
import { openTokenLookup } from '../kit/limits/token-lookup.ts'
import type { Log } from '../kit/log.ts'
import { clientNetwork } from '../kit/network.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { foreignOrigin, notFound, Problem, signedOut } from '../kit/problem.ts'
import { product } from '../product.ts'
import { assertMay, scopesForRole } from './roles.ts'
import type { Role } from './schema.ts'
import * as sessions from './sessions.ts'
import { openThrottle, type Throttle } from './throttle.ts'

/** The caller of a request from the dashboard, signed in or not. */
export interface Visitor extends Caller {
  session: sessions.FoundSession | undefined
  network: string
  user_agent: string
  throttle: Throttle
  /** Logs errors of work that the answer doesn't wait for. */
  log: Log
  /** The URL of the dashboard, with which links begin. */
  address: string
  /** Sends the session's token to the browser as a cookie, or removes the cookie. */
  setSessionCookie: (token: string | undefined) => void
}

interface WantedSession {
  token: string
  workspace: string | undefined
}

const cookie_name = `${product.short_name}_session`

const isForAnyone = (scope: string): boolean => scope.startsWith('anyone:')
const isForPeople = (scope: string): boolean => scope.startsWith('person:')

/** Identifies the person by the session cookie, and checks the role in the workspace that the request names. */
export function identifyVisitor(
  db: Db,
  public_url: string | undefined,
  log: Log,
): (head: RequestHead, now: number, options?: IdentifyOptions) => Promise<Visitor> {
  const cookie = cookieFor(cookie_name, public_url)
  const throttle = openThrottle()
  /** The role at the start of a request. A stream ends when the role changes, because it shows what the first role may read. */
  const first_roles = new WeakMap<RequestHead, Role>()
  const find = openTokenLookup<WantedSession, sessions.FoundSession>((wanted) =>
    sessions.findByTokens({ db, now: clock.wall() }, wanted),
  )

  async function findSession({ headers }: RequestHead, workspace: string | undefined, now: number) {
    const token = readCookie(cookie, headers)
    return token !== undefined && isSecret(token) ? find({ token, workspace }, now) : undefined
  }

  return async (head, now, { is_recheck = false } = {}) => {
    const { operation } = head
    if (operation.kind === 'raw') throw notFound()
    const { scope } = operation
    if (!['GET', 'HEAD'].includes(head.method) && !isSameOrigin(head.headers, public_url)) throw foreignOrigin()
    const workspace = requestedWorkspace(head)
    const session = await findSession(head, workspace, now)
    if (session && !is_recheck) await sessions.recordUse({ db, now }, session)
    if (!session && !isForAnyone(scope)) throw signedOut()
    const role = session?.role
    if (!role && !isForAnyone(scope) && !isForPeople(scope)) throw notFound()
    if (role) {
      assertMay(role, operation)
      if (session.is_locked && !isForAnyone(scope) && !isForPeople(scope)) throw twoFactorRequired()
      if ((first_roles.get(head) ?? role) !== role) throw new Problem('FORBIDDEN', 'Your role has changed.')
      first_roles.set(head, role)
    }
    const network = clientNetwork(head.ip)
    return {
      id: session?.id ?? network,
      workspace: role && workspace ? workspace : '',
      scopes: scopesForRole(role),
      authenticated_by: 'session',
      actor: { type: 'person', id: session?.id ?? null },
      is_test: session?.is_test ?? false,
      session,
      network,
      user_agent: head.headers['user-agent'] ?? '',
      throttle,
      log,
      address: public_url ?? head.headers.origin ?? '',
      setSessionCookie: (token) =>
        head.addHeader('set-cookie', formatCookie(cookie, token ?? '', token ? sessions.lifetime_ms / 1000 : 0)),
    }
  }
}

const twoFactorRequired = () =>
  new Problem(
    'FORBIDDEN',
    'This workspace requires two-factor sign-in. Set it up in your profile. If you have it, sign in again.',
    { reason: 'two_factor_required' },
  )

/**
 * Returns the workspace that a request names. A link to a file can't set headers, so it names the workspace in the
 * query.
 */
function requestedWorkspace(head: RequestHead): string | undefined {
  const workspace = head.headers['x-workspace'] ?? head.takeFromQuery('workspace')
  return typeof workspace === 'string' && isId(workspace) ? workspace : undefined
}

/** Returns the caller of a person operation. Only the door that `identifyVisitor` protects serves these. */
export const toVisitor = ({ caller }: Pick<ValidRequest, 'caller'>): Visitor => caller as Visitor

/** Returns the session. Fails with 401 when the visitor isn't signed in. */
export function requireSession(request: Pick<ValidRequest, 'caller'>): sessions.FoundSession {
  const { session } = toVisitor(request)
  if (!session) throw signedOut()
  return session
}
