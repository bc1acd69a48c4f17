import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { describeModelError } from '../../server/models/model-error.ts'
import { findSpeech, hearStream, type Listening, type Speaking } from '../../server/models/speech.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { until } from '../support/model-servers.ts'
import { newProvider } from '../support/samples.ts'
import { type SpeechServer, samples, sendJson, speechServer, wavFile } from '../support/speech-servers.ts'

const { workspace, at } = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const guarded = await serve()

const streaming = { openai_compatible: 'gpt-realtime-whisper', elevenlabs: 'scribe_v2_realtime' } as const
type Kind = keyof typeof streaming
const kinds = ['openai_compatible', 'elevenlabs'] as const

async function provide(tenant: Tenant, kind: Kind | 'deepgram', there: SpeechServer, fields: object = {}) {
  const default_model = kind === 'openai_compatible' ? 'small' : undefined
  const provider = newProvider({ kind, name: 'Voice', base_url: there.base_url, default_model, ...fields })
  const created = await tenant.call('POST', '/providers', provider)
  assert.equal(created.status, 201, created.text)
  return created.body.data
}

async function listeningTo(kind: Kind, there: SpeechServer, fields: object = {}, language: string | null = null) {
  const tenant = await workspace()
  await provide(tenant, kind, there, fields)
  const listen = { provider: 'Voice', model: streaming[kind], language }
  const found = await findSpeech(at(tenant.id), { listen, speak: null })
  assert.ok(found.listen)
  return found.listen
}

async function speakingWith(kind: Kind | 'deepgram', there: SpeechServer, fields: object = {}): Promise<Speaking> {
  const tenant = await workspace()
  await provide(tenant, kind, there, fields)
  const speak = { provider: 'Voice', model: null, voice: null, speed: null }
  const found = await findSpeech(at(tenant.id), { listen: null, speak })
  assert.ok(found.speak)
  return found.speak
}

const bytesOf = (values: Int16Array): Uint8Array => new Uint8Array(values.slice().buffer)

/** Sound that a test hands over piece by piece. */
function openHearing(listening: Listening) {
  const stop = new AbortController()
  const partials: string[] = []
  let sound: ReadableStreamDefaultController<Uint8Array> | undefined
  const audio = new ReadableStream<Uint8Array>({
    start(controller) {
      sound = controller
    },
  })
  const words = hearStream(listening, { audio, abortSignal: stop.signal, onWords: (text) => partials.push(text) })
  words.catch(() => {})
  return {
    partials,
    words,
    hear: (values: Int16Array) => sound?.enqueue(bytesOf(values)),
    end: () => sound?.close(),
    abort: () => stop.abort(),
  }
}

/** Resolves with the error of something that must fail. */
async function failure(asked: Promise<unknown>) {
  const error: unknown = await asked.then(
    () => assert.fail('it did not fail'),
    (error: unknown) => error,
  )
  return { error, ...describeModelError(error) }
}

for (const kind of kinds)
  test(`${kind}: words come while someone speaks, and the last ones when the sound ends`, async () => {
    const there = await speechServer(kind, undefined, (stream) => {
      if (stream.samples.length > 0 && !stream.is_ended) stream.sayPartial('I need')
      if (stream.is_ended) stream.sayFinal('I need a plumber.')
    })
    const listening = await listeningTo(kind, there, {}, 'en-US')
    const { hear, end, partials, words } = openHearing(listening)
    hear(samples(512))
    await until(() => partials.length > 0)
    assert.deepEqual(partials, ['I need'])
    hear(samples(300))
    end()
    assert.equal(await words, 'I need a plumber.')
    const [stream] = there.streams
    assert.deepEqual(stream?.samples, Int16Array.from([...samples(512), ...samples(300)]))
    assert.equal(stream?.rate, listening.streaming?.rate)
    assert.match(stream?.headers['user-agent'] ?? '', /^Parley/)
    assert.equal(there.requests.length, 0)
    await until(() => stream?.socket.readyState === 3)
  })

test('each service gets the model and the language in its own way', async () => {
  const openai = await speechServer('openai_compatible')
  const one = openHearing(await listeningTo('openai_compatible', openai, {}, 'de-AT'))
  one.hear(samples(100))
  one.end()
  await one.words
  assert.equal(openai.streams[0]?.path, '/proxy/v1/realtime')
  assert.partialDeepStrictEqual(openai.streams[0]?.messages[0], {
    session: { audio: { input: { transcription: { model: 'gpt-realtime-whisper', language: 'de' } } } },
  })
  const elevenlabs = await speechServer('elevenlabs')
  const other = openHearing(await listeningTo('elevenlabs', elevenlabs, {}, 'de-AT'))
  other.hear(samples(100))
  other.end()
  await other.words
  assert.equal(elevenlabs.streams[0]?.path, '/proxy/v1/speech-to-text/realtime')
  assert.partialDeepStrictEqual(elevenlabs.streams[0]?.query, { model_id: 'scribe_v2_realtime', language_code: 'de' })
})

test('models that hear whole sound only have no streams', async () => {
  const there = await speechServer('elevenlabs')
  const tenant = await workspace()
  await provide(tenant, 'elevenlabs', there)
  const listen = { provider: 'Voice', model: 'scribe_v2', language: null }
  const found = await findSpeech(at(tenant.id), { listen, speak: null })
  assert.deepEqual([found.listen?.streaming, found.listen?.model.doStream], [undefined, undefined])
})

for (const kind of kinds)
  test(`${kind}: a wrong key is refused, and not shown`, async () => {
    const there = await speechServer(kind)
    const { hear, words } = openHearing(await listeningTo(kind, there, { api_key: 'sk-secret-key' }))
    hear(samples(100))
    const { status, message } = await failure(words)
    assert.deepEqual([status, message], [401, 'The provider rejected the API key.'])
  })

for (const kind of kinds)
  test(`${kind}: what the service says about an error is told, without the key`, async () => {
    const there = await speechServer(kind, undefined, (stream) =>
      stream.fail('No credit left for Bearer sk-test-1234.', kind === 'elevenlabs' ? 'quota_exceeded' : undefined),
    )
    const { hear, words } = openHearing(await listeningTo(kind, there))
    hear(samples(100))
    const { message } = await failure(words)
    assert.match(message, /No credit left for Bearer \[redacted\]\./)
    await until(() => there.streams[0]?.socket.readyState === 3)
  })

for (const kind of kinds)
  test(`${kind}: a connection that is closed in the middle is an error`, async () => {
    for (const close of ['close', 'terminate'] as const) {
      const there = await speechServer(kind, undefined, (stream) => stream.samples.length > 0 && stream.socket[close]())
      const { hear, words } = openHearing(await listeningTo(kind, there))
      hear(samples(100))
      await assert.rejects(words, /closed/)
    }
  })

for (const kind of kinds)
  test(`${kind}: a service that never answers is left when nobody waits`, async () => {
    const there = await speechServer(kind, undefined, () => {})
    const { hear, end, words, abort } = openHearing(await listeningTo(kind, there))
    hear(samples(100))
    end()
    await until(() => there.streams[0]?.is_ended === true)
    abort()
    await assert.rejects(words, { name: 'AbortError' })
    await until(() => there.streams[0]?.socket.readyState === 3)
  })

for (const kind of kinds)
  test(`${kind}: 100 MB are not read, neither in one message nor in many`, async () => {
    for (const [size, told] of [
      [100 * 1024 * 1024, /too long/],
      [60_000, /more than 2097152 bytes/],
    ] as const) {
      const there = await speechServer(kind, undefined, ({ socket }) => {
        let left = 100 * 1024 * 1024
        const more = () => {
          if (left <= 0 || socket.readyState !== 1) return
          left -= size
          socket.send(JSON.stringify({ type: 'other', message_type: 'other', text: 'x'.repeat(size) }), more)
        }
        more()
      })
      const { hear, words } = openHearing(await listeningTo(kind, there))
      hear(samples(100))
      await assert.rejects(words, told)
      await until(() => there.streams[0]?.socket.readyState === 3)
    }
  })

test('words are bounded and have no control characters', async () => {
  const there = await speechServer('openai_compatible', undefined, (stream) => {
    if (stream.is_ended) stream.sayFinal(`Hel\u0000lo ${'x'.repeat(5_000)}`)
  })
  const { hear, end, words } = openHearing(await listeningTo('openai_compatible', there))
  hear(samples(100))
  end()
  assert.equal(await words, `Hello ${'x'.repeat(3_994)}`)
})

test('sound without words is no error at ElevenLabs', async () => {
  const there = await speechServer('elevenlabs', undefined, (stream) => {
    if (stream.is_ended) stream.fail('There was nothing to hear.', 'insufficient_audio_activity')
  })
  const { hear, end, words } = openHearing(await listeningTo('elevenlabs', there))
  hear(samples(100))
  end()
  assert.equal(await words, '')
})

for (const kind of kinds)
  test(`${kind}: private addresses are refused`, async () => {
    const there = await speechServer(kind)
    const tenant = await guarded.workspace()
    const { id } = await provide(tenant, kind, { ...there, base_url: 'https://speech.example/v1' })
    await guarded.pool.run(sql`update providers set base_url = ${there.base_url} where id = ${id}`)
    const listen = { provider: 'Voice', model: streaming[kind], language: null }
    const found = await findSpeech(guarded.at(tenant.id), { listen, speak: null })
    assert.ok(found.listen)
    await assert.rejects(openHearing(found.listen).words, /public address/)
    assert.equal(there.streams.length, 0)
  })

test('a model that hears streams only can be tested', async () => {
  const there = await speechServer('elevenlabs')
  const tenant = await workspace()
  const { id } = await provide(tenant, 'elevenlabs', there, { default_model: 'scribe_v2_realtime' })
  const { is_ok, error } = (await tenant.call('POST', `/providers/${id}/test`)).body.data
  assert.deepEqual([is_ok, error], [true, null])
  assert.equal(there.streams[0]?.samples.length, 16_000)
})

/** Has a voice speak, and collects what comes. */
function openSaying({ model }: Speaking) {
  const stop = new AbortController()
  const rates = new Set<number | undefined>()
  const heard: number[] = []
  const text = ReadableStream.from([
    { type: 'text' as const, text: 'Good ' },
    { type: 'text' as const, text: 'morning.' },
  ])
  const read = async () => {
    assert.ok(model.doStream)
    const { stream } = await model.doStream({ text, abortSignal: stop.signal })
    for await (const part of stream) {
      if (part.type !== 'audio') continue
      assert.ok(typeof part.audio !== 'string')
      rates.add(part.audioFormat.rate)
      heard.push(...new Int16Array(part.audio.slice().buffer))
    }
    return Int16Array.from(heard)
  }
  const sound = read()
  sound.catch(() => {})
  return { heard, rates, sound, abort: () => stop.abort() }
}

const sounds = {
  openai_compatible: { file: wavFile(samples(24_000), { rate: 24_000, length: 0xffffffff }), rate: 24_000 },
  elevenlabs: { file: Buffer.from(samples(24_000).buffer), rate: 16_000 },
  deepgram: { file: wavFile(samples(24_000), { rate: 24_000, length: 0 }), rate: 24_000 },
}
const speaking_kinds = ['openai_compatible', 'elevenlabs', 'deepgram'] as const

for (const kind of speaking_kinds)
  test(`${kind}: sound comes while it is made, and all of it`, async () => {
    const rest = Promise.withResolvers<void>()
    const { file, rate } = sounds[kind]
    const there = await speechServer(kind, async (response) => {
      response.writeHead(200, { 'content-type': 'audio/any' })
      // Headers and samples come in pieces.
      for (let sent = 0; sent < 101; sent += 1) response.write(file.subarray(sent, sent + 1))
      response.write(file.subarray(101, 9_999))
      await rest.promise
      response.end(file.subarray(9_999))
    })
    const { heard, rates, sound } = openSaying(await speakingWith(kind, there))
    await until(() => heard.length > 4_000)
    assert.ok(heard.length < 5_000)
    rest.resolve()
    assert.deepEqual(await sound, samples(24_000))
    assert.deepEqual([...rates], [rate])
    assert.equal(there.requests.length, 1)
    assert.match(JSON.stringify(there.requests[0]?.json), /Good morning\./)
    if (kind === 'elevenlabs') assert.match(there.requests[0]?.path ?? '', /\/proxy\/v1\/text-to-speech\/\w+\/stream$/)
  })

test('sound does not play faster when the header of a file lies about its rate', async () => {
  const other = { kind: 'openai_compatible', type: 'audio/wav' } as const
  for (const [{ kind, type }, header, expected] of [
    [other, { rate: 24_000 }, 24_000],
    [other, { rate: 48_000 }, 48_000],
    // The header says another rate by its bytes a second, or another number of channels by those of a frame.
    [other, { rate: 48_000, byte_rate: 48_000 }, 24_000],
    [other, { rate: 24_000, byte_rate: 24_000 }, 24_000],
    [other, { rate: 24_000, byte_rate: 96_000 }, 24_000],
    [other, { rate: 44_100, byte_rate: 44_100 }, 22_050],
    [other, { rate: 22_050, byte_rate: 0 }, 22_050],
    [other, { rate: 24_000, channels: 2 }, 24_000],
    [{ ...other, type: 'audio/wav; rate=22050' }, { rate: 44_100 }, 22_050],
    [{ ...other, type: 'audio/wav;rate=7' }, { rate: 44_100 }, 44_100],
    // It was asked for 24,000.
    [{ kind: 'deepgram', type: 'audio/wav;rate=48000' }, { rate: 48_000 }, 24_000],
  ] as const) {
    const there = await speechServer(kind, (response) => {
      response.writeHead(200, { 'content-type': type })
      response.end(wavFile(samples(2_400), header))
    })
    const speaking = await speakingWith(kind, there)
    const { rates, sound } = openSaying(speaking)
    assert.deepEqual([await sound, ...rates], [samples(2_400), expected], JSON.stringify(header))
    const { audio } = await speaking.model.doGenerate({ text: 'Good morning.' })
    assert.ok(typeof audio !== 'string')
    assert.equal(Buffer.from(audio).readUInt32LE(24), expected, JSON.stringify(header))
    assert.equal(audio.length, 44 + 2 * 2_400)
  }
})

for (const kind of speaking_kinds)
  test(`${kind}: a voice that fails before its sound or in the middle is an error`, async () => {
    const wrong = await speechServer(kind)
    const key = await failure(openSaying(await speakingWith(kind, wrong, { api_key: 'sk-secret-key' })).sound)
    assert.equal(key.status, 401)
    assert.doesNotMatch(key.message, /sk-secret/)
    const busy = await speechServer(kind, (response) => sendJson(response, 500, { message: 'Out of order.' }))
    assert.match((await failure(openSaying(await speakingWith(kind, busy)).sound)).message, /Out of order/)
    const broken = await speechServer(kind, (response) => {
      response.writeHead(200, { 'content-type': 'audio/any' })
      response.write(sounds[kind].file.subarray(0, 9_999), () => response.destroy())
    })
    const { heard, sound } = openSaying(await speakingWith(kind, broken))
    await assert.rejects(sound, /closed before the whole response/)
    assert.ok(heard.length > 4_000)
    const empty = await speechServer(kind, (response) => response.writeHead(200, { 'content-type': 'text/html' }).end())
    await failure(openSaying(await speakingWith(kind, empty)).sound)
  })

test('a voice without an end is not heard for ever, and ends when nobody listens', async () => {
  const there = await speechServer('deepgram', (response) => {
    response.writeHead(200)
    response.write(sounds.deepgram.file.subarray(0, 60))
    const write = () => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 7))) {}
      response.once('drain', write)
    }
    write()
  })
  await assert.rejects(openSaying(await speakingWith('deepgram', there)).sound, /more than 10485760 bytes/)
  await until(() => there.aborted === 1)
  const slow = await speechServer('deepgram', (response) => {
    response.writeHead(200)
    response.write(sounds.deepgram.file.subarray(0, 9_999))
  })
  const { heard, sound, abort } = openSaying(await speakingWith('deepgram', slow))
  await until(() => heard.length > 0)
  abort()
  await assert.rejects(sound)
  await until(() => slow.aborted === 1)
})
