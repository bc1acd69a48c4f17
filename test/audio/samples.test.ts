import assert from 'node:assert/strict'
import { test } from 'node:test'
import wavefile from 'wavefile'
import { openRecorder, type RecordedPart, recording_format } from '../../server/audio/recorder.ts'
import { openResampler } from '../../server/audio/resampler.ts'
import { joinSamples, levelOf, toFloat } from '../../server/audio/samples.ts'
import { fromMulaw, toMulaw } from '../../server/kit/sound/mulaw.ts'
import { headerFor, readWav, writeWav } from '../../server/kit/sound/wav.ts'

const sine = (rate: number, hertz: number, seconds: number, amplitude = 10_000): Int16Array =>
  Int16Array.from({ length: Math.round(rate * seconds) }, (_, index) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * hertz * index) / rate)),
  )

test('μ-law has the values of the formula of G.711, and comes back as the nearest of them', () => {
  // The continuous formula, with μ = 255, at the borders of the segments.
  const formula = (x: number) => (Math.sign(x) * Math.log(1 + 255 * Math.abs(x))) / Math.log(256)
  for (let sample = -32_768; sample <= 32_767; sample += 7) {
    const byte = toMulaw(sample)
    const back = fromMulaw(byte)
    const exact = formula(sample / 32_768)
    const level = formula(back / 32_768)
    assert.ok(Math.abs(exact - level) < 1 / 80, `${sample} became ${back}`)
    assert.equal(toMulaw(back), back === 0 ? toMulaw(0) : byte)
  }
  assert.deepEqual([0, -1, 32_767, -32_768].map(toMulaw), [0xff, 0x7f, 0x80, 0x00])
})

for (const [from, to] of [
  [8_000, 16_000],
  [16_000, 8_000],
  [22_050, 16_000],
  [22_050, 8_000],
  [24_000, 16_000],
  [24_000, 8_000],
  [44_100, 16_000],
  [44_100, 8_000],
  [48_000, 16_000],
  [48_000, 8_000],
] as const)
  test(`a tone at ${from} Hz is the same tone at ${to} Hz, in pieces of any length`, () => {
    for (const hertz of [200, 1_000, 3_000]) {
      const input = sine(from, hertz, 0.5)
      const resampler = openResampler(from, to)
      const pieces: Int16Array[] = []
      for (let at = 0, length = 1; at < input.length; at += length, length = (length * 7) % 501 || 3)
        pieces.push(resampler.push(input.subarray(at, at + length)).slice())
      pieces.push(resampler.flush())
      const output = joinSamples(pieces)
      const expected = sine(to, hertz, 0.5)
      assert.equal(output.length, expected.length)
      // The filter has no sound before the beginning and after the end.
      const edge = to / 100
      for (let index = edge; index < output.length - edge; index += 1)
        assert.ok(Math.abs((output[index] ?? 0) - (expected[index] ?? 0)) < 60, `${hertz} Hz at ${index}`)
    }
  })

test('a tone that the lower rate does not have is not heard', () => {
  for (const [from, hertz] of [
    [48_000, 5_500],
    [44_100, 7_000],
    [16_000, 5_500],
  ] as const) {
    const output = openResampler(from, 8_000)
      .push(sine(from, hertz, 0.3))
      .slice(400)
    assert.ok(levelOf(toFloat(output)) < 0.003)
  }
})

test('a resampler that was flushed begins anew', () => {
  const resampler = openResampler(24_000, 16_000)
  const speak = () => joinSamples([resampler.push(sine(24_000, 440, 0.1)).slice(), resampler.flush()])
  assert.deepEqual(speak(), speak())
})

test('a WAV file that was written is read by others and by us', () => {
  const samples = sine(16_000, 300, 0.1)
  const file = writeWav(samples, 16_000)
  const other = new wavefile.WaveFile(file)
  assert.deepEqual(Int16Array.from(other.getSamples(false, Int16Array)), samples)
  assert.deepEqual(readWav(file), { samples, sample_rate: 16_000 })
})

test('WAV files of others are read: μ-law, several channels, more chunks, odd offsets, streamed sizes', () => {
  const samples = sine(22_050, 300, 0.05)
  const stereo = new wavefile.WaveFile()
  stereo.fromScratch(2, 22_050, '16', [samples, new Int16Array(samples.length)])
  stereo.setTag('INAM', 'odd')
  assert.deepEqual(readWav(stereo.toBuffer()), { samples, sample_rate: 22_050 })
  const mulaw = new wavefile.WaveFile()
  mulaw.fromScratch(1, 8_000, '16', sine(8_000, 300, 0.05))
  mulaw.toMuLaw()
  const expected = sine(8_000, 300, 0.05).map((sample) => fromMulaw(toMulaw(sample)))
  assert.deepEqual(readWav(mulaw.toBuffer()).samples, expected)
  const streamed = Buffer.concat([Buffer.alloc(1), writeWav(samples, 22_050)]).subarray(1)
  streamed.writeUInt32LE(0xffffffff, 40)
  assert.deepEqual(readWav(streamed).samples, samples)
})

test('what is no WAV file is refused', () => {
  const good = Buffer.from(writeWav(sine(8_000, 300, 0.01), 8_000))
  const with_bits = Buffer.from(good)
  with_bits.writeUInt16LE(24, 34)
  const with_odd_rate = Buffer.from(good)
  with_odd_rate.writeUInt32LE(47_999, 24)
  const cut = good.subarray(0, 30)
  for (const bad of [Buffer.alloc(0), Buffer.from('ID3 and so on, an MP3 file'), cut, with_bits, with_odd_rate])
    assert.throws(() => readWav(bad), /WAV/)
})

const record = (options: { began_ms: number; continues?: { from_ms: number; index: number } }) => {
  const parts: RecordedPart[] = []
  const recorder = openRecorder({ ...options, keep: (part) => parts.push(part) })
  return { parts, recorder }
}

test('a recording has both sides at their times, in parts of 30 seconds, and silence between', () => {
  const { parts, recorder } = record({ began_ms: 1_000_000 })
  const tone = new Int16Array(160).fill(5_000)
  for (let at = 0; at < 70_000; at += 20) {
    recorder.contact(tone, 1_000_000 + at)
    // What the agent has said is known a second later.
    if (at >= 1_000 && at % 10_000 < 5_000) recorder.agent(tone, 1_000_000 + at - 1_000)
  }
  recorder.end(1_000_000 + 70_000)
  assert.deepEqual(
    parts.map(({ index, start_ms, bytes }) => [index, start_ms, bytes.length]),
    [
      [0, 0, 480_000],
      [1, 30_000, 480_000],
      [2, 60_000, 160_000],
    ],
  )
  const bytes = Buffer.concat(parts.map((part) => part.bytes))
  const file = new wavefile.WaveFile(
    Buffer.concat([headerFor({ bytes: bytes.length, format: recording_format }), bytes]),
  )
  // Typed as the union of what one and several channels give.
  const [left = [], right = []] = (file.getSamples() as unknown as [Float64Array, Float64Array]).map((bytes) =>
    Int16Array.from(bytes, fromMulaw),
  )
  assert.equal(left.length, 70 * 8_000)
  for (let place = 0; place < left.length; place += 37) assert.ok(Math.abs((left[place] ?? 0) - 5_000) < 150)
  const isHeard = (ms: number) => Math.abs((right[ms * 8] ?? 0) - 5_000) < 150
  const times = Array.from({ length: 7_000 }, (_, index) => 10 * index + 3)
  for (const ms of times) {
    const said_at = 20 * Math.floor(ms / 20) + 1_000
    assert.equal(isHeard(ms), said_at < 70_000 && said_at >= 1_000 && said_at % 10_000 < 5_000, `at ${ms}`)
  }
})

test('a recording does not drift: frames with uneven times stay where their times say', () => {
  const { parts, recorder } = record({ began_ms: 0 })
  // 20.001 ms a frame: after ten minutes they are 30 ms off if lengths are added up.
  for (let frame = 0; frame < 30_000; frame += 1)
    if (frame % 1_000 === 500) recorder.contact(new Int16Array(160).fill(8_000), frame * 20.001)
  recorder.end(601_000)
  const found = parts.flatMap(({ start_ms, bytes }) => {
    const first = bytes.findIndex((byte, index) => index % 2 === 0 && byte !== 0xff)
    return first < 0 ? [] : [start_ms + first / 16]
  })
  assert.equal(found.length, parts.length)
  for (const ms of found) {
    const frame = Math.round(ms / 20.001)
    assert.ok(Math.abs(ms - frame * 20.001) < 0.1, `${ms}`)
  }
})

test('hours of silence are no parts, and a second process continues with the next one', () => {
  const { parts, recorder } = record({ began_ms: 0, continues: { from_ms: 45_500, index: 2 } })
  const tone = new Int16Array(160).fill(5_000)
  recorder.contact(tone, 45_500)
  recorder.contact(tone, 7_200_000)
  recorder.contact(tone, 46_000)
  recorder.end(7_200_020)
  recorder.contact(tone, 7_200_040)
  assert.deepEqual(
    parts.map(({ index, start_ms }) => [index, start_ms]),
    [
      [2, 45_500],
      [3, 7_185_500],
    ],
  )
  const [, last] = parts
  assert.equal(last?.bytes.length, (7_200_020 - 7_185_500) * 16)
})

test('a recording ends with its last frame, because another process may have recorded what follows', () => {
  const { parts, recorder } = record({ began_ms: 0 })
  recorder.contact(new Int16Array(160).fill(5_000), 980)
  recorder.end(12_000)
  assert.deepEqual(
    parts.map(({ start_ms, bytes }) => [start_ms, bytes.length]),
    [[0, 1_000 * 16]],
  )
})
