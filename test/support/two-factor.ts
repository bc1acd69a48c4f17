import assert from 'node:assert/strict'
import { codeOf, stepAt } from '../../server/people/totp.ts'
import { type Browser, password } from './sessions.ts'

/** Returns the code that an app shows `steps` of 30 seconds later or, if `steps` is below 0, earlier. */
export const codeFor = (secret: string, steps = 0): string => codeOf(secret, stepAt(Date.now()) + steps)

/** Turns on two-factor sign-in with the code before the current one, so that the current one still works. */
export async function turnOnTwoFactor({ go }: Browser): Promise<{ secret: string; recovery_codes: string[] }> {
  const made = await go('POST', '/two_factor')
  assert.equal(made.status, 201, made.text)
  const { secret } = made.body.data
  const turned_on = await go('POST', '/two_factor/turn_on', { password, code: codeFor(secret, -1) })
  assert.equal(turned_on.status, 200, turned_on.text)
  return { secret, recovery_codes: turned_on.body.data.recovery_codes }
}
