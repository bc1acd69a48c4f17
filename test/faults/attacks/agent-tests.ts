import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { scopes } from '../../../server/api.ts'
import { openClient } from '../client.ts'
import { newTenant, withEmbeddedPool } from '../service.ts'
import type { Attack } from './attack.ts'

const tests = { long: 500, short: 8 }
const runs = { long: 5, short: 1 }
/** What has not been played by then is canceled. */
const played_for_ms = { long: 60_000, short: 5_000 }
const poll_every_ms = 250
const tool_answer_characters = 32 * 1024 - 100

const long_words = 'word '.repeat(780)

/** Says as much as it may, and calls a tool again and again. */
const script = {
  start: 'talk',
  nodes: {
    talk: { say: long_words, on: [{ hear: ['loop'], go: 'loop' }], else: { say: long_words } },
    loop: { tool: 'look_up', ok: 'talk', failed: 'talk' },
  },
}

const slow_pattern = '/(.{0,20}.{0,20}.{0,20}){2}x/'
const lines = (says: string, expect: object[] = []) => Array.from({ length: 50 }, () => ({ says, expect }))
const phrases = Array.from({ length: 20 }, (_, index) => `wurd wrod warde ${'unknown '.repeat(50)}${index}`)

/** Each is as large as it may be. */
const kinds = [
  { kind: 'conversation', steps: lines('loop') },
  {
    kind: 'conversation',
    steps: lines('Hello'),
    expect: Array.from({ length: 5 }, () => ({
      type: 'never_says',
      any_of: Array.from({ length: 10 }, () => slow_pattern),
    })),
  },
  { kind: 'conversation', steps: lines('Hello', [{ type: 'never_says', any_of: phrases }]).slice(0, 10) },
  { kind: 'simulation', person: { number: '15' }, medium: 'voice', turns_max: 200 },
]

/** A tenant runs the largest tests that there can be. */
export const attack: Attack = {
  name: 'runs of the largest tests of agents',
  async run({ stack, url, data_dir, is_long, print }) {
    const form = is_long ? 'long' : 'short'
    const tenant = await withEmbeddedPool(data_dir, (pool) => newTenant(pool, scopes))
    const client = openClient(url, tenant.key)
    stack.defer(client.close)
    const request = (method: string, path: string, body?: object) => client.call(method, `/api/v1${path}`, body)
    const send = async (method: string, path: string, body?: object) => {
      const { status, body: answer } = await request(method, path, body)
      assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(answer).slice(0, 500)}`)
      return answer.data
    }
    const parameters = { type: 'object', properties: {} }
    await send('POST', '/tools', { name: 'look_up', url: 'https://tools.example/look', parameters })
    const { id } = await send('POST', '/agents', { name: 'Hostile', script, tools: ['look_up'] })
    const tool_answers = [{ tool: 'look_up', result: 'x'.repeat(tool_answer_characters) }]
    for (let number = 0; number < tests[form]; number += 1) {
      const test = {
        name: String(number),
        ...kinds[number % kinds.length],
        ...(number % kinds.length === 0 && { tool_answers }),
      }
      await send('POST', `/agents/${id}/tests`, test)
    }
    const turns = Array.from({ length: 10_000 }, () => ({ role: 'contact', text: 'Hello' }))
    const refused = await request('POST', `/agents/${id}/tests`, { name: 'x', kind: 'reply', says: 'Hi', turns })
    assert.equal(refused.status, 400)
    const ids: string[] = []
    for (let count = 0; count < runs[form]; count += 1) ids.push((await send('POST', `/agents/${id}/test_runs`)).id)
    if (is_long) assert.equal((await request('POST', `/agents/${id}/test_runs`)).status, 409)
    const isOpen = async () => {
      const found: { status: string }[] = await send('GET', `/agents/${id}/test_runs`)
      return found.some(({ status }) => status === 'queued' || status === 'running')
    }
    const until = performance.now() + played_for_ms[form]
    while ((await isOpen()) && performance.now() < until) await sleep(poll_every_ms)
    let done = 0
    for (const run_id of ids) {
      await request('POST', `/test_runs/${run_id}/cancel`)
      done += (await send('GET', `/test_runs/${run_id}`)).done
    }
    assert.ok(done > 0)
    print(`${done} of ${tests[form] * runs[form]} of the largest tests were played`)
  },
}
