import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Response } from 'playwright-core'
import { captureAll, openFromNav, openInPage, openOwner, skip } from '../support/dashboard.ts'

const owner = await openOwner()
const { page, address, send, newMember } = owner

const dialog = () => page.getByRole('dialog')
const button = (name: string) => page.locator('main').getByRole('button', { name })
const idInPath = () => page.url().split('/').at(-1) ?? ''

async function chooseAgent(name: string): Promise<void> {
  await dialog().getByRole('combobox', { name: 'Agent' }).click()
  await page.getByRole('option', { name }).click()
}

/** The message of a save before may still be shown. */
async function save(): Promise<void> {
  const isSaved = (response: Response) => response.request().method() === 'PATCH' && response.ok()
  await Promise.all([page.waitForResponse(isSaved), button('Save').click()])
  await page.getByText('Channel saved.').first().waitFor()
}

let agent_name = ''

test('an owner puts a web chat on a website', { skip }, async () => {
  agent_name = (await send('POST', '/agents', { name: 'Reception', greeting: 'Hello.' })).name
  await openFromNav(page, 'Channels')
  await page.getByText('No channels yet').waitFor()
  await owner.capture('channels, empty')

  await button('New channel').click()
  await dialog().getByLabel('Name').fill('Website')
  await chooseAgent(agent_name)
  await dialog().getByRole('combobox', { name: 'Websites' }).fill('example.com')
  await dialog().getByRole('button', { name: 'Create channel' }).click()
  await dialog().getByText('Must be an origin such as https://example.com').waitFor()
  assert.equal(await dialog().getByPlaceholder('https://example.com').count(), 0, 'it would look like a wrong value')
  await owner.capture('channel, invalid')
  await dialog().getByRole('combobox', { name: 'Websites' }).press('Backspace')
  await dialog().getByRole('button', { name: 'Create channel' }).click()
  await page.getByRole('heading', { level: 1, name: 'Website' }).waitFor()

  const snippet = `<script src="${address}/chat/widget.js" data-channel="${idInPath()}" async></script>`
  await page.getByText(snippet, { exact: true }).waitFor()
  assert.equal(
    await page.getByRole('link', { name: 'Open the page' }).getAttribute('href'),
    `${address}/chat/${idInPath()}`,
  )
  await button('Try the chat').click()
  await page.frameLocator('iframe').getByRole('textbox').waitFor()
  await page.locator('iframe').scrollIntoViewIfNeeded()
  await owner.capture('channel, preview')
  await page.frameLocator('iframe').getByRole('button', { name: 'Close' }).click()
  await button('Try the chat').waitFor()
  await page.getByText('no website may show the chat yet').waitFor()
  await page.getByRole('combobox', { name: 'Websites' }).fill('https://Example.com/')
  assert.equal(await page.getByLabel('Messages per').count(), 0)
  await page.getByLabel('Tokens per day').fill('')
  await button('Save').click()
  await page.getByText('Channel saved.').waitFor()
  await page.getByText('These websites may show the chat: https://example.com.').waitFor()
  await owner.capture('channel, web chat')
  const saved = await send('GET', `/channels/${idInPath()}/settings`)
  assert.deepEqual([saved.origins, saved.tokens_per_day_max], [['https://example.com'], null])
  assert.deepEqual(owner.pageErrors([400]), [])
})

test('an owner connects a Twilio number, and turns it off and on', { skip }, async () => {
  await openInPage(page, '/channels')
  await button('New channel').click()
  await dialog().getByRole('radio', { name: 'SMS by Twilio' }).check()
  await dialog().getByPlaceholder('Support line').fill('Line')
  await dialog().getByLabel('Phone number').fill('(415) 555-0100')
  await chooseAgent(agent_name)
  await dialog()
    .getByLabel('Account SID')
    .fill(`AC${'0'.repeat(32)}`)
  await dialog().getByRole('textbox', { name: 'Auth token' }).fill('secret-token')
  await dialog().getByRole('button', { name: 'Create channel' }).click()
  await dialog().getByText('Add the country code, such as +1 415 555 0123').waitFor()
  await owner.capture('channel, form')
  await dialog().getByLabel('Phone number').fill('+1 (415) 555-0100')
  await dialog().getByRole('button', { name: 'Create channel' }).click()
  await page.getByRole('heading', { level: 1, name: 'Line' }).waitFor()
  await page.getByText(`${address}/sms/${idInPath()}`, { exact: true }).waitFor()
  await page.getByText('set PUBLIC_URL').waitFor()
  await page.getByText('A token is stored. Leave blank to keep it.').waitFor()
  assert.equal(await page.getByText('secret-token').count(), 0)

  await page.getByLabel('API URL').fill('https://93.184.215.14')
  await page.getByText('The stored token is removed').waitFor()
  await page.getByLabel('API URL').fill('https://10.0.0.1')
  await button('Save').click()
  await page.getByText('The operator can allow private ones with OUTBOUND_ALLOW_HOSTS.').waitFor()
  await page.getByLabel('API URL').fill('https://api.twilio.com')
  assert.equal(await page.getByLabel('Tokens per day').count(), 0)
  await page.getByLabel('Messages per minute').fill('0')
  await button('Save').click()
  await page.getByText('Must be at least 1').waitFor()
  await page.getByLabel('Messages per minute').fill('5')
  await save()
  const saved = await send('GET', `/channels/${idInPath()}/settings`)
  assert.deepEqual([saved.messages_per_minute_max, saved.has_auth_token], [5, true])
  await owner.capture('channel, SMS')

  await button('Disable').click()
  await dialog().getByText('STOP still counts.').waitFor()
  await owner.capture('channel, disable')
  await dialog().getByRole('button', { name: 'Cancel' }).click()
  await dialog().waitFor({ state: 'detached' })
  await button('Disable').click()
  await dialog().getByRole('button', { name: 'Disable channel' }).click()
  await page.getByText('This channel is disabled').waitFor()
  assert.equal(await page.getByLabel('Send to').count(), 0)
  await owner.capture('channel, disabled')
  await button('Enable').click()
  await page.getByText('This channel is disabled').waitFor({ state: 'hidden' })
  assert.deepEqual(owner.pageErrors([400]), [])
})

test('an owner connects a telephone number, and checks it', { skip }, async () => {
  const line = page.url()
  await openInPage(page, '/channels')
  await button('New channel').click()
  await dialog().getByRole('radio', { name: 'Telephone by Twilio' }).check()
  await dialog().getByPlaceholder('Support line').fill('Telephone')
  await dialog().getByLabel('Phone number').fill('+1 (415) 555-0100')
  await chooseAgent(agent_name)
  await dialog()
    .getByLabel('Account SID')
    .fill(`AC${'0'.repeat(32)}`)
  await dialog().getByRole('textbox', { name: 'Auth token' }).fill('secret-token')
  await owner.capture('telephone, form')
  await dialog().getByRole('button', { name: 'Create channel' }).click()
  await page.getByRole('heading', { level: 1, name: 'Telephone' }).waitFor()
  await page.getByText(`${address}/phone/${idInPath()}`, { exact: true }).waitFor()
  await button('Copy URL').waitFor()
  await page.getByText('Leave “Call status changes” empty').waitFor()
  await page.getByText('set PUBLIC_URL').waitFor()
  await captureAll(owner, 'telephone, steps')
  await page.getByLabel('Tokens per day').fill('5000')
  assert.equal(await page.getByLabel('Messages per').count(), 0)
  await save()
  assert.equal((await send('GET', `/channels/${idInPath()}/settings`)).tokens_per_day_max, 5_000)

  const findings = [
    {
      code: 'voice_url_differs',
      message: `Calls go to another URL, https://demo.twilio.com/${'welcome/'.repeat(12)}.`,
    },
    { code: 'speech_not_installed', message: 'The agent can’t hear callers. Run "parley speech install".' },
  ]
  const answer = async (found: object[], status = 200) => {
    const result = { is_ok: found.length === 0, status: null, duration_ms: 5, error: null, findings: found }
    const error = { code: 'INVALID_STATE', message: 'This channel is disabled.', details: {} }
    const json = status === 200 ? { success: true, data: result } : { success: false, error }
    await page.route(/\/test$/, (route) => route.fulfill({ status, json }), { times: 1 })
    await button('Check number').click()
  }
  await answer(findings)
  await page.getByText('2 things to fix').waitFor()
  assert.equal(await page.getByRole('status').getByRole('listitem').count(), 2)
  await captureAll(owner, 'telephone, findings')
  await answer(findings.slice(1))
  await page.getByText('One thing to fix').waitFor()
  await answer([], 409)
  await page.getByRole('alert').getByText('This channel is disabled.').waitFor()
  assert.equal(await page.getByText('One thing to fix').count(), 0)
  await answer([])
  await page.getByText('Call +1 415 555 0100 to talk to the agent.').waitFor()
  await owner.capture('telephone, checked')
  await button('Disable').click()
  await dialog().getByText('Calls are no longer answered or placed.').waitFor()
  await dialog().getByRole('button', { name: 'Disable channel' }).click()
  await page.getByText('Calls are neither answered nor placed.').waitFor()
  assert.equal(await button('Check number').count(), 0)
  await send('DELETE', `/channels/${idInPath()}`)
  assert.deepEqual(owner.pageErrors([400, 409]), [])
  await page.goto(line)
})

test('a test message is sent to a number', { skip }, async () => {
  const line = page.url()
  const simulator = { name: 'Simulator', kind: 'sms', provider: 'simulator', address: '+14155550101' }
  const { id } = await send('POST', '/channels', simulator)
  await openInPage(page, `/channels/${id}`)
  await page.getByRole('heading', { level: 1, name: 'Simulator' }).waitFor()
  await page.getByLabel('Send to').fill('0415')
  await button('Send test message').click()
  await page.getByText('Add the country code, such as +1 415 555 0123').waitFor()
  await page.getByLabel('Send to').fill('+1 415 555 0199')
  await button('Send test message').click()
  await page.getByText('Test message sent.').waitFor()
  const result = { is_ok: false, status: null, duration_ms: 1, error: 'The number is not valid.' }
  await page.route(/\/test$/, (route) => route.fulfill({ json: { success: true, data: result } }))
  await button('Send test message').click()
  await page.getByText('The message was not sent. The number is not valid.').waitFor()
  await owner.capture('channel, test message')
  await page.unroute(/\/test$/)
  await send('DELETE', `/channels/${id}`)
  await page.goto(line)
})

test('the page says why a channel fails', { skip }, async () => {
  const error = 'Twilio rejects the account SID or auth token.'
  await page.route(/\/channels\/[\w-]+\/settings$/, async (route) => {
    const { data } = await (await route.fetch()).json()
    await route.fulfill({ json: { success: true, data: { ...data, status: 'failing', error } } })
  })
  await page.reload()
  await page.getByText(error).waitFor()
  await owner.capture('channel, failing')
  await page.unroute(/\/channels\/[\w-]+\/settings$/)
})

test('an agent that a channel uses is not deleted', { skip }, async () => {
  const [{ agent_id }] = await send('GET', '/channels')
  await openInPage(page, `/agents/${agent_id}`)
  await page.getByRole('heading', { level: 1, name: agent_name }).waitFor()
  await page.locator('main').getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await dialog().getByRole('button', { name: 'Delete agent' }).click()
  await dialog().getByText('Used by: 2 channels').waitFor()
  await dialog().getByRole('button', { name: 'Cancel' }).click()
  assert.deepEqual(owner.pageErrors([400, 409]), [])
})

test('people who are not owners see the names of channels only', { skip }, async () => {
  const guest = await newMember('viewer')
  await openFromNav(guest.page, 'Channels')
  const table = guest.page.getByRole('table', { name: 'Channels' })
  await table.getByText('SMS by Twilio').waitFor()
  await table.getByText(agent_name).first().waitFor()
  assert.equal(await guest.page.getByText(/\+1 ?415 ?555 ?0100/).count(), 0)
  assert.equal(await table.getByRole('link').count(), 0)
  assert.equal(await guest.page.getByRole('button', { name: 'New channel' }).count(), 0)
  await guest.capture('channels, viewer')
  const [{ id }] = await send('GET', '/channels')
  await openInPage(guest.page, `/channels/${id}`)
  await guest.page.getByText('Only owners can view this page').waitFor()
  assert.deepEqual(guest.pageErrors(), [])
})

test('the pages of channels work in dark mode and on a phone', { skip }, async () => {
  const [line, chat] = await send('GET', '/channels')
  const pages = {
    channels: '/channels',
    'channel, SMS': `/channels/${line.id}`,
    'channel, web chat': `/channels/${chat.id}`,
  }
  const shown: Record<string, string> = {
    channels: 'SMS by Twilio · +1 415 555 0100',
    'channel, web chat': 'Tokens per day',
  }
  for (const [name, path] of Object.entries(pages)) {
    await openInPage(page, path)
    await page.getByText(shown[name] ?? 'Messages per day').waitFor()
    await captureAll(owner, name)
  }
})

test('a web chat is disabled and deleted', { skip }, async () => {
  await button('Disable').click()
  await dialog().getByText('Visitors can no longer chat.').waitFor()
  await dialog().getByRole('button', { name: 'Disable channel' }).click()
  await page.getByText('This channel is disabled').waitFor()
  await button('More').click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await dialog().getByText('Its page and its snippet stop working. Conversations are kept.').waitFor()
  await dialog().getByRole('button', { name: 'Delete channel' }).click()
  await page.getByText('Channel deleted.').waitFor()
  await page.getByRole('table', { name: 'Channels' }).getByText('Line').waitFor()
  await page.getByRole('link', { name: 'Website' }).waitFor({ state: 'detached' })
  await page.route(/\/channels\?/, (route) => route.fulfill({ status: 500, json: {} }))
  await page.reload()
  await page.getByText('Couldn’t load this page').waitFor()
  await owner.capture('channels, error')
  assert.deepEqual(owner.pageErrors([400, 409, 500]), [])
})
