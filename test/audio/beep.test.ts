import assert from 'node:assert/strict'
import { test } from 'node:test'
import { voices } from '../../server/agents/call-settings.ts'
import { openBeepDetector, type ToneEvent } from '../../server/audio/beep.ts'
import { joinSamples } from '../../server/audio/samples.ts'
import { openRandom, sentence } from '../support/microphone.ts'
import { byForm } from '../support/property-runs.ts'
import { telephone_rate, tone, toTelephone } from '../support/who-answered.ts'

const rate = telephone_rate

/** What is heard in frames of 20 ms, with silence around it. */
function hear(sound: Int16Array, { sample_rate = rate, frame_ms = 20 } = {}): ToneEvent[] {
  const detector = openBeepDetector(sample_rate)
  const quiet = new Int16Array(sample_rate / 2)
  const samples = joinSamples([quiet, sound, quiet])
  const step = (frame_ms * sample_rate) / 1_000
  return Array.from({ length: Math.ceil(samples.length / step) }, (_, index) =>
    detector.take(samples.subarray(index * step, (index + 1) * step)),
  ).flat()
}

const beepsIn = (events: ToneEvent[]): number => events.filter((event) => event === 'beep').length

/** Noise that is so much quieter than the sound. */
function withNoise(sound: Int16Array, noise_db: number): Int16Array {
  const random = openRandom(sound.length)
  const level = Math.sqrt(sound.reduce((sum, sample) => sum + sample * sample, 0) / sound.length)
  // Evenly distributed, its root of the mean square is 1.
  const noise = () => Math.sqrt(3) * (2 * random() - 1)
  return sound.map((sample) => Math.round(sample + (level / 10 ** (noise_db / 20)) * noise()))
}

const [soft, loud] = [300, 12_000]

test('a steady tone of 120 ms or more is a beep, once', () => {
  for (const sample_rate of [8_000, 16_000])
    for (const hz of [440, 452, 700, 1_000, 1_013, 1_400, 1_987, 2_000])
      for (const ms of [120, 130, 250, 400, 1_000])
        for (const level of [soft, loud])
          assert.deepEqual(
            hear(tone(hz, ms, { rate: sample_rate, level }), { sample_rate }),
            ['tone_started', 'beep'],
            `${hz} Hz for ${ms} ms at ${sample_rate}`,
          )
})

test('a beep is found wherever it begins in a frame, and however long frames are', () => {
  for (const frame_ms of [10, 20, 100, 2_000])
    for (let start = 0; start < 160; start += 23) {
      const sound = joinSamples([new Int16Array(start), tone(1_000, 120, { rate })])
      assert.equal(beepsIn(hear(sound, { frame_ms })), 1, `${start} ${frame_ms}`)
    }
})

test('a beep is found in noise that is 20 or 10 dB quieter, and after the telephone', () => {
  for (const hz of [440, 850, 1_000, 1_400, 1_950])
    for (const noise_db of [20, 10])
      for (const ms of [160, 500]) {
        const sound = withNoise(tone(hz, ms, { rate }), noise_db)
        assert.equal(beepsIn(hear(sound)), 1, `${hz} Hz for ${ms} ms at ${noise_db} dB`)
        assert.equal(beepsIn(hear(toTelephone(tone(hz, ms)))), 1)
      }
})

test('shorter tones, and those below 440 Hz or above 2,000 Hz, are no beep', () => {
  for (const [hz, ms] of [
    [1_000, 40],
    [1_000, 80],
    [1_700, 90],
    [400, 500],
    [425, 500],
    [2_050, 500],
    [2_100, 3_000],
  ] as const)
    assert.equal(beepsIn(hear(tone(hz, ms, { rate }))), 0, `${hz} Hz for ${ms} ms`)
})

test('tones of the network are no beep: dialling, ringing, busy, keys, and those before an announcement', () => {
  const signals: [string, Int16Array][] = [
    ['dial tone, North America', tone([350, 440], 2_000, { rate })],
    ['ringing, North America', tone([440, 480], 2_000, { rate })],
    ['busy, North America', tone([480, 620], 500, { rate })],
    ['ringing, United Kingdom', tone([400, 450], 400, { rate })],
    ['ringing, Germany', tone(425, 1_000, { rate })],
    ['a dial tone of one frequency', tone(440, 4_000, { rate })],
    ['key 1', tone([697, 1_209], 200, { rate })],
    ['key 9', tone([852, 1_477], 200, { rate })],
    [
      'the number is not in service',
      joinSamples([tone(985.2, 380, { rate }), tone(1_428.5, 274, { rate }), tone(1_776.7, 380, { rate })]),
    ],
    [
      'all lines are busy',
      joinSamples([
        tone(913.8, 380, { rate }),
        new Int16Array(0.03 * rate),
        tone(1_370.6, 380, { rate }),
        new Int16Array(0.03 * rate),
        tone(1_776.7, 380, { rate }),
      ]),
    ],
  ]
  for (const [name, sound] of signals) {
    assert.equal(beepsIn(hear(sound)), 0, name)
    assert.equal(beepsIn(hear(withNoise(sound, 20))), 0, `${name}, in noise`)
  }
})

test('ringing in one frequency can not be told from a beep', () => {
  assert.equal(beepsIn(hear(tone(440, 1_500, { rate }))), 1)
})

test('music and noise are no beep', () => {
  const random = openRandom(7)
  const noise = Int16Array.from({ length: 10 * rate }, () => Math.round(8_000 * (2 * random() - 1)))
  assert.deepEqual(hear(noise), [])
  const notes = Array.from({ length: 30 }, () => 440 * 2 ** (Math.floor(random() * 12) / 12))
  const strings = notes.map((hz) => harmonics(hz, 300, [1, 0.6, 0.5, 0.3, 0.2]))
  const chords = notes.map((hz) => tone([hz, hz * 1.26, hz * 1.5], 300, { rate }))
  const pipes = notes.map((hz) => tone(hz, 200, { rate }))
  for (const melody of [strings, chords, pipes]) assert.equal(beepsIn(hear(joinSamples(melody))), 0)
})

function harmonics(hz: number, ms: number, levels: number[]): Int16Array {
  return Int16Array.from({ length: (ms * rate) / 1_000 }, (_, index) =>
    levels.reduce(
      (sum, level, place) => sum + 3_000 * level * Math.sin((2 * Math.PI * hz * (place + 1) * index) / rate),
      0,
    ),
  )
}

const texts = [
  "Hi, you've reached Sarah. I can't come to the phone right now. Please leave a message after the tone.",
  'Oooooh, noooo, you really do? Moooore! Hmmm, well, who would do so? Aaaah, eeeeh, yeeees, peeeep, beeeeep.',
  'The mailbox of five five five, zero one two three, is full. Good morning, who are you? Do re mi fa so la ti do.',
]

test('no voice is a beep, with noise or without', async () => {
  // Each voice says one of them, or all in the scenario `properties`.
  for (const [index, voice] of voices.entries())
    for (const text of byForm({ short: texts.slice(index % texts.length).slice(0, 1), long: texts })) {
      const sound = await sentence(text, { voice })
      assert.equal(beepsIn(hear(sound, { sample_rate: 16_000 })), 0, `${voice} at 16 kHz: ${text}`)
      const telephone = toTelephone(sound)
      assert.equal(beepsIn(hear(telephone)), 0, `${voice}: ${text}`)
      for (const noise_db of [20, 10])
        assert.equal(beepsIn(hear(withNoise(telephone, noise_db))), 0, `${voice} at ${noise_db} dB: ${text}`)
    }
})

test('a beep right after a voice is found', async () => {
  for (const voice of voices) {
    const spoken = toTelephone(await sentence('Leave a message.', { voice, after_ms: 0 }))
    assert.equal(beepsIn(hear(joinSamples([spoken, tone(1_000, 200, { rate })]))), 1, voice)
  }
})
