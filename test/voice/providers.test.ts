import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sound } from '../../server/audio/sound.ts'
import { membersOf } from '../../server/kit/json.ts'
import { ended, newCaller, turnsOf } from '../support/calls.ts'
import { phraseIn, soundOf } from '../support/fake-speech.ts'
import { temporaryFolder } from '../support/folders.ts'
import { openServer, type Server, type Tenant, testPool } from '../support/harness.ts'
import { until } from '../support/model-servers.ts'
import { newProvider } from '../support/samples.ts'
import { sentences } from '../support/sounds.ts'
import { requireSpeech, speech_folder } from '../support/speech.ts'
import { type HeardStream, type SpeechServer, sendJson, speechServer, wavFile } from '../support/speech-servers.ts'
import { voiceApi } from '../support/voice-calls.ts'
import { openVoiceClient, placeWebCall, type VoiceClient } from '../support/voice-client.ts'

/** Calls that hear and speak with providers. */

const common = { outbound_allow_hosts: ['127.0.0.1'], live_calls_max: 20 }
const server = await openServer(testPool(), { ...common, speech_dir: '.cache/no-speech' })
const offline = await openServer(testPool(), { ...common, speech_dir: speech_folder, data_dir: temporaryFolder() })
after(async () => {
  for (const one of [server, offline]) {
    await one.close()
    await sound.of(one.at('')).close()
  }
})

const script = {
  start: 'greet',
  nodes: {
    greet: {
      say: 'Hello. Is Tuesday all right?',
      on: [{ intent: 'yes', go: 'booked' }],
      else: { say: 'Is Tuesday all right?', go: 'greet' },
    },
    booked: { say: 'Good, see you on Tuesday. Goodbye.', go: '@end' },
  },
}

/** Words follow the loudness of the sound, as soon as there is any. */
function hearPhrase(stream: HeardStream): void {
  const text = phraseIn(stream.samples)
  if (stream.is_ended) stream.sayFinal(text)
  else if (text !== '') stream.sayPartial(text)
}

const textIn = (json: unknown): string => String(membersOf(json).input ?? membersOf(json).text)

type Answer = NonNullable<Parameters<typeof speechServer>[1]>
const sayText: Answer = (response, { json }) =>
  response.writeHead(200).end(wavFile(soundOf(textIn(json)), { rate: 16_000, length: 0xffffffff }))

interface Peers {
  ear: SpeechServer
  voice: SpeechServer
}

interface Hearing {
  kind: 'openai_compatible' | 'elevenlabs'
  model: string
}

const elevenlabs: Hearing = { kind: 'elevenlabs', model: 'scribe_v2_realtime' }

/** A workspace whose agent hears with one provider and speaks with another. */
async function openAgent(
  there: Server,
  {
    ear,
    voice,
    kind = elevenlabs.kind,
    model = elevenlabs.model,
    ...fields
  }: Peers & Partial<Hearing> & { language?: string },
): Promise<{ tenant: Tenant; agent_id: string }> {
  const tenant = await there.workspace()
  const add = (provider: object) => tenant.call('POST', '/providers', newProvider(provider))
  const default_model = kind === 'openai_compatible' ? { default_model: 'small' } : { default_model: undefined }
  assert.equal((await add({ name: 'Ear', kind, base_url: ear.base_url, ...default_model })).status, 201)
  const spoken = { name: 'Voice', kind: 'openai_compatible', base_url: voice.base_url, default_model: 'small' }
  assert.equal((await add(spoken)).status, 201)
  const speech = { listen: { provider: 'Ear', model }, speak: { provider: 'Voice' } }
  return { tenant, agent_id: await newCaller(tenant, { script, speech, ...fields }) }
}

/** The agent has said its first words. */
const greeted = (client: VoiceClient) =>
  until(() =>
    client.messages.some(({ role, is_final, text }) => role === 'agent' && is_final && /right\?$/.test(String(text))),
  )

for (const hearing of [elevenlabs, { kind: 'openai_compatible', model: 'gpt-realtime-whisper' }] as Hearing[])
  test(`${hearing.kind}: a call is heard while someone speaks, and spoken while the voice speaks`, async () => {
    const rest = Promise.withResolvers<void>()
    const ear = await speechServer(hearing.kind, undefined, hearPhrase)
    const voice = await speechServer('openai_compatible', async (response, { json }) => {
      const file = wavFile(soundOf(textIn(json)), { rate: 16_000, length: 0xffffffff })
      response.writeHead(200).write(file.subarray(0, 10_000))
      await rest.promise
      response.end(file.subarray(10_000))
    })
    const { tenant, agent_id } = await openAgent(server, { ear, voice, ...hearing })
    const prices = { speech_minute: 60_000_000 }
    assert.equal((await tenant.call('PATCH', '/workspace', { settings: { prices } })).status, 200)
    const place = await placeWebCall(tenant, { agent_id })
    const client = openVoiceClient(place)
    await until(() => client.heard() > 0)
    rest.resolve()
    await greeted(client)
    client.say('Yes.')
    assert.deepEqual(await client.next('ended'), { type: 'ended', end_reason: 'agent_hung_up' })
    const said = client.messages.filter(({ role }) => role === 'contact').map(({ text, is_final }) => [text, is_final])
    assert.deepEqual(said, [
      ['Yes.', false],
      ['Yes.', true],
    ])
    const call = await ended(tenant, place.call.id)
    const turns = await turnsOf(tenant, call.conversation_id)
    assert.deepEqual(
      turns.map(({ text, error }: Record<string, unknown>) => [text, error]),
      [
        ['Hello. Is Tuesday all right?', null],
        ['Yes.', null],
        ['Good, see you on Tuesday. Goodbye.', null],
      ],
    )
    assert.equal(ear.requests.length, 0)
    assert.equal(ear.streams.length, 1)
    await until(() => ear.streams.every(({ socket }) => socket.readyState === 3))
    // A second of sound costs one unit of the currency: what the voice has spoken, and about a second of "Yes."
    const spoken = voice.requests.map(({ json }) => soundOf(textIn(json)).length / 16).reduce((sum, ms) => sum + ms, 0)
    const heard_ms = call.cost_micros / 1_000 - spoken
    assert.ok(heard_ms > 500 && heard_ms < 2_000, `${call.cost_micros}, of which ${spoken} ms were spoken`)
  })

test('without offline speech, a voice that fails in a call ends it', async () => {
  const ear = await speechServer('elevenlabs', undefined, hearPhrase)
  const voice = await speechServer('openai_compatible', (response, request) =>
    /Good/.test(textIn(request.json)) ? sendJson(response, 500, {}) : sayText(response, request),
  )
  const { tenant, agent_id } = await openAgent(server, { ear, voice })
  const place = await placeWebCall(tenant, { agent_id })
  const client = openVoiceClient(place)
  await greeted(client)
  client.say('Yes.')
  assert.deepEqual(await client.next('ended'), { type: 'ended', end_reason: 'system_error' })
  const call = await ended(tenant, place.call.id)
  assert.deepEqual([call.status, call.end_reason], ['completed', 'system_error'])
  await client.closed
})

for (const [name, hear] of Object.entries({
  'reports an error': (stream: HeardStream) => stream.fail('Out of order.'),
  'closes its socket': ({ samples, socket }: HeardStream) => samples.length > 0 && socket.close(),
  'sends too much': ({ samples, socket }: HeardStream) =>
    samples.length > 0 && socket.bufferedAmount === 0 && socket.send('x'.repeat(10_000_000)),
}))
  test(`without offline speech, a recogniser that ${name} in a call ends it`, async () => {
    const ear = await speechServer('elevenlabs', undefined, hear)
    const voice = await speechServer('openai_compatible', sayText)
    const { tenant, agent_id } = await openAgent(server, { ear, voice })
    const place = await placeWebCall(tenant, { agent_id })
    const client = openVoiceClient(place)
    await greeted(client)
    client.say('Yes.')
    assert.deepEqual(await client.next('ended'), { type: 'ended', end_reason: 'system_error' })
    assert.equal((await ended(tenant, place.call.id)).end_reason, 'system_error')
    assert.ok(ear.streams.length >= 2, 'it was tried twice')
    await until(() => ear.streams.every(({ socket }) => socket.readyState === 3))
    assert.equal((await tenant.call('GET', '/agents')).status, 200)
  })

test('the end of a call closes the socket at which someone is heard', async () => {
  const ear = await speechServer('elevenlabs', undefined, () => {})
  const voice = await speechServer('openai_compatible', sayText)
  const { tenant, agent_id } = await openAgent(server, { ear, voice })
  const place = await placeWebCall(tenant, { agent_id })
  const client = openVoiceClient(place)
  await greeted(client)
  client.say('Yes.', { frames: 500 })
  await until(() => (ear.streams[0]?.samples.length ?? 0) > 0)
  await tenant.call('POST', `/calls/${place.call.id}/hang_up`)
  await ended(tenant, place.call.id)
  await until(() => ear.streams.every(({ socket }) => socket.readyState === 3))
})

test('offline speech takes over in a call in English, and the turn says so', async () => {
  requireSpeech()
  const ear = await speechServer(
    'elevenlabs',
    undefined,
    (stream) => stream.samples.length > 0 && stream.socket.terminate(),
  )
  const voice = await speechServer('openai_compatible', (response, request) => {
    if (!/Good/.test(textIn(request.json))) return sayText(response, request)
    // It breaks off after half a second.
    const file = wavFile(soundOf(textIn(request.json)), { rate: 16_000, length: 0xffffffff })
    response.writeHead(200).write(file.subarray(0, 16_000), () => response.destroy())
  })
  const { tenant, agent_id } = await openAgent(offline, { ear, voice })
  const api = voiceApi(() => offline.url, tenant.key)
  const [yes = new Int16Array()] = await sentences([{ text: 'Yes, I would like that.', voice: 'rms' }])
  const talker = await api.talk(agent_id)
  after(() => talker.close())
  await talker.untilQuiet(0)
  await talker.say(yes)
  assert.equal((await talker.ended).end_reason, 'agent_hung_up')
  const turns = await turnsOf(tenant, (await ended(tenant, talker.call_id)).conversation_id)
  assert.match(turns[1].text, /\byes\b/i)
  assert.equal(turns[2].heard, 'Good, see you on Tuesday. Goodbye.')
  const errors = turns.map(({ error }: { error: string | null }) => error).join(' | ')
  assert.match(errors, /Speech recognition by elevenlabs\.transcription failed: .* Offline speech took over\./)
  assert.match(errors, /The voice by openai\.speech failed: .* Offline speech took over\./)
})

test('offline speech, which knows English only, takes over in no other language', async () => {
  requireSpeech()
  const ear = await speechServer('elevenlabs', undefined, (stream) => stream.fail('Außer Betrieb.'))
  const voice = await speechServer('openai_compatible', sayText)
  const { tenant, agent_id } = await openAgent(offline, { ear, voice, language: 'de' })
  const api = voiceApi(() => offline.url, tenant.key)
  const [yes = new Int16Array()] = await sentences([{ text: 'Yes, I would like that.', voice: 'rms' }])
  const talker = await api.talk(agent_id)
  after(() => talker.close())
  await talker.untilQuiet(0)
  await talker.say(yes)
  assert.equal((await talker.ended).end_reason, 'system_error')
})
