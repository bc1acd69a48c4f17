import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { openSeal } from '../../server/kit/crypto/seal.ts'
import { createContinueCheck } from '../../server/kit/http/stream-limits.ts'
import { assertSupportedSchema } from '../../server/kit/http/validate.ts'
import { formats } from '../../server/kit/http/validate-text.ts'
import { isId, newId } from '../../server/kit/id.ts'
import { openBatcher } from '../../server/kit/limits/batch.ts'
import { setBounded } from '../../server/kit/limits/bounded-map.ts'
import { openConcurrencyLimit } from '../../server/kit/limits/concurrency.ts'
import { openQueuePerKey } from '../../server/kit/limits/key-queues.ts'
import { openRateLimit } from '../../server/kit/limits/rate.ts'
import { openSlots } from '../../server/kit/limits/slots.ts'
import { openTokenLookup } from '../../server/kit/limits/token-lookup.ts'
import { oncePerSecond, openLog } from '../../server/kit/log.ts'
import { overloaded, unauthorized } from '../../server/kit/problem.ts'
import { storable, truncate, truncateBytes } from '../../server/kit/text.ts'
import { openRecorder } from '../../server/kit/work/recorder.ts'
import { seal_info } from '../../server/product.ts'

test('ids are UUIDv7 and sort in the order of creation', () => {
  const ids = Array.from({ length: 20_000 }, newId)
  assert.deepEqual(ids.toSorted(), ids)
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.ok(isId(id) && /^.{14}7.{4}[89ab]/.test(id), id)
})

test('a text is cut between characters', () => {
  assert.equal(truncate('ab\u{1f600}cd', 3), 'ab')
  assert.equal(truncate('ab\u{1f600}cd', 4), 'ab\u{1f600}')
  assert.equal(truncate('ab', 4), 'ab')
})

test('a text in UTF-8 is cut between characters, and invalid bytes are replaced', () => {
  const bytes = Buffer.from('\ufeffab\u{1f600}cd')
  assert.equal(truncateBytes(bytes, 8), '\ufeffab')
  assert.equal(truncateBytes(bytes, 9), '\ufeffab\u{1f600}')
  assert.equal(truncateBytes(bytes, 100), '\ufeffab\u{1f600}cd')
  assert.equal(truncateBytes(Buffer.of(0x61, 0xf0, 0x9f), 3), 'a\ufffd')
})

test('a time zone is a name in its exact spelling', () => {
  const isValid = (text: string) => formats['time-zone']?.(text) === undefined
  for (const name of ['Europe/Berlin', 'UTC', 'Asia/Calcutta', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires']) {
    assert.ok(isValid(name), name)
  }
  const others = [
    'europe/berlin',
    '+01:00',
    'utc',
    'Z',
    'Berlin',
    'Europe/Berlin ',
    'Etc/Unknown',
    '2026-01-01T00:00[UTC]',
  ]
  for (const name of others) assert.ok(!isValid(name), name)
})

test('a date is a day of the calendar', () => {
  const isValid = (text: string) => formats.date?.(text) === undefined
  for (const date of ['2026-12-25', '2028-02-29', '0001-01-01', '9999-12-31']) assert.ok(isValid(date), date)
  for (const date of [
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-1-1',
    '26-12-25',
    '0000-01-01',
    '+002026-01-01',
    '',
  ]) {
    assert.ok(!isValid(date), date)
  }
})

test('characters that PostgreSQL rejects are replaced', () => {
  assert.equal(storable('a\u0000b\ud83dc'), 'a\ufffdb\ufffdc')
})

test('a schema with a keyword that is not checked is rejected', () => {
  assert.throws(
    () => assertSupportedSchema(Type.Object({ a: Type.Array(Type.String(), { uniqueItems: true }) })),
    /uniqueItems of a/,
  )
  assert.throws(() => assertSupportedSchema(Type.Object({ a: Type.String({ format: 'ipv4' }) })), /ipv4 of a/)
  assert.doesNotThrow(() => assertSupportedSchema(Type.Object({ a: Type.String({ format: 'uuid', maxLength: 3 }) })))
})

test('results that come in the pause after a batch are recorded together', async () => {
  const batches: string[][] = []
  const done = Promise.withResolvers<void>()
  const recorder = openRecorder<string>({
    record: async (_workspace, results) => void batches.push(results),
    onRecorded: (workspace, [first]) => {
      if (first === 'a') for (const result of ['b', 'c']) recorder.add(workspace, result)
      else done.resolve()
    },
    pauseAfter: () => 100,
    log: openLog('silent'),
  })
  recorder.add('one', 'a')
  await done.promise
  assert.deepEqual(batches, [['a'], ['b', 'c']])
})

test('a result that someone waits for ends the pause after a batch', async () => {
  const batches: string[][] = []
  const done = Promise.withResolvers<void>()
  const recorder = openRecorder<string>({
    record: async (_workspace, results) => void batches.push(results),
    onRecorded: (workspace, [first]) => {
      if (first === 'b') return done.resolve()
      recorder.add(workspace, 'b')
      recorder.add(workspace, 'c', { is_urgent: true })
    },
    // Longer than any test may take.
    pauseAfter: (results) => (results.includes('a') ? 3_600_000 : 0),
    log: openLog('silent'),
  })
  recorder.add('one', 'a')
  await done.promise
  assert.deepEqual(batches, [['a'], ['b', 'c']])
})

test('a rate limit still admits requests after the clock was set back', () => {
  const { count } = openRateLimit(1)
  assert.equal(count('a', 10_000_000).is_exceeded, false)
  assert.equal(count('a', 10_000_000).is_exceeded, true)
  assert.equal(count('a', 5_000_000).is_exceeded, false)
})

test('beyond 10,000 keys a rate limit forgets the key with the oldest window', () => {
  const { count } = openRateLimit(1)
  count('oldest', 1_000)
  count('renewed', 1_000)
  const now = 2_500
  count('renewed', now)
  for (let index = 0; index < 9_999; index += 1) count(`key ${index}`, now)
  assert.equal(count('renewed', now).is_exceeded, true, 'its window is new, so it is not the oldest')
  assert.equal(count('key 0', now).is_exceeded, true)
  count('one more', now)
  assert.equal(count('key 0', now).is_exceeded, true)
  assert.equal(count('renewed', now).is_exceeded, false)
})

test('calls with one key are batched, and each gets its own output', async () => {
  const batch_sizes: number[] = []
  const double = openBatcher<number, number>({ size_max: 4, in_flight_max: 1 }, async (_key, inputs) => {
    batch_sizes.push(inputs.length)
    return inputs.map((input) => input * 2)
  })
  const numbers = Array.from({ length: 10 }, (_, index) => index)
  assert.deepEqual(
    await Promise.all(numbers.map((number) => double('n', number))),
    numbers.map((number) => number * 2),
  )
  assert.deepEqual(batch_sizes, [4, 4, 2])
})

test('work that came before a pause of the process is done', async () => {
  const enqueue = openQueuePerKey(1, { wait_max_ms: 300 })
  const works = [1, 2].map((number) => enqueue('key', async () => number))
  const until = performance.now() + 600
  while (performance.now() < until);
  assert.deepEqual(await Promise.all(works), [1, 2])
})

test('a busy queue does not delay the queue of another key', async () => {
  const enqueue = openQueuePerKey(2)
  let running = 0
  let most = 0
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const works = Array.from({ length: 6 }, () =>
    enqueue('busy', async () => {
      running += 1
      most = Math.max(most, running)
      await gate
      running -= 1
    }),
  )
  // Work that waits too long is rejected, also while this test waits for something else.
  const all_done = Promise.allSettled(works)
  assert.equal(await enqueue('other', async () => 'done'), 'done')
  await assert.rejects(
    enqueue('other', () => Promise.reject(new Error('its own'))),
    /its own/,
  )
  open()
  await all_done
  assert.equal(most, 2)
})

test('work that waits too long is rejected, and later work at once until the queue moves', async () => {
  const enqueue = openQueuePerKey(1)
  const { promise: gate, resolve: open } = Promise.withResolvers<string>()
  const busy = enqueue('busy', () => gate)
  const has_run: string[] = []
  const late = enqueue('busy', async () => void has_run.push('late'))
  await assert.rejects(late, { code: 'SERVICE_UNAVAILABLE', details: { reason: 'waited_too_long' } })
  await assert.rejects(
    enqueue('busy', async () => void has_run.push('later')),
    { code: 'SERVICE_UNAVAILABLE' },
  )
  assert.equal(await enqueue('other', async () => 'done'), 'done')
  open('moved')
  assert.equal(await busy, 'moved')
  await new Promise(setImmediate)
  assert.equal(await enqueue('busy', async () => 'done'), 'done')
  assert.deepEqual(has_run, [])
})

test('unknown tokens are cached for half a second, known tokens are looked up each time', async () => {
  const looked_up: string[] = []
  const find = openTokenLookup<{ token: string }, string>(async (wanted) => {
    looked_up.push(...wanted.map(({ token }) => token))
    return wanted.map(({ token }) => (token === 'known' ? 'Ada' : undefined))
  })
  for (const token of ['known', 'unknown', 'known', 'unknown']) {
    assert.equal(await find({ token }, 10_000), token === 'known' ? 'Ada' : undefined)
  }
  assert.deepEqual(looked_up, ['known', 'unknown', 'known'])
  await find({ token: 'unknown' }, 10_500)
  await find({ token: 'unknown' }, 5_000)
  assert.deepEqual(looked_up.slice(3), ['unknown', 'unknown'], 'after half a second, and after the clock was set back')
})

test('a full map drops the entry that was set longest ago', () => {
  const map = new Map<string, number>()
  for (const key of ['a', 'b', 'c', 'a', 'd']) setBounded(map, key, 1, 3)
  assert.deepEqual([...map.keys()], ['c', 'a', 'd'])
})

test('a key gets at most half of the slots, and keys below their even share are admitted when all are taken', () => {
  const limit = openConcurrencyLimit(10)
  const attempts = (key: string, wanted: number) => Array.from({ length: wanted }, () => limit.acquire(key))
  const acquire = (key: string, wanted: number) => attempts(key, wanted).filter(Boolean).length
  assert.equal(acquire('flood', 100), 5)
  assert.equal(acquire('second flood', 100), 5)
  assert.equal(acquire('small', 2), 2, 'below its even share')
  assert.equal(acquire('flood', 1), 0)
  for (let count = 0; count < 5; count += 1) limit.release('flood')
  assert.equal(acquire('small', 2), 2, 'slots are free again')
  assert.equal(acquire('flood', 100), 4, 'the last free slot, then up to its even share')
})

test('a frequent line is logged once a second, with a count', () => {
  const logged: [string, number][] = []
  const log = oncePerSecond<string>((latest, count) => logged.push([latest, count]))
  for (const word of ['a', 'b', 'c']) log(word)
  assert.deepEqual(logged, [['a', 1]])
})

test('a stream continues while the check of its caller is overloaded, and ends when the caller is rejected', async () => {
  for (const [error, expected] of [
    [overloaded('waited_too_long'), true],
    [unauthorized(), false],
  ] as const) {
    let checks = 0
    const mayContinue = createContinueCheck(async () => {
      checks += 1
      throw error
    })
    let may_continue = true
    while (checks === 0) {
      may_continue = await mayContinue()
      await new Promise(setImmediate)
    }
    assert.equal(may_continue, expected, error.code)
  }
})

test('data that was sealed before still opens', () => {
  const sealed = 'apwCUs4Y./p9Gh9sJgoHVJRzHorSON4Zf5flegtHfo+d5QflcI7dEwQ/u1W7+p56BBwFV0WMc7XCyrs1H0c0='
  assert.equal(openSeal('a'.repeat(32), seal_info).open(sealed), 'kept since the first version')
  assert.throws(() => openSeal('a'.repeat(32), 'another purpose').open(sealed))
  assert.equal(openSeal('b'.repeat(32), seal_info, 'a'.repeat(32)).open(sealed), 'kept since the first version')
})

test('a previous key opens but does not seal', () => {
  const before = openSeal('a'.repeat(32), seal_info)
  const rotated = openSeal('b'.repeat(32), seal_info, 'a'.repeat(32))
  const after = openSeal('b'.repeat(32), seal_info)
  const [old, renewed] = [before.close('text'), rotated.close('text')]
  assert.deepEqual([rotated.open(old), rotated.open(renewed), after.open(renewed)], ['text', 'text', 'text'])
  assert.deepEqual([rotated.isCurrent(old), rotated.isCurrent(renewed)], [false, true])
  assert.throws(() => before.open(renewed), /unknown key/)
  assert.throws(() => after.open(old), /unknown key/)
  assert.throws(() => after.open(renewed.replace(/.{8}$/, 'AAAAAAA=')))
})

const connected = new AbortController().signal

test('expensive work gets a slot in order of arrival, and a busy key waits behind others', async () => {
  const slots = openSlots({ running_max: 1, waiting_max: 2, wait_max_ms: 60_000 })
  const order: string[] = []
  const gates = ['busy', 'other', 'busy again'].map((name) => ({ name, ...Promise.withResolvers<void>() }))
  const run = (key: string, index: number) =>
    slots.run(key, connected, async () => {
      order.push(gates[index]?.name ?? '')
      await gates[index]?.promise
    })
  const first = run('busy', 0)
  const other = run('other', 1)
  assert.deepEqual([slots.has('busy'), slots.has('other'), slots.has('none')], [true, true, false])
  const again = run('busy', 2)
  gates[0]?.resolve()
  await first
  for (const { resolve } of gates) resolve()
  await Promise.all([other, again])
  assert.deepEqual([order, slots.has('busy')], [['busy', 'other', 'busy again'], false])
})

test('work that waits for a slot ends with its client, and is rejected when too many wait, or for too long', async () => {
  const slots = openSlots({ running_max: 1, waiting_max: 1, wait_max_ms: 20 })
  const gate = Promise.withResolvers<void>()
  const first = slots.run('first', connected, () => gate.promise)
  const client = new AbortController()
  const left = slots.run('left', client.signal, async () => assert.fail('it runs without a client'))
  const isBusy = { code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '1' } }
  await assert.rejects(
    slots.run('one too many', connected, async () => {}),
    isBusy,
  )
  client.abort(new Error('left'))
  await assert.rejects(left, /left/)
  assert.equal(slots.has('left'), false)
  await assert.rejects(
    slots.run('late', connected, async () => {}),
    isBusy,
  )
  gate.resolve()
  await first
  await assert.rejects(
    slots.run('fails', connected, () => Promise.reject(new Error('failed'))),
    /failed/,
  )
  assert.equal(await slots.run('next', connected, async () => 'run'), 'run')
})
