import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { welcome } from '../server/kit/http/stream-limits.ts'
import { assertChecked } from '../server/kit/http/validate.ts'
import { isId, newId } from '../server/kit/id.ts'
import { gather, lanes } from '../server/kit/limits/batch.ts'
import { setBounded } from '../server/kit/limits/bounded-map.ts'
import { openPlaces } from '../server/kit/limits/concurrency.ts'
import { limiter } from '../server/kit/limits/rate.ts'
import { tokenFinder } from '../server/kit/limits/token-lookup.ts'
import { rarely } from '../server/kit/log.ts'
import { overloaded, unauthorized } from '../server/kit/problem.ts'
import { cut, cutBytes, storable } from '../server/kit/text.ts'

test('ids are UUIDv7 and sort as they were made', () => {
  const ids = Array.from({ length: 20_000 }, newId)
  assert.deepEqual(ids.toSorted(), ids)
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.ok(isId(id) && /^.{14}7.{4}[89ab]/.test(id), id)
})

test('a text is cut between characters', () => {
  assert.equal(cut('ab\u{1f600}cd', 3), 'ab')
  assert.equal(cut('ab\u{1f600}cd', 4), 'ab\u{1f600}')
  assert.equal(cut('ab', 4), 'ab')
})

test('a text in UTF-8 is cut between characters, and what is not one is replaced', () => {
  const bytes = Buffer.from('\ufeffab\u{1f600}cd')
  assert.equal(cutBytes(bytes, 8), '\ufeffab')
  assert.equal(cutBytes(bytes, 9), '\ufeffab\u{1f600}')
  assert.equal(cutBytes(bytes, 100), '\ufeffab\u{1f600}cd')
  assert.equal(cutBytes(Buffer.of(0x61, 0xf0, 0x9f), 3), 'a\ufffd')
})

test('what PostgreSQL refuses in a text is replaced', () => {
  assert.equal(storable('a\u0000b\ud83dc'), 'a\ufffdb\ufffdc')
})

test('a schema that says what nothing checks is refused', () => {
  assert.throws(() => assertChecked(Type.Object({ a: Type.Array(Type.String(), { minItems: 1 }) })), /minItems of a/)
  assert.throws(() => assertChecked(Type.Object({ a: Type.String({ format: 'ipv4' }) })), /ipv4 of a/)
  assert.doesNotThrow(() => assertChecked(Type.Object({ a: Type.String({ format: 'uuid', maxLength: 3 }) })))
})

test('a clock that is set back locks nobody out', () => {
  const { take } = limiter(1)
  assert.equal(take('a', 10_000_000).is_over, false)
  assert.equal(take('a', 10_000_000).is_over, true)
  assert.equal(take('a', 5_000_000).is_over, false)
})

test('beyond 10,000 keys the limiter forgets the one that was counted first', () => {
  const { take } = limiter(1)
  take('oldest', 1_000)
  take('renewed', 1_000)
  const now = 2_500
  take('renewed', now)
  for (let count = 0; count < 9_999; count += 1) take(`key ${count}`, now)
  assert.equal(take('renewed', now).is_over, true, 'counted anew since, and so not the oldest')
  assert.equal(take('key 0', now).is_over, true)
  take('one more', now)
  assert.equal(take('key 0', now).is_over, true)
  assert.equal(take('renewed', now).is_over, false)
})

test('calls of one name are gathered, and each gets its own answer', async () => {
  const groups: number[] = []
  const double = gather<number, number>({ size_max: 4, flights_max: 1 }, async (_name, inputs) => {
    groups.push(inputs.length)
    return inputs.map((input) => input * 2)
  })
  const numbers = Array.from({ length: 10 }, (_, index) => index)
  assert.deepEqual(
    await Promise.all(numbers.map((number) => double('n', number))),
    numbers.map((number) => number * 2),
  )
  assert.deepEqual(groups, [4, 4, 2])
})

test('one name has its lanes, and leaves those of others alone', async () => {
  const inLane = lanes(2)
  let running = 0
  let most = 0
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const works = Array.from({ length: 6 }, () =>
    inLane('busy', async () => {
      running += 1
      most = Math.max(most, running)
      await gate
      running -= 1
    }),
  )
  assert.equal(await inLane('other', async () => 'done'), 'done')
  await assert.rejects(
    inLane('other', () => Promise.reject(new Error('its own'))),
    /its own/,
  )
  open()
  await Promise.all(works)
  assert.equal(most, 2)
})

test('who waits too long for a lane is told to come again, who comes later at once, until something moves', async () => {
  const inLane = lanes(1)
  const { promise: gate, resolve: open } = Promise.withResolvers<string>()
  const busy = inLane('busy', () => gate)
  const has_run: string[] = []
  const late = inLane('busy', async () => void has_run.push('late'))
  await assert.rejects(late, { code: 'SERVICE_UNAVAILABLE' })
  await assert.rejects(
    inLane('busy', async () => void has_run.push('later')),
    { code: 'SERVICE_UNAVAILABLE' },
  )
  assert.equal(await inLane('other', async () => 'done'), 'done')
  open('moved')
  assert.equal(await busy, 'moved')
  await new Promise(setImmediate)
  assert.equal(await inLane('busy', async () => 'done'), 'done')
  assert.deepEqual(has_run, [])
})

test('unknown tokens are remembered for half a second, known ones are looked up each time', async () => {
  const asked: string[] = []
  const find = tokenFinder<{ token: string }, string>(async (wanted) => {
    asked.push(...wanted.map(({ token }) => token))
    return wanted.map(({ token }) => (token === 'known' ? 'Ada' : undefined))
  })
  for (const token of ['known', 'unknown', 'known', 'unknown']) {
    assert.equal(await find({ token }, 10_000), token === 'known' ? 'Ada' : undefined)
  }
  assert.deepEqual(asked, ['known', 'unknown', 'known'])
  await find({ token: 'unknown' }, 10_500)
  await find({ token: 'unknown' }, 5_000)
  assert.deepEqual(asked.slice(3), ['unknown', 'unknown'], 'later, and when the clock was set back')
})

test('a full map loses the entry that was set longest ago', () => {
  const map = new Map<string, number>()
  for (const key of ['a', 'b', 'c', 'a', 'd']) setBounded(map, key, 1, 3)
  assert.deepEqual([...map.keys()], ['c', 'a', 'd'])
})

test('a flood takes half of the places, and others get in when all are taken', () => {
  const places = openPlaces(10)
  const taken = (name: string, wanted: number) => Array.from({ length: wanted }, () => places.take(name))
  const got = (name: string, wanted: number) => taken(name, wanted).filter(Boolean).length
  assert.equal(got('flood', 100), 5)
  assert.equal(got('second flood', 100), 5)
  assert.equal(got('small', 2), 2, 'less than an even share')
  assert.equal(got('flood', 1), 0)
  for (let count = 0; count < 5; count += 1) places.leave('flood')
  assert.equal(got('small', 2), 2, 'there is room again')
  assert.equal(got('flood', 100), 4, 'the last place, then as many as make up an even share')
})

test('what happens often is said once a second, with a count', () => {
  const said: [string, number][] = []
  const say = rarely<string>((latest, count) => said.push([latest, count]))
  for (const word of ['a', 'b', 'c']) say(word)
  assert.deepEqual(said, [['a', 1]])
})

test('a stream goes on while the check of its caller gets no turn, and ends when the caller is refused', async () => {
  for (const [error, expected] of [
    [overloaded(), true],
    [unauthorized(), false],
  ] as const) {
    let asked = 0
    const mayContinue = welcome(async () => {
      asked += 1
      throw error
    })
    let is_welcome = true
    while (asked === 0) {
      is_welcome = await mayContinue()
      await new Promise(setImmediate)
    }
    assert.equal(is_welcome, expected, error.code)
  }
})
