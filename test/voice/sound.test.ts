import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Playback } from '../../voice/src/playback.ts'
import { Resampler } from '../../voice/src/resampler.ts'

/** The parts of the worklet. */

const samples = (count: number, value = 1_000): Int16Array => new Int16Array(count).fill(value)

function take(playback: Playback, count: number): number[] {
  return Array.from({ length: count }, () => playback.next())
}

const gapsIn = (taken: number[]): number => taken.filter((value) => value === 0).length

test('a stream of any usual rate keeps its length and its tones', () => {
  for (const rate of [8_000, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000]) {
    for (const [from, to] of [
      [rate, 16_000],
      [16_000, rate],
    ] as const) {
      const resampler = new Resampler({ from, to })
      const result: number[] = []
      for (let index = 0; index < from; index += 1)
        resampler.push(Math.sin((2 * Math.PI * 1_000 * index) / from), (sample) => result.push(sample))
      assert.ok(Math.abs(result.length - to) <= 2, `${from} to ${to}: ${result.length}`)
      const middle = result.slice(to / 4, to / 2)
      const power = middle.reduce((sum, value) => sum + value * value, 0) / middle.length
      assert.ok(Math.abs(power - 0.5) < 0.01, `${from} to ${to}: ${power}`)
    }
  }
})

test('sound begins when 60 ms have arrived, or after 60 ms', () => {
  const playback = new Playback()
  playback.add(samples(640))
  assert.equal(gapsIn(take(playback, 100)), 100)
  playback.add(samples(320))
  assert.equal(gapsIn(take(playback, 960)), 0)
  const short = new Playback()
  short.add(samples(320))
  assert.equal(gapsIn(take(short, 2_000)), 2_000 - 320)
  assert.equal(short.played, 320)
})

test('sound that comes irregularly has no gaps in it', () => {
  const playback = new Playback()
  const taken: number[] = []
  const lateness = (frame: number) => (frame * 37) % 40
  // 20 ms are sent every 20 ms, and arrive up to 40 ms late.
  for (let ms = 0; ms < 2_000; ms += 1) {
    for (let frame = 0; frame < 98; frame += 1) if (20 * frame + lateness(frame) === ms) playback.add(samples(320))
    taken.push(...take(playback, 16))
  }
  const begun = taken.slice(taken.findIndex((value) => value !== 0))
  assert.equal(gapsIn(begun), 0)
})

test('after sound was late more of it is waited for, up to 240 ms', () => {
  const playback = new Playback()
  const waits: number[] = []
  for (let round = 0; round < 6; round += 1) {
    playback.add(samples(320))
    const taken = take(playback, 6_000)
    waits.push(taken.findIndex((value) => value !== 0) / 16)
    playback.add(samples(16_000))
    // Runs dry, and the next sound comes at once.
    while (!playback.isEmpty) playback.next()
    playback.next()
  }
  assert.ok((waits[1] ?? 0) > (waits[0] ?? 0), String(waits))
  assert.ok(
    waits.every((wait) => wait <= 240),
    String(waits),
  )
})

test('what was cleared is not played, and does not count', () => {
  const playback = new Playback()
  playback.add(samples(16_000))
  take(playback, 1_600)
  playback.clear()
  assert.equal(gapsIn(take(playback, 5_000)), 5_000)
  assert.equal(playback.played, 1_600)
  playback.add(samples(1_600))
  take(playback, 5_000)
  assert.equal(playback.played, 3_200)
  playback.reset()
  assert.equal(playback.played, 0)
})

test('more than ten seconds are not kept', () => {
  const playback = new Playback()
  for (let second = 0; second < 15; second += 1) playback.add(samples(16_000))
  take(playback, 15 * 16_000)
  assert.equal(playback.played, 10 * 16_000)
})
