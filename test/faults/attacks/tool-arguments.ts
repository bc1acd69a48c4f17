import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { openClient } from '../client.ts'
import type { Attack } from './attack.ts'
import { listen } from './listen.ts'

const rounds = { long: 10, short: 1 }
/** A workspace may test one tool a second. */
const test_every_ms = 1_000

const text = 'x'.repeat(31_900)
const object = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`a${index}`, 1]))
const alternatives = Array(10_500).fill({})

/** Schemas as large as they may be, each with the arguments that take longest to check. */
const checks: [name: string, schema: object, value: unknown][] = [
  ['alternatives that allow all', { anyOf: alternatives }, text],
  ['alternatives of which one must match', { oneOf: alternatives }, text],
  ['alternatives of an object', { oneOf: alternatives }, object],
  ['objects to choose from', { enum: alternatives }, object],
  ['lengths', { anyOf: Array(1_500).fill({ minLength: 99_999 }) }, text],
  ['a long choice for each item', { items: { anyOf: [{ enum: ['x'.repeat(31_000)] }, {}] } }, Array(15_900).fill(1)],
]

/** A tenant tests tools whose arguments take as long to check as they can. */
export const attack: Attack = {
  name: 'schemas and arguments of tools that take long to check',
  async run({ stack, url, attacker, is_long, print }) {
    const tool_url = `${await listen(stack, (response) => response.end('ok'))}/`
    const client = openClient(url, attacker.key)
    stack.defer(client.close)
    let checked = 0
    for (const [index, [name, schema, value]] of checks.entries()) {
      const parameters = { type: 'object', properties: { value: schema } }
      const tool = { name: `slow_${index}`, description: name, url: tool_url, parameters }
      const created = await client.call('POST', '/api/v1/tools', tool)
      assert.equal(created.status, 201, JSON.stringify(created.body))
      for (let round = 0; round < (is_long ? rounds.long : rounds.short); round += 1) {
        await sleep(test_every_ms)
        const path = `/api/v1/tools/${created.body.data.id}/test`
        const { status } = await client.call('POST', path, { arguments: { value } })
        assert.ok(status === 200 || status === 429 || status === 503, `${name}: ${status}`)
        if (status === 200) checked += 1
      }
    }
    assert.ok(checked > 0)
    print(`tools: ${checked} large arguments checked`)
  },
}
