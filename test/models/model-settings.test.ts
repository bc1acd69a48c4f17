import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LanguageModelV4Message } from '@ai-sdk/provider'
import { openModel } from '../../server/models/language-model.ts'
import { limitRenamerFor, type ModelSettings, no_model_settings } from '../../server/models/model-settings.ts'
import { answersAfter, begin, newAgent, startAnswering } from '../support/conversations.ts'
import { serve } from '../support/harness.ts'
import { anthropicServer, openaiServer } from '../support/model-servers.ts'
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

startAnswering(server)

test('the default provider is asked with the settings', async () => {
  const tenant = await server.workspace()
  const there = await openaiServer({ words: ['Hello.'] })
  await tenant.call('POST', '/providers', newProvider({ base_url: there.base_url, is_default: true }))
  const { id } = await begin(tenant, await newAgent(tenant, { model_settings: { top_p: 0.5 } }), { message: 'Hello' })
  await answersAfter(tenant, id, 0)
  assert.equal(JSON.parse(there.received[0]?.body ?? '').top_p, 0.5)
})
