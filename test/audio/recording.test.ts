import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRecorder, type RecordedPart } from '../../server/audio/recorder.ts'
import { fromMulaw } from '../../server/kit/sound/mulaw.ts'
import { openVirtualCall } from '../support/virtual-sound.ts'

/** The level of one side in each 10 ms of the recording. */
function levelsOf(parts: RecordedPart[], channel: 0 | 1, duration_ms: number): number[] {
  const levels = new Array<number>(Math.ceil(duration_ms / 10)).fill(0)
  for (const { start_ms, bytes } of parts)
    for (let place = 0; place < bytes.length / 2; place += 1) {
      const index = Math.floor((start_ms + place / 8) / 10)
      levels[index] = Math.max(levels[index] ?? 0, Math.abs(fromMulaw(bytes[2 * place + channel] ?? 0xff)))
    }
  return levels
}

for (const sample_rate of [16_000, 8_000] as const)
  test(`a recording at ${sample_rate} Hz has the contact as it spoke and the agent as it was played`, async () => {
    const parts: RecordedPart[] = []
    let delays = 0
    // Reports come late, and not always equally late.
    const call = openVirtualCall({
      wire_options: { sample_rate, report_ms: 100, delay_ms: () => [5, 40, 0, 15][delays++ % 4] ?? 0 },
      openRecorder: (began_ms) => openRecorder({ began_ms, keep: (part) => parts.push(part) }),
    })
    const { line, time, wire, contact } = call
    const began = time.now()
    const spoken: { from: number; to: number }[] = []
    for (let round = 0; round < 12; round += 1) {
      line.say(time.now(), { reply: `r${round}`, text: 'Welcome to the recorded line. ' })
      line.endReply(time.now(), `r${round}`)
      await call.hear(4_000)
      const from = time.now() - began
      await call.hear(contact.speak('hello', 600))
      spoken.push({ from, to: time.now() - began })
      await call.hear(400)
    }
    const duration_ms = time.now() - began
    line.hangUp(time.now())
    await line.close()
    assert.equal(parts.length, 2)
    assert.equal(
      parts.reduce((sum, { bytes }) => sum + bytes.length, 0),
      duration_ms * 16,
    )

    const contact_levels = levelsOf(parts, 0, duration_ms)
    for (const { from, to } of spoken) {
      const isLoud = (ms: number) => (contact_levels[Math.floor(ms / 10)] ?? 0) > 4_000
      assert.ok(!isLoud(from - 20) && isLoud(from + 20) && isLoud(to - 20) && !isLoud(to + 20), `${from}`)
    }
    const agent_levels = levelsOf(parts, 1, duration_ms)
    const played = new Array<boolean>(agent_levels.length).fill(false)
    for (const { at, frame } of wire.log) {
      const isLoud = (samples: Int16Array) => samples.some((sample) => sample > 500)
      // A frame is logged when it begins to be played.
      const index = Math.round((at - began) / 10)
      played[index] ||= isLoud(frame.subarray(0, frame.length / 2))
      played[index + 1] ||= isLoud(frame.subarray(frame.length / 2))
    }
    assert.ok(played.filter(Boolean).length > 1_000)
    for (const [index, is_loud] of played.entries()) {
      const near = agent_levels.slice(Math.max(0, index - 3), index + 4)
      if (is_loud) assert.ok(Math.max(...near) > 500, `the agent is heard at ${10 * index} ms`)
      const is_silent = played.slice(Math.max(0, index - 3), index + 4).every((one) => !one)
      if (is_silent) assert.ok((agent_levels[index] ?? 0) < 500, `the agent is silent at ${10 * index} ms`)
    }
  })
