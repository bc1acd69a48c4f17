import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { scopes } from '../../../server/api.ts'
import { openClient } from '../client.ts'
import { piece_max_ms } from '../pieces.ts'
import { newTenant, withEmbeddedPool } from '../service.ts'
import type { Attack } from './attack.ts'

const tests = { long: 20, short: 4 }
const lines = 30
const patterns_max = 50
const poll_every_ms = 250

const long_words = 'Wörd '.repeat(780)

/** Those that take longest to look for, as large as they may be. None of them is found. */
const slow_to_find = ['/(.{0,20}.{0,20}.{0,20}){2}~/', '/(?:.?){120}~$/', '/(?:[^~]{0,120})~/', '/(?:\\w{0,100})\\b~/']
/** Those that take longest to compile. */
const slow_to_compile = [`/(?:${'\\pL'.repeat(16)}){14}~/`, '/[\\x{100}-\\x{c000}]{240}/', `/${'\\PL'.repeat(16)}/`]

const expectations = (patterns: string[]) =>
  Array.from({ length: patterns_max }, (_, index) => ({
    type: 'never_says',
    any_of: [patterns[index % patterns.length]],
  }))

/** A tenant has tests whose patterns take as long as they can, when tests are created and when they are played. */
export const attack: Attack = {
  name: 'patterns in tests of agents that take long to find',
  async run({ stack, url, data_dir, is_long, print, takeLongestPiece }) {
    const form = is_long ? 'long' : 'short'
    const tenant = await withEmbeddedPool(data_dir, (pool) => newTenant(pool, scopes))
    const client = openClient(url, tenant.key)
    stack.defer(client.close)
    const send = async (method: string, path: string, body?: object) => {
      const { status, body: answer } = await client.call(method, `/api/v1${path}`, body)
      assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(answer).slice(0, 500)}`)
      return answer.data
    }
    const script = { start: 'talk', nodes: { talk: { say: long_words, else: { say: long_words } } } }
    const { id } = await send('POST', '/agents', { name: 'Patterns', script })
    const steps = Array.from({ length: lines }, () => ({ says: 'Hello' }))
    takeLongestPiece()
    await Promise.all(
      Array.from({ length: tests[form] }, async (_, number) => {
        const test = { name: String(number), kind: 'conversation', steps }
        await send('POST', `/agents/${id}/tests`, { ...test, expect: expectations(slow_to_find) })
        const name = `compiled ${number}`
        await send('POST', `/agents/${id}/tests`, { ...test, name, expect: expectations(slow_to_compile) })
      }),
    )
    const created_ms = takeLongestPiece()
    const { id: run_id } = await send('POST', `/agents/${id}/test_runs`)
    const find = () => send('GET', `/test_runs/${run_id}`)
    let run = await find()
    while (run.status === 'queued' || run.status === 'running') {
      await sleep(poll_every_ms)
      run = await find()
    }
    const played_ms = takeLongestPiece()
    print(
      `${run.done} tests with ${patterns_max} slow patterns: pieces of ${created_ms} ms when created, ${played_ms} ms when played`,
    )
    assert.equal(run.done, 2 * tests[form])
    if (is_long)
      assert.ok(
        Math.max(created_ms, played_ms) < piece_max_ms,
        `a piece of work took ${Math.max(created_ms, played_ms)} ms`,
      )
  },
}
