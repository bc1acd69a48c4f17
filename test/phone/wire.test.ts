import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { mock, test } from 'node:test'
import { WebSocket } from 'ws'
import { type Detour, TwilioWire } from '../../server/lines/twilio/wire.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type Message = any

/** What the wire needs of a socket. */
class FakeSocket extends EventEmitter {
  readyState: number = WebSocket.OPEN
  bufferedAmount = 0
  sent: Message[] = []
  send = (text: string) => void this.sent.push(JSON.parse(text))
  close = (code: number) => {
    this.readyState = WebSocket.CLOSED
    this.emit('close', code)
  }
  terminate = () => this.close(1_006)
  of = (event: string) => this.sent.filter((message) => message.event === event)
  /** A message of Twilio. */
  receive = (message: object) => void this.emit('message', Buffer.from(JSON.stringify(message)), false)
  returnMark = (name: string) => this.receive({ event: 'mark', mark: { name } })
}

function openWire(answer: 'done' | 'refused' | Promise<'done'> = 'done') {
  const updates: Detour[] = []
  const told: unknown[] = []
  const wire = new TwilioWire({
    now: () => 0,
    update: async (detour) => {
      updates.push(detour)
      return answer
    },
  })
  wire.onPlayed = (ms) => told.push(['played', ms])
  wire.onPause = (is_paused) => told.push(['paused', is_paused])
  wire.onEnd = (reason) => told.push(['end', reason])
  wire.onTransferred = (is_ok) => told.push(['transferred', is_ok])
  const attach = (after?: 'digits' | 'transfer') => {
    const socket = new FakeSocket()
    // It has all that the wire uses of one.
    wire.attach(socket as unknown as WebSocket, { sid: 'MZ1', after, messages: [] })
    return socket
  }
  return { wire, updates, told, attach }
}

const frame = new Int16Array(160)
const sendMs = (wire: TwilioWire, ms: number) => {
  for (let sent = 0; sent < ms; sent += 20) wire.send(frame)
}
const flush = () => new Promise((resolve) => setImmediate(resolve))

test('a mark follows each 200 ms of sound, and the last of it', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const { wire, told, attach } = openWire()
  wire.begin(() => 0)
  const socket = attach()
  told.length = 0
  sendMs(wire, 500)
  assert.equal(socket.of('mark').length, 2)
  mock.timers.tick(100)
  const names = socket.of('mark').map(({ mark }) => mark.name)
  assert.equal(names.length, 3)
  for (const name of names) socket.returnMark(name)
  assert.deepEqual(told, [
    ['played', 200],
    ['played', 400],
    ['played', 500],
  ])
  mock.timers.reset()
  wire.close(1_000)
})

test('what is cleared is not played, although its marks come back', () => {
  const { wire, told, attach } = openWire()
  wire.begin(() => 0)
  const socket = attach()
  sendMs(wire, 600)
  const [first, ...others] = socket.of('mark').map(({ mark }) => String(mark.name))
  socket.returnMark(first ?? '')
  told.length = 0
  wire.clear()
  assert.equal(socket.sent.at(-1).event, 'clear')
  const [[, cut_ms] = []] = told as [string, number][]
  assert.ok(
    cut_ms !== undefined && cut_ms >= 200 && cut_ms < 400,
    `${cut_ms} is after the mark, and before the next one`,
  )
  for (const name of others) socket.returnMark(name)
  assert.equal(told.length, 1)
  // Other sound follows what was heard.
  sendMs(wire, 200)
  socket.returnMark(socket.of('mark').at(-1).mark.name)
  assert.deepEqual(told.at(-1), ['played', cut_ms + 200])
  // Nothing is left to clear.
  wire.clear()
  assert.equal(socket.of('clear').length, 1)
  wire.close(1_000)
})

test('the stream ends for keys, which are pressed together', async () => {
  const { wire, updates, told, attach } = openWire()
  wire.begin(() => 0)
  const socket = attach()
  wire.press('1x2')
  wire.press('3')
  wire.press('#')
  assert.deepEqual(updates, [{ type: 'digits', digits: '12' }])
  await flush()
  told.length = 0
  socket.receive({ event: 'stop' })
  assert.deepEqual(told, [['paused', true]])
  const again = attach('digits')
  assert.deepEqual(updates.at(-1), { type: 'digits', digits: '3#' })
  again.receive({ event: 'stop' })
  assert.ok(!told.some((event) => Object(event)[0] === 'end'))
  wire.close(1_000)
})

test('a transfer that fails, or is refused, is told', async () => {
  const failing = openWire()
  failing.wire.begin(() => 0)
  failing.attach().receive({ event: 'stop' })
  assert.deepEqual(failing.told.at(-1), ['end', 'hung_up'])
  const { wire, told, attach } = openWire()
  wire.begin(() => 0)
  const socket = attach()
  wire.transfer('+14155550111')
  await flush()
  socket.receive({ event: 'stop' })
  assert.ok(wire.ends_at > 60_000 + 30_000, 'the call is not ended while the number rings')
  attach('transfer')
  assert.deepEqual(told.at(-1), ['transferred', false])
  wire.close(1_000)
  const refused = openWire('refused')
  refused.wire.begin(() => 0)
  refused.attach()
  refused.wire.transfer('+14155550111')
  await flush()
  await new Promise((resolve) => setTimeout(resolve, 5))
  assert.deepEqual(refused.told.at(-1), ['transferred', false])
  refused.wire.close(1_000)
})

/** The wire of a call that Twilio has begun to transfer. */
async function openTransferring() {
  mock.timers.enable({ apis: ['setTimeout'] })
  const opened = openWire()
  opened.wire.begin(() => 0)
  const socket = opened.attach()
  opened.wire.transfer('+14155550111')
  await flush()
  socket.receive({ event: 'stop' })
  opened.told.length = 0
  return opened
}

test('a transfer of which nothing more is heard has succeeded, and nobody is cut off', async () => {
  const { wire, updates, told } = await openTransferring()
  mock.timers.tick(44_000)
  assert.deepEqual(told, [], 'the number may still ring')
  mock.timers.tick(2_000)
  assert.deepEqual(told, [
    ['transferred', true],
    ['end', 'lost'],
  ])
  wire.finish('transferred')
  assert.deepEqual(updates, [{ type: 'transfer', to: '+14155550111' }])
  mock.timers.reset()
  wire.close(1_000)
})

test('whatever ends a call during its transfer cuts nobody off, but a person who hangs up', async () => {
  const reasons = ['carrier_error', 'max_duration', 'system_error', 'agent_hung_up', 'human_hung_up'] as const
  for (const end_reason of reasons) {
    const { wire, updates } = await openTransferring()
    wire.finish(end_reason)
    mock.timers.reset()
    assert.equal(updates.at(-1)?.type, end_reason === 'human_hung_up' ? 'hang_up' : 'transfer', end_reason)
    wire.close(1_000)
  }
})

test('Twilio may do what was asked before it answers, and who hangs up then has hung up', async () => {
  const answer = Promise.withResolvers<'done'>()
  const { wire, told, attach } = openWire(answer.promise)
  wire.begin(() => 0)
  const socket = attach()
  wire.press('1')
  socket.receive({ event: 'stop' })
  const again = attach('digits')
  answer.resolve('done')
  await flush()
  again.receive({ event: 'stop' })
  assert.deepEqual(told.at(-1), ['end', 'hung_up'])
  wire.close(1_000)
})

test('who hangs up while keys or a transfer are asked for has hung up', async () => {
  for (const ask of [(wire: TwilioWire) => wire.press('1'), (wire: TwilioWire) => wire.transfer('+14155550111')]) {
    const { wire, told, attach } = openWire('refused')
    wire.begin(() => 0)
    const socket = attach()
    told.length = 0
    ask(wire)
    // Twilio does nothing more with the call.
    socket.receive({ event: 'stop' })
    await flush()
    assert.deepEqual(told, [
      ['paused', true],
      ['end', 'hung_up'],
    ])
    wire.close(1_000)
  }
})

test('a stream that breaks while keys are refused is followed by another one', async () => {
  const { wire, told, attach } = openWire('refused')
  wire.begin(() => 0)
  const socket = attach()
  told.length = 0
  wire.press('1')
  socket.terminate()
  await flush()
  attach()
  assert.deepEqual(told, [
    ['paused', true],
    ['paused', false],
  ])
  wire.close(1_000)
})

test('sound has the place that its stream says, and missing sound is missing', () => {
  const { wire, attach } = openWire()
  const places: number[] = []
  wire.onFrame = (_frame, at_ms) => places.push(at_ms)
  wire.begin(() => 0)
  const socket = attach()
  const payload = Buffer.alloc(160, 0xff).toString('base64')
  const receive = (timestamp?: number) =>
    socket.receive({
      event: 'media',
      media: { payload, ...(timestamp !== undefined && { timestamp: String(timestamp) }) },
    })
  for (const timestamp of [1_000, 1_020, 1_045, 1_200, 1_220, 900]) receive(timestamp)
  const [first = 0] = places
  assert.deepEqual(
    places.map((place) => place - first),
    [0, 20, 40, 200, 220, 240],
  )
  receive(60_000)
  assert.equal(socket.readyState, WebSocket.CLOSED, 'a minute ahead of time is refused')
  wire.close(1_000)
})

test('who hangs up before the talk begins has hung up', () => {
  const { wire, told, attach } = openWire()
  const socket = attach()
  socket.receive({ event: 'stop' })
  assert.ok(!told.some((event) => Object(event)[0] === 'end'))
  wire.begin(() => 0)
  assert.deepEqual(told.at(-1), ['end', 'hung_up'])
  wire.close(1_000)
})
