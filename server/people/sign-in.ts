import { setTimeout as sleep } from 'node:timers/promises'
import { type At, inTransaction, type Unscoped } from '../kit/at.ts'
import { invalid, signedOut } from '../kit/problem.ts'
import { personOf, recordInEach } from './audit.ts'
import { hashPassword, verifyPassword } from './password.ts'
import type { PasswordChange, Session, SignIn } from './schema.ts'
import * as sessions from './sessions.ts'
import * as people from './store.ts'
import type { Visitor } from './visitor.ts'

/** The same error, after the same time, for an unknown email and a wrong password. */
const wrongCredentials = () => signedOut('The email or the password is wrong.')

/** It is not 401, which would tell the page that the person is signed out. */
const wrongCurrentPassword = () =>
  invalid([{ path: 'current_password', code: 'wrong', message: 'current_password is wrong.' }])

/** The answer to a wrong password takes this much longer: as long as recording it, which is done for known emails only. */
const failure_ms = 50

/** Attempts on unknown emails are counted too, so that callers can't find out which emails exist. */
export async function signIn(at: At, { email, password, visitor }: SignIn & { visitor: Visitor }): Promise<Session> {
  const account = people.normalizeEmail(email)
  visitor.throttle.countAttempt(account, visitor.network, at.now)
  const person = await people.findByEmail(at, account)
  const is_correct = await verifyPassword(password, person?.password_hash)
  if (!person || !is_correct) {
    await Promise.all([sleep(failure_ms), person && recordFailure(at, person)])
    throw wrongCredentials()
  }
  visitor.throttle.reset(account, visitor.network)
  const session = await startSession(at, { person, visitor })
  await recordSignIn(at, session, 'session.create')
  return session
}

async function recordFailure(at: At, person: people.PersonWithHash): Promise<void> {
  const { workspaces } = await people.toSession(at, person)
  const entry = { action: 'session.create_failed', subject: personOf(person.id), is_counted: true }
  await recordInEach({ ...at, actor: personOf(null) }, workspaces, entry)
}

/** In the audit log of each of the person's workspaces. */
export const recordSignIn = (at: At, { person, workspaces }: Session, action: string): Promise<void> =>
  recordInEach({ ...at, actor: personOf(person.id) }, workspaces, { action, subject: personOf(person.id) })

/** Starts a session in this browser and ends the one that it had. */
export async function startSession(
  at: Unscoped,
  { person, visitor }: { person: people.PersonWithHash; visitor: Visitor },
): Promise<Session> {
  const { password_hash } = person
  const token = await sessions.create(at, { person_id: person.id, password_hash, user_agent: visitor.user_agent })
  if (token === undefined) throw wrongCredentials()
  const { session } = visitor
  if (session) await sessions.end(at, { person_id: session.id, id: session.session_id })
  visitor.setSessionCookie(token)
  return people.toSession(at, person)
}

export async function signOut(
  at: Pick<Unscoped, 'db'>,
  { session, setSessionCookie }: Visitor,
): Promise<{ deleted: true }> {
  if (session) await sessions.end(at, { person_id: session.id, id: session.session_id })
  setSessionCookie(undefined)
  return { deleted: true }
}

/** Ends all sessions and starts a new one here, so that a stolen token stops working. */
export async function changePassword(
  at: At,
  { email, current_password, new_password, visitor }: PasswordChange & { email: string; visitor: Visitor },
): Promise<{ changed: true }> {
  visitor.throttle.countAttempt(email, visitor.network, at.now)
  const person = await people.findByEmail(at, email)
  const is_correct = await verifyPassword(current_password, person?.password_hash)
  if (!person || !is_correct) throw wrongCurrentPassword()
  visitor.throttle.reset(email, visitor.network)
  const after = await hashPassword(new_password)
  const token = await inTransaction(at, async (at) => {
    const change = { id: person.id, before: person.password_hash, after }
    if (!(await people.setPassword(at, change))) throw wrongCurrentPassword()
    return sessions.create(at, { person_id: person.id, password_hash: after, user_agent: visitor.user_agent })
  })
  visitor.setSessionCookie(token)
  await recordSignIn(at, await people.toSession(at, person), 'password.update')
  return { changed: true }
}
