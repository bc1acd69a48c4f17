import { written } from '../calls/store.ts'
import { attempts_ended } from '../campaigns/counted.ts'
import { progressed } from '../conversations/counted.ts'
import { on, type Reaction } from '../kit/at.ts'
import { countOfConversation, countsBefore, countsOfAttempt, countsOfCall, takenAway } from './counted.ts'
import { add } from './counts.ts'

export const reactions: Reaction[] = [
  on(written, async (at, all) => {
    const ended = all.filter(({ after }) => after.ended_at !== null)
    await add(
      at,
      ended.flatMap(({ before, after }) => [...countsOfCall(at, before).map(takenAway), ...countsOfCall(at, after)]),
    )
  }),
  on(progressed, (at, all) => add(at, all.map(countOfConversation))),
  on(attempts_ended, (at, all) =>
    add(
      at,
      all.flatMap((one) => [...countsBefore(at, one), ...countsOfAttempt(at, one)]),
    ),
  ),
]
