import * as clock from '../kit/clock.ts'
import { isSecret } from '../kit/crypto/secret.ts'
import { cookieFor, formatCookie, isSameOrigin, readCookie } from '../kit/http/browser.ts'
import type { Knock } from '../kit/http/door.ts'
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
const began_as = new WeakMap<Knock, Role>()

const isForAnyone = (scope: string): boolean => scope.startsWith('anyone:')
const isForPeople = (scope: string): boolean => scope.startsWith('person:')

/** Lets in by the session's cookie: to the workspace that the page names, or for what belongs to no workspace. */
export function visiting(
  db: Db,
  public_url: string | undefined,
): (knock: Knock, now: number, is_recheck?: boolean) => Promise<Visitor> {
  const cookie = cookieFor(cookie_name, public_url)
  const attempts = throttle()
  const find = openTokenLookup<WantedSession, sessions.FoundSession>((wanted) =>
    sessions.findAll(db, wanted, clock.now()),
  )

  async function sessionOf({ headers }: Knock, workspace: string | undefined, now: number) {
    const token = readCookie(cookie, headers)
    return token !== undefined && isSecret(token) ? find({ token, workspace }, now) : undefined
  }

  return async (knock, now, is_recheck = false) => {
    const { scope } = knock.operation
    if (!['GET', 'HEAD'].includes(knock.method) && !isSameOrigin(knock.headers, public_url)) throw foreignOrigin()
    const workspace = workspaceOf(knock)
    const session = await sessionOf(knock, workspace, now)
    if (session && !is_recheck) await sessions.noteUse(db, session, now)
    if (!session && !isForAnyone(scope)) throw signedOut()
    const role = session?.role
    if (!role && !isForAnyone(scope) && !isForPeople(scope)) throw notFound()
    if (role) {
      assertMay(role, knock.operation)
      if ((began_as.get(knock) ?? role) !== role) throw new Problem('FORBIDDEN', 'Your role has changed.')
      began_as.set(knock, role)
    }
    const network = clientNetwork(knock.ip)
    return {
      id: session?.id ?? network,
      workspace: role && workspace ? workspace : '',
      scopes: scopesOf(role),
      source: 'manual',
      session,
      network,
      user_agent: knock.headers['user-agent'] ?? '',
      throttle: attempts,
      address: public_url ?? knock.headers.origin ?? '',
      keep: (token) =>
        knock.addHeader('set-cookie', formatCookie(cookie, token ?? '', token ? sessions.lifetime_ms / 1000 : 0)),
    }
  }
}

/** Links, as to a file, have no headers of their own: there the address says it. */
function workspaceOf(knock: Knock): string | undefined {
  const said = knock.headers['x-workspace'] ?? knock.takeFromQuery('workspace')
  return typeof said === 'string' && isId(said) ? said : undefined
}
