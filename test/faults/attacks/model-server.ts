import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { openClient } from '../client.ts'
import type { Attack, AttackWorld } from './attack.ts'
import { type Answer, listen } from './listen.ts'

/** Just below what a stream may have. */
const bytes = 7_900_000
const share_in_short_form = 0.05
const conversations = { long: 10, short: 2 }
/** A workspace can test one provider per second. */
const test_every_ms = 1_100
const whole_in_short_form = 'many arrays'
const tries_max = 20
const retry_every_ms = 500

const repeated = (text: string, share: number): string => text.repeat(Math.floor((bytes * share) / text.length))

const json =
  (status: number, text: string): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)

const events =
  (text: string): Answer =>
  (response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)

/** Each is expensive to read in another way. The share is that of a form. */
const streamed: Record<string, (share: number) => Answer> = {
  'tiny events': (share) => events(repeated('data: {"choices":[]}\n\n', share)),
  'line breaks': (share) => events(repeated('\n', share)),
  'lines of one event': (share) => events(repeated('data:\n', share)),
  'events of wrong choices': (share) => events(repeated(`data: {"choices":[${'[],'.repeat(80_000)}1]}\n\n`, share)),
  'an event of arrays': (share) => events(`data: {"choices":[],"x":[${repeated('[],', share)}1]}\n\n`),
  'events of arrays': (share) => events(repeated(`data: {"choices":[],"x":[${'[],'.repeat(20_000)}1]}\n\n`, share)),
  'many tool calls': (share) =>
    events(
      repeated(
        toolCalls(
          `${'{"index":0,"function":{"name":"a","arguments":"{}"}},'.repeat(1_000)}{"index":1,"function":{"name":"a"}}`,
        ),
        share,
      ),
    ),
  'arguments in pieces': (share) =>
    events(repeated(toolCalls('{"index":0,"function":{"name":"a","arguments":"a"}}'), share)),
  'an error of arrays': (share) => json(400, `{"error":[${repeated('[],', share)}1]}`),
  'a deep error': (share) => json(500, repeated('[', share)),
}

/** Just below what one event, and an answer that is not streamed, may have. */
const kilobytes = 250_000

const toolCalls = (calls: string): string => `data: {"choices":[{"delta":{"tool_calls":[${calls}]}}]}\n\n`

const whole: Record<string, (share: number) => Answer> = {
  'many arrays': (share) => json(200, `[${repeated('[],', share)}1]`),
  'deep arrays': (share) => json(200, repeated('[', share / 2) + repeated(']', share / 2)),
  'as many arrays as fit': () => json(200, `{"choices":[${'[],'.repeat(kilobytes / 3)}1]}`),
  'arrays as deep as fit': () => json(200, '['.repeat(kilobytes / 2) + ']'.repeat(kilobytes / 2)),
  'many members': (share) => json(200, `{"choices":[],"x":{${repeated('"a":1,', share)}"a":1}}`),
  'an error of arrays': (share) => json(400, `{"error":[${repeated('[],', share)}1]}`),
}

const shareOf = ({ is_long }: AttackWorld): number => (is_long ? 1 : share_in_short_form)

export const attacks: Attack[] = [
  ...Object.entries(streamed).map(([name, answer]) => ({
    name: `a model server streams ${name}`,
    run: (world: AttackWorld) => converse(world, name, answer(shareOf(world))),
  })),
  ...Object.entries(whole).map(([name, answer]) => ({
    name: `a model server answers with ${name}`,
    async run(world: AttackWorld) {
      if (world.is_long || name === whole_in_short_form) await testProvider(world, name, answer(shareOf(world)))
    },
  })),
]

/** Several contacts write at once. Each gets words, whatever the model does. */
async function converse(world: AttackWorld, name: string, answer: Answer): Promise<void> {
  const { call } = clientOf(world)
  const provider = await newProvider(world, name, answer)
  const agent = { name, model: { provider: provider.name, name: 'small' } }
  const { body: created } = await call('POST', '/api/v1/agents', agent)
  const count = world.is_long ? conversations.long : conversations.short
  await Promise.all(
    Array.from({ length: count }, async () => {
      const { call } = clientOf(world)
      const begin = () => call('POST', '/api/v1/conversations', { agent_id: created.data.id, message: 'Hello' })
      let begun = await begin()
      // The server may be busy with what it begins.
      for (let tries = 1; begun.status === 503 && tries < tries_max; tries += 1) {
        await sleep(retry_every_ms)
        begun = await begin()
      }
      assert.equal(begun.status, 201, JSON.stringify(begun.body))
      const path = `/api/v1/conversations/${begun.body.data.id}`
      const { body } = await call('GET', `${path}/turns?after=1&wait_ms=30000`)
      assert.equal(body.data[0]?.role, 'agent', `${name}: ${JSON.stringify(body)}`)
      assert.notEqual(body.data[0].text, '', name)
      assert.equal((await call('POST', `${path}/close`)).status, 200)
    }),
  )
}

async function testProvider(world: AttackWorld, name: string, answer: Answer): Promise<void> {
  const { call } = clientOf(world)
  const { id } = await newProvider(world, `whole ${name}`, answer)
  const { status, body } = await call('POST', `/api/v1/providers/${id}/test`)
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.data.is_ok, false, name)
  await sleep(test_every_ms)
}

function clientOf({ stack, url, attacker }: AttackWorld) {
  const client = openClient(url, attacker.key)
  stack.defer(client.close)
  return client
}

async function newProvider(world: AttackWorld, name: string, answer: Answer): Promise<{ id: string; name: string }> {
  const base_url = `${await listen(world.stack, answer)}/v1`
  const body = { name: `Hostile: ${name}`, kind: 'openai_compatible', base_url, default_model: 'small', api_key: null }
  const created = await clientOf(world).call('POST', '/api/v1/providers', body)
  assert.equal(created.status, 201, JSON.stringify(created.body))
  return created.body.data
}
