import * as clock from '../kit/clock.ts'
import { isSecret } from '../kit/crypto/secret.ts'
import { cookieFor, formatCookie, isSameOrigin, readCookie } from '../kit/http/browser.ts'
import type { RequestHead } from '../kit/http/door.ts'
import type { Caller } from '../kit/http/operation.ts'
import { isId } from '../kit/id.ts'
import { openTokenLookup } from '../kit/limits/token-lookup.ts'
import { clientNetwork } from '../kit/network.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { foreignOrigin, notFound, Problem, signedOut } from '../kit/problem.ts'
import { product } from '../product.ts'
import { assertMay, scopesOf } from './roles.ts'
import type { Role } from './schema.ts'
import * as sessions from './sessions.ts'
import { type Throttle, throttle } from './throttle.ts'

/** Who comes by a browser, signed in or not yet. */
export interface Visitor extends Caller {
  session: sessions.FoundSession | undefined
  network: string
  user_agent: string
  throttle: Throttle
  /** What links to pages begin with. */
  address: string
  /** The browser keeps this token from now on; undefined: none. */
  keep: (token: string | undefined) => void
}

interface WantedSession {
  token: string
  workspace: string | undefined
}

const cookie_name = `${product.short_name}_session`

/** The role in which a request began. A stream shows what that role may read, so it ends when the role is another. */
const began_as = new WeakMap<RequestHead, Role>()

const isForAnyone = (scope: string): boolean => scope.startsWith('anyone:')
const isForPeople = (scope: string): boolean => scope.startsWith('person:')

/** Lets in by the session's cookie: to the workspace that the page names, or for what belongs to no workspace. */
export function identifyVisitor(
  db: Db,
  public_url: string | undefined,
): (head: RequestHead, now: number, is_recheck?: boolean) => Promise<Visitor> {
  const cookie = cookieFor(cookie_name, public_url)
  const attempts = throttle()
  const find = openTokenLookup<WantedSession, sessions.FoundSession>((wanted) =>
    sessions.findByTokens({ db, now: clock.now() }, wanted),
  )

  async function sessionOf({ headers }: RequestHead, workspace: string | undefined, now: number) {
    const token = readCookie(cookie, headers)
    return token !== undefined && isSecret(token) ? find({ token, workspace }, now) : undefined
  }

  return async (head, now, is_recheck = false) => {
    const { operation } = head
    if (operation.kind === 'raw') throw notFound()
    const { scope } = operation
    if (!['GET', 'HEAD'].includes(head.method) && !isSameOrigin(head.headers, public_url)) throw foreignOrigin()
    const workspace = workspaceOf(head)
    const session = await sessionOf(head, workspace, now)
    if (session && !is_recheck) await sessions.recordUse({ db, now }, session)
    if (!session && !isForAnyone(scope)) throw signedOut()
    const role = session?.role
    if (!role && !isForAnyone(scope) && !isForPeople(scope)) throw notFound()
    if (role) {
      assertMay(role, operation)
      if ((began_as.get(head) ?? role) !== role) throw new Problem('FORBIDDEN', 'Your role has changed.')
      began_as.set(head, role)
    }
    const network = clientNetwork(head.ip)
    return {
      id: session?.id ?? network,
      workspace: role && workspace ? workspace : '',
      scopes: scopesOf(role),
      authenticated_by: 'session',
      session,
      network,
      user_agent: head.headers['user-agent'] ?? '',
      throttle: attempts,
      address: public_url ?? head.headers.origin ?? '',
      keep: (token) =>
        head.addHeader('set-cookie', formatCookie(cookie, token ?? '', token ? sessions.lifetime_ms / 1000 : 0)),
    }
  }
}

/** Links, as to a file, have no headers of their own: there the address says it. */
function workspaceOf(head: RequestHead): string | undefined {
  const said = head.headers['x-workspace'] ?? head.takeFromQuery('workspace')
  return typeof said === 'string' && isId(said) ? said : undefined
}
