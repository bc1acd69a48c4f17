import assert from 'node:assert/strict'
import type http from 'node:http'
import { test } from 'node:test'
import {
  becomes,
  begin,
  create,
  get,
  newAgent,
  newModelAgent,
  say,
  startAnswering,
  until,
} from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { openaiServer } from '../support/model-servers.ts'
import { receiver } from '../support/receivers.ts'
import { newProvider } from '../support/samples.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
startAnswering(server)

test('a message that arrives as the answer ends is answered too', async () => {
  const begun = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const tenant = await server.workspace()
      const conversation = Promise.withResolvers<string>()
      const model = await openaiServer({
        words: ['Yes.'],
        // The message is committed, and the driver reads it while the answer ends.
        beforeWord: async () => {
          if (model.received.length < 4) await say(tenant, await conversation.promise, 'And now?')
        },
      })
      const { id } = await begin(tenant, await newModelAgent(tenant, model), { message: 'Hello?' })
      conversation.resolve(id)
      return { tenant, id }
    }),
  )
  for (const { tenant, id } of begun) await becomes(tenant, id, ({ is_answering }) => !is_answering)
})

/** A model whose first answer is this, and whose later answers are words. */
async function agentOf(tenant: Tenant, answer: object, usage: object = {}): Promise<string> {
  const model = await receiver((response: http.ServerResponse) => {
    const is_first = !model.received.at(-1)?.body.includes('"role":"tool"')
    const send = (data: object) => response.write(`data: ${JSON.stringify(data)}\n\n`)
    const head = { id: 'chatcmpl-1', created: 1763199000, model: 'small', object: 'chat.completion.chunk' }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    send({ ...head, choices: [{ index: 0, delta: is_first ? answer : { content: 'Done.' }, finish_reason: null }] })
    send({ ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
    send({ ...head, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, ...usage } })
    response.end('data: [DONE]\n\n')
  })
  const base_url = model.url.replace('/hook', '/v1')
  const provider = await create(tenant, '/providers', newProvider({ base_url }))
  return newAgent(tenant, { model: { provider: provider.name, name: 'small' } })
}

const call = (name: string, values: string, index = 0) => ({
  index,
  id: `call_${index}`,
  type: 'function',
  function: { name, arguments: values },
})
const calling = (name: string, values: string) => ({ tool_calls: [call(name, values)] })

async function isAnswered(tenant: Tenant, agent: string): Promise<void> {
  const { id } = await begin(tenant, agent, { message: 'Hello' })
  await becomes(tenant, id, ({ is_answering, turn_count }) => !is_answering && turn_count === 2)
}

for (const [what, usage] of Object.entries({
  'too large': { prompt_tokens: 3_000_000_000 },
  'no integer': { prompt_tokens: 1.5 },
}))
  test(`a number of tokens that is ${what} does not prevent the answer`, async () => {
    const tenant = await server.workspace()
    await isAnswered(tenant, await agentOf(tenant, { content: 'Hello.' }, usage))
  })

test('a number of tokens that is negative is not counted', async () => {
  const tenant = await server.workspace()
  const { id } = await begin(tenant, await agentOf(tenant, { content: 'Hi.' }, { prompt_tokens: -1_000 }), {
    message: 'Hello',
  })
  await becomes(tenant, id, ({ is_answering }) => !is_answering)
  assert.ok((await get(tenant, id)).usage.input_tokens >= 0)
})

for (const [what, name, values] of [
  ['a name with NUL', 'a\u0000b', '{}'],
  ['a name that is cut in a surrogate pair', `${'a'.repeat(63)}\u{1f600}`, '{}'],
  ['deep arguments', 'unknown', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
] as const)
  test(`a call of a tool with ${what} does not prevent the answer`, async () => {
    const tenant = await server.workspace()
    await isAnswered(tenant, await agentOf(tenant, calling(name, values)))
  })

test('the calls of tools that are kept of one answer are limited', async () => {
  const tenant = await server.workspace()
  const tool_calls = Array.from({ length: 5_000 }, (_, index) => call('unknown', '{}', index))
  const { id } = await begin(tenant, await agentOf(tenant, { tool_calls }), { message: 'Hello' })
  await becomes(tenant, id, ({ is_answering }) => !is_answering)
  const { body } = await tenant.call('GET', `/conversations/${id}/turns`)
  assert.ok(body.data.at(-1).tools.length <= 100, `${body.data.at(-1).tools.length} runs`)
})

test('a summary that is being written is not stored after the conversation was redacted', async () => {
  const tenant = await server.workspace()
  const hold = Promise.withResolvers<void>()
  const summary = { role: 'assistant', content: 'The contact said a secret.' }
  const model = await receiver(async (response) => {
    const is_streamed = model.received.at(-1)?.body.includes('"stream":true')
    const head = { id: 'chatcmpl-1', created: 1763199000, model: 'small' }
    if (is_streamed) {
      const choices = [{ index: 0, delta: { content: 'Hello.' }, finish_reason: 'stop' }]
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return response.end(`data: ${JSON.stringify({ ...head, choices })}\n\ndata: [DONE]\n\n`)
    }
    await hold.promise
    response.writeHead(200, { 'content-type': 'application/json' })
    const choices = [{ index: 0, message: summary, finish_reason: 'stop' }]
    return response.end(JSON.stringify({ ...head, object: 'chat.completion', choices }))
  })
  const provider = await create(tenant, '/providers', newProvider({ base_url: model.url.replace('/hook', '/v1') }))
  const agent = await newAgent(tenant, { model: { provider: provider.name, name: 'small' } })
  const { id } = await begin(tenant, agent, { message: 'A secret' })
  await becomes(tenant, id, ({ is_answering }) => !is_answering)
  await tenant.call('POST', `/conversations/${id}/close`)
  await until(() => model.received.length === 2)
  assert.equal((await tenant.call('POST', `/conversations/${id}/redact`)).status, 200)
  hold.resolve()
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  assert.equal((await get(tenant, id)).summary, null)
})

test('variables may be numbers and booleans', async () => {
  const tenant = await server.workspace()
  const script = { start: 'a', nodes: { a: { say: 'Hello', else: { say: 'Sorry?' } } } }
  const variables = { count: 5, is_vip: true }
  assert.deepEqual((await begin(tenant, await newAgent(tenant, { script }), { variables })).variables, variables)
})

test('a number of a turn that is too large is not an internal error', async () => {
  const tenant = await server.workspace()
  const { id } = await begin(tenant, await newAgent(tenant, {}))
  const { status } = await tenant.call('GET', `/conversations/${id}/turns?after=2147483648`)
  assert.ok(status === 200 || status === 400, String(status))
})
