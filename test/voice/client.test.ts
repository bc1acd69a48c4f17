import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { after, afterEach, type TestContext, test } from 'node:test'
import { durationText } from '../../voice/src/texts.ts'
import type { ConnectOptions, VoiceCall, VoiceError, VoiceState, Words } from '../../voice/src/types.ts'
import { type FakeBrowser, openFakeBrowser } from '../support/fake-browser.ts'
import { openVoicePeer, type PeerSocket } from '../support/voice-peer.ts'

/** The module that makes calls, with a device whose time the test runs and a peer that plays the service's part. */

const peer = await openVoicePeer('')
const browser: FakeBrowser = await openFakeBrowser()
after(browser.close)

interface Talk {
  call: VoiceCall
  socket: PeerSocket
  states: VoiceState[]
  errors: VoiceError[]
  words: Words[]
  latencies: number[]
}

let open_call: VoiceCall | undefined
afterEach(() => {
  open_call?.hangUp()
  browser.refusal = undefined
  browser.worklet_refusal = undefined
  browser.worklet_loading = undefined
  browser.resuming = undefined
  browser.microphone = () => 0
  peer.is_answering = true
})

function begin(token = 'first'): Omit<Talk, 'socket'> {
  const call = browser.connect({ url: peer.socket_url, token })
  open_call = call
  const [states, errors, words, latencies]: [VoiceState[], VoiceError[], Words[], number[]] = [[], [], [], []]
  call.on('state', (state) => states.push(state))
  call.on('error', (error) => errors.push(error))
  call.on('words', (said) => words.push(said))
  call.on('latency', (ms) => latencies.push(ms))
  return { call, states, errors, words, latencies }
}

async function nextSocket(before: number): Promise<PeerSocket> {
  await browser.runUntil(() => peer.sockets.length > before)
  const socket = peer.sockets[before]
  assert.ok(socket)
  return socket
}

async function talk(): Promise<Talk> {
  const before = peer.sockets.length
  const begun = begin()
  const socket = await nextSocket(before)
  await browser.runUntil(() => begun.call.state === 'live')
  return { ...begun, socket }
}

const samplesOf = (bytes: Buffer): number[] =>
  Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readInt16LE(2 * index) / 32_768)

/** How much of a frequency there is: the amplitude of that tone. */
function amplitudeAt(samples: number[], frequency: number, rate: number): number {
  let [real, imaginary] = [0, 0]
  samples.forEach((sample, index) => {
    const turn = (2 * Math.PI * frequency * index) / rate
    real += sample * Math.cos(turn)
    imaginary += sample * Math.sin(turn)
  })
  return (2 * Math.hypot(real, imaginary)) / samples.length
}

const tone = (frequency: number) => (second: number) => 0.5 * Math.sin(2 * Math.PI * frequency * second)

test('frames have 20 ms, 50 for each second, with the sound of the microphone', async () => {
  const { socket, call } = await talk()
  assert.deepEqual(socket.start, { type: 'start', token: 'first', sample_rate: 16_000 })
  assert.equal(call.call_id, 'call-1')
  browser.microphone = (second) => tone(400)(second) + tone(12_000)(second)
  const before = socket.frames.length
  await browser.run(2_000)
  await browser.runUntil(() => socket.frames.length >= before + 100)
  assert.ok(socket.frames.every(({ bytes }) => bytes.length === 640))
  const heard = socket.frames.slice(before + 10, before + 60).flatMap(({ bytes }) => samplesOf(bytes))
  assert.ok(Math.abs(amplitudeAt(heard, 400, 16_000) - 0.5) < 0.01)
  // 12,000 Hz would become 4,000 Hz at 16 kHz.
  assert.ok(amplitudeAt(heard, 4_000, 16_000) < 0.001)
})

test('what is sent is played once, and reports never exceed it', async () => {
  const { socket } = await talk()
  const from = browser.played.length
  socket.sendTone(600)
  await browser.runUntil(() => socket.played() === 600)
  const reports = socket.messages.filter(({ type }) => type === 'played').map(({ ms }) => Number(ms))
  assert.ok(reports.length >= 5, String(reports))
  assert.deepEqual(
    reports,
    reports.toSorted((one, other) => one - other),
  )
  const sound = browser.played.slice(from).filter((sample) => Math.abs(sample) > 0.001)
  assert.ok(Math.abs(sound.length / 48 - 600) < 20, `${sound.length / 48} ms of sound`)
  const first = browser.played.findIndex((sample, index) => index >= from && Math.abs(sample) > 0.001)
  const middle = browser.played.slice(first + 4_800, first + 4_800 + 9_600)
  assert.ok(Math.abs(amplitudeAt(middle, 440, 48_000) - 8_000 / 32_768) < 0.005)
})

test('a clear silences at once, and what comes after it is played', async () => {
  const { socket } = await talk()
  socket.sendTone(3_000)
  await browser.runUntil(() => socket.played() >= 300)
  socket.send({ type: 'clear' })
  await browser.runUntil(() => browser.played.slice(-480).every((sample) => Math.abs(sample) < 1e-6))
  const at_clear = socket.played()
  assert.ok(at_clear < 1_500, `${at_clear} ms`)
  await browser.run(500)
  const after_clear = socket.played()
  socket.sendTone(200)
  await browser.runUntil(() => socket.played() >= after_clear + 200)
  await browser.run(300)
  assert.equal(socket.played(), after_clear + 200)
})

test('each clear is answered with what was played before it', async () => {
  const { socket } = await talk()
  const reports = () => socket.messages.filter(({ type }) => type === 'played')
  // Also when nothing was played since the last report.
  socket.send({ type: 'clear' })
  await browser.runUntil(() => reports().length > 0)
  assert.deepEqual(reports(), [{ type: 'played', ms: 0, clears: 1 }])
  socket.sendTone(1_000)
  await browser.runUntil(() => socket.played() >= 300)
  socket.send({ type: 'clear' })
  socket.sendTone(400)
  await browser.runUntil(() => reports().some(({ clears }) => clears === 2))
  const cut = reports().find(({ clears }) => clears === 2)?.ms
  await browser.run(1_000)
  await browser.runUntil(() => socket.played() === Number(cut) + 400)
  assert.ok(reports().every(({ ms, clears }) => clears === 2 || Number(ms) <= Number(cut)))
})

test('a muted microphone sends silence, and the time goes on', async () => {
  const { socket, call } = await talk()
  browser.microphone = tone(400)
  await browser.run(200)
  call.mute()
  assert.equal(call.is_muted, true)
  await browser.run(60)
  const from = socket.frames.length + 3
  await browser.runUntil(() => socket.frames.length > from + 25)
  assert.ok(socket.frames.slice(from).every(({ bytes }) => bytes.every((byte) => byte === 0)))
  call.unmute()
  await browser.runUntil(() => socket.frames.at(-1)?.bytes.some((byte) => byte !== 0) === true)
})

test('a lost connection comes back with the token of ready, and counts what is played from 0', async () => {
  const { socket, call, states } = await talk()
  socket.sendTone(200)
  await browser.runUntil(() => socket.played() === 200)
  const before = peer.sockets.length
  socket.drop()
  await browser.runUntil(() => call.state === 'reconnecting')
  const next = await nextSocket(before)
  assert.equal(next.start.token, `again-${before}`)
  await browser.runUntil(() => call.state === 'live')
  next.sendTone(100)
  await browser.runUntil(() => next.played() === 100)
  await browser.runUntil(() => next.frames.length > 0)
  assert.deepEqual(states, ['live', 'reconnecting', 'live'])
})

test('a browser that was offline comes back when it is online', async () => {
  const { call } = await talk()
  const before = peer.sockets.length
  browser.dispatch('offline')
  assert.equal(call.state, 'reconnecting')
  browser.dispatch('online')
  await nextSocket(before)
  await browser.runUntil(() => call.state === 'live')
})

for (const code of ['busy', 'rate_limited'])
  test(`a service that answers ${code} is tried again with the same token`, async () => {
    peer.is_answering = false
    const before = peer.sockets.length
    const { call, states } = begin('patient')
    const socket = await nextSocket(before)
    socket.send({ type: 'error', code, message: 'Full.' })
    socket.close(1_013)
    await browser.runUntil(() => call.state === 'busy')
    peer.is_answering = true
    const next = await nextSocket(before + 1)
    assert.equal(next.start.token, 'patient')
    await browser.runUntil(() => call.state === 'live')
    assert.deepEqual(states, ['busy', 'live'])
  })

test('a refused token ends the call, and everything stops', async () => {
  peer.is_answering = false
  const before = peer.sockets.length
  const { call, errors } = begin()
  const socket = await nextSocket(before)
  socket.close(4_401)
  await browser.runUntil(() => call.state === 'ended')
  assert.deepEqual([call.end_reason, errors.map(({ code }) => code)], ['error', ['refused']])
  assert.deepEqual([browser.tracks.at(-1)?.readyState, browser.contexts.at(-1)?.state], ['ended', 'closed'])
})

test('a call comes back after an error of the service, three times at most', async () => {
  const { call, errors } = await talk()
  for (let round = 0; round < 3; round += 1) {
    const before = peer.sockets.length
    const socket = peer.sockets.at(-1)
    socket?.send({ type: 'error', code: 'too_fast', message: 'Sound comes too fast.' })
    socket?.close(1_008)
    await nextSocket(before)
    await browser.runUntil(() => call.state === 'live')
  }
  assert.deepEqual(errors, [])
  peer.sockets.at(-1)?.send({ type: 'error', code: 'too_fast', message: 'Sound comes too fast.' })
  await browser.runUntil(() => call.state === 'ended')
  assert.deepEqual(errors, [{ code: 'too_fast', message: 'Sound comes too fast.' }])
})

test('errors before a connection that has lasted for half a minute do not count', async (t) => {
  const { call, errors } = await talk()
  const now = performance.now.bind(performance)
  let passed_ms = 0
  t.mock.method(performance, 'now', () => now() + passed_ms)
  for (let round = 0; round < 5; round += 1) {
    const before = peer.sockets.length
    passed_ms += 31_000
    peer.sockets.at(-1)?.send({ type: 'error', code: 'too_fast', message: 'Sound comes too fast.' })
    peer.sockets.at(-1)?.close(1_008)
    await nextSocket(before)
    await browser.runUntil(() => call.state === 'live')
  }
  assert.deepEqual(errors, [])
})

test('the service ends a call with its reason, and shows words before', async () => {
  const { socket, call, words, states, errors } = await talk()
  socket.send({ type: 'words', role: 'agent', text: 'Bye.', is_final: true })
  socket.send({ type: 'ended', end_reason: 'goal_reached' })
  await browser.runUntil(() => call.state === 'ended')
  assert.deepEqual(words, [{ role: 'agent', text: 'Bye.', is_final: true }])
  assert.deepEqual([call.end_reason, errors, states.at(-1)], ['goal_reached', [], 'ended'])
  await browser.runUntil(() => socket.isClosed())
})

test('hanging up tells the service and stops everything; digits reach it', async () => {
  const { socket, call } = await talk()
  call.press('5')
  assert.throws(() => call.press('12'), /0 to 9/)
  call.hangUp()
  assert.deepEqual([call.state, call.end_reason], ['ended', 'contact_hung_up'])
  assert.deepEqual([browser.tracks.at(-1)?.readyState, browser.contexts.at(-1)?.state], ['ended', 'closed'])
  await browser.runUntil(() => socket.isClosed())
  assert.deepEqual(
    socket.messages.filter(({ type }) => type !== 'played'),
    [{ type: 'digit', digit: '5' }, { type: 'end' }],
  )
})

test('who hangs up while the call is placed ends it', async () => {
  const before = peer.sockets.length
  const placing = Promise.withResolvers<{ url: string; token: string }>()
  let is_placing = false
  const call = browser.connect({
    place: () => {
      is_placing = true
      return placing.promise
    },
  })
  await browser.runUntil(() => is_placing)
  call.hangUp()
  placing.resolve({ url: peer.socket_url, token: 'late' })
  const socket = await nextSocket(before)
  assert.equal(socket.start.token, 'late')
  await browser.runUntil(() => socket.isClosed())
  assert.deepEqual(socket.messages, [{ type: 'end' }])
  assert.deepEqual([call.state, call.end_reason, call.call_id], ['ended', 'contact_hung_up', undefined])
})

test('who hangs up before the connection is there, or while it is lost, ends the call when it is', async () => {
  peer.is_answering = false
  const before = peer.sockets.length
  const { call } = begin()
  const socket = await nextSocket(before)
  call.hangUp()
  socket.send({ type: 'ready', call_id: 'call-1', token: 'next' })
  await browser.runUntil(() => socket.isClosed())
  assert.deepEqual(socket.messages, [{ type: 'end' }])
  peer.is_answering = true
  const live = await talk()
  live.socket.drop()
  await browser.runUntil(() => live.call.state === 'reconnecting')
  live.call.hangUp()
  const again = await nextSocket(before + 2)
  await browser.runUntil(() => again.isClosed())
  assert.deepEqual(again.messages, [{ type: 'end' }])
  assert.equal(live.states.at(-1), 'ended')
})

test('a second call is refused while one is open, and the first goes on', async () => {
  const { socket, call } = await talk()
  const sockets = peer.sockets.length
  const again = { code: 'in_call', message: /already.*another one\.$/ }
  assert.throws(() => browser.connect({ url: peer.socket_url, token: 'second' }), again)
  call.press('1')
  await browser.runUntil(() => socket.messages.some(({ type }) => type === 'digit'))
  assert.deepEqual([call.state, peer.sockets.length], ['live', sockets])
  let next: VoiceCall | undefined
  call.on('state', () => {
    next = browser.connect({ url: peer.socket_url, token: 'second' })
  })
  call.hangUp()
  open_call = next
  await browser.runUntil(() => next?.state === 'live')
})

test('two calls at once are refused also before the first is connected', async () => {
  const { call } = begin()
  assert.throws(() => begin(), { code: 'in_call' })
  await browser.runUntil(() => call.state === 'live')
})

test('leaving the page hangs up', async () => {
  const { socket } = await talk()
  browser.dispatch('pagehide')
  await browser.runUntil(() => socket.isClosed())
  assert.deepEqual(socket.messages.at(-1), { type: 'end' })
})

test('the time from the end of speech to the first sound is measured', async () => {
  const { socket, latencies, call } = await talk()
  await browser.run(400)
  browser.microphone = tone(300)
  await browser.run(600)
  browser.microphone = () => 0
  await browser.run(700)
  socket.sendTone(200)
  await browser.runUntil(() => socket.played() === 200)
  const [latency = 0] = latencies
  assert.ok(latencies.length === 1 && latency >= 650 && latency < 5_000, String(latencies))
  assert.equal(call.latency_ms, latency)
  await browser.run(600)
  socket.sendTone(100)
  await browser.runUntil(() => socket.played() === 300)
  assert.equal(latencies.length, 1, 'a sound without a question is no answer')
})

test('a refused and a missing microphone have a sentence, and no call is placed', async () => {
  let placed = 0
  const codes: string[] = []
  for (const name of ['NotAllowedError', 'NotFoundError', 'NotReadableError']) {
    browser.refusal = new DOMException('No.', name)
    const call = browser.connect({
      place: async () => {
        placed += 1
        return { url: peer.socket_url, token: 'x' }
      },
    })
    call.on('error', ({ code, message }) => {
      codes.push(code)
      assert.match(message, /microphone.*\.$/i)
    })
    await browser.runUntil(() => call.state === 'ended')
  }
  assert.deepEqual(codes, ['microphone_refused', 'microphone_missing', 'microphone_busy'])
  assert.equal(placed, 0)
})

test('a worklet that can not be loaded is not reported as the microphone, and no call is placed', async () => {
  browser.worklet_refusal = new DOMException('Unable to load a worklet.', 'AbortError')
  let placed = 0
  const errors: VoiceError[] = []
  const call = browser.connect({
    place: async () => {
      placed += 1
      return { url: peer.socket_url, token: 'x' }
    },
  })
  call.on('error', (error) => errors.push(error))
  await browser.runUntil(() => call.state === 'ended')
  assert.deepEqual([call.end_reason, errors.map(({ code }) => code), placed], ['error', ['sound_not_loaded'], 0])
  assert.match(errors[0]?.message ?? '', /sound could not be loaded/)
  assert.deepEqual([browser.tracks.at(-1)?.readyState, browser.contexts.at(-1)?.state], ['ended', 'closed'])
})

test('a worklet that fails in a call ends it, because nothing is heard or played any more', async () => {
  const { socket, call, errors } = await talk()
  browser.breakWorklet()
  assert.deepEqual([call.state, call.end_reason, errors.map(({ code }) => code)], ['ended', 'error', ['sound_failed']])
  assert.equal(browser.tracks.at(-1)?.readyState, 'ended')
  await browser.runUntil(() => socket.isClosed())
  assert.deepEqual(socket.messages.at(-1), { type: 'end' })
})

test('an error of the page that places the call is passed on', async () => {
  const errors: VoiceError[] = []
  const call = browser.connect({
    place: () => Promise.reject(Object.assign(new Error('Speech is not installed.'), { code: 'INVALID_STATE' })),
  })
  call.on('error', (error) => errors.push(error))
  await browser.runUntil(() => call.state === 'ended')
  assert.deepEqual(errors, [{ code: 'INVALID_STATE', message: 'Speech is not installed.' }])
  assert.equal(browser.tracks.at(-1)?.readyState, 'ended')
})

test('the duration of a call is told in seconds, from a minute on in minutes', () => {
  assert.deepEqual([0, 40_000, 59_400, 59_600, 150_000].map(durationText), ['1 s', '40 s', '59 s', '1 min', '3 min'])
})

/** Lets timers that wait for seconds end at once, and a minute pass from one look at the clock to the next. */
function hurry(t: TestContext): void {
  const [wait, now] = [globalThis.setTimeout, performance.now.bind(performance)]
  let passed_ms = 0
  t.mock.method(performance, 'now', () => {
    passed_ms += 61_000
    return now() + passed_ms
  })
  const hurried = (callback: () => void, ms = 0) => wait(callback, ms >= 1_000 ? 0 : ms)
  t.mock.method(globalThis, 'setTimeout', hurried as typeof setTimeout)
}

async function assertFails(options: ConnectOptions, code: string): Promise<void> {
  const errors: VoiceError[] = []
  const call = browser.connect(options)
  open_call = call
  call.on('error', (error) => errors.push(error))
  assert.equal(call.state, 'connecting')
  await browser.runUntil(() => call.state === 'ended')
  assert.deepEqual([call.end_reason, errors.map((error) => error.code)], ['error', [code]])
  assert.match(errors[0]?.message ?? '', /^The .*\.$/)
  assert.deepEqual([browser.tracks.at(-1)?.readyState, browser.contexts.at(-1)?.state], ['ended', 'closed'])
}

test('a service that is never reached ends the call with a sentence', async (t) => {
  hurry(t)
  const silent = net.createServer().listen(0, '127.0.0.1')
  t.after(() => silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  await assertFails({ url: `ws://127.0.0.1:${port}`, token: 'first' }, 'failed')
})

test('a page that never places the call, and sound that never starts, end it with a sentence', async (t) => {
  hurry(t)
  const never = new Promise<never>(() => {})
  await assertFails({ place: () => never }, 'failed')
  browser.resuming = never
  await assertFails({ url: peer.socket_url, token: 'first' }, 'sound_failed')
  browser.resuming = undefined
  browser.worklet_loading = never
  await assertFails({ url: peer.socket_url, token: 'first' }, 'sound_not_loaded')
})
