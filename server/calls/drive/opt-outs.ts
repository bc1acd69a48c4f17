import { setTimeout as sleep } from 'node:timers/promises'
import type { Shown } from '../../consent/spoken.ts'
import * as consent from '../../consent/store.ts'
import * as contacts from '../../contacts/store.ts'
import { type At, atLater, inTransaction, simulatesPeople } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'

/** The pauses before each new attempt. A database that restarts is back within a minute. */
const pauses_ms = [250, 1_000, 3_000, 5_000, 10_000, 20_000, 20_000]

/** A contact has said in a call that it wants no more of them. */
export interface SaidOptOut {
  phone_number: string
  contact_id: string | null
  /** `seq` is left out if the words of the turn may not be written. */
  evidence: { conversation_id: string | null; seq?: number } & Partial<Shown>
  /** When it was said. */
  at: number
  /** The simulated person that a request has chosen. */
  simulate: string | null
}

/**
 * Records opt-outs. Those of simulated people in a live workspace are left out: they can't speak for the person with
 * the number.
 */
export const recordOptOuts = (at: At, said: SaidOptOut[]) =>
  consent.record(
    at,
    said
      .filter(({ simulate }) => simulate === null || simulatesPeople(at))
      .map(({ phone_number, contact_id, evidence, at: time }) => ({
        phone_number,
        contact_id,
        evidence,
        kind: 'all',
        status: 'revoked',
        source: 'voice_request',
        created_at: clock.iso(time),
      })),
  )

/** Records an opt-out whose call could not be written. Tries for a minute, and never throws. */
export async function keepOptOut(at: At, said: SaidOptOut, log: Log): Promise<void> {
  for (const pause_ms of [...pauses_ms, undefined]) {
    try {
      return await inTransaction(atLater(at), (at) => recordAlone(at, said))
    } catch (error) {
      const { conversation_id } = said.evidence
      const shown = { err: error, workspace_id: at.workspace, conversation_id }
      if (pause_ms === undefined) return log.error(shown, 'an opt-out could not be recorded')
      await sleep(pause_ms)
    }
  }
}

async function recordAlone(at: At, said: SaidOptOut): Promise<void> {
  const { contact_id } = said
  // The contact may have been deleted meanwhile.
  const is_known = contact_id !== null && (await contacts.share(at, contact_id))
  await recordOptOuts(at, [{ ...said, contact_id: is_known ? contact_id : null }])
}
