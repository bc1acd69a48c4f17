import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDashboard, setUp, type Visit } from '../support/dashboard.ts'

const skip = process.platform === 'linux' ? false : 'npm brings a Chromium for Linux alone'

const dashboard = skip ? undefined : await openDashboard()
const { address, setup_link, visit, restart } = dashboard ?? {
  address: '',
  setup_link: '',
  visit: () => Promise.reject(),
  restart: () => Promise.reject(),
}
const owner: Visit = await visit().catch(() => ({}) as Visit)
const { page, context } = owner

const live = () => page.getByRole('status').getByText('Live').waitFor()
const rows = () => page.getByRole('list', { name: 'Events' }).locator(':scope > li')

/** So many, and no more. */
async function shows(count: number): Promise<void> {
  await rows()
    .nth(count - 1)
    .waitFor()
  await rows().nth(count).waitFor({ state: 'detached' })
}

/** As the page would, from beside it. */
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

test('a log that is left open shows the newest, each once, and does not grow for ever', { skip }, async () => {
  await setUp(page, setup_link)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Events' }).click()
  await live()
  await rows().getByText('api_key.created').waitFor()
  await addContact(1)
  await rows().first().getByText('contact.created').waitFor()
  await shows(2)
  await importContacts(8_000_000, 900)
  await rows().first().getByText('import.finished').waitFor()
  // 200 that came, and the pages: the first one, which began with them anew.
  await rows().nth(250).waitFor({ state: 'detached' })
  await addContact(2)
  await rows().nth(1).getByText('import.finished').waitFor()
  await rows().first().getByText('contact.created').waitFor()
  await page.getByRole('button', { name: 'Show older events' }).click()
  await rows().nth(99).waitFor()
  assert.deepEqual(owner.faults(), [])
})

test('it goes on when the server was killed, without a gap and with none twice', { skip }, async () => {
  await page.reload()
  await live()
  await shows(50)
  await addContact(3)
  await shows(51)
  await rows().first().click()
  await page.getByRole('region', { name: 'Event data' }).waitFor()
  await restart()
  await addContact(4)
  await shows(52)
  await live()
  await addContact(5)
  await shows(53)
  assert.equal(await page.getByRole('region', { name: 'Event data' }).count(), 1, 'what was open still is')
  assert.equal(await rows().nth(3).getByText('contact.created').count(), 1)
})

test('it listens while it can be seen, and then shows what it has missed', { skip }, async () => {
  const see = (state: string) =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))`)
  await page.reload()
  await live()
  await addContact(6)
  await shows(51)
  await see('hidden')
  await page.getByText('Connecting…').waitFor()
  const { id } = await addContact(7)
  await send('DELETE', `/api/v1/contacts/${id}`)
  await see('visible')
  await live()
  await rows().first().getByText('contact.deleted').waitFor()
  await shows(50)
})

test('who signed out elsewhere is asked to sign in', { skip }, async () => {
  await send('DELETE', '/session')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})
