import type { PhoneCall } from '../../peers/phone-call.ts'
import { toRate } from '../../support/person.ts'
import { sample_rate as sentence_rate } from '../../support/sounds.ts'
import type { Ended, Talker } from '../../support/talker.ts'

/** A person at a telephone, as the parts of `voice` know people. Sounds to say are at the rate of sentences. */
export interface PhoneTalker extends Talker {
  phone: PhoneCall
}

/** Longer than between sentences, and shorter than it takes to understand someone. */
const pause_min_ms = 250

/** Resolves when the first stream is open. */
export async function openPhoneTalker(phone: PhoneCall): Promise<PhoneTalker> {
  const { person, streams } = phone
  const ended = phone.ended.then(({ ended_by }): Ended => ({ end_reason: ended_by, code: undefined }))
  const isOpen = () => streams.some(({ opened_ms, closed_ms }) => opened_ms !== undefined && closed_ms === undefined)
  let said_ms = 0
  await phone.untilStreaming()
  const call_id = callIdOf(phone)
  const { sample_rate, spoken, played, stretches, clears, now, listen, findGaps, until } = person
  return {
    phone,
    call_id,
    get is_over() {
      return person.is_over
    },
    get is_connected() {
      return isOpen()
    },
    get connections() {
      return streams.filter(({ opened_ms }) => opened_ms !== undefined).length
    },
    sample_rate,
    spoken,
    played,
    stretches,
    clears,
    words: [],
    now,
    listen,
    findGaps,
    until,
    async say(sound) {
      const said = await person.say(typeof sound === 'string' ? sound : toRate(sound, sentence_rate, sample_rate))
      said_ms = said.end_ms
      return said
    },
    press: person.press,
    async hangUp() {
      await person.hangUp()
      return ended
    },
    cut: phone.cutStream,
    comeBack: () => until('a stream is open', isOpen),
    untilHeard: person.untilHeard,
    isQuiet: person.isQuiet,
    untilQuiet: person.untilQuiet,
    /** A telephone shows no words. What follows a pause after the person's words is what the agent says next. */
    async untilBegun(_text, given_ms) {
      const since_ms = Math.max(given_ms, said_ms)
      const find = () =>
        stretches.find(
          ({ start_ms }, index) =>
            start_ms > since_ms && start_ms - (stretches[index - 1]?.end_ms ?? 0) >= pause_min_ms,
        )
      await until('the agent speaks again', () => find() !== undefined)
      return person.untilHeard(find()?.start_ms ?? since_ms)
    },
    ended,
    close: () => phone.end({ status: 'failed', ended_by: 'peer' }),
  }
}

/** The id of the call is in what the service answers. */
function callIdOf({ sid, webhooks }: PhoneCall): string {
  const [, id] = webhooks.map(({ url, body }) => /\/calls\/([^/<?]+)/.exec(url + body)).find((found) => found) ?? []
  if (id === undefined) throw new Error(`${sid} has got no call: ${JSON.stringify(webhooks)}`)
  return id
}

/** For errors: what the network and the service have told each other. */
export function describe({ sid, webhooks, streams }: PhoneCall): string {
  const asked = webhooks.map(({ kind, at, form, status, body }) => [
    kind,
    at,
    form.CallStatus,
    status,
    body.slice(0, 400),
  ])
  const opened = streams.map(({ arrivals: _, marks: __, ...stream }) => stream)
  return `${sid}: ${JSON.stringify({ asked, opened })}`
}

/** Adds what has happened in the call to an error of it. */
export async function explained<T>({ phone }: PhoneTalker, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${describe(phone)}`, { cause: error })
  }
}
