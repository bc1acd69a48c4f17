import assert from 'node:assert/strict'
import fs from 'node:fs'
import { test } from 'node:test'
import { captureAll, openInPage, openOwner, skip } from '../support/dashboard.ts'

const owner = await openOwner()
const { page, context, address, workspace, fetchApp, send } = owner

const script = {
  start: 'ask',
  nodes: {
    ask: {
      say: 'Hello, this is the bakery. Is Tuesday at nine all right for you?',
      on: [{ intent: 'yes', go: 'done' }],
      else: { say: 'Sorry.', go: 'ask' },
    },
    done: { say: 'Wonderful. See you on Tuesday. Goodbye.', go: '@end' },
  },
}
const question = 'Is Tuesday at nine all right for you?'

const section = (name: string) => page.getByRole('region', { name, exact: true })
const dialog = () => page.getByRole('dialog')
const list = () => page.getByRole('list', { name: 'Conversations' })
const transcript = () => section('Transcript')
const choose = async (field: string, option: string) => {
  await page.getByRole('combobox', { name: field }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
const click = (name: string) => page.getByRole('button', { name, exact: true }).click()
const currentTime = async () => Number(await page.evaluate('document.querySelector("audio").currentTime'))
const play = (name = 'Play') => page.getByRole('button', { name, exact: true })

/** Requests for bytes of a recording, since the file began. */
const recording_requests: string[] = []
if (!skip)
  context.on('request', (request) => {
    if (/\/recording(\?|$)/.test(request.url()) && request.method() === 'GET') recording_requests.push(request.url())
  })
/** How often the audit log says that the recording was played or downloaded. */
async function auditedCounts(): Promise<number[]> {
  const entries = await send('GET', `/audit_log?action=calls.get_recording&subject_id=${call_id}`)
  return entries.map(({ count }: { count: number }) => count)
}

/** Opens a new workspace with an agent and a contact. */
async function openWorkspace(kind: 'live' | 'test') {
  const { id } = await fetchApp('POST', '/workspaces', { name: `${workspace.name}, ${kind}`, kind })
  await page.goto(`${address}/w/${id}`)
  const agent = await send('POST', '/agents', { name: 'Baker', script })
  const contact = await send('POST', '/contacts', { phone_number: '+14155550100', first_name: 'Grace' })
  return { agent_id: agent.id as string, contact_id: contact.id as string }
}

/** Of the test workspace. */
let agent_id = ''
let contact_id = ''
let call_id = ''

test('a call in a test workspace happens when its clock is advanced', { skip }, async () => {
  const made = await openWorkspace('test')
  agent_id = made.agent_id
  contact_id = made.contact_id
  await openInPage(page, '/conversations')
  await page.getByText('No conversations yet').waitFor()
  await openInPage(page, `/contacts/${contact_id}`)
  await click('Call')
  await dialog().getByText('Simulate', { exact: true }).click()
  await choose('Simulate a call with', 'A friendly person who agrees')
  await dialog().getByText('The clock of this test workspace stands still.').waitFor()
  await captureAll(owner, 'call, new')
  await click('Simulate call')
  await page.getByRole('heading', { name: 'Queued' }).waitFor()
  await captureAll(owner, 'call, queued')
  call_id = /calls\/([^?]+)/.exec(page.url())?.[1] ?? ''
  // The recording is made when it is asked for. This may take a while.
  await context.route(
    /\/recording(\?|$)/,
    (route) =>
      route.fulfill({
        status: 409,
        headers: { 'retry-after': '1' },
        json: { success: false, error: { code: 'INVALID_STATE', message: 'Wait.', details: { reason: 'rendering' } } },
      }),
    { times: 1 },
  )
  await click('Advance the clock by 5 minutes')
  await transcript().getByText('Tuesday').first().waitFor()
  await play().waitFor()
  await captureAll(owner, 'call, ended')
  assert.deepEqual(owner.pageErrors([409]), [])
})

test('the events of a call are one below the other, beside their name', { skip }, async () => {
  const line = page.getByRole('complementary', { name: 'Details' }).getByRole('region', { name: 'Line' })
  await line.getByText('Call ended').waitFor()
  const { name, events } = await line.evaluate((section) => ({
    name: section.querySelector('dt')?.getBoundingClientRect().right ?? 0,
    events: [...section.querySelectorAll('dd')].map((event) => {
      const { left, top } = event.getBoundingClientRect()
      return [left, top]
    }),
  }))
  assert.ok(events.length > 2)
  assert.equal(new Set(events.map(([left]) => left)).size, 1)
  assert.ok(events.every(([left = 0]) => left > name))
  assert.equal(new Set(events.map(([, top]) => top)).size, events.length)
})

test('a recording is requested when someone plays it, and that is one entry of the audit log', { skip }, async () => {
  const position = page.getByRole('slider', { name: 'Position' })
  await position.focus()
  await page.keyboard.press('ArrowRight')
  await page.locator('input[aria-valuetext^="0:05 of"]').waitFor()
  await page.getByLabel('Speed').selectOption('2')
  assert.deepEqual(recording_requests, [])
  assert.deepEqual(await auditedCounts(), [])
  await play().click()
  await page.getByText('The recording is being prepared…').waitFor()
  await play('Pause').waitFor()
  assert.ok((await currentTime()) >= 5)
  assert.equal(await page.evaluate('document.querySelector("audio").playbackRate'), 2)
  await play('Pause').click()
  const requests = recording_requests.length
  await position.focus()
  for (const key of ['Home', 'ArrowRight', 'End', 'Home']) await page.keyboard.press(key)
  await play().click()
  await play('Pause').click()
  assert.equal(recording_requests.length, requests)
  assert.deepEqual(await auditedCounts(), [1])
  await page.getByLabel('Speed').selectOption('1')
  await captureAll(owner, 'call, played')
})

test('a recording is played from a word, by the keyboard, and without one of its tracks', { skip }, async () => {
  const { turns } = await send('GET', `/calls/${call_id}/transcript`)
  const turn = turns.find(
    ({ role, text }: { role: string; text: string }) => role === 'agent' && text.includes(question),
  )
  const word = turn.words.find(({ text }: { text: string }) => text === 'Tuesday')
  const spoken = transcript().locator(`[data-start="${word.start_ms}"]`).filter({ hasText: 'Tuesday' })
  await spoken.click()
  await transcript().locator('[data-current]').first().waitFor()
  await click('Pause')
  assert.ok((await currentTime()) >= word.start_ms / 1000)
  const position = page.getByRole('slider', { name: 'Position' })
  await position.focus()
  await page.keyboard.press('Home')
  await page.locator('input[aria-valuetext^="0:00 of"]').waitFor()
  await page.keyboard.press('ArrowRight')
  await page.locator('input[aria-valuetext^="0:05 of"]').waitFor()
  assert.equal(await currentTime(), 5)
  await transcript().getByRole('button', { name: 'Play from' }).first().press('Enter')
  await page.getByLabel('Speed').selectOption('2')
  assert.equal(await page.evaluate('document.querySelector("audio").playbackRate'), 2)
  await click('Mute Grace')
  assert.equal(await page.getByRole('button', { name: 'Mute Grace' }).getAttribute('aria-pressed'), 'true')
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
  assert.equal(await page.evaluate('document.querySelector("audio").ended'), true)
  assert.deepEqual(owner.pageErrors([409]), [])
})

test('a long recording is played as it arrives, and that is one more entry', { skip }, async () => {
  const of_call = new RegExp(`/api/v1/calls/${call_id}$`)
  await context.route(of_call, async (route) => {
    const response = await route.fetch()
    const { data, ...body } = await response.json()
    const recording = { ...data.recording, duration_ms: 20 * 60_000 }
    await route.fulfill({ response, json: { ...body, data: { ...data, recording } } })
  })
  const sum = async () => (await auditedCounts()).reduce((sum, count) => sum + count)
  const before = await sum()
  await page.reload()
  await page.getByText('0:00 / 20:00').waitFor()
  assert.equal(await sum(), before)
  await Promise.all([play('Pause').waitFor(), play().click()])
  assert.match(String(await page.evaluate('document.querySelector("audio").src')), /^http/)
  await play().waitFor()
  assert.equal(await sum(), before + 1)
  await context.unroute(of_call)
  await page.reload()
})

test('transcripts and the recording are downloaded', { skip }, async () => {
  const contents: Record<string, Buffer> = {}
  for (const name of ['Transcript as text', 'Transcript as WebVTT subtitles', 'Recording as WAV']) {
    await click('Download')
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name }).click()])
    contents[name] = fs.readFileSync(await download.path())
  }
  assert.match(String(contents['Transcript as text']), /\[00:\d\d\] .*: .*Tuesday/)
  assert.match(String(contents['Transcript as WebVTT subtitles']), /^WEBVTT/)
  assert.equal(contents['Recording as WAV']?.subarray(0, 4).toString(), 'RIFF')
})

test('calls are listed beside messages, filtered, and found by what was said', { skip }, async () => {
  await send('POST', '/conversations', { agent_id, contact_id })
  await send('POST', '/calls', { agent_id, to: '+14155550101' })
  await send('POST', '/test_clock/advance', { by_seconds: 120 })
  await openInPage(page, '/conversations')
  await list().getByText('API').waitFor()
  await list().getByText('No answer').waitFor()
  await list().getByText('Answered').waitFor()
  await captureAll(owner, 'calls, list')
  await click('Filter')
  await choose('Kind', 'Call')
  await list().getByText('API').waitFor({ state: 'detached' })
  await page.getByText('2 calls').waitFor()
  await choose('Outcome', 'No answer')
  await page.getByText('1 call', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await list().getByRole('link').click()
  await page.getByRole('heading', { name: 'Nobody answered' }).waitFor()
  await captureAll(owner, 'call, no answer')
  await openInPage(page, '/conversations')
  await page.getByLabel('Search what was said in calls').fill('tuésday')
  await page.getByText('1 call', { exact: true }).waitFor()
  await page.getByLabel('Search what was said in calls').fill('something else')
  await page.getByText('No results').waitFor()
  const { conversation_id } = await send('GET', `/calls/${call_id}`)
  await openInPage(page, `/conversations/${conversation_id}`)
  await section('Recording').waitFor()
  await openInPage(page, `/contacts/${contact_id}`)
  await section('Timeline').getByRole('link', { name: 'Call with Baker' }).click()
  await section('Recording').waitFor()
  assert.deepEqual(owner.pageErrors([409]), [])
})

test('an owner deletes a recording, and erases what was said', { skip }, async () => {
  await click('More actions')
  await page.getByRole('menuitem', { name: 'Delete recording' }).click()
  await dialog().getByRole('button', { name: 'Delete recording' }).click()
  await page.getByText('The recording has been deleted.').waitFor()
  await transcript().getByText('Tuesday').first().waitFor()
  await captureAll(owner, 'call, recording deleted')
  await click('More actions')
  await page.getByRole('menuitem', { name: 'Erase what was said' }).click()
  await dialog().getByRole('button', { name: 'Erase' }).click()
  await section('Call with Grace').getByText('What was said has been erased.').waitFor()
  await captureAll(owner, 'call, erased')
})

test('a call is scheduled, and canceled', { skip }, async () => {
  await openInPage(page, `/agents/${agent_id}`)
  await click('Call')
  await dialog().getByText('Call the number').click()
  await dialog().getByLabel('Phone number or contact').fill('Gra')
  await page.getByRole('option', { name: 'Grace' }).click()
  await dialog().getByText('Later').click()
  await dialog().getByLabel('Call at').fill('2099-01-01T10:00')
  await click('Schedule call')
  await dialog().getByText('at most a year ahead').waitFor()
  await captureAll(owner, 'call, new with error')
  await dialog()
    .getByLabel('Call at')
    .fill(new Date(Date.now() + 86_400_000).toISOString().slice(0, 16))
  await click('Schedule call')
  await page.getByRole('heading', { name: 'Scheduled' }).waitFor()
  await page.getByRole('button', { name: 'Advance to 5 minutes after the call' }).waitFor()
  await captureAll(owner, 'call, scheduled')
  await click('Cancel call')
  await page.getByRole('heading', { name: 'The call was canceled before anyone answered' }).waitFor()
  assert.deepEqual(owner.pageErrors([400, 404, 409]), [])
})

test('what calls need is set for agents and workspaces', { skip }, async () => {
  await send('POST', '/providers', { name: 'Voices', kind: 'deepgram', base_url: 'https://93.184.215.14/v1' })
  await openInPage(page, `/agents/${agent_id}`)
  // The page keeps the list of providers for some seconds.
  await page.reload()
  await page.getByLabel('Voicemail message').fill('Please call us back.')
  await click('Add transfer')
  await page.getByLabel('Name of transfer 1').fill('Support')
  await page.getByLabel('Number of transfer 1').fill('+1 415 555 0199')
  await choose('Key to get no more calls', '# (hash)')
  await page.getByLabel('Name the key in every call').check()
  await page.getByLabel('Longest call').fill('10')
  await choose('Hears with', 'Voices')
  await page.getByRole('combobox', { name: 'Language of the contact' }).fill('de')
  await choose('Speaks with', 'Voices')
  await page.getByLabel('Speed').fill('3')
  await page.getByText('Must be at most 2').waitFor()
  await page.getByLabel('Speed').fill('1.2')
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor()
  await captureAll(owner, 'agent, calls')
  const { draft } = await send('GET', `/agents/${agent_id}`)
  assert.equal(draft.voicemail_message, 'Please call us back.')
  assert.deepEqual(draft.transfers, [{ name: 'Support', phone_number: '+14155550199' }])
  assert.equal(draft.limits.call_seconds_max, 600)
  assert.deepEqual([draft.opt_out_key, draft.opt_out_notice], ['#', true])
  assert.deepEqual(draft.speech, {
    listen: { provider: 'Voices', model: null, language: 'de' },
    speak: { provider: 'Voices', model: null, voice: null, speed: 1.2 },
  })
  await openInPage(page, '/settings/workspace')
  const save = (section: string) =>
    page.getByRole('region', { name: section }).getByRole('button', { name: 'Save' }).click()
  await page.getByLabel('Call minute').fill('0.0125')
  await save('Prices')
  await page.getByText('Prices saved.').waitFor()
  await page.getByLabel('Delete recordings after').fill('30')
  await save('Data retention')
  await page.getByText('Data retention saved.').waitFor()
  await page.getByRole('textbox', { name: 'Answered' }).fill('50')
  await save('Simulation')
  await page.getByText('must sum to 100').waitFor()
  await page.getByRole('textbox', { name: 'No answer' }).fill('20')
  await save('Simulation')
  await page.getByText('Simulation saved.').waitFor()
  const { settings } = await send('GET', '/workspace')
  assert.deepEqual(
    [settings.prices.call_minute, settings.recordings_keep_days, settings.mix.answered],
    [12_500, 30, 50],
  )
  await captureAll(owner, 'workspace, calls')
})

async function simulate(person: string): Promise<void> {
  await openInPage(page, `/agents/${agent_id}`)
  await click('Call')
  await choose('Simulate a call with', person)
  await click('Simulate call')
}

test('a call that rings is canceled', { skip }, async () => {
  const made = await openWorkspace('live')
  agent_id = made.agent_id
  await simulate('Someone who never answers')
  await page.getByRole('heading', { name: 'Ringing' }).waitFor()
  await captureAll(owner, 'call, ringing')
  await click('Cancel call')
  await page.getByRole('heading', { name: 'The call was canceled before anyone answered' }).waitFor()
})

test('a call is followed live, handed over and hung up', { skip }, async () => {
  await simulate('Someone who talks without end')
  await transcript().getByText('Interrupted').first().waitFor()
  await page.getByRole('timer').waitFor()
  await list().getByText('In progress').waitFor()
  await captureAll(owner, 'call, live')
  await click('Hand over')
  await dialog().getByRole('button', { name: 'Hand over' }).click()
  await transcript().getByText('Handed over by Ada ·').waitFor()
  await page.getByLabel('Write what the contact hears').fill('Hello, this is a person.')
  await page.keyboard.press('Enter')
  await transcript().getByText('Hello, this is a person.').waitFor()
  await captureAll(owner, 'call, handed over')
  await click('Hang up')
  await page.getByText('Your team hung up').first().waitFor()
  await play().waitFor()
  await transcript().getByText('Interrupted').first().waitFor()
  await transcript().getByText('Handed over by Ada ·').waitFor()
  await transcript()
    .getByText(/^Ada\b/)
    .waitFor()
  await captureAll(owner, 'call, interrupted')
  assert.deepEqual(owner.pageErrors([400, 404, 409]), [])
})

test('a call in a browser has a connection, and no carrier that has dialled', { skip }, async () => {
  const changed = { direction: 'inbound', from: null, to: null, end_reason: 'carrier_error' }
  await context.route(/\/api\/v1\/calls\/[^/?]+$/, async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    await route.fulfill({ response, json: { ...body, data: { ...body.data, ...changed } } })
  })
  await page.reload()
  await page.getByText('The connection was lost').first().waitFor()
  await page.getByText('Began', { exact: true }).waitFor()
  await page.getByText('Began (system)').waitFor()
  assert.equal(await page.getByText('The carrier reported an error').count(), 0)
})
