import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LanguageModelV4Message } from '@ai-sdk/provider'
import { openModel } from '../../server/models/language-model.ts'
import { describeModelError } from '../../server/models/model-error.ts'
import { limitRenamerFor, type ModelSettings, no_model_settings } from '../../server/models/model-settings.ts'
import { answersAfter, begin, newAgent, newModelAgent, startAnswering } from '../support/conversations.ts'
import { serve } from '../support/harness.ts'
import { anthropicServer, openaiServer } from '../support/model-servers.ts'
import { receiver, respondWith } from '../support/receivers.ts'
import { newProvider } from '../support/samples.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })

const kinds = { openai_compatible: openaiServer, anthropic: anthropicServer }
type Kind = keyof typeof kinds

const hello: LanguageModelV4Message = { role: 'user', content: [{ type: 'text', text: 'Hello' }] }
const after_tool: LanguageModelV4Message[] = [
  hello,
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'look_up', input: {} }] },
  {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'look_up', output: { type: 'text', value: 'x' } }],
  },
]

interface Asked extends Partial<ModelSettings> {
  name?: string
  prompt?: LanguageModelV4Message[]
}

async function modelAt(base_url: string, kind: string, { name = 'small', prompt: _, ...settings }: Asked) {
  const tenant = await server.workspace()
  const provider = (await tenant.call('POST', '/providers', newProvider({ kind, base_url }))).body.data.name
  return openModel(server.at(tenant.id), { provider, name, settings: { ...no_model_settings, ...settings } })
}

/** Returns the body of the request, without what every request has. */
async function sent(kind: Kind, asked: Asked): Promise<object> {
  const there = await kinds[kind]({ words: ['Hello.'] })
  const model = await modelAt(there.base_url, kind, asked)
  const { stream } = await model.doStream({ prompt: asked.prompt ?? [hello] })
  await Array.fromAsync(stream)
  const {
    model: _,
    messages: _messages,
    stream: _stream,
    stream_options: _options,
    ...body
  } = JSON.parse(there.received[0]?.body ?? '')
  return body
}

test('openai_compatible: settings are sent by their names, and those that are null are not', async () => {
  const all = { temperature: 0, top_p: 0.9, max_tokens: 100, stop: ['\n'] }
  assert.deepEqual(await sent('openai_compatible', all), all)
  assert.deepEqual(await sent('openai_compatible', { stop: [] }), {})
  assert.deepEqual(await sent('openai_compatible', {}), {})
})

test('openai_compatible: the limit has room for what the model thinks', async () => {
  for (const [reasoning_effort, thinking] of [
    ['minimal', 1_024],
    ['low', 4_096],
    ['medium', 8_192],
    ['high', 16_384],
  ] as const) {
    const body = await sent('openai_compatible', { reasoning_effort, max_tokens: 100 })
    assert.deepEqual(body, { reasoning_effort, max_tokens: 100 + thinking })
  }
  for (const [name, max_tokens] of [
    ['gpt-5-mini', 8_292],
    ['openai/o3', 8_292],
    ['gpt-5-chat-latest', 100],
    ['gpt-4.1', 100],
  ] as const)
    assert.deepEqual(await sent('openai_compatible', { name, max_tokens: 100 }), { max_tokens })
})

test('OpenAI and Azure get the limit by its new name', () => {
  const body = { max_tokens: 5, temperature: 1 }
  const renamed = { max_completion_tokens: 5, temperature: 1 }
  assert.deepEqual(limitRenamerFor('https://api.openai.com/v1')(body), renamed)
  assert.deepEqual(limitRenamerFor('https://ours.openai.azure.com/openai/v1')(body), renamed)
  assert.deepEqual(limitRenamerFor('https://api.openai.com.example/v1')(body), body)
})

test('anthropic: settings are sent by their names there', async () => {
  const body = await sent('anthropic', { temperature: 0.5, max_tokens: 100, stop: ['END'] })
  assert.deepEqual(body, { temperature: 0.5, max_tokens: 100, stop_sequences: ['END'] })
  assert.partialDeepStrictEqual(await sent('anthropic', { top_p: 0.5 }), { top_p: 0.5 })
})

test('anthropic: an effort is a budget, but not right after tools', async () => {
  for (const [reasoning_effort, budget_tokens] of [
    ['minimal', 1_024],
    ['low', 4_096],
    ['medium', 8_192],
    ['high', 16_384],
  ] as const) {
    const body = await sent('anthropic', { reasoning_effort, max_tokens: 100 })
    assert.deepEqual(body, { thinking: { type: 'enabled', budget_tokens }, max_tokens: 100 + budget_tokens })
  }
  const settings: Asked = { reasoning_effort: 'low', max_tokens: 100 }
  assert.deepEqual(await sent('anthropic', { ...settings, prompt: after_tool }), { max_tokens: 100 })
  const said: LanguageModelV4Message = { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] }
  const later = [...after_tool, said, hello]
  assert.partialDeepStrictEqual(await sent('anthropic', { ...settings, prompt: later }), { max_tokens: 4_196 })
})

test('anthropic: a model that thinks as it wants gets an effort, and room for it', async () => {
  const adaptive: Asked = { name: 'claude-opus-5-5', max_tokens: 100 }
  assert.deepEqual(await sent('anthropic', adaptive), { max_tokens: 8_292 })
  const body = await sent('anthropic', { ...adaptive, reasoning_effort: 'high' })
  assert.partialDeepStrictEqual(body, {
    thinking: { type: 'adaptive' },
    output_config: { effort: 'high' },
    max_tokens: 16_484,
  })
})

test('anthropic: settings that it refuses together are not sent', async () => {
  const there = await anthropicServer({ words: ['Hello.'] })
  for (const settings of [
    { temperature: 0, top_p: 1 },
    { temperature: 0, reasoning_effort: 'low' as const },
    { top_p: 0, reasoning_effort: 'low' as const },
  ])
    await assert.rejects(modelAt(there.base_url, 'anthropic', settings), /can't be used together with/)
  assert.equal(there.received.length, 0)
})

/** What providers say of a setting that they refuse, and whether they name it apart. */
const refusals: [setting: string, Kind, Asked, error: object][] = [
  [
    'temperature',
    'openai_compatible',
    { temperature: 0, top_p: 1 },
    { message: "Unsupported value: 'temperature' does not support 0.", param: 'temperature' },
  ],
  ['top_p', 'openai_compatible', { temperature: 0, top_p: 1 }, { message: 'Bad value.', param: 'top_p' }],
  ['max_tokens', 'openai_compatible', { max_tokens: 9 }, { message: "'max_completion_tokens' is too large: 9." }],
  ['stop', 'openai_compatible', { stop: ['a'] }, { message: "Unsupported parameter: 'stop'.", param: 'stop' }],
  [
    'reasoning_effort',
    'openai_compatible',
    { reasoning_effort: 'low' },
    { message: '"qwen" does not support thinking' },
  ],
  ['stop', 'anthropic', { stop: [' '] }, { message: 'stop_sequences: each must contain non-whitespace' }],
  ['reasoning_effort', 'anthropic', { reasoning_effort: 'high' }, { message: 'thinking.budget_tokens: too many' }],
]

for (const status of [400, 422])
  test(`a setting that a provider refuses with ${status} is named`, async () => {
    for (const [setting, kind, settings, error] of refusals) {
      const there = await receiver(respondWith(status, json_type, JSON.stringify({ error })))
      const model = await modelAt(there.url, kind, settings)
      for (const ask of [model.doStream, model.doGenerate]) {
        const described = await Promise.resolve(ask({ prompt: [hello] })).catch(describeModelError)
        const { message } = error as { message: string }
        assert.partialDeepStrictEqual(described, {
          status,
          sentence: `The model refused ${setting}.`,
          message: `The model refused ${setting}: ${message}`,
        })
      }
    }
  })

const json_type = { 'content-type': 'application/json' }

test('a setting is not named that was not sent, or that has nothing to do with the error', async () => {
  for (const [status, settings, message] of [
    [400, { top_p: 1 }, 'temperature is wrong'],
    [400, { temperature: 1 }, 'This model has a maximum context length of 8192 tokens.'],
    [400, { stop: ['a'] }, 'Please stop sending this.'],
    [429, { temperature: 1 }, 'temperature of the servers is too high'],
  ] as const) {
    const there = await receiver(respondWith(status, json_type, JSON.stringify({ error: { message } })))
    const model = await modelAt(there.url, 'openai_compatible', {
      ...settings,
      stop: [...('stop' in settings ? settings.stop : [])],
    })
    const described = await Promise.resolve(model.doStream({ prompt: [hello] })).catch(describeModelError)
    assert.doesNotMatch(JSON.stringify(described), /refused/)
  }
})

startAnswering(server)

test('the turn says which setting was refused, and the fallback has the same settings', async () => {
  const tenant = await server.workspace()
  const error = { message: "Unsupported value: 'temperature'.", param: 'temperature' }
  const there = await receiver(respondWith(400, json_type, JSON.stringify({ error })))
  const other = await openaiServer({ words: ['Hello.'] })
  const provider = (await tenant.call('POST', '/providers', newProvider({ base_url: other.base_url }))).body.data.name
  const agent_id = await newModelAgent(
    tenant,
    { ...there, base_url: there.url, aborted: 0 },
    {
      model_settings: { temperature: 0.3, max_tokens: 50 },
      fallback_model: { provider, name: 'small', temperature: 0.9 },
    },
  )
  const { id } = await begin(tenant, agent_id, { message: 'Hello' })
  const [, turn] = await answersAfter(tenant, id, 0)
  assert.deepEqual([turn.text, turn.error], ['Hello.', `The model refused temperature: ${error.message}`])
  const bodies = [there, other].map(({ received }) => JSON.parse(received[0]?.body ?? ''))
  assert.deepEqual(
    bodies.map(({ temperature, max_tokens }) => [temperature, max_tokens]),
    [
      [0.3, 50],
      [0.9, 50],
    ],
  )
})

test('the default provider is asked with the settings', async () => {
  const tenant = await server.workspace()
  const there = await openaiServer({ words: ['Hello.'] })
  await tenant.call('POST', '/providers', newProvider({ base_url: there.base_url, is_default: true }))
  const { id } = await begin(tenant, await newAgent(tenant, { model_settings: { top_p: 0.5 } }), { message: 'Hello' })
  await answersAfter(tenant, id, 0)
  assert.equal(JSON.parse(there.received[0]?.body ?? '').top_p, 0.5)
})
