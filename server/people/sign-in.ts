import { inTransaction, type Unscoped } from '../kit/at.ts'
import { invalid, signedOut } from '../kit/problem.ts'
import { hashPassword, isPassword } from './password.ts'
import type { PasswordChange, Session, SignIn } from './schema.ts'
import * as sessions from './sessions.ts'
import * as people from './store.ts'
import type { Visitor } from './visitor.ts'

/** The same whether the email is unknown or the password wrong, and after the same time. */
const notRight = () => signedOut('The email or the password is not right.')

/** Not 401: that would tell the page that nobody is signed in. */
const wrongPassword = () =>
  invalid([{ path: 'current_password', code: 'wrong', message: 'current_password is not right.' }])

/** The account is the email, also one that nobody has: who asks can't tell which it is. */
export async function signIn(
  at: Unscoped,
  { email, password, visitor }: SignIn & { visitor: Visitor },
): Promise<Session> {
  const account = people.emailOf(email)
  visitor.throttle.attempt(account, visitor.network, at.now)
  const person = await people.findByEmail(at, account)
  const is_right = await isPassword(password, person?.password_hash)
  if (!person || !is_right) throw notRight()
  visitor.throttle.succeed(account, visitor.network)
  return enter(at, { person, visitor })
}

/** Begins a session in this browser; the one that it had ends. */
export async function enter(
  at: Unscoped,
  { person, visitor }: { person: people.PersonWithHash; visitor: Visitor },
): Promise<Session> {
  const { password_hash } = person
  const token = await sessions.begin(at, { person_id: person.id, password_hash, user_agent: visitor.user_agent })
  if (token === undefined) throw notRight()
  const { session } = visitor
  if (session) await sessions.end(at, { person_id: session.id, id: session.session_id })
  visitor.keep(token)
  return people.sessionOf(at, person)
}

export async function signOut(at: Pick<Unscoped, 'db'>, { session, keep }: Visitor): Promise<{ deleted: true }> {
  if (session) await sessions.end(at, { person_id: session.id, id: session.session_id })
  keep(undefined)
  return { deleted: true }
}

/** Ends all sessions, and begins a new one here: a token that was stolen before is worth nothing after. */
export async function changePassword(
  at: Unscoped,
  { email, current_password, new_password, visitor }: PasswordChange & { email: string; visitor: Visitor },
): Promise<{ changed: true }> {
  visitor.throttle.attempt(email, visitor.network, at.now)
  const person = await people.findByEmail(at, email)
  const is_right = await isPassword(current_password, person?.password_hash)
  if (!person || !is_right) throw wrongPassword()
  visitor.throttle.succeed(email, visitor.network)
  const after = await hashPassword(new_password)
  const token = await inTransaction(at, async (at) => {
    const change = { id: person.id, before: person.password_hash, after }
    if (!(await people.setPassword(at, change))) throw wrongPassword()
    await sessions.endAll(at, person.id)
    return sessions.begin(at, { person_id: person.id, password_hash: after, user_agent: visitor.user_agent })
  })
  visitor.keep(token)
  return { changed: true }
}
