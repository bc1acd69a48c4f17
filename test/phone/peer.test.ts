import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import twilio from 'twilio'
import { fromMulaw } from '../../server/kit/sound/mulaw.ts'
import { account_sid, auth_token } from '../peers/carrier.ts'
import { openPhoneNetwork, type PhoneOptions } from '../peers/phone.ts'
import { readTwiml } from '../peers/phone-twiml.ts'
import { openEars } from '../support/ears.ts'
import { temporaryFolder } from '../support/folders.ts'
import { type Message, openPhoneService, until } from '../support/phone-service.ts'
import { loud_above, tone } from '../support/sounds.ts'
import { requireSpeech } from '../support/speech.ts'
import { plainWords } from '../support/spoken-answers.ts'

const { VoiceResponse } = twilio.twiml
const [from, to] = ['+14155550123', '+14155550100']

/** TwiML with a stream, and what follows. */
function streaming(service_url: string, token: string, next?: string): string {
  const response = new VoiceResponse()
  const stream = response.connect().stream({ url: `${service_url.replace('http', 'ws')}/stream?lost=yes` })
  stream.parameter({ name: 'token', value: token })
  if (next) response.redirect({ method: 'POST' }, service_url + next)
  return response.toString()
}

const hang_up = '<Response><Hangup/></Response>'
const sound = (ms: number) => tone({ hz: 440, ms, sample_rate: 8_000 })

async function openWorld(options: PhoneOptions = {}) {
  const [service, network] = [await openPhoneService(), await openPhoneNetwork(options)]
  after(() => network.close())
  const api = async (
    method: string,
    resource: string,
    form?: Record<string, string> | [string, string][],
    token = auth_token,
  ) => {
    const response = await fetch(`${network.url}/2010-04-01/Accounts/${account_sid}/${resource}`, {
      method,
      headers: { authorization: `Basic ${Buffer.from(`${account_sid}:${token}`).toString('base64')}` },
      ...(form && { body: new URLSearchParams(form) }),
    })
    return { status: response.status, body: Object(await response.json()) }
  }
  const callIn = (more: object = {}) => network.call({ from, to, webhook_url: `${service.url}/in`, ...more })
  const dial = (more: Record<string, string> = {}, events = ['initiated', 'ringing', 'answered', 'completed']) =>
    api('POST', 'Calls.json', [
      ...Object.entries({
        To: from,
        From: to,
        Url: `${service.url}/answered`,
        StatusCallback: `${service.url}/status`,
        ...more,
      }),
      ...events.map((event): [string, string] => ['StatusCallbackEvent', event]),
    ])
  return { service, network, api, callIn, dial }
}

test('a call comes in, streams in real time, and ends when the person hangs up', async () => {
  const { service, callIn } = await openWorld()
  service.answers['/in'] = streaming(service.url, 'secret', '/next')
  const call = callIn({ status_callback: `${service.url}/status` })
  const socket = await service.socket(0)
  const { start, sequenceNumber } = await socket.next('start')
  assert.equal(socket.path, '/stream', 'parameters in the URL are dropped')
  assert.deepEqual(socket.messages[0], { event: 'connected', protocol: 'Call', version: '1.0.0' })
  assert.equal(sequenceNumber, '1')
  assert.deepEqual(start.customParameters, { token: 'secret' })
  assert.deepEqual(start.mediaFormat, { encoding: 'audio/x-mulaw', sampleRate: 8_000, channels: 1 })
  assert.deepEqual(
    [start.callSid, start.accountSid, start.streamSid],
    [call.sid, account_sid, call.streams[0]?.stream_sid],
  )
  const [asked] = service.at('/in')
  assert.deepEqual(
    [asked?.CallSid, asked?.From, asked?.To, asked?.Direction, asked?.CallStatus],
    [call.sid, from, to, 'inbound', 'ringing'],
  )

  const said = await call.person.say(sound(200))
  call.person.press('4#')
  await socket.next('dtmf', 2)
  const frames = socket.of('media').map(({ media }) => media)
  assert.deepEqual(
    frames.map(({ chunk, timestamp }) => [chunk, timestamp]),
    frames.map((_, index) => [String(index + 1), String(20 * index)]),
  )
  const heard = frames.flatMap(({ payload }) => [...Buffer.from(payload, 'base64')].map(fromMulaw))
  assert.equal(heard.length, 160 * frames.length)
  assert.ok(heard.filter((sample) => Math.abs(sample) > loud_above).length > 1_200)
  assert.ok(said.end_ms - said.start_ms > 190)
  assert.ok(call.person.now() >= 20 * frames.length, 'no frame is early')
  assert.deepEqual(
    socket.of('dtmf').map(({ dtmf }) => dtmf.digit),
    ['4', '#'],
  )

  assert.deepEqual(await call.person.hangUp(), { status: 'completed', ended_by: 'person' })
  await socket.next('stop')
  await until('the socket is closed', socket.isClosed)
  await call.reported
  assert.deepEqual(
    service.at('/status').map(({ CallStatus, CallSid }) => [CallStatus, CallSid]),
    [['completed', call.sid]],
  )
  assert.deepEqual(service.at('/next'), [], 'a call that is over asks for nothing')
})

test('a mark comes back when the sound before it was played, and all marks after a clear', async () => {
  const { service, callIn } = await openWorld()
  service.answers['/in'] = streaming(service.url, 'a')
  const call = callIn()
  const socket = await service.socket(0)
  socket.send({ event: 'mark', mark: { name: 'nothing' } })
  socket.play(sound(300))
  socket.send({ event: 'mark', mark: { name: 'first' } })
  socket.play(sound(20_000))
  socket.send({ event: 'mark', mark: { name: 'second' } })
  socket.send({ event: 'mark', mark: { name: 'third' } })
  await socket.next('mark', 2)
  const [stream] = call.streams
  const [nothing, first] = stream?.marks ?? []
  assert.ok(nothing?.returned_ms !== undefined && first?.returned_ms !== undefined)
  assert.ok(first.returned_ms - first.arrived_ms >= 300)
  assert.ok(nothing.returned_ms < first.returned_ms)
  socket.send({ event: 'clear' })
  await socket.next('mark', 4)
  assert.deepEqual(
    socket.of('mark').map(({ mark }) => mark.name),
    ['nothing', 'first', 'second', 'third'],
  )
  assert.deepEqual(
    stream?.marks.map(({ is_cleared }) => is_cleared),
    [false, false, true, true],
  )
  assert.deepEqual(
    stream?.arrivals.map(({ event }) => event),
    ['mark', 'media', 'mark', 'media', 'mark', 'mark', 'clear'],
  )
  assert.equal(call.person.clears.length, 1)
  const { end_ms = 0, start_ms = 0 } = call.person.stretches[0] ?? {}
  assert.ok(end_ms <= (call.person.clears[0] ?? 0), 'nothing is played after the clear')
  assert.ok(end_ms - start_ms >= 300)
  assert.ok(call.person.heard.some((sample) => Math.abs(sample) > loud_above))
  await call.person.until('some silence', () => call.person.now() > end_ms + 100)
  assert.equal(call.person.stretches.length, 1)
})

test('sound that comes too late leaves a gap, and a clear leaves none', async () => {
  const { service, callIn } = await openWorld()
  service.answers['/in'] = streaming(service.url, 'a')
  const { person } = callIn()
  const socket = await service.socket(0)
  const playAgain = async () => {
    const count = person.stretches.length
    await until('a break', () => person.now() > (person.stretches.at(-1)?.end_ms ?? 0) + 40)
    socket.play(sound(100))
    await until('more sound', () => person.stretches.length > count)
  }
  socket.play(sound(100))
  await person.untilHeard(0)
  await playAgain()
  assert.equal(person.findGaps(0, 10_000).length, 1)
  socket.send({ event: 'clear' })
  await until('the clear', () => person.clears.length === 1)
  await playAgain()
  assert.equal(person.stretches.length, 3)
  assert.equal(person.findGaps(0, 10_000).length, 1)
  assert.deepEqual(person.findGaps(0, 1), [])
})

test('a call goes on with the next verb when its socket is closed', async () => {
  const { service, callIn } = await openWorld()
  service.answers['/in'] = streaming(service.url, 'a', '/next?n=1')
  service.answers['/next?n=1'] = streaming(service.url, 'b', '/next?n=2')
  service.answers['/next?n=2'] = hang_up
  const call = callIn()
  const first = await service.socket(0)
  first.play(sound(5_000))
  await call.person.untilHeard(0)
  first.close()
  const second = await service.socket(1)
  assert.equal((await second.next('start')).start.customParameters.token, 'b')
  assert.equal(service.at('/next?n=1')[0]?.CallStatus, 'in-progress')
  assert.ok((call.person.stretches[0]?.end_ms ?? 0) < 5_000, 'what was not played is dropped')
  call.cutStream()
  assert.deepEqual(await call.ended, { status: 'completed', ended_by: 'service' })
  assert.deepEqual(
    call.streams.map(({ closed_by }) => closed_by),
    ['service', 'service'],
  )
})

test('a webhook that nobody accepts is tried once more, and others are not', async () => {
  const { service, network, callIn } = await openWorld()
  service.answers['/in'] = 503
  const refused = callIn()
  assert.deepEqual(await refused.ended, { status: 'failed', ended_by: 'problem' })
  assert.deepEqual(
    refused.webhooks.map(({ status }) => status),
    [503],
  )
  const gone = await openPhoneService()
  await gone.close()
  network.options.route = () => gone.url
  const lost = callIn()
  assert.deepEqual(await lost.ended, { status: 'failed', ended_by: 'problem' })
  assert.deepEqual(
    lost.webhooks.map(({ status }) => status),
    [undefined, undefined],
  )
  network.options.route = undefined
  network.options.isTriedAgain = () => true
  const answers = [503, hang_up]
  service.answers['/in'] = () => answers.shift() ?? 500
  assert.deepEqual(await callIn().ended, { status: 'completed', ended_by: 'service' })
})

test('a rejected call is not answered', async () => {
  const { service, callIn } = await openWorld()
  for (const [twiml, status] of [
    ['<Reject/>', 'no-answer'],
    ['<Reject reason="busy"/>', 'busy'],
  ] as const) {
    service.answers['/in'] = `<Response>${twiml}</Response>`
    const call = callIn()
    assert.deepEqual(await call.ended, { status, ended_by: 'service' })
    assert.equal(call.answered_at, undefined)
  }
})

test('a dial rings, is answered, and reports each step', async () => {
  const { service, network, api, dial } = await openWorld()
  service.answers['/answered'] = streaming(service.url, 'a')
  const { status, body } = await dial()
  assert.deepEqual([status, body.status, body.to, body.direction], [201, 'queued', from, 'outbound-api'])
  const call = await network.nextCall()
  assert.equal(call.sid, body.sid)
  await call.person.until('a stream', () => call.streams[0]?.opened_ms !== undefined)
  const read = await api('GET', `Calls/${call.sid}.json`)
  assert.deepEqual([read.status, read.body.status], [200, 'in-progress'])
  await call.person.hangUp()
  await call.reported
  const reports = service.at('/status')
  assert.deepEqual(
    reports.map(({ CallStatus, SequenceNumber }) => [CallStatus, SequenceNumber]),
    [
      ['initiated', '0'],
      ['ringing', '1'],
      ['in-progress', '2'],
      ['completed', '3'],
    ],
  )
  assert.equal(reports[3]?.SipResponseCode, '200')
  assert.equal(service.at('/answered')[0]?.Direction, 'outbound-api')
  const today = new Date().toISOString().slice(0, 10)
  const list = await api('GET', `Calls.json?${new URLSearchParams({ To: from, From: to })}&StartTime>=${today}`)
  assert.deepEqual(
    list.body.calls.map(({ sid, status }: Message) => [sid, status]),
    [[call.sid, 'completed']],
  )
  assert.deepEqual((await api('GET', 'Calls.json?To=%2B14155550199')).body.calls, [])
})

test('who does not answer is reported', async () => {
  const { service, network, dial } = await openWorld()
  const people = [
    [{ takes: 'busy' }, 'busy', '486'],
    [{ takes: 'rejects' }, 'busy', '603'],
    [{ takes: 'no_answer', after_ms: 10 }, 'no-answer', '487'],
    [{ takes: 'fails', failure: { sip_response_code: 503 } }, 'failed', '503'],
  ] as const
  for (const [behaviour, status, code] of people) {
    network.options.personFor = () => behaviour
    await dial()
    const call = await network.nextCall()
    assert.equal((await call.ended).status, status)
    await call.reported
    const last = service.at('/status').at(-1)
    assert.deepEqual([last?.CallSid, last?.CallStatus, last?.SipResponseCode], [call.sid, status, code])
  }
  assert.deepEqual(service.at('/answered'), [])
  network.options.personFor = () => ({ takes: 'no_answer' })
  service.answers['/answered'] = hang_up
  await dial()
  const call = await network.nextCall()
  call.person.answer()
  assert.equal((await call.ended).status, 'completed')
})

test('callbacks come doubled, reversed or not at all', async () => {
  const { service, network, dial } = await openWorld()
  service.answers['/answered'] = hang_up
  const statuses = async (reports: object) => {
    network.options.personFor = () => ({ reports })
    await dial()
    const call = await network.nextCall()
    await call.reported
    return service.at('/status').flatMap(({ CallSid, CallStatus }) => (CallSid === call.sid ? CallStatus : []))
  }
  assert.deepEqual(await statuses({ copies: 0 }), [])
  const reversed = ['completed', 'in-progress', 'ringing', 'initiated']
  assert.deepEqual(await statuses({ order: 'reversed' }), reversed)
  const doubled = reversed.toReversed().flatMap((status) => [status, status])
  assert.deepEqual(await statuses({ copies: 2 }), doubled)
})

test('the API refuses and fails as it is told', async () => {
  const { service, network, api, dial } = await openWorld()
  assert.equal((await api('GET', 'Calls.json', undefined, 'wrong')).status, 401)
  const invalid = await dial({ To: '123' })
  assert.deepEqual([invalid.status, invalid.body.code], [400, 21211])
  network.options.numbers = [{ phone_number: to, voice_url: 'https://a.example/phone' }]
  const numbers = await api('GET', `IncomingPhoneNumbers.json?PhoneNumber=${encodeURIComponent(to)}`)
  assert.deepEqual(numbers.body.incoming_phone_numbers, network.options.numbers)
  network.options.troubleFor = () => ({ status: 429, code: 20429 })
  const limited = await dial()
  assert.deepEqual([limited.status, limited.body.code], [429, 20429])
  network.options.troubleFor = () => 'reset'
  await assert.rejects(dial())
  assert.equal(network.calls.length, 0)
  service.answers['/answered'] = hang_up
  network.options.troubleFor = () => 'accepted_without_answer'
  await assert.rejects(dial())
  assert.equal((await (await network.nextCall()).ended).status, 'completed')
})

test('an update ends the stream and replaces what the call does', async () => {
  const { service, network, api, dial } = await openWorld({
    transferFor: (number) => ({ takes: number.endsWith('1') ? 'busy' : 'answers', talk_ms: 50 }),
  })
  service.answers['/answered'] = streaming(service.url, 'a', '/wrong')
  service.answers['/next?after=digits'] = streaming(service.url, 'b', '/wrong')
  await dial()
  const call = await network.nextCall()
  const update = (form: Record<string, string>) => api('POST', `Calls/${call.sid}.json`, form)
  await call.untilStreaming()
  const pressing = new VoiceResponse()
  pressing.play({ digits: 'w12' })
  pressing.redirect(`${service.url}/next?after=digits`)
  assert.equal((await update({ Twiml: pressing.toString() })).status, 200)
  await (await service.socket(0)).next('stop')
  await call.untilStreaming(1)
  assert.deepEqual(
    call.pressed.map(({ digits }) => digits),
    ['w12'],
  )
  const transfer = (number: string) => {
    const response = new VoiceResponse()
    response.dial({ action: `${service.url}/transferred`, timeout: 30, answerOnBridge: true }, number)
    return update({ Twiml: response.toString() })
  }
  service.answers['/transferred'] = streaming(service.url, 'c')
  await transfer('+14155550191')
  await call.untilStreaming(2)
  assert.deepEqual(
    service.at('/transferred').map(({ DialCallStatus }) => DialCallStatus),
    ['busy'],
  )
  service.answers['/transferred'] = hang_up
  await transfer('+14155550192')
  assert.deepEqual(await call.ended, { status: 'completed', ended_by: 'service' })
  assert.equal(service.at('/transferred')[1]?.DialCallStatus, 'completed')
  const late = await update({ Twiml: hang_up })
  assert.deepEqual([late.status, late.body.code], [400, 21220])
  assert.deepEqual(service.at('/wrong'), [])
})

test('an update to completed ends the call, also while it rings', async () => {
  const { service, network, api, dial } = await openWorld({ personFor: () => ({ takes: 'no_answer' }) })
  service.answers['/answered'] = streaming(service.url, 'a')
  const end = ({ sid }: { sid: string }) => api('POST', `Calls/${sid}.json`, { Status: 'completed' })
  await dial()
  const ringing = await network.nextCall()
  await end(ringing)
  assert.deepEqual(await ringing.ended, { status: 'canceled', ended_by: 'api' })
  await dial()
  const call = await network.nextCall()
  call.person.answer()
  await call.untilStreaming()
  await end(call)
  assert.deepEqual(await call.ended, { status: 'completed', ended_by: 'api' })
})

test('a machine answers with a greeting and a beep, and is detected', async () => {
  const greeting = sound(200)
  const { service, network, dial } = await openWorld({ personFor: () => ({ greeting, has_beep: true }) })
  service.answers['/answered'] = streaming(service.url, 'a')
  const detection = { AsyncAmd: 'true', AsyncAmdStatusCallback: `${service.url}/machine` }
  await dial({ MachineDetection: 'DetectMessageEnd', ...detection })
  const call = await network.nextCall()
  const [verdict] = await until('a verdict', () => service.at('/machine').length > 0 && service.at('/machine'))
  assert.deepEqual([verdict?.CallSid, verdict?.AnsweredBy], [call.sid, 'machine_end_beep'])
  assert.ok(Number(verdict?.MachineDetectionDuration) >= 600, 'after the greeting and the beep')
  network.options.personFor = () => ({ verdict: { answered_by: 'fax', after_ms: 1 } })
  await dial({ MachineDetection: 'Enable', ...detection })
  await until('a verdict', () => service.at('/machine')[1]?.AnsweredBy === 'fax')
})

test('a person says a text, and what they hear can be transcribed', async () => {
  requireSpeech()
  const ears = openEars()
  after(() => ears.close())
  const { service, callIn } = await openWorld()
  service.answers['/in'] = streaming(service.url, 'a')
  const { person, untilStreaming } = callIn()
  await untilStreaming()
  const { end_ms } = await person.say('I want to cancel my appointment.')
  const socket = await service.socket(0)
  const said = socket.of('media').flatMap(({ media }) => [...Buffer.from(media.payload, 'base64')])
  socket.play(Int16Array.from(said, fromMulaw))
  await person.untilHeard(end_ms)
  await person.untilQuiet(end_ms)
  assert.equal(person.listen().length, 2 * person.heard.length)
  assert.match(plainWords(await ears.transcribe(person.listen(end_ms))), /cancel my appointment/)
})

test('what Twilio would not understand is a problem of the test', async () => {
  const { service, network, api, callIn, dial } = await openWorld()
  service.answers['/in'] = '<Response><Sing/></Response>'
  assert.deepEqual(await callIn().ended, { status: 'failed', ended_by: 'problem' })
  assert.match(network.takeProblems().join(), /Sing is not known/)
  service.answers['/in'] = streaming(service.url, 'a')
  const call = callIn()
  await call.untilStreaming()
  const socket = await service.socket(0)
  socket.send({ event: 'media', media: { payload: 'not Base64' } })
  await call.ended
  assert.match(network.takeProblems().join(), /not Base64/)
  service.answers['/answered'] = hang_up
  await dial({ Colour: 'red', MachineDetection: 'Enable' }, ['initiated ringing'])
  assert.equal(network.problems.length, 3)
  await (await network.nextCall()).ended
  await assert.rejects(network.close(), /Colour.*"initiated ringing".*asynchronous/s)
  network.takeProblems()
  await assert.rejects(api('GET', 'Calls.json'))
})

test('it runs as a process of its own, and keeps a log', async () => {
  const service = await openPhoneService()
  service.answers['/in'] = streaming(service.url, 'a')
  const log = path.join(temporaryFolder(), 'calls.jsonl')
  const child = fork(path.join(import.meta.dirname, '../peers/phone.ts'), ['--log', log], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  after(() => void child.kill())
  const [url] = await once(child.stdout ?? child, 'data')
  const response = await fetch(`${String(url).trim()}/inbound`, {
    method: 'POST',
    body: JSON.stringify({ from, to, webhook_url: `${service.url}/in`, hangs_up_after_ms: 100 }),
  })
  const { sid } = Object(await response.json())
  await (await service.socket(0)).next('stop')
  const lines = await until('the end of the call', () => fs.existsSync(log) && fs.readFileSync(log, 'utf8'))
  const { at: _, ...ended } = JSON.parse(lines)
  assert.deepEqual(ended, { type: 'ended', sid, status: 'completed', ended_by: 'person', streams: 1 })
})

test('TwiML is read strictly', () => {
  const read = (body: string) =>
    readTwiml(`<?xml version="1.0" encoding="UTF-8"?><Response>${body}</Response>`, 'https://a.example/b')
  const stream = (body: string) => `<Connect><Stream url="wss://a.example/phone">${body}</Stream></Connect>`
  assert.deepEqual(read(stream('<Parameter name="a&amp;b" value="&quot;"/>')), [
    { type: 'stream', url: 'wss://a.example/phone', parameters: { 'a&b': '"' } },
  ])
  assert.deepEqual(read('<Say>Hi</Say> <Pause length="2"/><Redirect>/c?d=1&amp;e=2</Redirect><!-- end -->'), [
    { type: 'say', text: 'Hi' },
    { type: 'pause', ms: 2_000 },
    { type: 'redirect', url: 'https://a.example/c?d=1&e=2' },
  ])
  assert.deepEqual(read('<Dial timeout="5" answerOnBridge="true">+14155550100</Dial>'), [
    { type: 'dial', to, action: undefined, timeout_ms: 5_000, answer_on_bridge: true, answered_url: undefined },
  ])
  const number = (more: string) => `<Dial><Number statusCallback="/d" ${more}>+14155550100</Number></Dial>`
  const [reported] = read(number('statusCallbackEvent="answered"'))
  assert.equal(reported?.type === 'dial' && reported.answered_url, 'https://a.example/d')
  assert.deepEqual(read('<Reject/>'), [{ type: 'reject', reason: 'rejected' }])
  const wrong = [
    '<Gather/>',
    'text',
    '<Hangup',
    '<Hangup></Hang>',
    '<Hangup now="yes"/>',
    '<Hangup>now</Hangup>',
    '<hangup/>',
    '<Say>Hi</Say><Reject/>',
    '<Reject reason="later"/>',
    '<Redirect/>',
    '<Redirect method="GET">/c</Redirect>',
    '<Redirect>ftp://a.example</Redirect>',
    '<Redirect>/c?d=1&e=2</Redirect>',
    '<Play>https://a.example/a.mp3</Play>',
    '<Play digits="12x"/>',
    '<Pause length="-1"/>',
    '<Dial>4155550100</Dial>',
    number('statusCallbackEvent="ringing"'),
    number('statusCallbackEvent="answered" statusCallbackMethod="GET"'),
    '<Dial><Sip>sip:a@a.example</Sip></Dial>',
    '<Dial timeout="4">+14155550100</Dial>',
    '<Dial answerOnBridge="yes">+14155550100</Dial>',
    '<Connect/>',
    '<Connect action="/c"><Stream url="wss://a.example"/></Connect>',
    '<Connect><Stream url="https://a.example"/></Connect>',
    '<Connect><Stream url="ws://a.example"/></Connect>',
    '<Connect><Stream url="wss://a.example"/><Stream url="wss://a.example"/></Connect>',
    stream('<Parameter name="a"/>'),
    stream('<Parameter name="a" value="1"/><Parameter name="a" value="2"/>'),
    stream(`<Parameter name="a" value="${'b'.repeat(500)}"/>`),
    stream('<Token/>'),
  ]
  for (const body of wrong) assert.throws(() => read(body), Error, body)
  for (const document of ['', '<Answer/>', '<Response/><Response/>', '<Response a="b"/>'])
    assert.throws(() => readTwiml(document, undefined), Error, document)
})
