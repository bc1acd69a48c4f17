import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BrowserUser, fillAccountForm, type OwnServer, openOwnServer, sendAs, skip } from '../support/dashboard.ts'

/** The first start, and what an open page shows after a restart. */

const javascript_bytes_max = 350_000

// All tests are skipped then, and nothing reads them.
const own_server = skip ? ({} as OwnServer) : await openOwnServer()
const { address, setup_link, restart } = own_server
const owner = skip ? ({} as BrowserUser) : await own_server.newBrowserUser()
const { page } = owner

const waitForConnection = () => page.getByRole('status').getByText('Connected').waitFor()
const rows = () => page.getByRole('list', { name: 'Events' }).locator(':scope > li')

/** Waits until exactly this many rows are shown. */
async function waitForRows(count: number): Promise<void> {
  await rows()
    .nth(count - 1)
    .waitFor()
  await rows().nth(count).waitFor({ state: 'detached' })
}

const send = (method: string, path: string, data?: object) => sendAs(owner, { address, method, path, data })

const addContact = (number: number) => send('POST', '/api/v1/contacts', { phone_number: `+4930${9_000_000 + number}` })
const importContacts = (from: number, count: number) => {
  const numbers = Array.from({ length: count }, (_, index) => ({ phone_number: `+4930${from + index}` }))
  return send('POST', '/api/v1/contacts/imports', { rows: numbers })
}

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
  assert.deepEqual(owner.pageErrors(), [])
})

test('an open log shows each new event once and stays bounded', { skip }, async () => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Events' }).click()
  await waitForConnection()
  await rows().getByText('api_key.created').waitFor()
  await addContact(1)
  await rows().first().getByText('contact.created').waitFor()
  // The first start has created a key and an agent.
  await waitForRows(3)
  await importContacts(8_000_000, 900)
  await rows().first().getByText('import.finished').waitFor()
  // 200 live events and the first page of 50, which was loaded again.
  await rows().nth(250).waitFor({ state: 'detached' })
  await addContact(2)
  await rows().nth(1).getByText('import.finished').waitFor()
  await rows().first().getByText('contact.created').waitFor()
  await page.getByRole('button', { name: 'Show older events' }).click()
  await rows().nth(99).waitFor()
  assert.deepEqual(owner.pageErrors(), [])
})

test('after a server restart no event is missing and none appears twice', { skip }, async () => {
  await page.reload()
  await waitForConnection()
  await waitForRows(50)
  await addContact(3)
  await waitForRows(51)
  await rows().first().click()
  await page.getByRole('region', { name: 'Event data' }).waitFor()
  await restart()
  await addContact(4)
  await waitForRows(52)
  await waitForConnection()
  await addContact(5)
  await waitForRows(53)
  assert.equal(await page.getByRole('region', { name: 'Event data' }).count(), 1, 'the open event stays open')
  assert.equal(await rows().nth(3).getByText('contact.created').count(), 1)
})

test('a hidden page disconnects, and shows the missed events when it is visible again', { skip }, async () => {
  const setVisibility = (state: string) =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))`)
  await page.reload()
  await waitForConnection()
  await addContact(6)
  await waitForRows(51)
  await setVisibility('hidden')
  await page.getByText('Connecting…').waitFor()
  const { id } = await addContact(7)
  await send('DELETE', `/api/v1/contacts/${id}`)
  await setVisibility('visible')
  await waitForConnection()
  await rows().first().getByText('contact.deleted').waitFor()
  await waitForRows(50)
})

test('signing out elsewhere leads to the sign-in page', { skip }, async () => {
  await send('DELETE', '/session')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})
