import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Script } from '../../server/models/script-schema.ts'
import { createScriptedModel, type ScriptRequest, scriptAnswer, scriptOptions } from '../../server/models/scripted.ts'

const script: Script = {
  start: 'greet',
  nodes: {
    greet: {
      say: 'Hello {{contact.first_name|there}}. Which day?',
      on: [
        { slot: 'date', say: 'One moment.', go: 'book' },
        { intent: 'goodbye', say: 'Bye.', go: '@end' },
        { intent: 'human', go: '@hand_over' },
      ],
      silence: { say: 'Are you there?' },
    },
    book: { tool: 'book_slot', with: { day: '{{date}}' }, ok: 'done', failed: '@hand_over' },
    done: { say: 'Booked as {{book_slot.reference}}. Anything else?', else: { say: 'Fine.', go: '@end' } },
  },
}
const model = createScriptedModel(script)
const now = Date.parse('2026-11-15T12:00:00Z')
const state = { node: null, variables: {} }

const user = (text: string) => ({ role: 'user' as const, content: [{ type: 'text' as const, text }] })
const options = (prompt: LanguageModelV4Prompt, request: Partial<ScriptRequest> = {}, abortSignal?: AbortSignal) => ({
  prompt,
  providerOptions: scriptOptions({ state, now, ...request }),
  ...(abortSignal && { abortSignal }),
})

async function read(stream: ReadableStream<LanguageModelV4StreamPart>): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

test('a reply is streamed in sentences and ends with its state and no usage', async () => {
  const { stream } = await model.doStream(options([], { values: { 'contact.first_name': 'Ada' } }))
  const parts = await read(stream)
  assert.deepEqual(
    parts.map((part) => (part.type === 'text-delta' ? part.delta : part.type)),
    ['stream-start', 'text-start', 'Hello Ada. ', 'Which day?', 'text-end', 'finish'],
  )
  const finish = parts.at(-1)
  assert.ok(finish?.type === 'finish')
  assert.equal(finish.finishReason.unified, 'stop')
  assert.deepEqual([finish.usage.inputTokens.total, finish.usage.outputTokens.total], [0, 0])
  const state = { node: 'greet', variables: {} }
  const taken = { step: 'greet', reason: 'begin', heard: null }
  const answer = { state, has_heard: false, results: {}, taken, is_uninterruptible: false, looks_up: null }
  assert.deepEqual(scriptAnswer(finish.providerMetadata), answer)
})

test('generating gives the same text, call and state as streaming', async () => {
  const request = options([user('tomorrow')])
  const { content, finishReason, providerMetadata } = await model.doGenerate(request)
  const parts = await read((await model.doStream(request)).stream)
  assert.deepEqual(content[0], { type: 'text', text: 'One moment.' })
  assert.equal(parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join(''), 'One moment.')
  const calls = [content[1], parts.find(({ type }) => type === 'tool-call')]
  for (const call of calls) {
    assert.ok(call?.type === 'tool-call')
    assert.deepEqual([call.toolName, JSON.parse(call.input)], ['book_slot', { day: '2026-11-16' }])
  }
  assert.equal(finishReason.unified, 'tool-calls')
  const finish = parts.at(-1)
  assert.ok(finish?.type === 'finish')
  assert.deepEqual(finish.providerMetadata, providerMetadata)
  assert.deepEqual(scriptAnswer(providerMetadata).results, { date: '2026-11-16' })
})

test('the result of a tool continues the script, and so do words that came meanwhile', async () => {
  const first = await model.doGenerate(options([user('tomorrow')]))
  // The state is kept as JSON between two requests.
  const { state } = JSON.parse(JSON.stringify(scriptAnswer(first.providerMetadata)))
  const call = { type: 'tool-call' as const, toolCallId: '1', toolName: 'book_slot', input: {} }
  const result = (output: { type: 'json'; value: { reference: string } } | { type: 'error-text'; value: string }) => ({
    role: 'tool' as const,
    content: [{ type: 'tool-result' as const, toolCallId: '1', toolName: 'book_slot', output }],
  })
  const until_call: LanguageModelV4Prompt = [user('tomorrow'), { role: 'assistant', content: [call] }]
  const booked = result({ type: 'json', value: { reference: 'A1' } })
  const done = await model.doGenerate(options([...until_call, booked], { state }))
  assert.deepEqual(done.content, [{ type: 'text', text: 'Booked as A1. Anything else?' }])
  const both = await model.doGenerate(options([...until_call, booked, user('no')], { state }))
  assert.deepEqual(both.content[0], { type: 'text', text: 'Booked as A1. Anything else? Fine.' })
  const failed = await model.doGenerate(options([...until_call, result({ type: 'error-text', value: 'x' })], { state }))
  assert.partialDeepStrictEqual(failed.content, [{ type: 'tool-call', toolName: 'hand_over', input: '{}' }])
})

test('the end of a conversation is a tool call', async () => {
  const { content } = await model.doGenerate(options([user('goodbye')]))
  assert.partialDeepStrictEqual(content, [
    { type: 'text', text: 'Bye.' },
    { type: 'tool-call', toolName: 'end_conversation', input: '{}' },
  ])
})

test('messages since the last reply are heard together, and silence is no beginning', async () => {
  const reply = { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Which day?' }] }
  const at_greet = { state: { node: 'greet', variables: {} } }
  const two = await model.doGenerate(options([user('no'), reply, user('well'), user('tomorrow')], at_greet))
  assert.deepEqual(scriptAnswer(two.providerMetadata).results, { date: '2026-11-16' })
  const silence = await model.doGenerate(options([user('hi'), reply], { ...at_greet, is_silence: true }))
  assert.deepEqual(silence.content, [{ type: 'text', text: 'Are you there?' }])
})

test('digits are a tool call after the words, and a part that must be heard marks the answer', async () => {
  const menu = createScriptedModel({
    start: 'warn',
    nodes: {
      warn: { say: 'This call is recorded.', is_uninterruptible: true, go: 'press' },
      press: { say: 'One moment.', press: '2#', go: '@end' },
    },
  })
  const { content, providerMetadata } = await menu.doGenerate(options([]))
  assert.partialDeepStrictEqual(content, [
    { type: 'text', text: 'This call is recorded. One moment.' },
    { type: 'tool-call', toolName: 'press_digits', input: '{"digits":"2#"}' },
  ])
  assert.equal(scriptAnswer(providerMetadata).is_uninterruptible, true)
})

test('an abort ends the request and the stream', async () => {
  const reason = new Error('superseded')
  await assert.rejects(async () => model.doGenerate(options([], {}, AbortSignal.abort(reason))), reason)
  await assert.rejects(async () => model.doStream(options([], {}, AbortSignal.abort(reason))), reason)
  const controller = new AbortController()
  const { stream } = await model.doStream(options([], {}, controller.signal))
  const reader = stream.getReader()
  assert.equal((await reader.read()).value?.type, 'stream-start')
  controller.abort(reason)
  await assert.rejects(reader.read(), reason)
})

test('a request without its options is a bug', async () => {
  await assert.rejects(async () => model.doGenerate({ prompt: [] }), /needs the options/)
})
