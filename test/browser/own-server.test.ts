import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type BrowserUser,
  captureAll,
  fillAccountForm,
  holdRequests,
  type OwnServer,
  openOwnServer,
  sendAs,
  skip,
} from '../support/dashboard.ts'

/** The first start, and what an open page shows after a restart. */

const javascript_bytes_max = 350_000

// All tests are skipped then, and nothing reads them.
const own_server = skip ? ({} as OwnServer) : await openOwnServer()
const { address, setup_link, restart } = own_server
const owner = skip ? ({} as BrowserUser) : await own_server.newBrowserUser()
const { page } = owner

const waitForConnection = () => page.getByRole('status').getByText('Connected').waitFor()
const rows = () => page.getByRole('table', { name: 'Events' }).locator('tbody tr')

/** Waits until exactly this many rows are shown. */
async function waitForRows(count: number): Promise<void> {
  await rows()
    .nth(count - 1)
    .waitFor()
  await rows().nth(count).waitFor({ state: 'detached' })
}

const send = (method: string, path: string, data?: object) => sendAs(owner, { address, method, path, data })

const addContact = (number: number) =>
  send('POST', '/api/v1/contacts', { phone_number: `+4930${9_000_000 + number}`, first_name: `Contact ${number}` })
const importContacts = (from: number, count: number) => {
  const numbers = Array.from({ length: count }, (_, index) => ({ phone_number: `+4930${from + index}` }))
  return send('POST', '/api/v1/contacts/imports', { rows: numbers })
}

test('before the first account, the start page points to the set-up link', { skip }, async () => {
  const visitor = await own_server.newBrowserUser()
  await visitor.page.goto(address)
  await visitor.page.getByRole('heading', { name: 'Set up Parley' }).waitFor()
  await visitor.page.getByText('set-up link that the server printed in the terminal').waitFor()
  assert.equal(await visitor.page.getByText('Ask a workspace owner').count(), 0)
  await captureAll(visitor, 'not set up')
  assert.deepEqual(visitor.pageErrors(), [])
})

test('the setup link creates the owner of the first workspace', { skip }, async () => {
  let bytes = 0
  page.on('response', async (response) => {
    if (!response.url().endsWith('.js')) return
    bytes += (await response.request().sizes()).responseBodySize
  })
  await page.goto(setup_link)
  await page.getByLabel('Your name').waitFor()
  await owner.capture('set-up')
  await fillAccountForm(page, 'Ada Lovelace', 'ada@example.com')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('Get started').waitFor()
  await page.getByText('API key created').waitFor()
  assert.ok(bytes > 0 && bytes < javascript_bytes_max, `the first pages load ${bytes} bytes of JavaScript`)
  await owner.capture('home, empty')
  await page.getByRole('button', { name: 'Start chat' }).click()
  const chat = page.getByRole('dialog', { name: 'Chat with Receptionist' })
  await chat.getByRole('log').getByText(/\w/).first().waitFor()
  await owner.capture('home, chat')
  await chat.getByRole('button', { name: 'Talk' }).click()
  const call = page.getByRole('dialog', { name: 'Talk to Receptionist' })
  await call.waitFor()
  await page.keyboard.press('Escape')
  await call.waitFor({ state: 'hidden' })
  assert.ok(await chat.isVisible(), 'Esc closes only what is on top')
  await page.keyboard.press('Escape')
  const talk = page.getByRole('listitem').filter({ hasText: 'Talk to Receptionist' })
  await talk.getByRole('img', { name: 'Not done yet' }).waitFor()
  await page.getByRole('button', { name: 'Start chat' }).click()
  await chat.getByLabel('Write as the contact').fill('When are you open?')
  await page.keyboard.press('Enter')
  await chat.getByRole('log').getByText('When are you open?').waitFor()
  await page.keyboard.press('Escape')
  await talk.getByRole('img', { name: 'Done', exact: true }).waitFor()
  assert.deepEqual(owner.pageErrors(), [])
})

const late = {
  version: '0.1.0',
  database: 'the database parley at db.example.com:5432',
  nodes: [
    { name: 'worker-1:5432', is_up: true },
    { name: 'worker-2:5432', is_up: false },
  ],
  engines: [
    { kind: 'messages', due: 10_000, lag_seconds: 4 },
    { kind: 'deliveries', due: 1_234, lag_seconds: 245 },
    { kind: 'campaign_enrollings', due: 0, lag_seconds: 0 },
  ],
  calls_live: 3,
  webhooks_failing: 1,
  channels_failing: null,
  disk: { free_bytes: 800_000_000 },
  attention: [
    "The database's node worker-2:5432 is down.",
    'Less than 1 GB is free in DATA_DIR.',
    'Webhook deliveries are 4 minutes late.',
    "1 webhook is failing: the endpoint doesn't accept deliveries.",
    'Channels could not be read: connection to the remote node postgres@worker-2.internal.example.com:5432 failed.',
  ],
}

test('the owner of the first workspace sees how the installation is', { skip }, async () => {
  const work = page.getByRole('table', { name: 'Background work' })
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click()
  const tab = page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Installation' })
  await tab.click()
  await work.getByRole('row', { name: 'Webhook deliveries 0 –' }).waitFor()
  assert.equal(await work.getByRole('row').count(), 16)
  await captureAll(owner, 'installation')
  assert.deepEqual(owner.pageErrors(), [])
  const address_of_it = page.url()
  // In another page, whose time passes when the test says so.
  const other = { page: await owner.context.newPage() }
  await other.page.clock.install()
  let answer: { status: number; json: object } = { status: 200, json: { success: true, data: late } }
  await other.page.route(/\/app\/installation/, (route) => route.fulfill(answer))
  await other.page.goto(address_of_it)
  const getByText = (text: string) => other.page.getByText(text)
  await getByText('Webhook deliveries are 4 minutes late.').waitFor()
  await other.page.getByRole('row', { name: 'Webhook deliveries 1,234 4:05' }).waitFor()
  await other.page.getByRole('row', { name: 'Messages 10,000+ 0:04' }).waitFor()
  await captureAll(other, 'installation, attention')
  answer = { status: 200, json: { success: true, data: { ...late, attention: [] } } }
  await other.page.clock.runFor(10_000)
  await getByText('All is well. Nothing needs your attention.').waitFor()
  await captureAll(other, 'installation, well')
  const attention = ['Background work could not be read: the database is busy.']
  answer = { status: 200, json: { success: true, data: { ...late, attention, engines: [] } } }
  await other.page.clock.runFor(10_000)
  await getByText('The list above says why.').waitFor()
  await captureAll(other, 'installation, nothing read')
  answer = { status: 403, json: { success: false, error: { code: 'FORBIDDEN', message: 'Not today.' } } }
  await other.page.clock.runFor(10_000)
  await getByText('This is no longer current. Not today.').waitFor()
  await captureAll(other, 'installation, not current')
  await other.page.close()
})

test('the installation shows that it loads, and what went wrong', { skip }, async () => {
  const other = { page: await owner.context.newPage() }
  const release = await holdRequests(other.page, /\/app\/installation/)
  await other.page.goto(page.url())
  await other.page.getByRole('status', { name: 'Loading' }).waitFor()
  await captureAll(other, 'installation, loading')
  release()
  await other.page.getByText('Couldn’t load this page').waitFor()
  await captureAll(other, 'installation, error')
  await other.page.close()
})

test('an open log shows each new event once and stays bounded', { skip }, async () => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Events' }).click()
  await waitForConnection()
  await rows().getByText('api_key.created').waitFor()
  const before = await rows().count()
  await addContact(1)
  await rows().first().getByText('contact.created').waitFor()
  await waitForRows(before + 1)
  await importContacts(8_000_000, 900)
  await rows().first().getByText('import.finished').waitFor()
  // 200 live events and the first page of 100, which was loaded again.
  await rows().nth(300).waitFor({ state: 'detached' })
  await addContact(2)
  await rows().nth(1).getByText('import.finished').waitFor()
  await rows().first().getByText('contact.created').waitFor()
  await page.getByRole('button', { name: 'Show older events' }).click()
  await rows().nth(199).waitFor()
  assert.deepEqual(owner.pageErrors(), [])
})

test('after a server restart no event is missing and none appears twice', { skip }, async () => {
  await page.reload()
  await waitForConnection()
  await waitForRows(100)
  await addContact(3)
  await rows().first().getByText('Contact 3').waitFor()
  await rows().first().getByRole('link').click()
  await page.getByRole('region', { name: 'Event data' }).waitFor()
  await restart()
  await addContact(4)
  await rows().first().getByText('Contact 4').waitFor()
  await waitForConnection()
  await addContact(5)
  await rows().first().getByText('Contact 5').waitFor()
  assert.equal(await page.getByRole('region', { name: 'Event data' }).count(), 1, 'the open event stays open')
  await page.keyboard.press('Escape')
  const newest = (await rows().allInnerTexts()).slice(0, 4)
  assert.deepEqual(
    newest.map((text) => /Contact \d/.exec(text)?.[0]),
    ['Contact 5', 'Contact 4', 'Contact 3', 'Contact 2'],
  )
})

test('a hidden page disconnects, and shows the missed events when it is visible again', { skip }, async () => {
  const setVisibility = (state: string) =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))`)
  await page.reload()
  await waitForConnection()
  await addContact(6)
  await waitForRows(101)
  await setVisibility('hidden')
  await page.getByText('Connecting…').waitFor()
  const { id } = await addContact(7)
  await send('DELETE', `/api/v1/contacts/${id}`)
  await setVisibility('visible')
  await waitForConnection()
  await rows().first().getByText('contact.deleted').waitFor()
  await waitForRows(100)
})

test('signing out elsewhere leads to the sign-in page', { skip }, async () => {
  await send('DELETE', '/session')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})
