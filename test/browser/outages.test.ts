import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type BrowserUser,
  captureAll,
  fillAccountForm,
  type OwnServer,
  openInPage,
  openOwnServer,
  sendAs,
  skip,
} from '../support/dashboard.ts'

/** A page stays usable while the server is stopped, and recovers by itself. */

// All tests are skipped then, and nothing reads them.
const own_server = skip ? ({} as OwnServer) : await openOwnServer()
const { address, setup_link, stop, start } = own_server
const owner = skip ? ({} as BrowserUser) : await own_server.newBrowserUser()
const { page } = owner

const main = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })
const bar = () => page.getByRole('status').getByText('Can’t reach the server. Trying again…')
const addContact = (phone_number: string, first_name: string) =>
  sendAs(owner, { address, method: 'POST', path: '/api/v1/contacts', data: { phone_number, first_name } })
const row = (name: string) => page.getByRole('table').getByText(name, { exact: true })

test('rows stay while the server is stopped, and the bar goes when it is back', { skip }, async () => {
  await page.goto(setup_link)
  await fillAccountForm(page, 'Ada Lovelace', 'ada@example.com')
  await page.getByRole('button', { name: 'Create account' }).click()
  await main('Contacts').click()
  await page.getByText('No contacts yet').waitFor()
  await addContact('+14155550101', 'Grace')
  await page.reload()
  await row('Grace').waitFor()
  await stop()
  await bar().waitFor()
  await page.getByText('What you see may be out of date.').waitFor()
  assert.equal(await row('Grace').count(), 1)
  await captureAll(owner, 'offline')
  await start()
  await bar().waitFor({ state: 'hidden' })
  assert.equal(await row('Grace').count(), 1)
})

test('the bar goes when the browser is online again', { skip }, async () => {
  await page.context().setOffline(true)
  await bar().waitFor()
  await page.context().setOffline(false)
  await bar().waitFor({ state: 'hidden' })
})

test('a page that was not loaded before opens when the server is back', { skip }, async () => {
  await stop()
  await bar().waitFor()
  await main('Events').click()
  await page.getByRole('heading', { name: 'Couldn’t load this page' }).waitFor()
  assert.equal(await main('Contacts').count(), 1, 'the shell stays')
  await captureAll(owner, 'page not loaded')
  // Going back shows what was loaded.
  await main('Contacts').click()
  await row('Grace').waitFor()
  await main('Events').click()
  await page.getByRole('heading', { name: 'Couldn’t load this page' }).waitFor()
  await start()
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  await page.getByRole('table', { name: 'Events' }).getByText('contact.created').first().waitFor()
})

test('a file that a new version has replaced reloads the page once', { skip }, async () => {
  let missing = 1
  await page.route(/\/assets\/ToolsPage-.*\.js/, (route) =>
    missing-- > 0 ? route.fulfill({ status: 404 }) : route.continue(),
  )
  await main('Tools').click()
  await page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor()
  assert.ok(missing < 0)
  await page.route(/\/assets\/CampaignsPage-.*\.js/, (route) => route.fulfill({ status: 404 }))
  const reloaded = page.waitForEvent('load')
  await main('Campaigns').click()
  await reloaded
  await page.getByRole('heading', { name: 'Couldn’t load this page' }).waitFor()
  await page.unroute(/\/assets\/CampaignsPage-.*\.js/)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor()
})

test('an unknown address has a heading and a way back', { skip }, async () => {
  await openInPage(page, '/nothing/here')
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
  await captureAll(owner, 'page not found, in the shell')
  await page.getByRole('main').getByRole('link', { name: 'Go to Home' }).click()
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
})

const titles = {
  '': 'Home',
  '/inbox': 'Inbox',
  '/conversations': 'Conversations',
  '/campaigns': 'Campaigns',
  '/contacts': 'Contacts',
  '/imports': 'Imports',
  '/suppressions': 'Do not contact',
  '/agents': 'Agents',
  '/knowledge': 'Knowledge',
  '/tools': 'Tools',
  '/channels': 'Channels',
  '/integrations': 'Integrations',
  '/api-keys': 'API keys',
  '/webhooks': 'Webhooks',
  '/events': 'Events',
  '/profile': 'Profile',
  '/settings/workspace': 'Workspace',
  '/settings/members': 'Members',
  '/settings/providers': 'Model providers',
  '/settings/speech': 'Speech',
  '/settings/audit-log': 'Audit log',
  '/settings/installation': 'Installation',
}

test('each page has its own title, and the first Tab reaches the skip link', { skip }, async () => {
  for (const [path, title] of Object.entries(titles)) {
    await openInPage(page, path)
    while ((await page.title()) !== `${title} · Parley`) await page.evaluate('0')
  }
  assert.equal(new Set(Object.values(titles)).size, Object.keys(titles).length)
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  assert.equal(await page.title(), 'Installation · Parley')
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content')
})

const main_pages = {
  Home: 'Home',
  Inbox: 'Inbox',
  Conversations: 'Conversations',
  Campaigns: 'Campaigns',
  Contacts: 'Contacts',
  Agents: 'Agents',
  Knowledge: 'Knowledge',
  Tools: 'Tools',
  Channels: 'Channels',
  Integrations: 'Integrations',
  'API keys': 'API keys',
  Webhooks: 'Webhooks',
  Events: 'Events',
  Settings: 'Settings',
}

test('each page that was open before stays usable without the server, and nothing typed is lost', {
  skip,
}, async () => {
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })
  await main('Contacts').click()
  // Loads the code of the form.
  await page.getByRole('button', { name: 'New contact' }).click()
  await page.getByRole('dialog', { name: 'New contact' }).waitFor()
  await page.keyboard.press('Escape')
  for (const [link, name] of Object.entries(main_pages)) {
    await main(link).click()
    await heading(name).first().waitFor()
    await page.locator('main [aria-busy=true]').first().waitFor({ state: 'hidden' })
  }
  await stop()
  await bar().waitFor()
  for (const [link, name] of Object.entries(main_pages)) {
    await main(link).click()
    await heading(name).first().waitFor()
    assert.equal(await page.getByText(/Couldn’t load/).count(), 0, `${link} shows what it had`)
    assert.equal(await bar().count(), 1, link)
  }
  await main('Contacts').click()
  const form = page.getByRole('dialog', { name: 'New contact' })
  const first_name = form.getByLabel('First name')
  await page.getByRole('button', { name: 'New contact' }).click()
  await first_name.fill('Night desk')
  await form.getByLabel('Phone number').fill('+14155550102')
  await form.getByRole('button', { name: 'Create contact' }).click()
  await form.getByText('Can’t reach the server. Check your connection.').waitFor()
  await start()
  await bar().waitFor({ state: 'hidden' })
  await form.getByText('Can’t reach the server. Check your connection.').waitFor({ state: 'hidden' })
  assert.equal(await first_name.inputValue(), 'Night desk')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await first_name.waitFor({ state: 'hidden' })
})
