import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, describe, test } from 'node:test'
import type { SpeechModelV4 } from '@ai-sdk/provider'
import { WebSocket } from 'ws'
import { sound } from '../../server/audio/sound.ts'
import { writeWav } from '../../server/kit/sound/wav.ts'
import { waitUntil } from '../faults/client.ts'
import { ended, newCaller } from '../support/calls.ts'
import { fake_sound } from '../support/fake-speech.ts'
import { openServer, testPool } from '../support/harness.ts'
import { openVoiceClient, placeWebCall, type VoiceClient } from '../support/voice-client.ts'

const server = await openServer(testPool())
after(server.close)
const tenant = await server.workspace()
const sample_rate = 16_000
const bytes_per_ms = (2 * sample_rate) / 1_000

/* A voice that takes a second for each word. */
sound.set(server.at(''), {
  ...fake_sound,
  find: async (...wanted) => {
    const speech = await fake_sound.find(...wanted)
    const doGenerate: SpeechModelV4['doGenerate'] = async (options) => {
      const samples = new Int16Array(options.text.trim().split(/\s+/).length * sample_rate).fill(2_000)
      return { ...(await speech.speak.model.doGenerate(options)), audio: writeWav(samples, sample_rate) }
    }
    return { ...speech, speak: { ...speech.speak, model: { ...speech.speak.model, doGenerate } } }
  },
})

const newSpeaker = (words: number) =>
  newCaller(tenant, { script: { start: 'only', nodes: { only: { say: 'a '.repeat(words).trim(), go: '@end' } } } })

/** Says what it has played as often and as far as a device would have. */
function playInTime(client: VoiceClient): void {
  const began = performance.now()
  const timer = setInterval(() => {
    if (client.socket.readyState !== WebSocket.OPEN) return clearInterval(timer)
    client.send({ type: 'played', ms: Math.min(performance.now() - began, client.heard() / bytes_per_ms) })
  }, 100)
}

describe('a client that stops reading', { concurrency: true }, () => {
  test('and answers no pings is lost, and another one hears all of its agent', async () => {
    const agent_id = await newSpeaker(20)
    const [place, other_place] = [await placeWebCall(tenant, { agent_id }), await placeWebCall(tenant, { agent_id })]
    const [client, other] = [place, other_place].map((one) => openVoiceClient(one, { is_playing: false }))
    assert.ok(client && other)
    // After it has answered one: that it is gone takes longest to find then, and the agent must not hang up before.
    const pinged = once(client.socket, 'ping')
    await Promise.all([client.next('ready'), other.next('ready')])
    for (const one of [client, other]) playInTime(one)
    await Promise.all([pinged, waitUntil('the agent speaks', () => client.heard() > 0)])
    client.socket.pause()
    assert.equal((await ended(tenant, place.call.id)).end_reason, 'carrier_error')
    client.end()
    assert.deepEqual(await other.next('ended'), { type: 'ended', end_reason: 'agent_hung_up' })
    assert.equal(other.heard(), 20_000 * bytes_per_ms)
  })

  test('and pretends to play all that is sent is lost before its sound fills the memory', async () => {
    const place = await placeWebCall(tenant, { agent_id: await newSpeaker(500) })
    const client = openVoiceClient(place, { is_playing: false })
    await waitUntil('the agent speaks', () => client.heard() > 0)
    client.socket.pause()
    const pretend = setInterval(() => {
      if (client.socket.readyState !== WebSocket.OPEN) return
      client.send({ type: 'played', ms: 1e9 })
      client.socket.pong()
    }, 20)
    assert.equal((await ended(tenant, place.call.id)).end_reason, 'carrier_error')
    clearInterval(pretend)
    client.end()
  })
})
