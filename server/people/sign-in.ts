import { setTimeout as sleep } from 'node:timers/promises'
import type { At, Unscoped } from '../kit/at.ts'
import { invalid, Problem, signedOut } from '../kit/problem.ts'
import { asPerson, changeAndRecord, recordForPerson } from './audit.ts'
import { hashPassword, verifyPassword } from './password.ts'
import type { PasswordChange, Session, SignIn } from './schema.ts'
import * as sessions from './sessions.ts'
import * as people from './store.ts'
import * as two_factor from './two-factor.ts'
import type { Visitor } from './visitor.ts'

/** Returns the same error, after the same time, for an unknown email and a wrong password. */
const wrongCredentials = () => signedOut('The email or the password is wrong.')

/** Returns an error that is not 401, which would tell the page that the person is signed out. */
const wrongCurrentPassword = () =>
  invalid([{ path: 'current_password', code: 'wrong', message: 'current_password is wrong.' }])

const signInAgain = () =>
  new Problem(
    'FORBIDDEN',
    'Two-factor sign-in is on, and you signed in without a code. Sign in again to change your password.',
    { reason: 'two_factor_required' },
  )

/**
 * The answer to a wrong password takes this much longer, and no more: only failures for known emails are recorded
 * meanwhile, and the answer must not tell how long that takes.
 */
const failure_ms = 50

/**
 * Returns the error for a missing code. It comes only after the right password, so that it says nothing about others.
 */
const codeRequired = () => new Problem('UNAUTHORIZED', 'A code is required.', { reason: 'code_required' })
const wrongCode = () => new Problem('UNAUTHORIZED', 'The code is wrong or was already used.', { reason: 'wrong_code' })

/**
 * Signs a person in. Attempts on unknown emails are counted too, so that callers can't find out which emails exist. The
 * attempts are forgotten after a correct code only, so that whoever knows the password can't try more codes by signing
 * in again.
 */
export async function signIn(
  at: At,
  { email, password, code, visitor }: SignIn & { visitor: Visitor },
): Promise<Session> {
  const account = people.normalizeEmail(email)
  visitor.throttle.countAttempt(account, visitor.network, at.now)
  const person = await people.findByEmail(at, account)
  const is_correct = await verifyPassword(password, person?.password_hash)
  if (!person || !is_correct) {
    if (person)
      recordFailure(at, person.id).catch((error) => visitor.log.error(error, 'a failed sign-in was not recorded'))
    await sleep(failure_ms)
    throw wrongCredentials()
  }
  const is_two_factor = (await two_factor.get(at, person.id)).is_on
  if (is_two_factor) {
    if (code === undefined) throw codeRequired()
    await two_factor.countCode(at, person.id)
  }
  const token = await changeAndRecord(
    at,
    async (at) => {
      const is_redeemed =
        !is_two_factor || (await two_factor.redeemCode(at, { person_id: person.id, code: code ?? '' }))
      if (!is_redeemed) return undefined
      const token = await createSession(at, { person, visitor, is_two_factor })
      if (await lacksCode(at, person.id, is_two_factor)) throw codeRequired()
      return token
    },
    (token) =>
      token === undefined ? undefined : { action: 'session.create', person_id: person.id, actor: asPerson(person.id) },
  )
  if (token === undefined) {
    await recordFailure(at, person.id)
    throw wrongCode()
  }
  visitor.throttle.reset(account, visitor.network)
  return enter(at, { person, visitor, token, is_two_factor })
}

/** Whether two-factor sign-in is on, perhaps only since the password was checked. Turning it on waits for the lock on the person. */
const lacksCode = async (at: Unscoped, person_id: string, is_two_factor: boolean): Promise<boolean> =>
  !is_two_factor && (await two_factor.get(at, person_id)).is_on

const recordFailure = (at: At, person_id: string): Promise<void> =>
  recordForPerson(at, { action: 'session.create_failed', person_id, actor: asPerson(null), is_counted: true })

interface NewSession {
  person: people.PersonWithHash
  visitor: Visitor
  is_two_factor: boolean
}

/** Starts the first session of a new person. */
export async function startSession(at: Unscoped, given: Omit<NewSession, 'is_two_factor'>): Promise<Session> {
  const new_session = { ...given, is_two_factor: false }
  return enter(at, { ...new_session, token: await createSession(at, new_session) })
}

async function createSession(at: Unscoped, { person, visitor, is_two_factor }: NewSession): Promise<string> {
  const { id: person_id, password_hash } = person
  const { user_agent } = visitor
  const token = await sessions.create(at, { person_id, password_hash, user_agent, is_two_factor })
  if (token === undefined) throw wrongCredentials()
  return token
}

/** Sends the new session's token to this browser and ends the session that it had. */
async function enter(
  at: Unscoped,
  { person, visitor, token, is_two_factor }: NewSession & { token: string },
): Promise<Session> {
  const { session } = visitor
  if (session) await sessions.end(at, { person_id: session.id, id: session.session_id })
  visitor.setSessionCookie(token)
  return people.toSession(at, { ...person, is_two_factor })
}

export async function signOut(
  at: Pick<Unscoped, 'db'>,
  { session, setSessionCookie }: Visitor,
): Promise<{ deleted: true }> {
  if (session) await sessions.end(at, { person_id: session.id, id: session.session_id })
  setSessionCookie(undefined)
  return { deleted: true }
}

/**
 * Ends all sessions and starts a new one here, so that a stolen token stops working. Fails with 403 in a session without a code when
 * two-factor sign-in is on.
 */
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
  const change = async (at: At) => {
    const change = { id: person.id, before: person.password_hash, after }
    if (!(await people.setPassword(at, change))) throw wrongCurrentPassword()
    const is_two_factor = visitor.session?.is_two_factor ?? false
    if (await lacksCode(at, person.id, is_two_factor)) throw signInAgain()
    const { user_agent } = visitor
    return sessions.create(at, { person_id: person.id, password_hash: after, user_agent, is_two_factor })
  }
  const token = await changeAndRecord(at, change, () => ({ action: 'password.update', person_id: person.id }))
  visitor.setSessionCookie(token)
  return { changed: true }
}
