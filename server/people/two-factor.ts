import { randomBytes } from 'node:crypto'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { hashOf } from '../kit/crypto/secret.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalid, invalidState, signedOut, tooManyAttempts } from '../kit/problem.ts'
import { product } from '../product.ts'
import { changeAndRecord } from './audit.ts'
import { hasTwoFactor } from './has-two-factor.ts'
import { verifyPassword } from './password.ts'
import type { Person, RecoveryCodes, TwoFactor, TwoFactorChange, TwoFactorSecret } from './schema.ts'
import * as sessions from './sessions.ts'
import * as people from './store.ts'
import { findStep, newTotpSecret, toBase32, totpUrl } from './totp.ts'
import type { Visitor } from './visitor.ts'

type AtPeople = Pick<At, 'db' | 'now' | 'tools'>

const recovery_codes_count = 10
/** 80 random bits can't be guessed from a hash without salt. */
const recovery_code_bytes = 10
/**
 * This many codes may be entered in any `codes_window_ms`, on all processes. Someone who enters codes knows the
 * password.
 */
const codes_max = 5
const codes_window_ms = 60_000

interface StoredSecret {
  secret: string
  last_step: number
}

export async function get({ db }: Pick<At, 'db'>, person_id: string): Promise<TwoFactor> {
  const { is_on, recovery_codes_left } = await db.one<TwoFactor>(
    sql`select ${hasTwoFactor(sql`${person_id}`)} as is_on,
      (select count(*) from recovery_codes where person_id = ${person_id}) as recovery_codes_left`,
  )
  return { is_on, recovery_codes_left }
}

/** Makes a secret for the person's app. Nothing changes at sign-in until `turnOn`. Replaces a secret that was not confirmed. */
export async function setUp({ db, now, tools }: AtPeople, { id, email }: Person): Promise<TwoFactorSecret> {
  const secret = newTotpSecret()
  const stored = await db.run(
    sql`insert into two_factor_secrets (person_id, secret, created_at)
      values (${id}, ${tools.seal.close(secret)}, ${clock.iso(now)})
      on conflict (person_id) do update set secret = excluded.secret, created_at = excluded.created_at
        where two_factor_secrets.confirmed_at is null`,
  )
  if (stored === 0) throw invalidState('Two-factor sign-in is already on. Turn it off first.')
  return { secret, url: totpUrl({ secret, issuer: product.name, account: email }) }
}

type Change = TwoFactorChange & { email: string; visitor: Visitor }

/**
 * Turns two-factor sign-in on, by a code of the app. Requires the password, because whoever has stolen a session could
 * lock the person out. The session in which this happens counts as signed in with both factors. The others end, because
 * they were started without a code.
 */
export async function turnOn(
  at: At,
  { session_id, code, ...credentials }: Change & { session_id: string },
): Promise<RecoveryCodes> {
  const person_id = await confirmPassword(at, credentials)
  await countCode(at, person_id)
  const confirm = async ({ db, now, tools }: AtPeople) => {
    // A sign-in without a code that is under way either ends first, or finds two-factor sign-in turned on.
    await people.lock({ db }, person_id)
    const stored = await db.maybe<StoredSecret>(
      sql`select secret, last_step from two_factor_secrets
        where person_id = ${person_id} and confirmed_at is null for update`,
    )
    if (!stored) throw invalidState('Set up two-factor sign-in first: there is no secret to confirm.')
    const step = findStep(tools.seal.open(stored.secret), {
      code: withoutSpaces(code),
      now,
      last_step: stored.last_step,
    })
    if (step === undefined) throw wrongCode()
    await db.run(
      sql`update two_factor_secrets set confirmed_at = ${clock.iso(now)}, last_step = ${step}, tried_at = '{}'
        where person_id = ${person_id}`,
    )
    const recovery_codes = Array.from({ length: recovery_codes_count }, newRecoveryCode)
    const hashes = recovery_codes.map((code) => hashOf(normalizeRecoveryCode(code)))
    await db.run(
      sql`insert into recovery_codes (person_id, hash)
        select ${person_id}, hash from unnest(${hashes}::bytea[]) as new (hash)`,
    )
    if ((await sessions.addTwoFactor({ db }, session_id)) === 0) throw signedOut()
    await sessions.endOthers({ db }, { person_id, id: session_id })
    return { recovery_codes }
  }
  return changeAndRecord(at, confirm, () => ({ action: 'two_factor.turn_on', person_id }))
}

/** Turns two-factor sign-in off. Requires the password and a code, so that a stolen session is not enough. */
export async function turnOff(at: At, { code, ...credentials }: Change): Promise<TwoFactor> {
  const person_id = await confirmPassword(at, credentials)
  if (!(await get(at, person_id)).is_on) throw invalidState('Two-factor sign-in is not on.')
  await countCode(at, person_id)
  const redeemAndRemove = async (at: AtPeople) => {
    if (!(await redeemCode(at, { person_id, code }))) throw wrongCode()
    await remove(at, person_id)
  }
  await changeAndRecord(at, redeemAndRemove, () => ({ action: 'two_factor.turn_off', person_id }))
  return { is_on: false, recovery_codes_left: 0 }
}

/** Checks the password. Returns the id of the person. */
async function confirmPassword(at: At, { email, password, visitor }: Omit<Change, 'code'>): Promise<string> {
  visitor.throttle.countAttempt(email, visitor.network, at.now)
  const person = await people.findByEmail(at, email)
  const is_correct = await verifyPassword(password, person?.password_hash)
  if (!person || !is_correct) throw invalid([{ path: 'password', code: 'wrong', message: 'password is wrong.' }])
  visitor.throttle.reset(email, visitor.network)
  return person.id
}

/**
 * Turns two-factor sign-in off for the command line, when the app and the recovery codes are lost. Ends all sessions.
 * Returns false when it is not on.
 */
export const reset = (at: At, person_id: string): Promise<boolean> =>
  changeAndRecord(
    at,
    async (at) => {
      if (!(await get(at, person_id)).is_on) return false
      await remove(at, person_id)
      await sessions.endAll(at, person_id)
      return true
    },
    (was_on) => (was_on ? { action: 'two_factor.reset', person_id } : undefined),
  )

/** Removes the secret. Its recovery codes are deleted with it. */
const remove = ({ db }: Pick<At, 'db'>, person_id: string): Promise<number> =>
  db.run(sql`delete from two_factor_secrets where person_id = ${person_id}`)

/**
 * Counts the entry of a code before it is checked, outside of the transaction that checks it. A correct code forgets the entries.
 * Fails with 429 when there were too many.
 */
export async function countCode({ db, now }: Pick<At, 'db' | 'now'>, person_id: string): Promise<void> {
  const since = clock.iso(now - codes_window_ms)
  // The oldest entry is that far ahead only if the clock was set back.
  const until = clock.iso(now + codes_window_ms)
  const counted = await db.run(
    sql`update two_factor_secrets
      set tried_at = (tried_at || ${clock.iso(now)}::timestamptz)[greatest(cardinality(tried_at) + 2 - ${codes_max}, 1):]
      where person_id = ${person_id}
        and (cardinality(tried_at) < ${codes_max} or tried_at[1] <= ${since} or tried_at[1] > ${until})`,
  )
  if (counted > 0) return
  const last = await db.maybe<{ oldest: string }>(
    sql`select tried_at[1] as oldest from two_factor_secrets where person_id = ${person_id}`,
  )
  // Without a secret there is nothing to guess.
  if (last?.oldest) throw tooManyAttempts(Math.ceil((clock.parse(last.oldest) + codes_window_ms - now) / 1000))
}

/** Marks a code of the app as used, or deletes a recovery code. Of concurrent uses of one code, one returns true. */
export async function redeemCode(
  at: AtPeople,
  { person_id, code }: { person_id: string; code: string },
): Promise<boolean> {
  const entered = withoutSpaces(code)
  return /^\d{6}$/.test(entered)
    ? redeemAppCode(at, { person_id, code: entered })
    : redeemRecoveryCode(at, { person_id, code: entered })
}

async function redeemAppCode(
  { db, now, tools }: AtPeople,
  { person_id, code }: { person_id: string; code: string },
): Promise<boolean> {
  const stored = await db.maybe<StoredSecret>(
    sql`select secret, last_step from two_factor_secrets where person_id = ${person_id} and confirmed_at is not null`,
  )
  if (!stored) return false
  const step = findStep(tools.seal.open(stored.secret), { code, now, last_step: stored.last_step })
  if (step === undefined) return false
  const used = await db.run(
    sql`update two_factor_secrets set last_step = ${step}, tried_at = '{}'
      where person_id = ${person_id} and confirmed_at is not null and last_step < ${step}`,
  )
  return used === 1
}

async function redeemRecoveryCode(
  { db }: Pick<At, 'db'>,
  { person_id, code }: { person_id: string; code: string },
): Promise<boolean> {
  const used = await db.run(
    sql`delete from recovery_codes where person_id = ${person_id} and hash = ${hashOf(normalizeRecoveryCode(code))}`,
  )
  if (used === 0) return false
  await db.run(sql`update two_factor_secrets set tried_at = '{}' where person_id = ${person_id}`)
  return true
}

/** Makes a recovery code: four groups of four characters, to copy by hand. */
const newRecoveryCode = (): string => toBase32(randomBytes(recovery_code_bytes)).replace(/.{4}(?=.)/g, '$&-')

const normalizeRecoveryCode = (code: string): string => code.replace(/-/g, '').toUpperCase()

/** Removes spaces from a code, because apps show it as "123 456". */
const withoutSpaces = (code: string): string => code.replace(/\s/g, '')

/** Returns an error that is not 401, which would tell the page that the person is signed out. */
const wrongCode = () => invalid([{ path: 'code', code: 'wrong', message: 'code is wrong or was already used.' }])
