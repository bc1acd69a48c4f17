import type { Db } from '../kit/postgres/pool.ts'
import { invalid, signedOut } from '../kit/problem.ts'
import { hashPassword, isPassword } from './password.ts'
import type { PasswordChange, Person, Session, SignIn } from './schema.ts'
import * as sessions from './sessions.ts'
import * as people from './store.ts'
import type { Visitor } from './visitor.ts'

/** The same whether the email is unknown or the password wrong, and after the same time. */
const notRight = () => signedOut('The email or the password is not right.')

/** Not 401: that would tell the page that nobody is signed in. */
const wrongPassword = () =>
  invalid([{ path: 'current_password', code: 'wrong', message: 'current_password is not right.' }])

/** The account is the email, also one that nobody has: who asks can't tell which it is. */
export async function signIn(db: Db, { email, password }: SignIn, visitor: Visitor, now: number): Promise<Session> {
  const account = people.emailOf(email)
  visitor.throttle.attempt(account, visitor.network, now)
  const person = await people.findByEmail(db, account)
  const is_right = await isPassword(password, person?.password_hash)
  if (!person || !is_right) throw notRight()
  visitor.throttle.succeed(account, visitor.network)
  return enter(db, person, visitor, now)
}

/** Begins a session in this browser; the one that it had ends. */
export async function enter(db: Db, person: people.PersonWithHash, visitor: Visitor, now: number): Promise<Session> {
  const token = await sessions.begin(db, person.id, person.password_hash, visitor.user_agent, now)
  if (token === undefined) throw notRight()
  const { session } = visitor
  if (session) await sessions.end(db, session.id, session.session_id)
  visitor.keep(token)
  return people.sessionOf(db, person)
}

export async function signOut(db: Db, { session, keep }: Visitor): Promise<{ deleted: true }> {
  if (session) await sessions.end(db, session.id, session.session_id)
  keep(undefined)
  return { deleted: true }
}

/** Ends all sessions, and begins a new one here: a token that was stolen before is worth nothing after. */
export async function changePassword(
  db: Db,
  { email }: Person,
  { current_password, new_password }: PasswordChange,
  visitor: Visitor,
  now: number,
): Promise<{ changed: true }> {
  visitor.throttle.attempt(email, visitor.network, now)
  const person = await people.findByEmail(db, email)
  const is_right = await isPassword(current_password, person?.password_hash)
  if (!person || !is_right) throw wrongPassword()
  visitor.throttle.succeed(email, visitor.network)
  const after = await hashPassword(new_password)
  const token = await db.tx(async (db) => {
    if (!(await people.setPassword(db, person.id, person.password_hash, after))) throw wrongPassword()
    await sessions.endAll(db, person.id)
    return sessions.begin(db, person.id, after, visitor.user_agent, now)
  })
  visitor.keep(token)
  return { changed: true }
}
