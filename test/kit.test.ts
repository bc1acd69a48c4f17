import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { gather, lanes } from '../server/kit/batch.ts'
import { isId, newId } from '../server/kit/id.ts'
import { limiter } from '../server/kit/limit.ts'
import { assertChecked } from '../server/kit/validate.ts'

test('ids are UUIDv7 and sort as they were made', () => {
  const ids = Array.from({ length: 20_000 }, newId)
  assert.deepEqual(ids.toSorted(), ids)
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.ok(isId(id) && /^.{14}7.{4}[89ab]/.test(id), id)
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
