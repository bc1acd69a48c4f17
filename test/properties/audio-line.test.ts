import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Fact } from '../../server/calls/facts.ts'
import type { LineEvent } from '../../server/talk/line.ts'
import type { SpeechPart } from '../../server/talk/state.ts'
import { runs } from '../support/property-runs.ts'
import { talkOn } from '../support/talk-on-line.ts'
import { openVirtualCall, type VirtualCall, wordsPlayed } from '../support/virtual-sound.ts'

type Step =
  | { do: 'say'; words: number; is_new: boolean }
  | { do: 'end' | 'clear' | 'digit' | 'late_report' | 'lose' | 'come_back' }
  | { do: 'speak' | 'noise' | 'silence' | 'lost_frames'; ms: number }

const ms = fc.integer({ min: 1, max: 60 }).map((frames) => 20 * frames)
const steps = fc.array<Step>(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('say' as const),
        words: fc.integer({ min: 1, max: 15 }),
        is_new: fc.boolean(),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom('end' as const, 'clear', 'digit', 'late_report', 'lose', 'come_back'),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constantFrom('speak' as const, 'noise', 'silence', 'lost_frames'), ms }),
    },
  ),
  { minLength: 3, maxLength: 25 },
)
const wires = fc.record({
  sample_rate: fc.constantFrom(8_000 as const, 16_000 as const),
  report_ms: fc.constantFrom(40, 100, 200),
  delays: fc.array(fc.integer({ min: 0, max: 250 }), { minLength: 1, maxLength: 5 }),
  voice_ms: fc.constantFrom(0, 30, 400, 2_500),
  // Clips need not have a whole number of milliseconds.
  ms_per_character: fc.constantFrom(50, 50.07),
  recognise_ms: fc.constantFrom(0, 150, 900),
})

type WireChoice = typeof wires extends fc.Arbitrary<infer One> ? One : never

function openCall(choice: WireChoice): VirtualCall {
  const { sample_rate, report_ms, delays, voice_ms, ms_per_character, recognise_ms } = choice
  let count = 0
  const delay_ms = () => delays[count++ % delays.length] ?? 0
  const call = openVirtualCall({ wire_options: { sample_rate, report_ms, delay_ms } })
  call.voice.delay_ms = () => voice_ms
  call.voice.ms_per_character = ms_per_character
  call.contact.delay_ms = () => recognise_ms
  return call
}

const textOf = (parts: SpeechPart[]): string[] => parts.flatMap(({ text }) => text.split(' '))

test('a line takes anything: heard words were played, times do not run back, and the next reply is spoken', async () => {
  await fc.assert(
    fc.asyncProperty(steps, wires, async (todo, choice) => {
      const call = openCall(choice)
      const { line, time, wire, voice, contact } = call
      const samples_per_ms = wire.sample_rate / 1_000
      const said = new Map<string, string[]>()
      const events: LineEvent<Fact>[] = []
      let reply = ''
      let replies = 0
      let words = 0

      const check = ({ reply: id, parts }: { reply: string; parts: SpeechPart[] }, until = wire.played.length) => {
        const heard = textOf(parts)
        assert.deepEqual(heard, said.get(id)?.slice(0, heard.length))
        const played = new Set(wordsPlayed(voice, wire.played.slice(0, until), wire.sample_rate))
        for (const word of heard) assert.ok(played.has(word), `${word} was not played`)
        for (const [index, { start_ms, end_ms }] of parts.entries())
          assert.ok(start_ms <= end_ms && start_ms >= (parts[index - 1]?.end_ms ?? 0))
      }
      // What takes events must not throw.
      const taken: { time: number; event: LineEvent<Fact>; played: number }[] = []
      line.onEvent?.(() => {
        for (const event of line.take(time.now())) {
          taken.push({ time: time.now(), event, played: wire.played.length })
          events.push(event)
        }
      })
      const say = (count: number) => {
        const added = Array.from({ length: count }, () => `word${++words}${words % 4 === 0 ? '.' : ''}`)
        said.set(reply, [...(said.get(reply) ?? []), ...added])
        line.say(time.now(), { reply, text: `${added.join(' ')} ` })
      }

      for (const step of todo) {
        if (step.do === 'say') {
          if (step.is_new || reply === '') {
            if (reply !== '') line.endReply(time.now(), reply)
            reply = `reply${++replies}`
          }
          say(step.words)
        } else if (step.do === 'end' || step.do === 'clear') {
          if (reply !== '') (step.do === 'end' ? line.endReply : line.clear)(time.now(), reply)
          reply = ''
        } else if (step.do === 'digit') wire.onDigit('1')
        else if (step.do === 'late_report') wire.onPlayed(Math.max(0, wire.played.length / samples_per_ms - 300))
        else if (step.do === 'lose' || step.do === 'come_back') wire.onPause?.(step.do === 'lose')
        else if (step.do === 'lost_frames') await time.advance(step.ms)
        else if (step.do === 'silence') await call.hear(step.ms)
        else if (step.do === 'speak') await call.hear(contact.speak(`said${++words}`, step.ms))
        else if (step.do === 'noise') await call.hear(new Int16Array(samples_per_ms * step.ms).fill(6_000))
        const playing = line.readPlayed(time.now())
        if (playing) check(playing)
      }

      wire.onPause?.(false)
      if (reply !== '') line.clear(time.now(), reply)
      reply = 'last'
      say(6)
      line.endReply(time.now(), reply)
      // What is still to be said, and what the line waits for.
      const left_ms = [...said.values()].flat().length * (500 + choice.voice_ms)
      await call.hear(20_000 + left_ms)
      for (const [index, { time: taken_at, event, played }] of taken.entries()) {
        assert.ok(event.at >= (taken[index - 1]?.event.at ?? 0) && event.at <= taken_at, `${event.type} at ${event.at}`)
        if (event.type === 'played') check(event, played)
      }
      const count = (type: string) => events.filter((event) => event.type === type).length
      assert.ok(
        events.some((event) => event.type === 'play_done' && event.reply === 'last'),
        'the last reply is heard',
      )
      assert.deepEqual(wordsPlayed(voice, wire.played, wire.sample_rate).slice(-6), said.get('last'))
      assert.equal(count('speech_started'), count('speech_stopped'))
      assert.ok(wire.buffered_max_ms <= 620, `${wire.buffered_max_ms}`)
      assert.ok(contact.running_max <= 1)
      line.hangUp(time.now())
      await line.close()
      await time.advance(20_000)
      assert.equal(time.waiting, 0)
    }),
    runs(0.08),
  )
})

test('with any contact the agent answers after each interruption, and its turns are what was played', async () => {
  const acts = fc.array(
    fc.oneof(
      fc.record({
        do: fc.constant('speak' as const),
        words: fc.constantFrom('yeah', 'mm-hm', 'No', 'Wait please.', 'And the', 'I want 12'),
        gap_ms: ms,
      }),
      fc.record({ do: fc.constantFrom('noise' as const, 'silence', 'digit'), gap_ms: ms }),
    ),
    { minLength: 2, maxLength: 12 },
  )
  await fc.assert(
    fc.asyncProperty(acts, wires, async (todo, choice) => {
      const call = openCall(choice)
      const { line, time, wire, voice, contact, hear } = call
      let answers = 0
      const answer = () => {
        answers += 1
        return `a${answers} is a rather long answer to what was said, and it goes on for a while. It ends with z${answers}.`
      }
      const talk = talkOn(line, time, { answer })
      await hear(1_000)
      for (const act of todo) {
        if (act.do === 'digit') wire.onDigit('3')
        if (act.do === 'noise') await hear(new Int16Array((wire.sample_rate / 1_000) * act.gap_ms).fill(6_000))
        if (act.do === 'speak') for (const word of act.words.split(' ')) await hear(contact.speak(word, 300))
        await hear(act.gap_ms)
      }
      // Whatever happened, the agent has said all that it wants to, and is then asked something.
      await hear(12_000)
      const before = answers
      await hear(contact.speak('What', 300))
      await hear(contact.speak('now?', 300))
      await hear(15_000)
      assert.ok(answers > before, 'the last question is answered')
      const played = wordsPlayed(voice, wire.played, wire.sample_rate).join(' ')
      for (const { role, spoken } of talk.turns)
        if (role === 'agent') assert.ok(playedIn(played, spoken?.heard ?? ''), `${spoken?.heard} / ${played}`)
      assert.ok(played.includes(`z${answers}.`) || talk.phase === 'ended')
      await line.close()
    }),
    runs(0.06),
  )
})

/** Whether these words were played in this order. After a pause a word may have been said twice, or a part of one. */
function playedIn(played: string, heard: string): boolean {
  const words = heard.split(' ').filter(Boolean)
  let place = 0
  for (const word of played.split(' ')) if (word === words[place]) place += 1
  return place === words.length
}
