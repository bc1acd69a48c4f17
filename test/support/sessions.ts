import { newId } from '../../server/kit/id.ts'
import { hashPassword } from '../../server/people/password.ts'
import type { Role } from '../../server/people/schema.ts'
import * as sessions from '../../server/people/sessions.ts'
import * as people from '../../server/people/store.ts'
import type { Answer, Server } from './harness.ts'

export const password = 'correct horse battery'
/** The password is hashed once, because hashing is expensive on purpose. */
const password_hash = await hashPassword(password)

type SendRequest = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>

export interface Browser {
  /** Sends a request below /app from the server's own origin, with the cookie that earlier responses set. */
  go: SendRequest
  cookie: () => string
}

export interface TestPerson extends Browser {
  id: string
  email: string
  name: string
}

/** Makes a browser. Without a token it isn't signed in. */
export function browser({ fetch, url }: Pick<Server, 'fetch' | 'url'>, token?: string): Browser {
  let cookie = token === undefined ? '' : `parley_session=${token}`
  const go: SendRequest = async (method, path, body, headers) => {
    const answer = await fetch(method, `/app${path}`, body, { origin: url, ...(cookie && { cookie }), ...headers })
    const [set] = answer.headers.getSetCookie()
    if (set !== undefined) cookie = set.includes('Max-Age=0') ? '' : (set.split(';')[0] ?? '')
    return answer
  }
  return { go, cookie: () => cookie }
}

/** Creates a person with these roles by workspace, and signs them in. */
export async function newPerson(server: Server, memberships: Record<string, Role> = {}): Promise<TestPerson> {
  const { pool } = server
  const email = `${newId()}@example.com`
  const person = await people.create({ db: pool, now: Date.now() }, { email, name: 'Ada', password_hash })
  if (!person) throw new Error('the email is taken')
  for (const [workspace, role] of Object.entries(memberships)) {
    await people.join(server.at(workspace), { person_id: person.id, role })
  }
  return { ...person, ...browser(server, await newSessionToken(server, person.id)) }
}

export async function newSessionToken(
  { pool }: Pick<Server, 'pool'>,
  person_id: string,
  now = Date.now(),
): Promise<string> {
  const token = await sessions.create({ db: pool, now }, { person_id, password_hash, user_agent: 'A browser' })
  if (token === undefined) throw new Error('the password was changed')
  return token
}

/** The header that names the workspace of a request. */
export const inWorkspace = (workspace: { id: string }): Record<string, string> => ({ 'x-workspace': workspace.id })
