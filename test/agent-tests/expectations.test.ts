import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Checker, type Scope, TooMuchWork } from '../../server/agent-tests/expectations.ts'

const nothing = {
  last_seq: 1,
  cited: [],
  runs: [],
  results: {},
  how: null,
  end_reason: null,
  tokens: 0,
  cost_micros: 0,
  latency_ms: null,
}

const scopeOf = (...texts: string[]): Scope => ({
  ...nothing,
  turns: texts.map((text, index) => ({ seq: index + 1, text })),
})

/** Different words of eight letters, none of which is another one with a typo. */
const words = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, index) => word(from + index)).join(' ')

const word = (number: number): string =>
  number
    .toString(16)
    .padStart(4, '0')
    .replace(/./g, (digit) => 'abcdefghijklmnop'.charAt(Number.parseInt(digit, 16)).repeat(2))

const neverSays = (...any_of: string[]) => ({ type: 'never_says' as const, any_of })

test('phrases have all their typos, however many were looked for before', async () => {
  const checker = new Checker('en')
  const scope = scopeOf(`${words(400)} cancelation`)
  assert.ok(await checker.check(neverSays('cancellation'), scope))
  for (let number = 1; number <= 5; number += 1)
    assert.equal(
      await checker.check(neverSays(words(70, 1_000 * number), words(70, 30_000 + 100 * number)), scope),
      undefined,
    )
  assert.ok(await checker.check(neverSays('cancellation'), scope))
  assert.ok(await checker.check(neverSays(words(70, 60_000), 'cancellation'), scope))
})

test('more phrases and turns than can be compared in some seconds are an error of the test', async () => {
  const checker = new Checker('en')
  const scope = scopeOf(...Array.from({ length: 200 }, (_, index) => words(400, index)))
  const many = Array.from({ length: 20 }, (_, index) => words(70, 2_000 + 100 * index))
  await assert.rejects(async () => {
    for (let number = 1; number <= 12; number += 1) await checker.check(neverSays(...many), scope)
  }, TooMuchWork)
})
