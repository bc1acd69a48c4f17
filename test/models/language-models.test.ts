import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type http from 'node:http'
import { test } from 'node:test'
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { openModel } from '../../server/models/language-model.ts'
import { end_of_thinking } from '../../server/models/thinking.ts'
import { type Server, serve } from '../support/harness.ts'
import { anthropicServer, type ModelAnswer, type ModelServer, openaiServer, until } from '../support/model-servers.ts'
import { receiver, respondWith } from '../support/receivers.ts'
import { newProvider } from '../support/samples.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })

const kinds = { openai_compatible: openaiServer, anthropic: anthropicServer }
const answer: ModelAnswer = {
  words: ['Hello', ' there', '.'],
  tool_call: { name: 'book_slot', arguments: { day: 'tue' } },
}

const question: LanguageModelV4CallOptions = {
  prompt: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
  ],
  tools: [
    { type: 'function', name: 'book_slot', inputSchema: { type: 'object', properties: { day: { type: 'string' } } } },
  ],
}

/** A new workspace with one provider, and its model. */
async function modelAt(base_url: string, kind: string, { temperature = null as number | null, from = server } = {}) {
  const tenant = await from.workspace()
  const { name } = (await tenant.call('POST', '/providers', newProvider({ kind, base_url }))).body.data
  return openModel(from.at(tenant.id), { provider: name, name: 'small', temperature })
}

async function partsOf(model: LanguageModelV4, options = question): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await model.doStream(options)
  return Array.fromAsync(stream)
}

const textOf = (parts: LanguageModelV4StreamPart[]): string[] =>
  parts.flatMap((part) => (part.type === 'text-delta' ? part.delta : []))

/** The SDK wraps what fails while the body is read, or passes it on. */
const causedBy = (pattern: RegExp) => (error: Error) =>
  pattern.test(error.message) || pattern.test(String(Object(error.cause).message))

for (const [kind, open] of Object.entries(kinds)) {
  test(`${kind}: words, tool calls and usage arrive`, async () => {
    const there = await open(answer)
    const parts = await partsOf(await modelAt(there.base_url, kind, { temperature: 0.5 }))
    assert.deepEqual(textOf(parts).join(''), 'Hello there.')
    const call = parts.find((part) => part.type === 'tool-call')
    assert.deepEqual([call?.toolName, JSON.parse(call?.input ?? '')], ['book_slot', { day: 'tue' }])
    const end = parts.find((part) => part.type === 'finish')
    assert.equal(end?.finishReason.unified, 'tool-calls')
    assert.deepEqual([end?.usage.inputTokens.total, end?.usage.outputTokens.total], [12, 3])
    const asked = JSON.parse(there.received[0]?.body ?? '')
    assert.deepEqual([asked.model, asked.temperature, asked.stream], ['small', 0.5, true])
    assert.equal(there.received[0]?.headers['user-agent']?.startsWith('Parley'), true)
  })

  test(`${kind}: each word arrives before the next is sent`, async () => {
    let sendNext = () => {}
    const beforeWord = (index: number) =>
      index > 0 &&
      new Promise<void>((resolve) => {
        sendNext = resolve
      })
    const there = await open({ words: ['one', 'two', 'three'], beforeWord })
    const { stream } = await (await modelAt(there.base_url, kind)).doStream(question)
    const words: string[] = []
    for await (const part of stream) {
      if (part.type !== 'text-delta') continue
      words.push(part.delta)
      await new Promise(setImmediate)
      sendNext()
    }
    assert.deepEqual(words, ['one', 'two', 'three'])
  })

  test(`${kind}: an abort reaches the server`, async () => {
    const there = await open({ words: ['one', 'two'], beforeWord: (index) => index > 0 && new Promise(() => {}) })
    const opened = new AbortController()
    const model = await modelAt(there.base_url, kind)
    const { stream } = await model.doStream({ ...question, abortSignal: opened.signal })
    const reader = stream.getReader()
    for (let part = await reader.read(); part.value?.type !== 'text-delta'; ) part = await reader.read()
    opened.abort()
    await until(() => there.aborted === 1)
  })

  test(`${kind}: a model that is not streamed answers as well`, async () => {
    const there = await open(answer)
    const { content, usage } = await (await modelAt(there.base_url, kind)).doGenerate(question)
    assert.deepEqual(
      content.map(({ type }) => type),
      ['text', 'tool-call'],
    )
    assert.equal(usage.outputTokens.total, 3)
  })

  for (const status of [401, 429, 500]) {
    test(`${kind}: the status ${status} fails the request, and it is sent once`, async () => {
      const there = await receiver(
        respondWith(status, { 'content-type': 'application/json' }, '{"error":{"message":"no"}}'),
      )
      await assert.rejects(partsOf(await modelAt(there.url, kind)), { name: 'ProviderError', status, said: 'no' })
      assert.equal(there.received.length, 1)
    })
  }

  test(`${kind}: a stream that is reset, or never ends, fails`, async () => {
    const there = await receiver((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': comment\n\n', () => response.socket?.resetAndDestroy())
    })
    await assert.rejects(partsOf(await modelAt(there.url, kind)), causedBy(/closed/))
    const large = await receiver(
      respondWith(200, { 'content-type': 'text/event-stream' }, `: ${'x'.repeat(1000)}\n\n`.repeat(10_000)),
    )
    await assert.rejects(partsOf(await modelAt(large.url, kind)), causedBy(/more than 8388608 bytes/))
  })

  test(`${kind}: broken JSON in the stream is an error`, async () => {
    const there = await receiver(respondWith(200, { 'content-type': 'text/event-stream' }, 'data: {"broken\n\n'))
    const parts = await partsOf(await modelAt(there.url, kind)).catch((error: unknown) => [{ type: 'error', error }])
    assert.ok(parts.some(({ type }) => type === 'error'))
  })

  test(`${kind}: a private address is refused at the connection`, async () => {
    const there = await open(answer)
    const strict = await serve()
    const tenant = await server.workspace()
    const { name } = (
      await tenant.call('POST', '/providers', newProvider({ kind, base_url: there.base_url, api_key: null }))
    ).body.data
    const model = await openModel(strict.at(tenant.id), { provider: name, name: 'small' })
    await assert.rejects(partsOf(model), /public address/)
    assert.deepEqual(there.received, [])
  })
}

const stream_type = { 'content-type': 'text/event-stream' }
const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`

/** What comes from an OpenAI-compatible server that sends these events. */
const partsFrom = async (
  events: string,
  then: (response: http.ServerResponse) => unknown = (response) => response.end(),
) => {
  const there = await receiver((response) => {
    response.writeHead(200, stream_type).write(events, () => then(response))
  })
  return partsOf(await modelAt(there.url, 'openai_compatible'))
}

test('an answer ends with [DONE], also without a finish reason, and if the server goes on', async () => {
  for (const then of [undefined, () => {}, (response: http.ServerResponse) => response.socket?.resetAndDestroy()]) {
    const parts = await partsFrom(`${chunk({ content: 'Hello.' })}data: [DONE]\n\n`, then)
    assert.deepEqual(textOf(parts), ['Hello.'])
    assert.deepEqual(parts.at(-1)?.type, 'finish')
    assert.ok(!parts.some(({ type }) => type === 'error'))
  }
})

test('an answer with a finish reason is complete, however the response ends', async () => {
  const events = chunk({ content: 'Hello.' }) + chunk({}, 'length')
  for (const then of [undefined, (response: http.ServerResponse) => response.socket?.resetAndDestroy()]) {
    const end = (await partsFrom(events, then)).at(-1)
    assert.deepEqual(end?.type === 'finish' && end.finishReason.unified, 'length')
  }
})

for (const [kind, events] of [
  ['openai_compatible', chunk({ content: 'Hello' })],
  [
    'anthropic',
    [
      {
        type: 'message_start',
        message: {
          id: '1',
          type: 'message',
          role: 'assistant',
          content: [],
          model: 'small',
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
    ]
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join(''),
  ],
] as const)
  test(`${kind}: an answer that is cut is an error`, async () => {
    const there = await receiver(respondWith(200, stream_type, events))
    const model = await modelAt(there.url, kind)
    const parts = await partsOf(model).catch((error: unknown) => [{ type: 'error', error }])
    assert.ok(parts.some(({ type }) => type === 'error'))
  })

test('an error in the middle of a stream is that error', async () => {
  for (const [error, status, said] of [
    [{ message: 'Slow down.', type: 'rate_limit_error' }, 429, 'Slow down.'],
    [{ message: 'Too long.', code: 'context_length_exceeded' }, 400, 'Too long.'],
    [{ message: 'Busy.', code: 503 }, 503, 'Busy.'],
    ['out of memory', 200, 'out of memory'],
    [{ reason: 1 }, 200, null],
  ] as const) {
    const before = chunk({ content: 'We are' })
    const failing = partsFrom(`${before}data: ${JSON.stringify({ error })}\n\n`)
    await assert.rejects(failing, { name: 'ProviderError', status, said })
  }
  for (const none of ['null', 'false', '""']) {
    const parts = await partsFrom(`data: {"error":${none},${chunk({ content: 'Hi.' }, 'stop').slice('data: {'.length)}`)
    assert.deepEqual(textOf(parts), ['Hi.'])
  }
})

test('an event with the name `error` is that error', async () => {
  for (const [data, status, message, code] of [
    ['{"error":{"message":"Slow down.","type":"rate_limit_error"}}', 429, 'Slow down.', 'rate_limit_error'],
    ['{"message":"Busy: sk-test","code":503}', 503, 'Busy: [redacted]', null],
    ['{"type":"overloaded_error","message":"Busy."}', 503, 'Busy.', 'overloaded_error'],
    ['{"detail":"No memory."}', 200, 'No memory.', null],
    ['"No memory."', 200, '"No memory."', null],
    ['out of\ndata: memory', 200, 'out of memory', null],
    [`{"message":"${'x y '.repeat(1_000)}"}`, 200, 'x y '.repeat(100), null],
    ['{"choices":[]}', 200, null, null],
    ['null', 200, 'null', null],
  ] as const)
    for (const kind of Object.keys(kinds)) {
      const events = `${kind === 'anthropic' ? '' : chunk({ content: 'We are' })}event: error\ndata: ${data}\n\n`
      const there = await receiver(respondWith(200, stream_type, events))
      const failing = modelAt(there.url, kind).then((model) => partsOf(model))
      await assert.rejects(failing, { name: 'ProviderError', status, said: message, code }, data)
    }
})

test("an error of Anthropic's stream is that error", async () => {
  const event = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const there = await receiver(respondWith(200, stream_type, `event: error\ndata: ${JSON.stringify(event)}\n\n`))
  const failing = modelAt(there.url, 'anthropic').then((model) => partsOf(model))
  await assert.rejects(failing, { name: 'ProviderError', status: 503, said: 'Overloaded' })
})

test('what a provider says about an error is one line without keys', async () => {
  for (const [body, said] of [
    [
      { error: { message: 'Wrong key: sk-test, or\n\u0007Bearer abc.def' } },
      'Wrong key: [redacted], or Bearer [redacted]',
    ],
    [{ error: { message: 'Incorrect API key provided: sk-abcd****wxyz.' } }, 'Incorrect API key provided: [redacted].'],
    [{ error: { message: `Org ${'aB3'.repeat(8)} has no credit` } }, 'Org [redacted] has no credit'],
    [{ error: { message: 'Key 5e0123456789abcdefabcdefabcdefab, +1 415 555 0100' } }, 'Key [redacted], [redacted]'],
    [
      { error: { message: 'At most 8192 tokens, not 12034: use gpt-4o-mini-2024-07-18' } },
      'At most 8192 tokens, not 12034: use gpt-4o-mini-2024-07-18',
    ],
    [{ error: 'model "x" not found' }, 'model "x" not found'],
    [{ object: 'error', message: 'too long' }, 'too long'],
    [{ detail: 'not here' }, 'not here'],
    [[{ error: { message: 'in a list' } }], 'in a list'],
    [{ error: { message: 'x y '.repeat(5_000) } }, 'x y '.repeat(100)],
    [{ error: { message: 5 } }, null],
    ['text', null],
  ] as const) {
    const there = await receiver(respondWith(400, {}, JSON.stringify(body)))
    await assert.rejects(partsOf(await modelAt(there.url, 'openai_compatible')), { status: 400, said })
  }
})

test('an error that comes with the status 200 is that error', async () => {
  const there = await receiver(respondWith(200, {}, '{"error":{"message":"No credit.","code":402}}'))
  const model = await modelAt(there.url, 'openai_compatible')
  await assert.rejects(Promise.resolve(model.doGenerate(question)), { status: 402, said: 'No credit.' })
})

test('thinking is no part of an answer, streamed or not', async () => {
  const words = ['<th', 'ink>They say', ' hello.</thi', 'nk>\n\nHello', ' <', 'b>there</b>.']
  for (const [kind, open] of Object.entries(kinds)) {
    const model = await modelAt((await open({ words })).base_url, kind)
    assert.equal(textOf(await partsOf(model)).join(''), 'Hello <b>there</b>.')
    const { content } = await model.doGenerate(question)
    assert.deepEqual(
      content.map((part) => part.type === 'text' && part.text),
      ['Hello <b>there</b>.'],
    )
  }
})

const said = 'Hello é'
const said_bytes = Buffer.byteLength(said)

/** An answer with this report of tokens, which is JSON: streamed, and whole. Without a report it has no such member. */
const reports: Record<string, (usage: string | undefined) => { streamed: string; whole: string }> = {
  openai_compatible: (usage) => {
    const member = usage === undefined ? '' : `,"usage":${usage}`
    const choices = [{ index: 0, message: { role: 'assistant', content: said }, finish_reason: 'stop' }]
    return {
      streamed: `${chunk({ content: said }, 'stop')}data: {"choices":[]${member}}\n\n`,
      whole: `{"choices":${JSON.stringify(choices)}${member}}`,
    }
  },
  anthropic: (usage) => {
    const member = usage === undefined ? '' : `,"usage":${usage}`
    const message = '"id":"1","type":"message","role":"assistant","model":"small","stop_sequence":null'
    const events = [
      `{"type":"message_start","message":{${message},"content":[],"stop_reason":null${member}}}`,
      '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
      `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${said}"}}`,
      '{"type":"content_block_stop","index":0}',
      `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null}${member}}`,
      '{"type":"message_stop"}',
    ]
    return {
      streamed: events.map((event) => `data: ${event}\n\n`).join(''),
      whole: `{${message},"content":[{"type":"text","text":"${said}"}],"stop_reason":"end_turn"${member}}`,
    }
  },
}

/** What is counted of such an answer, streamed and whole, and how many bytes were sent. */
async function countsOf(kind: string, usage: string | undefined, options = question) {
  const { streamed, whole } = reports[kind]?.(usage) ?? { streamed: '', whole: '' }
  const streams = await receiver(respondWith(200, stream_type, streamed))
  const answers = await receiver(respondWith(200, { 'content-type': 'application/json' }, whole))
  const parts = await partsOf(await modelAt(streams.url, kind), options)
  const end = parts.at(-1)
  assert.ok(end?.type === 'finish', `${kind} ${usage}: ${JSON.stringify(parts)}`)
  assert.equal(textOf(parts).join(''), said)
  const answer = await (await modelAt(answers.url, kind)).doGenerate(options)
  return [
    { there: streams, usage: end.usage },
    { there: answers, usage: answer.usage },
  ].map(({ there, usage: { inputTokens, outputTokens } }) => ({
    input: inputTokens.total,
    output: outputTokens.total,
    sent_bytes: Buffer.byteLength(there.received[0]?.body ?? ''),
  }))
}

const report = (kind: string, input: string, output: string): string =>
  kind === 'anthropic'
    ? `{"input_tokens":${input},"output_tokens":${output}}`
    : `{"prompt_tokens":${input},"completion_tokens":${output},"total_tokens":"x","prompt_tokens_details":[1]}`

for (const kind of Object.keys(kinds)) {
  test(`${kind}: a report of tokens is not more than what was sent and allowed`, async () => {
    for (const [reported, max_tokens, output] of [
      ['300000', undefined, kind === 'anthropic' ? 4_096 : 200_000],
      ['300000', 50, 50],
      ['9007199254740991', 50, 50],
      ['7', 50, 7],
      ['0', undefined, 0],
    ] as const) {
      const options = { ...question, ...(max_tokens && { maxOutputTokens: max_tokens }) }
      for (const counted of await countsOf(kind, report(kind, reported, reported), options)) {
        const input = Math.min(Number(reported), counted.sent_bytes)
        assert.deepEqual([counted.input, counted.output], [input, output], reported)
      }
    }
  })

  test(`${kind}: what is no whole number leaves the answer complete, and the bytes are counted`, async () => {
    const counts = ['1e308', '9007199254740992', '1e309', '-1e309', '-1', '1.5', '"9"', 'true', '[]', '{}', 'null']
    for (const usage of [...counts.map((one) => report(kind, one, one)), '5', '"many"', '[1]', '{}', 'true'])
      for (const { input, output, sent_bytes } of await countsOf(kind, usage))
        assert.deepEqual([input, output], [sent_bytes, said_bytes], usage)
  })

  test(`${kind}: an answer without a report is complete`, async () => {
    for (const usage of [undefined, 'null'])
      for (const { input = 0, output = 0, sent_bytes } of await countsOf(kind, usage))
        assert.ok(input <= sent_bytes && output <= said_bytes)
  })
}

test('tokens that were cached are counted, and one odd count makes all of the input count as the bytes', async () => {
  const caches = (read: string) => `{"input_tokens":2,"output_tokens":1,"cache_read_input_tokens":${read}}`
  for (const [usage, input] of [
    [caches('5'), 7],
    [caches('null'), 2],
    [caches('"5"'), undefined],
    [caches('1e308'), undefined],
  ] as const)
    for (const counted of await countsOf('anthropic', usage))
      assert.deepEqual([counted.input, counted.output], [input ?? counted.sent_bytes, 1], usage)
})

test('the end of a block without a beginning ends what was thought', async () => {
  for (const [kind, open] of Object.entries(kinds)) {
    const model = await modelAt(
      (await open({ words: ['secret', ' more', '</thi', 'nk>\n\nVisible', '.'] })).base_url,
      kind,
    )
    const parts = await partsOf(model)
    const end = parts.findIndex((part) => part.type === 'custom' && part.kind === end_of_thinking)
    assert.deepEqual(textOf(parts.slice(0, end)).join(''), 'secret more')
    assert.deepEqual(textOf(parts.slice(end)).join(''), '\n\nVisible.')
    const { content } = await model.doGenerate(question)
    assert.deepEqual(
      content.map((part) => part.type === 'text' && part.text),
      ['Visible.'],
    )
  }
})

test('control characters are no part of an answer, also in tags, and no character is cut', async () => {
  const words = ['<th\u0000ink>secret</think\u0007>', 'A\u001b[31m\tB\r\n', '\ud83d', '\ude00 C\u009b', '\ud83d', 'D']
  for (const [kind, open] of Object.entries(kinds)) {
    const model = await modelAt((await open({ words })).base_url, kind)
    assert.equal(textOf(await partsOf(model)).join(''), 'A[31m\tB\n😀 C\ufffdD')
    const { content } = await model.doGenerate(question)
    assert.deepEqual(
      content.map((part) => part.type === 'text' && part.text),
      ['A[31m\tB\n😀 C\ufffdD'],
    )
  }
})

test('an answer that is too large is not read', async () => {
  const event = 'data: {"choices":[]}\n\n'
  const ended = chunk({}, 'stop')
  assert.equal((await partsFrom(event.repeat(19_999) + ended)).at(-1)?.type, 'finish')
  await assert.rejects(partsFrom(event.repeat(20_001)), /more than 20000 events/)
  await assert.rejects(
    partsFrom(`data: {"choices":[],"x":"${'x'.repeat(256 * 1024)}"}\n\n`),
    /more than 262144 characters/,
  )
  const many = `{"choices":[],"x":[${'[],'.repeat(20_000)}1]}`
  const deep = `{"choices":[],"x":${'['.repeat(200)}${']'.repeat(200)}}`
  for (const json of [many, deep]) {
    await assert.rejects(partsFrom(`data: ${json}\n\n`), /too many values/)
    const there = await receiver(respondWith(200, {}, json))
    const model = await modelAt(there.url, 'openai_compatible')
    await assert.rejects(Promise.resolve(model.doGenerate(question)), /too many values/)
  }
  const long = `[{"\\"${'['.repeat(50_000)}`
  assert.equal(textOf(await partsFrom(chunk({ content: long }, 'stop'))).join('') === long, true)
  const large = JSON.stringify({ error: { message: 'x'.repeat(256 * 1024) } })
  for (const status of [200, 500]) {
    const there = await receiver(respondWith(status, {}, large))
    const model = await modelAt(there.url, 'openai_compatible')
    const expected = status === 200 ? /more than 262144 bytes/ : { status: 500, said: null }
    await assert.rejects(Promise.resolve(model.doGenerate(question)), expected)
  }
})

test('a provider of a workspace without a key is not sent the key of the operator', async () => {
  const before = process.env.ANTHROPIC_API_KEY
  process.env.ANTHROPIC_API_KEY = 'sk-operator'
  process.env.OPENAI_API_KEY = 'sk-operator'
  try {
    for (const [kind, open] of Object.entries(kinds)) {
      const there = await open(answer)
      const tenant = await server.workspace()
      await tenant.call('POST', '/providers', newProvider({ kind, base_url: there.base_url, api_key: null }))
      await partsOf(await openModel(server.at(tenant.id), {}))
      assert.ok(!JSON.stringify(there.received).includes('sk-operator'))
    }
  } finally {
    if (before === undefined) delete process.env.ANTHROPIC_API_KEY
    else process.env.ANTHROPIC_API_KEY = before
    delete process.env.OPENAI_API_KEY
  }
})

test('a key is sent to its own address only', async () => {
  const first = await openaiServer(answer)
  const second = await openaiServer(answer)
  const tenant = await server.workspace()
  const { id, name } = (await tenant.call('POST', '/providers', newProvider({ base_url: first.base_url }))).body.data
  const ask = async () => partsOf(await openModel(server.at(tenant.id), { provider: name }))
  await ask()
  await tenant.call('PATCH', `/providers/${id}`, { base_url: second.base_url })
  await ask()
  const keyOf = ({ received }: ModelServer) => received[0]?.headers.authorization
  assert.deepEqual([keyOf(first), keyOf(second)], ['Bearer sk-test', undefined])
})

test('the address of the operator may be private, with the key and the models of the operator only', async () => {
  const there = await openaiServer(answer)
  const settings = { openai_base_url: there.base_url, openai_api_key: 'sk-operator', openai_model: 'local' }
  const configured: Server = await serve(settings)
  const { id, call } = await configured.workspace()
  const at = configured.at(id)
  assert.deepEqual(textOf(await partsOf(await openModel(at, {}))).join(''), 'Hello there.')
  const [asked] = there.received
  assert.deepEqual([asked?.headers.authorization, JSON.parse(asked?.body ?? '').model], ['Bearer sk-operator', 'local'])
  await assert.rejects(openModel(at, { provider: 'openai', name: 'huge' }), /doesn't allow the model "huge"/)
  const tested = await call('POST', '/providers/openai/test')
  assert.equal(tested.body.data.is_ok, true, tested.text)
})

test('without a provider, or with an unknown one, there is no model', async () => {
  const { id } = await server.workspace()
  await assert.rejects(openModel(server.at(id), {}), /no default provider/)
  await assert.rejects(openModel(server.at(id), { provider: 'none' }), /no provider "none"/)
})

test('a key that was encrypted with another SECRETS_KEY is reported, and not sent', async () => {
  const there = await openaiServer(answer)
  const tenant = await server.workspace()
  await tenant.call('POST', '/providers', newProvider({ base_url: there.base_url }))
  const other = await serve({ outbound_allow_hosts: ['127.0.0.1'], secrets_key: randomBytes(32).toString('base64') })
  await assert.rejects(openModel(other.at(tenant.id), {}), /another SECRETS_KEY/)
})

test("OpenAI's own client reads the fake server", async () => {
  const there = await openaiServer(answer)
  const client = new OpenAI({ apiKey: 'sk-test', baseURL: there.base_url, maxRetries: 0 })
  const request = { model: 'small', messages: [{ role: 'user' as const, content: 'Hello' }] }
  const whole = await client.chat.completions.create(request)
  assert.equal(whole.choices[0]?.message.content, 'Hello there.')
  const runner = client.chat.completions.stream({ ...request, stream_options: { include_usage: true } })
  const streamed = await runner.finalChatCompletion()
  assert.equal(streamed.choices[0]?.message.content, 'Hello there.')
  const [call] = streamed.choices[0]?.message.tool_calls ?? []
  assert.deepEqual(call?.type === 'function' && JSON.parse(call.function.arguments), { day: 'tue' })
  assert.equal(streamed.usage?.total_tokens, 15)
})

test("Anthropic's own client reads the fake server", async () => {
  const there = await anthropicServer(answer)
  const client = new Anthropic({ apiKey: 'sk-test', baseURL: there.base_url.replace('/v1', ''), maxRetries: 0 })
  const request = { model: 'small', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] }
  for (const message of [await client.messages.create(request), await client.messages.stream(request).finalMessage()]) {
    const [text, call] = message.content
    assert.equal(text?.type === 'text' && text.text, 'Hello there.')
    assert.deepEqual(call?.type === 'tool_use' && call.input, { day: 'tue' })
    assert.deepEqual([message.usage.output_tokens, message.stop_reason], [3, 'tool_use'])
  }
})
