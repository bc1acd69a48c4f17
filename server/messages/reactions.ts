import { redacting } from '../conversations/erase.ts'
import { type AnswerBySms, answering_by_sms, said, writing_to } from '../conversations/store.ts'
import { type At, on, type Reaction } from '../kit/at.ts'
import { obey } from './opt-outs.ts'
import { assertMaySend, insertMessages, type NewMessage, readSegmentPrice, withMessage } from './outgoing.ts'
import { eraseReports } from './rows.ts'

export const reactions: Reaction[] = [
  on(writing_to, (at, { phone_number }) => assertMaySend(at, phone_number)),
  on(answering_by_sms, queueAnswer),
  on(said, obey),
  on(redacting, (at, { id }) => eraseReports(at, id)),
]

async function queueAnswer(
  at: At,
  { id, turn, channel_id, counterpart }: AnswerBySms,
): Promise<NewMessage | undefined> {
  await assertMaySend(at, counterpart)
  const segment_price = await readSegmentPrice(at)
  const { carried } = withMessage({ id, turn }, { channel_id, counterpart, segment_price })
  if (carried) await insertMessages(at, [carried])
  return carried
}
