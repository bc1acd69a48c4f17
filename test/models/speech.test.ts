import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { describeModelError } from '../../server/models/model-error.ts'
import { findSpeech } from '../../server/models/speech.ts'
import type { Listen, Speak } from '../../server/models/speech-schema.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { until } from '../support/model-servers.ts'
import { newProvider } from '../support/samples.ts'
import { type SpeechServer, samples, sendJson, speechServer, wavFile } from '../support/speech-servers.ts'

const { workspace, at } = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const guarded = await serve()

const kinds = ['openai_compatible', 'elevenlabs', 'deepgram'] as const
type Kind = (typeof kinds)[number]

const spoken = wavFile(samples(16_000), { rate: 16_000 })
const heard = { audio: spoken, mediaType: 'audio/wav' }
const said = { text: 'Good morning.', outputFormat: 'wav', language: 'en-US' }

async function provide(tenant: Tenant, kind: Kind, there: SpeechServer, fields: object = {}) {
  const default_model = kind === 'openai_compatible' ? 'small' : undefined
  const provider = newProvider({ kind, name: 'Voice', base_url: there.base_url, default_model, ...fields })
  const created = await tenant.call('POST', '/providers', provider)
  assert.equal(created.status, 201, created.text)
  return created.body.data
}

async function find(tenant: Tenant, { listen = {}, speak = {} }: { listen?: Partial<Listen>; speak?: Partial<Speak> }) {
  const found = await findSpeech(at(tenant.id), {
    listen: { provider: 'Voice', model: null, language: null, ...listen },
    speak: { provider: 'Voice', model: null, voice: null, speed: null, ...speak },
  })
  assert.ok(found.listen && found.speak)
  return { listen: found.listen, speak: found.speak }
}

/** A workspace with one provider, and its models. */
async function connected(kind: Kind, there: SpeechServer, choice: Parameters<typeof find>[1] = {}, fields = {}) {
  const tenant = await workspace()
  await provide(tenant, kind, there, fields)
  return find(tenant, choice)
}

const last = ({ requests }: SpeechServer) => {
  const request = requests.at(-1)
  assert.ok(request)
  return request
}

test('offline speech asks nobody', async () => {
  const { id } = await workspace()
  assert.deepEqual(await findSpeech(at(id), { listen: null, speak: null }), { listen: null, speak: null })
})

test('OpenAI’s API hears and speaks', async () => {
  const there = await speechServer('openai_compatible')
  const { listen, speak } = await connected('openai_compatible', there, {
    listen: { language: 'en-US' },
    speak: { voice: 'nova', speed: 1.25 },
  })
  const { text } = await listen.model.doGenerate(heard)
  assert.deepEqual([text, listen.language], ['I need a plumber.', 'en-US'])
  const { path, fields, sound, headers } = last(there)
  assert.equal(path, '/proxy/v1/audio/transcriptions')
  assert.partialDeepStrictEqual(fields, { model: 'whisper-1', language: 'en' })
  assert.deepEqual(Buffer.from(sound ?? []), spoken)
  assert.match(headers['user-agent'] ?? '', /^Parley/)
  const { voice, speed } = speak
  const { audio } = await speak.model.doGenerate({ ...said, ...(voice && { voice }), ...(speed && { speed }) })
  assert.equal(last(there).path, '/proxy/v1/audio/speech')
  assert.deepEqual(last(there).json, {
    model: 'tts-1',
    input: 'Good morning.',
    voice: 'nova',
    response_format: 'wav',
    speed: 1.25,
  })
  assertSound(audio, { rate: 24_000, count: 2_400 })
})

test('ElevenLabs hears and speaks', async () => {
  const there = await speechServer('elevenlabs')
  const { listen, speak } = await connected('elevenlabs', there, {
    listen: { language: 'de-AT' },
    speak: { voice: 'abc123', speed: 2 },
  })
  assert.equal((await listen.model.doGenerate(heard)).text, 'I need a plumber.')
  assert.equal(last(there).path, '/proxy/v1/speech-to-text')
  const fields = { model_id: 'scribe_v2', language_code: 'de', tag_audio_events: 'false', diarize: 'false' }
  assert.partialDeepStrictEqual(last(there).fields, fields)
  assert.deepEqual(Buffer.from(last(there).sound ?? []), spoken)
  const { voice, speed } = speak
  const { audio } = await speak.model.doGenerate({ ...said, ...(voice && { voice }), ...(speed && { speed }) })
  assert.equal(last(there).path, '/proxy/v1/text-to-speech/abc123')
  assert.deepEqual(last(there).json, {
    text: 'Good morning.',
    model_id: 'eleven_flash_v2_5',
    language_code: 'en',
    voice_settings: { speed: 1.2 },
  })
  assertSound(audio, { rate: 16_000, count: 1_600 })
})

test('Deepgram hears and speaks', async () => {
  const there = await speechServer('deepgram')
  const { listen, speak } = await connected('deepgram', there, {
    listen: { language: 'pt-BR' },
    speak: { voice: 'helena', speed: 0.5 },
  })
  assert.equal((await listen.model.doGenerate(heard)).text, 'I need a plumber.')
  assert.equal(last(there).path, '/proxy/v1/listen')
  assert.partialDeepStrictEqual(last(there).query, { model: 'nova-3', language: 'pt-BR', smart_format: 'true' })
  assert.equal(last(there).headers['content-type'], 'audio/wav')
  assert.deepEqual(Buffer.from(last(there).sound ?? []), spoken)
  const { voice, speed } = speak
  const { audio } = await speak.model.doGenerate({ ...said, ...(voice && { voice }), ...(speed && { speed }) })
  assert.equal(last(there).path, '/proxy/v1/speak')
  assert.deepEqual(last(there).query, {
    model: 'aura-2-helena-en',
    encoding: 'linear16',
    container: 'wav',
    sample_rate: '24000',
    speed: '0.7',
  })
  assert.deepEqual(last(there).json, { text: 'Good morning.' })
  assertSound(audio, { rate: 24_000, count: 2_400 })
})

/** It is a plain WAV file, however the service wrote it, with all samples. */
function assertSound(audio: string | Uint8Array, { rate, count }: { rate: number; count: number }) {
  assert.ok(typeof audio !== 'string')
  const wav = Buffer.from(audio)
  assert.deepEqual([wav.toString('latin1', 0, 4), wav.toString('latin1', 8, 16)], ['RIFF', 'WAVEfmt '])
  assert.deepEqual([wav.readUInt32LE(4), wav.readUInt32LE(40)], [wav.length - 8, count * 2])
  assert.deepEqual([wav.readUInt16LE(20), wav.readUInt16LE(22), wav.readUInt16LE(34)], [1, 1, 16])
  assert.equal(wav.readUInt32LE(24), rate)
  assert.deepEqual(new Int16Array(new Uint8Array(wav.subarray(44)).buffer), samples(count))
}

test('a named model comes before the provider’s default model, which is used for what it does', async () => {
  const there = await speechServer('deepgram')
  const model_of = async (choice: Parameters<typeof find>[1], default_model: string) => {
    const { listen, speak } = await connected('deepgram', there, choice, { default_model })
    await listen.model.doGenerate(heard)
    const hearing = last(there).query.model
    await speak.model.doGenerate(said)
    return [hearing, last(there).query.model]
  }
  assert.deepEqual(await model_of({}, 'nova-2'), ['nova-2', 'aura-2-thalia-en'])
  assert.deepEqual(await model_of({}, 'aura-asteria-en'), ['nova-3', 'aura-asteria-en'])
  assert.deepEqual(await model_of({ listen: { model: 'base' } }, 'nova-2'), ['base', 'aura-2-thalia-en'])
  assert.deepEqual(await model_of({ speak: { voice: 'aura-2-julius-de' } }, 'nova-2'), ['nova-2', 'aura-2-julius-de'])
})

test('a server that needs no key gets none', async () => {
  const there = await speechServer('openai_compatible', (response) => sendJson(response, 200, { text: 'Hello.' }))
  const { listen } = await connected('openai_compatible', there, {}, { api_key: null })
  assert.equal((await listen.model.doGenerate(heard)).text, 'Hello.')
  assert.equal(last(there).headers.authorization, undefined)
})

const directions = ['listen', 'speak'] as const

async function failing(kind: Kind, there: SpeechServer, direction: (typeof directions)[number], signal?: AbortSignal) {
  const { listen, speak } = await connected(kind, there, {}, { api_key: 'sk-secret-key' })
  const abort = signal && { abortSignal: signal }
  const asked =
    direction === 'listen'
      ? listen.model.doGenerate({ ...heard, ...abort })
      : speak.model.doGenerate({ ...said, ...abort })
  const error: unknown = await Promise.resolve(asked).then(
    () => assert.fail('it did not fail'),
    (error: unknown) => error,
  )
  return { error, ...describeModelError(error) }
}

const rejected = {
  openai_compatible: /^The provider rejected the API key: Incorrect API key provided: Bearer \[redacted\]\./,
  elevenlabs: /^The provider rejected the API key: Invalid API key$/,
  deepgram: /^The provider rejected the API key: Invalid credentials\.$/,
}
for (const kind of kinds)
  test(`${kind}: a wrong key is told in the provider’s words, without the key`, async () => {
    const there = await speechServer(kind)
    for (const direction of directions) {
      const { status, message } = await failing(kind, there, direction)
      assert.equal(status, 401)
      assert.match(message, rejected[kind])
      assert.doesNotMatch(message, /sk-secret/)
    }
    assert.equal(there.requests.length, 2, 'nothing is asked twice')
  })

for (const kind of kinds)
  test(`${kind}: limits, failures and answers that are no JSON are errors with their status`, async () => {
    for (const [status, body] of [
      [429, { message: 'Slow down.' }],
      [500, { message: 'Out of order.' }],
      [503, '<html>'],
    ] as const) {
      const there = await speechServer(kind, (response) => sendJson(response, status, body, { 'retry-after': '7' }))
      for (const direction of directions) {
        const failed = await failing(kind, there, direction)
        assert.equal(failed.status, status, failed.message)
        if (typeof body === 'object') assert.match(failed.message, new RegExp(body.message))
      }
    }
  })

for (const kind of kinds)
  test(`${kind}: an answer that is too long is not read to its end`, async () => {
    const there = await speechServer(kind, (response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' })
      const write = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, ' '))) {}
        response.once('drain', write)
      }
      write()
    })
    for (const direction of directions) {
      const { message } = await failing(kind, there, direction)
      assert.match(message, direction === 'listen' ? /more than 262144 bytes/ : /more than 10485760 bytes/)
    }
    await until(() => there.aborted === 2)
  })

test('sound that is no WAV file, or has a format that nobody speaks in, is an error', async () => {
  const deep = wavFile(samples(100), { rate: 16_000 })
  deep.writeUInt16LE(24, 34)
  const slow = wavFile(samples(100), { rate: 2_000 })
  const cut = wavFile(samples(100), { rate: 16_000 }).subarray(0, 40)
  for (const sound of [Buffer.alloc(0), Buffer.from('ID3\x04 an MP3 file'), deep, slow, cut]) {
    const there = await speechServer('openai_compatible', (response) => response.writeHead(200).end(sound))
    const { sentence, status } = await failing('openai_compatible', there, 'speak')
    assert.deepEqual([sentence, status], ['The response is not what the API defines.', 200])
  }
  for (const [type, sound] of [
    ['application/json', '{"error": null}'],
    ['text/html', '<html>'],
    ['audio/pcm', ''],
  ] as const) {
    const there = await speechServer('elevenlabs', (response) =>
      response.writeHead(200, { 'content-type': type }).end(sound),
    )
    const { sentence } = await failing('elevenlabs', there, 'speak')
    assert.equal(sentence, 'The response is not what the API defines.', type)
  }
})

test('samples without a header are read to the last whole one', async () => {
  const there = await speechServer('elevenlabs', (response) =>
    response.writeHead(200, { 'content-type': 'audio/pcm' }).end(Buffer.from([0, 0, 7, 0, 14])),
  )
  const { speak } = await connected('elevenlabs', there)
  assertSound((await speak.model.doGenerate(said)).audio, { rate: 16_000, count: 2 })
})

test('an answer that is not what the API defines is an error', async () => {
  for (const kind of kinds) {
    const there = await speechServer(kind, (response) => sendJson(response, 200, { results: { channels: [] } }))
    const { sentence, status } = await failing(kind, there, 'listen')
    assert.deepEqual([sentence, status], ['The response is not what the API defines.', 200])
  }
})

test('what was heard has no control characters, and is not longer than a message', async () => {
  const text = `Hel\u0000lo ${'x'.repeat(5_000)}`
  const there = await speechServer('openai_compatible', (response) => sendJson(response, 200, { text }))
  const { listen } = await connected('openai_compatible', there)
  const result = await listen.model.doGenerate(heard)
  assert.ok(result.text === `Hello ${'x'.repeat(3_994)}`, 'it is cut')
})

test('30 seconds of sound are heard, and no more', async () => {
  const there = await speechServer('deepgram')
  const { listen } = await connected('deepgram', there)
  const wav = (count: number) => ({ ...heard, audio: wavFile(samples(count), { rate: 8_000 }) })
  await listen.model.doGenerate(wav(240_000))
  await assert.rejects(Promise.resolve(listen.model.doGenerate(wav(240_008))), /30 seconds/)
  assert.equal(there.requests.length, 1)
})

test('a request ends after ten seconds, or when it is aborted', async () => {
  const arrived = Promise.withResolvers<void>()
  const there = await speechServer('elevenlabs', () => arrived.resolve())
  const { speak } = await connected('elevenlabs', there)
  const opened = new AbortController()
  const aborted = Promise.resolve(speak.model.doGenerate({ ...said, abortSignal: opened.signal }))
  await until(() => there.requests.length === 1)
  opened.abort()
  await assert.rejects(aborted, { name: 'AbortError' })
  await until(() => there.aborted === 1)
  const second = Promise.withResolvers<void>()
  const slow = await speechServer('elevenlabs', () => second.resolve())
  const { listen } = await connected('elevenlabs', slow)
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const late = assert.rejects(Promise.resolve(listen.model.doGenerate(heard)), /within 10 seconds/)
    await second.promise
    mock.timers.tick(10_000)
    await late
  } finally {
    mock.timers.reset()
  }
  await until(() => slow.aborted === 1)
})

test('private addresses are refused', async () => {
  const there = await speechServer('deepgram')
  const tenant = await guarded.workspace()
  const { id } = await provide(tenant, 'deepgram', { ...there, base_url: 'https://speech.example/v1' })
  await guarded.pool.run(sql`update providers set base_url = ${there.base_url} where id = ${id}`)
  const speech = { listen: { provider: 'Voice', model: null, language: null }, speak: null }
  const { listen } = await findSpeech(guarded.at(tenant.id), speech)
  assert.ok(listen)
  await assert.rejects(Promise.resolve(listen.model.doGenerate(heard)), /public address/)
  assert.equal(there.requests.length, 0)
})

test('a provider that is gone, or can’t speak, is named before anything is asked', async () => {
  const tenant = await workspace()
  await assert.rejects(find(tenant, {}), /There is no provider "Voice"/)
  await tenant.call('POST', '/providers', newProvider({ name: 'Voice', kind: 'anthropic' }))
  await assert.rejects(find(tenant, {}), /neither hear nor speak/)
})

test('a test workspace asks no provider until its settings allow it', async () => {
  const tenant = await workspace(Date.parse('2026-11-16T09:00:00Z'))
  const there = await speechServer('deepgram')
  await provide(tenant, 'deepgram', there)
  const speech = { listen: { provider: 'Voice', model: null, language: null }, speak: null }
  const in_test = { ...at(tenant.id), is_test: true }
  await assert.rejects(findSpeech(in_test, speech), /allows_network/)
  await tenant.call('PATCH', '/workspace', { settings: { allows_network: true } })
  assert.ok((await findSpeech(in_test, speech)).listen)
})

test('a model for streams says that it is one', async () => {
  const there = await speechServer('elevenlabs')
  const { listen } = await connected('elevenlabs', there, { listen: { model: 'scribe_v2_realtime' } })
  await assert.rejects(Promise.resolve(listen.model.doGenerate(heard)), /hears streams only/)
})

test('the test of a provider makes a second of sound, or hears one', async () => {
  for (const [kind, default_model, path] of [
    ['elevenlabs', undefined, '/proxy/v1/text-to-speech/21m00Tcm4TlvDq8ikWAM'],
    ['elevenlabs', 'scribe_v1', '/proxy/v1/speech-to-text'],
    ['deepgram', undefined, '/proxy/v1/speak'],
    ['deepgram', 'nova-3', '/proxy/v1/listen'],
  ] as const) {
    const there = await speechServer(kind)
    const tenant = await workspace()
    const { id } = await provide(tenant, kind, there, { default_model })
    const { status, body } = await tenant.call('POST', `/providers/${id}/test`)
    const { is_ok, error } = body.data
    assert.deepEqual([status, is_ok, body.data.status, error], [200, true, 200, null])
    assert.equal(last(there).path, path)
    if (path.endsWith('listen')) assert.equal(last(there).sound?.length, 44 + 32_000)
  }
})

test('the test of a provider with a wrong key fails without the provider’s words', async () => {
  for (const kind of ['elevenlabs', 'deepgram'] as const) {
    const there = await speechServer(kind)
    const tenant = await workspace()
    const { id } = await provide(tenant, kind, there, { api_key: 'sk-wrong' })
    const { is_ok, status, error } = (await tenant.call('POST', `/providers/${id}/test`)).body.data
    assert.deepEqual([is_ok, status, error], [false, 401, 'The provider rejected the API key.'])
  }
})
