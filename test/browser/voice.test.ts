import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, afterEach, test } from 'node:test'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { sql } from '../../server/kit/postgres/sql.ts'
import { writeWav } from '../../server/kit/sound/wav.ts'
import { newCaller } from '../support/calls.ts'
import { openChromium } from '../support/chromium.ts'
import { newAgent } from '../support/conversations.ts'
import {
  assertFits,
  captureAll,
  describe,
  findViolations,
  openShared,
  saveScreenshot,
  skip,
  variantsOf,
  wide,
} from '../support/dashboard.ts'
import { microphone_rate, sentence } from '../support/microphone.ts'
import { until } from '../support/model-servers.ts'
import { newPerson } from '../support/sessions.ts'
import { placeWebCall } from '../support/voice-client.ts'
import { openVoicePeer, type PeerSocket } from '../support/voice-peer.ts'

/** Calls from pages, with Chromium's fake microphone. The peer plays the service's part on the socket. */

const { server } = await openShared()
const peer = await openVoicePeer(server.url)
const microphone_file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'parley-microphone-')), 'voice.wav')
const said = await sentence('What are your opening hours?', { voice: 'slt', after_ms: 1_000 })
const said_wav = Buffer.from(writeWav(said, microphone_rate))
// Chromium's microphone says it again and again.
fs.writeFileSync(microphone_file, said_wav)
/** Some builds of Chromium have nobody who could be asked, and refuse all: `asking` is the answer instead. */
const openBrowser = (asking: string): Promise<Browser> =>
  openChromium([
    '--use-fake-device-for-media-stream',
    `--use-fake-ui-for-media-stream${asking}`,
    `--use-file-for-fake-audio-capture=${microphone_file}`,
    '--autoplay-policy=user-gesture-required',
  ])
const granted = ''
const denied = '=deny'
const browser = skip
  ? // All tests are skipped then, and nothing uses it.
    ({} as Browser)
  : await openBrowser(granted)
/** Closed after each test, because a page that talks takes time of the processor. */
const contexts: BrowserContext[] = []
afterEach(() => Promise.all(contexts.splice(0).map((context) => context.close())))
after(async () => {
  if (!skip) await browser.close()
  fs.rmSync(path.dirname(microphone_file), { recursive: true })
})

const tenant = await server.workspace()
const channel_id = await newVoiceChannel({})
const place_path = `POST /voice/${channel_id}/calls`
const placed = (token: string) => ({
  status: 201,
  body: { success: true, data: { call: { id: 'call-1' }, url: peer.socket_url, token, expires_at: null } },
})

async function newVoiceChannel(fields: object): Promise<string> {
  const agent_id = await newAgent(tenant, { name: 'Receptionist', greeting: 'Hello.', ...fields })
  return (await tenant.addChannel({ name: 'Voice', kind: 'voice', provider: 'web', agent_id })).id
}

interface OpenOptions {
  /** Another one than that of most tests. */
  in_browser?: Browser
  init?: string
  path?: string
  origin?: string
  cookie?: { name: string; value: string }
}

interface Opened {
  page: Page
  errors: string[]
  requests: string[]
}

async function openPage({ in_browser = browser, init, ...options }: OpenOptions = {}): Promise<Opened> {
  const { origin = peer.url } = options
  const context = await in_browser.newContext({ viewport: wide, reducedMotion: 'reduce' })
  contexts.push(context)
  if (in_browser === browser) await context.grantPermissions(['microphone'], { origin })
  if (init) await context.addInitScript(init)
  if (options.cookie) await context.addCookies([{ ...options.cookie, url: origin }])
  const page = await context.newPage()
  const [errors, requests]: [string[], string[]] = [[], []]
  page.on('pageerror', ({ message }) => errors.push(message))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('request', (request) => requests.push(request.url()))
  const { path: opened_path = `/voice/${channel_id}` } = options
  await page.goto(origin + opened_path)
  return { page, errors, requests }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Faster than the page can show anything. */
const clickTwice = (element: Locator): Promise<void> =>
  element.evaluate((one) => {
    one.click()
    one.click()
  })
const countPlaced = (requests: string[]): number => requests.filter((url) => /\/calls(\/web)?$/.test(url)).length

/** Presses Talk and waits for the connection. */
async function talk(page: Page, name = 'Talk'): Promise<PeerSocket> {
  const before = peer.sockets.length
  peer.answers[place_path] = placed(`first-${before}`)
  await button(page, name).click()
  return await nextSocket(before)
}

async function nextSocket(before: number): Promise<PeerSocket> {
  await until(() => peer.sockets.length > before)
  const socket = peer.sockets[before]
  assert.ok(socket)
  return socket
}

/** The keys that have arrived. */
const keysOf = ({ messages }: PeerSocket): string =>
  messages.map(({ type, digit }) => (type === 'digit' ? String(digit) : '')).join('')

const loudest = ({ bytes }: { bytes: Buffer }): number => {
  let most = 0
  for (let at = 0; at + 1 < bytes.length; at += 2) most = Math.max(most, Math.abs(bytes.readInt16LE(at)))
  return most
}

/** The dashboard keeps its color scheme in the page. */
const lookAtDashboard = (page: Page, name: string): Promise<void> => captureAll({ page }, name)

async function look(page: Page, name: string): Promise<void> {
  for (const { variant, size, color_scheme } of variantsOf(name)) {
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme: color_scheme })
    await saveScreenshot(page, `${name}, ${variant}`)
    assert.deepEqual((await findViolations(page)).map(describe), [], `axe on ${name}, ${variant}`)
    await assertFits(page, `${name}, ${variant}`)
  }
  await page.setViewportSize(wide)
  await page.emulateMedia({ colorScheme: 'light' })
}

test('a visitor talks: frames of 20 ms go up, sound comes down, words and latency are shown', { skip }, async () => {
  const { page, errors } = await openPage()
  await page.getByText('An AI assistant answers. Calls are not recorded.').waitFor()
  await page.getByText('your browser asks for your microphone').waitFor()
  await look(page, 'voice page')
  const socket = await talk(page)
  await page.getByText('Connected').waitFor()
  assert.deepEqual([socket.start.type, socket.start.sample_rate], ['start', 16_000])
  assert.match(socket.start.token, /^first-/)
  assert.equal(socket.origin, peer.url)

  await until(() => socket.frames.length > 100)
  assert.ok(
    socket.frames.every(({ bytes }) => bytes.length === 640),
    'each frame has 20 ms',
  )
  assert.ok(
    socket.frames.some((frame) => loudest(frame) > 500),
    'the microphone is heard',
  )
  await until(async () => Number(await page.getByRole('meter').getAttribute('value')) > 0)

  socket.send({ type: 'words', role: 'contact', text: 'When are', is_final: false })
  socket.send({ type: 'words', role: 'contact', text: 'When are you open?', is_final: true })
  socket.sendTone(600)
  socket.send({ type: 'words', role: 'agent', text: 'Nine to six.', is_final: true })
  await page.getByText('When are you open?').waitFor()
  await page.getByText('Nine to six.').waitFor()
  assert.equal(await page.getByRole('log').locator('p').count(), 2)
  let sent_ms = 600
  await until(async () => {
    if (await page.getByText(/^Answered in \d+\.\d s$/).isVisible()) return true
    // On a slow machine the microphone still spoke, and this was no answer.
    if (socket.played() === sent_ms) {
      socket.sendTone(200)
      sent_ms += 200
    }
    return false
  })
  await until(() => socket.played() === sent_ms)
  const reports = socket.messages.filter(({ type }) => type === 'played').map(({ ms }) => Number(ms))
  assert.deepEqual(
    reports,
    reports.toSorted((one, other) => one - other),
  )
  assert.ok(reports.length >= 4 && reports.every((ms) => ms <= socket.sent()), String(reports))
  await look(page, 'voice page, talking')

  await button(page, 'End call').click()
  await until(() => socket.isClosed())
  assert.deepEqual(socket.messages.at(-1), { type: 'end' })
  await page.getByText('You ended the call.').waitFor()
  await look(page, 'voice page, ended')
  assert.equal(await page.evaluate('document.activeElement.id'), 'talk')
  assert.deepEqual(errors, [])
})

test('two quick clicks begin one call', { skip }, async () => {
  const { page, requests } = await openPage()
  const before = peer.sockets.length
  peer.answers[place_path] = placed('twice')
  await clickTwice(button(page, 'Talk'))
  await nextSocket(before)
  await page.getByText('Connected').waitFor()
  assert.deepEqual([countPlaced(requests), peer.sockets.length], [1, before + 1])
})

test('what was not played when the service clears is never played', { skip }, async () => {
  const { page } = await openPage()
  const socket = await talk(page)
  socket.sendTone(1_500)
  await until(() => socket.played() >= 100)
  socket.send({ type: 'clear' })
  socket.sendTone(100)
  // The time in which all of it would have been played.
  const from = socket.frames.length
  await until(() => socket.frames.length > from + 80)
  assert.ok(socket.played() >= 200 && socket.played() < 1_400, `${socket.played()} ms were played`)
})

test('a muted microphone sends silence, and the time goes on', { skip }, async () => {
  const { page } = await openPage()
  const socket = await talk(page)
  await until(() => socket.frames.some((frame) => loudest(frame) > 500))
  await button(page, 'Mute').click()
  await button(page, 'Muted').waitFor()
  const from = socket.frames.length + 3
  await until(() => socket.frames.length > from + 30)
  assert.ok(socket.frames.slice(from).every((frame) => loudest(frame) === 0))
  await button(page, 'Muted').click()
  const again = socket.frames.length
  await until(() => socket.frames.slice(again).some((frame) => loudest(frame) > 500))
})

test('keys are pressed on a keypad, or typed, and are shown', { skip }, async () => {
  const { page, errors } = await openPage()
  await page.keyboard.press('7')
  const socket = await talk(page)
  await page.getByText('Connected').waitFor()
  assert.equal(await page.getByRole('group', { name: 'Keypad' }).count(), 0)
  await page.keyboard.press('1')
  await button(page, 'Keypad').click()
  const keypad = page.getByRole('group', { name: 'Keypad' })
  assert.equal(await keypad.getByRole('button').count(), 12)
  await keypad.getByRole('button', { name: '2', exact: true }).click()
  await keypad.getByRole('button', { name: 'Star' }).press('Enter')
  await keypad.getByRole('button', { name: 'Pound' }).press('Space')
  await page.keyboard.type('0a#')
  // A shortcut of the browser is no key.
  await page.keyboard.press('Control+9')
  // Neither is what is typed beside the call.
  await page.locator('#scroller').focus()
  await page.keyboard.press('8')
  await button(page, 'Keypad').focus()
  await page.keyboard.press('5')
  await page.getByRole('status').filter({ hasText: 'Keys pressed: 12*#0#5' }).waitFor()
  await until(() => keysOf(socket) === '12*#0#5')
  await look(page, 'voice page, keypad')
  socket.send({ type: 'ended', end_reason: 'goal_reached' })
  await page.getByText('The call has ended.').waitFor()
  assert.equal(await page.evaluate('document.activeElement.id'), 'talk', 'the focus was on a key')
  await page.keyboard.press('5')
  const next = await talk(page, 'Talk again')
  await page.getByText('Connected').waitFor()
  assert.equal(await page.getByText('Keys pressed').count(), 0)
  assert.equal(await keypad.count(), 0)
  await page.keyboard.press('3')
  await until(() => keysOf(next) === '3')
  assert.equal(keysOf(socket), '12*#0#5')
  assert.deepEqual(errors, [])
})

test('a worklet that does not load is named, and the microphone is not blamed', { skip }, async () => {
  const { page } = await openPage()
  peer.answers['GET /voice-worklet.js'] = { status: 404, body: {} }
  await button(page, 'Talk').click()
  await page.getByText('The part of this page that handles sound could not be loaded').waitFor()
  await look(page, 'voice page, no worklet')
  delete peer.answers['GET /voice-worklet.js']
  await talk(page)
  await page.getByText('Connected').waitFor()
})

test('a lost connection comes back with the token of ready, and counts from 0', { skip }, async () => {
  const { page } = await openPage()
  const socket = await talk(page)
  socket.sendTone(200)
  await until(() => socket.played() === 200)
  const before = peer.sockets.length
  socket.drop()
  await page.getByText('Connecting again').waitFor()
  const next = await nextSocket(before)
  assert.equal(next.start.token, `again-${before}`)
  await page.getByText('Connected').waitFor()
  next.sendTone(100)
  await until(() => next.played() === 100)
  await until(() => next.frames.length > 10)
  next.send({ type: 'ended', end_reason: 'goal_reached' })
  await page.getByText('The call has ended.').waitFor()
  await until(() => next.isClosed())
})

test('a full service is tried again', { skip }, async () => {
  const { page } = await openPage()
  peer.is_answering = false
  const socket = await talk(page)
  const before = peer.sockets.length
  socket.send({ type: 'error', code: 'busy', message: 'Full.' })
  socket.close(1013)
  const next = await nextSocket(before)
  peer.is_answering = true
  await page.getByText('All lines are busy').waitFor()
  assert.equal(next.start.token, socket.start.token)
  next.send({ type: 'ready', call_id: 'call-1', token: 'again' })
  await page.getByText('Connected').waitFor()
})

test('a token that is refused ends the call with a sentence, and everything stops', { skip }, async () => {
  const spy = `globalThis.tracks = []
    const take = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
    navigator.mediaDevices.getUserMedia = async (wanted) => {
      const stream = await take(wanted)
      tracks.push(...stream.getTracks())
      globalThis.wanted = wanted
      return stream
    }`
  const { page } = await openPage({ init: spy })
  peer.is_answering = false
  const socket = await talk(page)
  peer.is_answering = true
  socket.close(4_401)
  await page.getByText('This call can’t be connected any more').waitFor()
  assert.deepEqual(await page.evaluate('tracks.map((track) => track.readyState)'), ['ended'])
  assert.deepEqual(await page.evaluate('wanted.audio'), {
    echoCancellation: true,
    noiseSuppression: true,
    autoGainControl: true,
    channelCount: 1,
  })
  await look(page, 'voice page, refused')
})

test('a refused microphone, none, an old browser and a page without TLS get a sentence that helps', {
  skip,
}, async () => {
  await using stack = new AsyncDisposableStack()
  const refusing = await openBrowser(denied)
  stack.defer(() => refusing.close())
  const { page: refused } = await openPage({ in_browser: refusing })
  await button(refused, 'Talk').click()
  await refused.getByText('The microphone is blocked.').waitFor()
  await look(refused, 'voice page, microphone refused')

  const missing = `navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('none', 'NotFoundError'))`
  const { page: without } = await openPage({ init: missing })
  await button(without, 'Talk').click()
  await without.getByText('No microphone was found.').waitFor()

  const { page: old } = await openPage({ init: 'delete globalThis.AudioWorkletNode' })
  await old.getByText('This browser can’t make calls.').waitFor()
  assert.equal(await button(old, 'Talk').isDisabled(), true)

  const insecure = "Object.defineProperty(globalThis, 'isSecureContext', { value: false })"
  const { page: plain } = await openPage({ init: insecure })
  await plain.getByText('Open this page with https://').waitFor()
  await look(plain, 'voice page, no TLS')
})

test('what the service answers instead of a call is said, and a second try works', { skip }, async () => {
  const { page } = await openPage()
  const refuse = async (status: number, details: object, sentence: string) => {
    peer.answers[place_path] = { status, body: { success: false, error: { code: 'ANY', message: 'No.', details } } }
    await button(page, 'Talk').click()
    await page.getByText(sentence).waitFor()
  }
  await refuse(404, {}, 'Nobody can be called here at the moment.')
  await refuse(409, { reason: 'speech_not_installed' }, 'Calls are not set up here yet.')
  await refuse(429, {}, 'Try again in 60 seconds.')
  await refuse(503, {}, 'All lines are busy. Try again in a few minutes.')
  await talk(page)
  await page.getByText('Connected').waitFor()
  assert.equal(await page.getByText('All lines are busy').count(), 0)
})

test('the page says that calls are recorded if the agent has a notice, and that a line is off', { skip }, async () => {
  const recorded = await newVoiceChannel({
    name: '<b>"Rec"</b>',
    recording: { is_on: true, notice: 'This call is recorded.' },
  })
  const { page } = await openPage({ path: `/voice/${recorded}` })
  await page.getByText('Calls are recorded.').waitFor()
  await page.getByRole('heading', { name: '<b>"Rec"</b>' }).waitFor()
  await server.pool.run(
    sql`update channels set status = 'disabled' where workspace_id = ${tenant.id} and id = ${recorded}`,
  )
  await page.reload()
  await page.getByText('Nobody can be called here at the moment').waitFor()
  await look(page, 'voice page, not available')
})

test('a visitor of a chat with voice talks, and each word is in the chat once', { skip }, async () => {
  const agent_id = await newAgent(tenant, { name: 'Receptionist', greeting: 'Hello. How can I help?' })
  const { id } = await tenant.addChannel({
    name: 'Site',
    kind: 'web_chat',
    provider: 'web',
    agent_id,
    has_voice: true,
  })
  const { page, errors } = await openPage({ path: `/chat/${id}` })
  const entries = page.getByRole('log').locator('.message, .divider')
  const readThread = async () => (await entries.allTextContents()).map((text) => text.replace(/\d+ (s|min)$/, '9 s'))
  const shows = async (thread: string[]) => {
    await until(async () => (await readThread()).at(-1) === thread.at(-1))
    assert.deepEqual(await readThread(), thread)
  }
  await shows(['Assistant: Hello. How can I help?'])
  await button(page, 'Talk').click()
  await page.getByText('Your browser asks for your microphone').waitFor()
  await page.getByText('The call is not recorded.').waitFor()
  await look(page, 'web chat, before a call')
  const before = peer.sockets.length
  peer.answers[`POST /chat/${id}/calls`] = placed('chat')
  await clickTwice(button(page, 'Start talking'))
  const socket = await nextSocket(before)
  await page.getByText('Connected').waitFor()
  assert.equal(peer.sockets.length, before + 1)
  socket.send({ type: 'words', role: 'agent', text: 'Hello.', is_final: false })
  socket.send({ type: 'words', role: 'agent', text: 'Hello. How can', is_final: true })
  socket.send({ type: 'words', role: 'contact', text: 'Are you', is_final: false })
  socket.send({ type: 'words', role: 'contact', text: 'Are you open?', is_final: true })
  socket.send({ type: 'words', role: 'agent', text: 'Until', is_final: false })
  socket.send({ type: 'words', role: 'agent', text: 'Until six.', is_final: true })
  socket.send({ type: 'words', role: 'agent', text: 'Goodb', is_final: false })
  const talked = ['Assistant: Hello. How can I help?', 'Call started', 'You: Are you open?', 'Assistant: Until six.']
  await shows([...talked, 'Assistant: Goodb'])
  await look(page, 'web chat, in a call')
  await button(page, 'Keypad').click()
  await page.getByRole('group', { name: 'Keypad' }).getByRole('button', { name: '4' }).click()
  await page.keyboard.press('2')
  await page.getByLabel('Message', { exact: true }).fill('Room 1')
  await page.getByLabel('Message', { exact: true }).press('5')
  await page.getByText('Keys pressed: 42').waitFor()
  await look(page, 'web chat, keypad')
  await button(page, 'End call').click()
  await until(() => socket.isClosed())
  await page.getByText('You ended the call.').waitFor()
  assert.equal(keysOf(socket), '42', 'a key that is typed into a message is no key of the call')
  const ended = [...talked, 'Assistant: Goodb', 'Call ended, 9 s']
  await shows(ended)
  await look(page, 'web chat, after a call')

  const sockets = peer.sockets.length
  await button(page, 'Talk again').click()
  const next = await nextSocket(sockets)
  await shows([...ended, 'Call started'])
  next.send({ type: 'words', role: 'agent', text: 'Hello. How can I help?', is_final: true })
  await shows([...ended, 'Call started', 'Assistant: Hello. How can I help?'])
  assert.deepEqual(errors, [])
})

test('a chat stays open during a call, and says why', { skip }, async () => {
  let script = ''
  const origin = await openSite((response) => {
    response.setHeader(
      'content-security-policy',
      `default-src 'none'; script-src ${peer.url}; frame-src ${peer.url}; img-src data:`,
    )
    return `<h1>Shop</h1>${script}`
  })
  const agent_id = await newAgent(tenant, { name: 'Receptionist', greeting: 'Hello.' })
  const { id } = await tenant.addChannel({
    name: 'Site',
    kind: 'web_chat',
    provider: 'web',
    agent_id,
    has_voice: true,
    origins: [origin],
  })
  script = `<script src="${peer.url}/chat/widget.js" data-channel="${id}" async></script>`
  peer.answers[`POST /chat/${id}/calls`] = placed('framed')
  const { page, errors } = await openPage({ origin, path: '/' })
  await button(page, 'Open chat').click()
  const chat = page.frameLocator('iframe[title=Chat]')
  const inChat = (name: string) => chat.getByRole('button', { name, exact: true })
  await inChat('Talk').click()
  const before = peer.sockets.length
  await inChat('Start talking').click()
  await nextSocket(before)
  await chat.getByText('Connected').waitFor()

  const why = chat.getByText('You are in a call. End it before you close the chat.')
  const leave: Record<string, () => Promise<void>> = {
    'Escape in the chat': () => inChat('Mute').press('Escape'),
    'the button in the chat': () => inChat('Close chat').click(),
    'Escape on the page': () => button(page, 'Close chat').press('Escape'),
    'the button on the page': () => button(page, 'Close chat').click(),
  }
  for (const [name, tryToLeave] of Object.entries(leave)) {
    await tryToLeave()
    await why.waitFor()
    assert.equal(await page.locator('iframe').isVisible(), true, name)
    assert.equal(peer.sockets.at(-1)?.isClosed(), false, name)
    await until(() => inChat('End call').evaluate('document.activeElement.textContent === "End call"'))
    // A state of the call replaces the sentence.
    const sockets = peer.sockets.length
    peer.sockets.at(-1)?.drop()
    await nextSocket(sockets)
    await chat.getByText('Connected').waitFor()
  }
  await inChat('Keypad').click()
  await inChat('Close chat').click()
  await saveScreenshot(page, 'web chat, on a page, in a call')
  await inChat('End call').click()
  await chat.getByText('You ended the call.').waitFor()
  await inChat('Talk again').press('Escape')
  await button(page, 'Open chat').waitFor()
  assert.equal(await page.locator('iframe').isVisible(), false)
  assert.deepEqual(errors, [])
})

test('a chat without voice has no microphone and loads nothing for it', { skip }, async () => {
  const agent_id = await newAgent(tenant, { greeting: 'Hello.' })
  const { id } = await tenant.addChannel({ name: 'Site', kind: 'web_chat', provider: 'web', agent_id })
  const { page, requests } = await openPage({ path: `/chat/${id}` })
  await page.getByText('Hello.').waitFor()
  assert.equal(await button(page, 'Talk').count(), 0)
  assert.equal(requests.filter((url) => /voice/.test(url)).length, 0)
})

const speech = {
  status: 'not_installed',
  message: null,
  progress: null,
  done_bytes: 0,
  total_bytes: 549_000_000,
  folder_bytes: 58_000_000,
  languages: ['English'],
  licenses: [{ name: 'Moonshine tiny', license: 'MIT' }],
  may_install: true,
}
const answer = (data: object, status = 200) => ({ status, body: { success: true, data } })

test('an owner installs speech, talks to the draft and opens the call', { skip }, async () => {
  const person = await newPerson(server, { [tenant.id]: 'owner' })
  const [name = '', value = ''] = person.cookie().split('=')
  const agent_id = await newAgent(tenant, { name: 'Receptionist', greeting: 'Hello.' })
  peer.answers['GET /app/speech'] = answer(speech)
  const refusal = { code: 'INVALID_STATE', message: 'No speech.', details: { reason: 'speech_not_installed' } }
  peer.answers['POST /app/api/v1/calls/web'] = { status: 409, body: { success: false, error: refusal } }
  const { page, errors, requests } = await openPage({
    path: `/w/${tenant.id}/agents/${agent_id}`,
    cookie: { name, value },
  })
  await button(page, 'Talk').click()
  const drawer = page.getByRole('dialog', { name: 'Talk to Receptionist' })
  await drawer.getByText('your browser asks for your microphone').waitFor()
  await lookAtDashboard(page, 'talk, before')
  await clickTwice(drawer.getByRole('button', { name: 'Talk' }))
  await drawer.getByText('58 MB').waitFor()
  assert.equal(countPlaced(requests), 1)
  await drawer.getByText('English').waitFor()
  await lookAtDashboard(page, 'talk, speech not installed')
  peer.answers['POST /app/speech'] = answer(
    { ...speech, status: 'installing', progress: 0.4, message: 'Unpacking.' },
    202,
  )
  peer.answers['GET /app/speech'] = answer({ ...speech, status: 'installing', progress: 0.5, message: 'Unpacking.' })
  await drawer.getByRole('button', { name: 'Install' }).click()
  await drawer.getByRole('progressbar', { name: 'Installing' }).waitFor()
  await lookAtDashboard(page, 'talk, installing speech')

  peer.answers['GET /app/speech'] = answer({ ...speech, status: 'installed' })
  peer.answers['POST /app/api/v1/calls/web'] = placed('dashboard')
  const before = peer.sockets.length
  await clickTwice(drawer.getByRole('button', { name: 'Talk' }))
  const socket = await nextSocket(before)
  await drawer.getByText('Connected').waitFor()
  assert.deepEqual([countPlaced(requests), peer.sockets.length], [2, before + 1])
  assert.equal(await drawer.getByRole('alert').count(), 0)
  socket.send({ type: 'words', role: 'contact', text: 'When are you open?', is_final: true })
  socket.send({ type: 'words', role: 'agent', text: 'Nine to six.', is_final: true })
  await drawer.getByText('Nine to six.').waitFor()
  await lookAtDashboard(page, 'talk')
  await page.keyboard.press('Escape')
  await drawer.getByRole('button', { name: 'Close' }).focus()
  await page.keyboard.press('9')
  await drawer.getByRole('button', { name: 'Mute' }).focus()
  await page.keyboard.press('1')
  await drawer.getByRole('button', { name: 'Keypad' }).click()
  await drawer.getByRole('group', { name: 'Keypad' }).getByRole('button', { name: 'Pound' }).click()
  await drawer.getByText('Keys pressed: 1#').waitFor()
  await until(() => keysOf(socket) === '1#')
  await lookAtDashboard(page, 'talk, keypad')
  await drawer.getByRole('button', { name: 'End call' }).click()
  await until(() => socket.isClosed())
  const link = drawer.getByRole('link', { name: 'Open the call' })
  assert.match((await link.getAttribute('href')) ?? '', /\/calls\/call-1$/)
  await lookAtDashboard(page, 'talk, ended')
  assert.deepEqual(
    errors.filter((text) => !text.includes('409')),
    [],
  )
})

test('who may not install speech gets the command', { skip }, async () => {
  const person = await newPerson(server, { [tenant.id]: 'member' })
  const [name = '', value = ''] = person.cookie().split('=')
  const agent_id = await newAgent(tenant, { name: 'Receptionist', greeting: 'Hello.' })
  peer.answers['GET /app/speech'] = answer({ ...speech, may_install: false })
  const refusal = { code: 'INVALID_STATE', message: 'No speech.', details: { reason: 'speech_not_installed' } }
  peer.answers['POST /app/api/v1/calls/web'] = { status: 409, body: { success: false, error: refusal } }
  const { page } = await openPage({ path: `/w/${tenant.id}/agents/${agent_id}`, cookie: { name, value } })
  await button(page, 'Talk').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Talk' }).click()
  await page.getByText('npx parley speech install').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Install' }).count(), 0)
})

/** A website of another origin than the service, which it returns. */
async function openSite(answer: (response: http.ServerResponse) => string): Promise<string> {
  const site = http.createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    const body = answer(response)
    response.end(`<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">${body}</html>`)
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  after(() => site.close())
  // Listening servers have a port.
  return `http://localhost:${(site.address() as AddressInfo).port}`
}

test("a customer's page with a strict policy imports the module and talks", { skip }, async () => {
  const origin = await openSite((response) => {
    response.setHeader(
      'content-security-policy',
      `default-src 'none'; script-src ${peer.url} 'nonce-own'; connect-src ${peer.socket_url}; img-src data:`,
    )
    return `<button>Call</button><output></output>
      <script type="module" nonce="own">
        import { connect } from '${peer.url}/voice.js'
        document.querySelector('button').onclick = () => {
          const call = connect({ url: '${peer.socket_url}', token: 'shop' })
          call.on('state', (state) => { document.querySelector('output').textContent = state })
          call.on('error', ({ message }) => { document.querySelector('output').textContent = message })
        }
      </script>`
  })
  const before = peer.sockets.length
  const { page, errors } = await openPage({ origin, path: '/' })
  await button(page, 'Call').click()
  const socket = await nextSocket(before)
  await page.getByText('live').waitFor()
  assert.equal(socket.origin, origin)
  await until(() => socket.frames.length > 20)
  assert.deepEqual(errors, [])
})

/** Replaces the microphone by one that says the sentence when `say` is called. */
const prompted = `navigator.mediaDevices.getUserMedia = async () => {
  const context = new AudioContext()
  const out = context.createMediaStreamDestination()
  const bytes = Uint8Array.from(atob('${said_wav.toString('base64')}'), (letter) => letter.charCodeAt(0))
  const buffer = await context.decodeAudioData(bytes.buffer)
  globalThis.say = () => {
    const source = new AudioBufferSourceNode(context, { buffer })
    source.connect(out)
    source.start()
  }
  return out.stream
}`

test('an agent greets, hears and answers, and the call is in the dashboard', { skip }, async () => {
  const script = {
    start: 'greet',
    nodes: {
      greet: { say: 'Hello.', on: [{ hear: ['opening hours'], go: 'hours' }], else: { say: 'Sorry?' } },
      hours: { say: 'From nine to six. Goodbye.', go: '@end' },
    },
  }
  const agent_id = await newCaller(tenant, { name: 'Receptionist', script })
  const { id } = await tenant.addChannel({ name: 'Voice', kind: 'voice', provider: 'web', agent_id })
  const { page, errors } = await openPage({ origin: server.url, path: `/voice/${id}`, init: prompted })
  await button(page, 'Talk').click()
  await page.getByText('Hello.').waitFor()
  await page.evaluate('say()')
  await page.getByText('The call has ended.').waitFor()
  const shown = await page.getByRole('log').locator('p').allTextContents()
  assert.equal(shown[0], 'Assistant: Hello.')
  assert.ok(
    shown.some((one) => /^You: .*opening hours/.test(one)),
    String(shown),
  )
  // On a busy machine it says something before.
  assert.match(shown.at(-1) ?? '', /^Assistant: .*From nine to six\. Goodbye\.$/)
  assert.deepEqual(errors, [])

  const person = await newPerson(server, { [tenant.id]: 'owner' })
  const [name = '', value = ''] = person.cookie().split('=')
  const dashboard = await openPage({
    origin: server.url,
    path: `/w/${tenant.id}/conversations`,
    cookie: { name, value },
  })
  await dashboard.page.getByRole('list', { name: 'Conversations' }).getByText('Incoming call').click()
  const transcript = dashboard.page.getByRole('region', { name: 'Transcript', exact: true })
  await transcript.getByText('From nine to six. Goodbye.').last().waitFor()
  await transcript.getByText('opening hours').first().waitFor()
  assert.deepEqual(dashboard.errors, [])
})

test('who tries an agent is named so, unless it is a contact', { skip }, async () => {
  const tried = await server.workspace()
  const agent_id = await newCaller(tried, { name: 'Receptionist', greeting: 'Hello.' })
  const contact = (await tried.call('POST', '/contacts', { phone_number: '+14155550123', first_name: 'Ada' })).body.data
  const trial = { agent_id, use_draft: true, is_test: true }
  await placeWebCall(tried, trial)
  await placeWebCall(tried, { ...trial, contact_id: contact.id })
  await tried.call('POST', '/conversations', { agent_id, use_draft: true, message: 'Hi.' })
  const person = await newPerson(server, { [tried.id]: 'owner' })
  const [name = '', value = ''] = person.cookie().split('=')
  const { page } = await openPage({ origin: server.url, path: `/w/${tried.id}/conversations`, cookie: { name, value } })
  const list = page.getByRole('list', { name: 'Conversations' })
  const rows = list.getByRole('link')
  await until(async () => (await rows.count()) === 3)
  await list.getByText('Ada').waitFor()
  assert.equal(await list.getByText('Tester').count(), 2)
  await lookAtDashboard(page, 'conversations, trials')
  for (const kind of ['API', 'Incoming call']) {
    await rows.filter({ hasText: 'Tester' }).filter({ hasText: kind }).click()
    await page.getByRole('heading', { level: 1, name: 'Tester' }).waitFor()
    await page
      .getByRole('definition')
      .filter({ hasText: /^Tester$/ })
      .waitFor()
  }
  await lookAtDashboard(page, 'call, trial')
})
