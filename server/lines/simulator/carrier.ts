import type { Carrier } from '../../calls/carrier.ts'
import { choosePerson } from './choose.ts'
import { newLine, openLine } from './line.ts'
import type { LineState } from './line-state.ts'
import { personOf } from './people.ts'
import { beginningOf } from './reports.ts'

/** A carrier whose calls reach simulated people. */
export const simulator: Carrier = {
  dial: async (at, call) => newLine({ ...(await choosePerson(at, call)), started_at: call.started_at }),
  // The cast is true because `save` of the line has returned this.
  reopen: (_at, state) => openLine(state as LineState),
  find: async (at, call, now) => {
    const { person, ...random } = await choosePerson(at, call)
    return beginningOf(personOf(person), random, call.started_at).facts.filter((fact) => fact.at <= now)
  },
}
