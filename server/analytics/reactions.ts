import { written } from '../calls/store.ts'
import { attempts_ended } from '../campaigns/counted.ts'
import { progressed } from '../conversations/counted.ts'
import { on, type Reaction } from '../kit/at.ts'
import { countOfConversation, countsBefore, countsOfAttempt, countsOfCall, takenAway } from './counted.ts'
import { add } from './counts.ts'
import { withoutUnfilled } from './fills.ts'

export const reactions: Reaction[] = [
  on(written, async (at, all) => {
    const ended = all.filter(({ after }) => after.ended_at !== null)
    const changes = await withoutUnfilled(at, 'calls', { changes: ended, idOf: ({ after }) => after.id })
    await add(
      at,
      changes.flatMap(({ before, after }) => [...countsOfCall(at, before).map(takenAway), ...countsOfCall(at, after)]),
    )
  }),
  on(progressed, async (at, all) => {
    const changes = await withoutUnfilled(at, 'conversations', {
      changes: all,
      idOf: ({ conversation }) => conversation.id,
    })
    await add(at, changes.map(countOfConversation))
  }),
  on(attempts_ended, async (at, all) => {
    const changes = await withoutUnfilled(at, 'campaigns', { changes: all, idOf: ({ id }) => id })
    await add(
      at,
      changes.flatMap((one) => [...countsBefore(at, one), ...countsOfAttempt(at, one)]),
    )
  }),
]
