import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type AudioLine, openAudioLine } from '../../server/audio/line.ts'
import { openOfflineSpeech } from '../../server/audio/offline-speech.ts'
import type { Fact } from '../../server/calls/facts.ts'
import { openLog } from '../../server/kit/log.ts'
import type { LineEvent } from '../../server/talk/line.ts'
import { byForm } from '../support/property-runs.ts'
import { requireSpeech, speech_folder } from '../support/speech.ts'
import { type Talk, talk_settings, talkOn, voice_settings } from '../support/talk-on-line.ts'
import {
  openFakeVoice,
  openFakeWire,
  openVirtualCall,
  openVirtualTime,
  type VirtualCall,
  type VirtualTime,
} from '../support/virtual-sound.ts'
import {
  type Answerer,
  answerOf,
  type Kind,
  others,
  persons,
  replyOf,
  telephone_rate,
  tone,
  toTelephone,
  voicemails,
} from '../support/who-answered.ts'

requireSpeech()
const offline = openOfflineSpeech({ folder: speech_folder, log: openLog('silent') })
after(() => offline.close())

const message = 'This is Acme. Please call us back.'
const settings = {
  ...talk_settings,
  greeting: 'Hello, this is the assistant of Acme.',
  voice: { ...voice_settings, voicemail_message: message },
}

type Event = LineEvent<Fact>
const kindsIn = (events: Event[]): string[] =>
  events.flatMap((event) => (event.type === 'machine' ? event.kind : event.type === 'beep' ? 'beep' : []))

interface Heard {
  time: VirtualTime
  line: AudioLine
  talk: Talk
  /** Real models hear the sound. Time stands still while they work. */
  hear: (samples: Int16Array) => Promise<void>
}

const recognise_ms = 200

function openTelephone(): Heard {
  const time = openVirtualTime()
  const wire = openFakeWire(time, { sample_rate: telephone_rate })
  const working = new Set<Promise<unknown>>()
  const follow = <Result>(work: PromiseLike<Result>): Promise<Result> => {
    const followed = Promise.resolve(work).finally(() => working.delete(followed))
    working.add(followed)
    return followed
  }
  const { model, language } = offline.listening()
  const detector = offline.openDetector()
  const line = openAudioLine({
    wire,
    now: time.now,
    timers: time.timers,
    log: openLog('silent'),
    finds_who_answered: true,
    speech: {
      listen: {
        language,
        model: {
          ...model,
          async doGenerate(options) {
            const result = await follow(model.doGenerate(options))
            await new Promise<void>((resolve) => time.timers.after(recognise_ms, resolve))
            return result
          },
        },
      },
      speak: openFakeVoice(time).speaking,
      fallback: undefined,
      openDetector: () => ({ hear: (samples) => follow(detector.hear(samples)), close: () => detector.close() }),
    },
  })
  const talk = talkOn(line, time, { answer: () => 'Thank you very much.', settings })
  const opened_at = time.now()
  const step = telephone_rate / 50
  return {
    time,
    line,
    talk,
    async hear(samples) {
      for (let start = 0; start < samples.length; start += step) {
        await time.advance(20)
        wire.onFrame(samples.slice(start, start + step), time.now() - opened_at - 20)
        while (working.size > 0) {
          await Promise.allSettled(working)
          await new Promise(setImmediate)
        }
      }
    },
  }
}

interface Outcome {
  found: Kind | 'uncertain'
  kinds: string[]
  words: string[]
  /** In ms after the answer. */
  messages_at: number[]
  beep_ended_ms: number | undefined
  speech_ended_ms: number
}

const frame_ms = 20
/** A voicemail gets its message meanwhile. Others have nothing more to say. */
const wait_max_ms = 12_000
const others_wait_ms = 2_500

/** Lets it answer, and talk with the agent if it does. */
async function call(answerer: Answerer): Promise<Outcome> {
  const { time, line, talk, hear } = openTelephone()
  const opened_at = time.now()
  const { samples, ...answer } = await answerOf(answerer)
  await hear(samples)
  const room = toTelephone(new Int16Array(16_000), answerer.noise_db)
  const repliesHeard = () => talk.events.filter(({ type }) => type === 'play_done').length
  const listen = async (until: () => boolean, max_ms = wait_max_ms) => {
    for (let waited = 0; waited < max_ms && !until() && talk.phase !== 'ended'; waited += frame_ms) {
      const start = ((waited * telephone_rate) / 1_000) % room.length
      await hear(room.slice(start, start + telephone_rate / 50))
    }
  }
  for (const [index, reply] of (answerer.replies ?? []).entries()) {
    await listen(() => repliesHeard() > index)
    await hear(await replyOf(answerer, reply))
  }
  await listen(() => false, answerer.kind === 'voicemail' ? wait_max_ms : others_wait_ms)
  await line.close()
  const kinds = kindsIn(talk.events)
  const said = talk.effects.filter(({ effect }) => effect.type === 'say' && effect.text === message)
  return {
    ...answer,
    kinds,
    // Kinds and the beep.
    found: kinds.findLast((kind) => kind !== 'beep') as Outcome['found'],
    words: talk.events.flatMap((event) => (event.type === 'heard' && event.part ? event.text : [])),
    messages_at: said.map(({ at }) => at - opened_at),
  }
}

/** Of 20 voicemails, and of 20 people. */
const mistaken_max = 1
/** One after the other: a recogniser that others wait for understands less. All of them take two minutes. */
const answerers = [...voicemails, ...persons, ...others].filter(
  (_, index) => index % byForm({ short: 12, long: 1 }) === 0,
)

test('voicemails and people are told apart, and no message is left before the beep', async (t) => {
  const table = new Map<string, number>()
  const faults: string[] = []
  for (const answerer of answerers) {
    const { found, kinds, words, messages_at, beep_ended_ms, speech_ended_ms } = await call(answerer)
    const entry = `${answerer.kind} found as ${found}`
    table.set(entry, (table.get(entry) ?? 0) + 1)
    const what = `${JSON.stringify(answerer)}: ${kinds.join()}, heard ${JSON.stringify(words)}, message at ${messages_at}`
    if (found !== answerer.kind) t.diagnostic(`mistaken: ${what}`)
    const may_begin_at = beep_ended_ms ?? speech_ended_ms + 1_400
    if (messages_at.some((at) => at < may_begin_at))
      faults.push(`before the beep: ${what}, beep until ${beep_ended_ms}`)
    if (answerer.kind === 'voicemail' && found === 'voicemail' && messages_at.length !== 1)
      faults.push(`no message: ${what}`)
  }
  for (const [entry, count] of table) t.diagnostic(`${entry}: ${count}`)
  assert.deepEqual(faults, [])
  for (const kind of ['voicemail', 'human']) {
    const told = table.get(`${kind} found as ${kind}`) ?? 0
    const count = answerers.filter((answerer) => answerer.kind === kind).length
    assert.ok(count - told <= mistaken_max, [...table].join('; '))
  }
})

test('a pause in a greeting is not its end', async () => {
  const says = [600, 'You have reached the voicemail of Jane Miller.', 1_500, 'I am not here. Please leave a message.']
  const beep = { hz: 1_000, ms: 400, after_ms: 1_500 }
  const { kinds, words, messages_at, beep_ended_ms } = await call({ kind: 'voicemail', voice: 'slt', says, beep })
  assert.deepEqual(kinds, ['uncertain', 'voicemail', 'beep'], words.join())
  assert.equal(messages_at.length, 1)
  assert.ok((messages_at[0] ?? 0) >= (beep_ended_ms ?? 0), `message at ${messages_at}, beep until ${beep_ended_ms}`)
})

/** Takes events as they come. */
function follow({ line, time }: VirtualCall): Event[] {
  const events: Event[] = []
  const take = () => events.push(...line.take(time.now()))
  line.onEvent?.(take)
  take()
  return events
}

test('a line that nobody has dialled does not ask who has answered', async () => {
  const now = openVirtualTime().now()
  for (const options of [{}, { finds_who_answered: true, answered_at: now - 30_000 }]) {
    const virtual = openVirtualCall(options)
    const events = follow(virtual)
    virtual.line.takeVerdict('machine_start')
    await virtual.hear(virtual.contact.speak('Leave a message', 500))
    await virtual.hear(1_000)
    await virtual.hear(tone(1_000, 400))
    await virtual.hear(3_000)
    assert.deepEqual(kindsIn(events), [])
    await virtual.line.close()
  }
})

test('who has answered is uncertain until the carrier says so, and what it says after the end is nothing', async () => {
  const virtual = openVirtualCall({ finds_who_answered: true })
  const events = follow(virtual)
  await virtual.hear(1_000)
  assert.deepEqual(kindsIn(events), ['uncertain'])
  virtual.line.takeVerdict('human')
  assert.deepEqual(kindsIn(events), ['uncertain', 'human'])
  await virtual.line.close()
  virtual.line.takeVerdict('machine_start')
  assert.deepEqual(kindsIn(events), ['uncertain', 'human'])
})

test('a call that goes on elsewhere soon after the answer still asks who has answered', async () => {
  const now = openVirtualTime().now()
  const virtual = openVirtualCall({ finds_who_answered: true, answered_at: now - 29_000 })
  const events = follow(virtual)
  await virtual.hear(virtual.contact.speak('Leave a message', 500))
  await virtual.hear(1_000)
  assert.deepEqual(kindsIn(events), ['uncertain', 'voicemail'])
  await virtual.line.close()
})

test('what was found before counts where the call goes on', async () => {
  const now = openVirtualTime().now()
  const options = { finds_who_answered: true, answered_at: now - 60_000 }
  const voicemail = openVirtualCall({ ...options, found_before: ['human', 'voicemail'] })
  const events = follow(voicemail)
  await voicemail.hear(2_000)
  assert.deepEqual(kindsIn(events), ['voicemail'])
  await voicemail.hear(2_000)
  assert.deepEqual(kindsIn(events), ['voicemail', 'beep'], 'its greeting is over')
  assert.ok(events.every(({ at }) => at >= now))
  await voicemail.line.close()
  const person = openVirtualCall({ ...options, found_before: ['voicemail', 'human'] })
  const heard = follow(person)
  await person.hear(person.contact.speak('Leave a message', 500))
  await person.hear(4_000)
  assert.deepEqual(kindsIn(heard), [])
  await person.line.close()
})

test('a voicemail is found by its words and its beep, and interrupts what the agent says', async () => {
  const virtual = openVirtualCall({ finds_who_answered: true, wire_options: { sample_rate: 8_000 } })
  const { line, time, contact, hear } = virtual
  const events = follow(virtual)
  line.say(time.now(), { reply: 'r1', text: 'Hello, this is a long greeting that nobody hears to its end, I fear.' })
  line.endReply(time.now(), 'r1')
  await hear(500)
  await hear(contact.speak('Leave a message after the tone', 1_500))
  await hear(700)
  const found = events.findIndex((event) => event.type === 'machine' && event.kind === 'voicemail')
  const before = events[found - 1]
  assert.ok(before?.type === 'played' && before.reply === 'r1', JSON.stringify(events))
  line.clear(time.now(), 'r1')
  await hear(tone(1_000, 400, { rate: 8_000 }))
  assert.deepEqual(kindsIn(events), ['uncertain', 'voicemail'])
  await hear(400)
  assert.deepEqual(kindsIn(events), ['uncertain', 'voicemail', 'beep'])
  const beep = events.find(({ type }) => type === 'beep')
  assert.ok((beep?.at ?? 0) >= (events[0]?.at ?? 0) + 500 + 1_500 + 700 + 400, 'it is over')
  await hear(10_000)
  assert.deepEqual(kindsIn(events), ['uncertain', 'voicemail', 'beep'])
  await line.close()
  await time.advance(5_000)
})
