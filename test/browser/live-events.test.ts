import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BrowserUser, openDashboard, setUp } from '../support/dashboard.ts'

const skip = process.platform === 'linux' ? false : 'npm has a Chromium for Linux only'

const dashboard = skip ? undefined : await openDashboard()
const { address, setup_link, newBrowserUser, restart } = dashboard ?? {
  address: '',
  setup_link: '',
  newBrowserUser: () => Promise.reject(),
  restart: () => Promise.reject(),
}
const owner: BrowserUser = await newBrowserUser().catch(() => ({}) as BrowserUser)
const { page, context } = owner

const waitForConnection = () => page.getByRole('status').getByText('Connected').waitFor()
const rows = () => page.getByRole('list', { name: 'Events' }).locator(':scope > li')

/** Waits until exactly this many rows are shown. */
async function waitForRows(count: number): Promise<void> {
  await rows()
    .nth(count - 1)
    .waitFor()
  await rows().nth(count).waitFor({ state: 'detached' })
}

/** Sends a request with the page's session. */
async function send(method: string, path: string, data?: object) {
  const workspace = /\/w\/([^/]+)/.exec(page.url())?.[1] ?? ''
  const headers = { origin: address, 'x-workspace': workspace }
  const answer = await context.request.fetch(`${address}/app${path}`, { method, headers, ...(data && { data }) })
  assert.ok(answer.ok(), await answer.text())
  return (await answer.json()).data
}

const addContact = (number: number) => send('POST', '/api/v1/contacts', { phone_number: `+4930${9_000_000 + number}` })
const importContacts = (from: number, count: number) => {
  const numbers = Array.from({ length: count }, (_, index) => ({ phone_number: `+4930${from + index}` }))
  return send('POST', '/api/v1/contacts/imports', { rows: numbers })
}

test('an open log shows each new event once and stays bounded', { skip }, async () => {
  await setUp(page, setup_link)
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
