import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import {
  assertFits,
  describe,
  findViolations,
  openShared,
  saveScreenshot,
  skip,
  variants,
} from '../support/dashboard.ts'

const { server, browser } = await openShared()
const key = `pk_${'a'.repeat(43)}`

/** Opens a page of /docs. What goes wrong there, also a style or script that the policy blocks, is in `errors`. */
async function open(path: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  after(() => context.close())
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  await page.goto(server.url + path)
  return { context, page, errors }
}

const pathOf = (page: Page): string => page.url().slice(server.url.length)

test('the search is typed ahead and goes by keyboard', { skip }, async () => {
  const { page, errors } = await open('/docs')
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.keyboard.press('/')
  await page.keyboard.type('create a con')
  const options = page.getByRole('option')
  await options.first().waitFor()
  assert.deepEqual(requests, [`${server.url}/docs/search.json`], 'the index is loaded once, when it is needed')
  assert.match((await options.first().textContent()) ?? '', /^Create a contact/)
  const combobox = page.getByRole('combobox')
  assert.equal(await combobox.getAttribute('aria-expanded'), 'true')
  assert.equal(await combobox.getAttribute('aria-activedescendant'), 'result-0')
  await page.keyboard.press('ArrowDown')
  assert.equal(await combobox.getAttribute('aria-activedescendant'), 'result-1')
  assert.equal(await options.nth(1).getAttribute('aria-selected'), 'true')
  await page.keyboard.press('Escape')
  assert.equal(await options.count(), 0)
  assert.equal(await combobox.getAttribute('aria-expanded'), 'false')
  await combobox.fill('nowhere zzzz')
  await page.getByRole('status').getByText('Nothing found.').waitFor()
  await combobox.fill('quiet_hours')
  await options.first().waitFor()
  for (const [typed, first] of [
    ['Idempotency-Key', /Idempotency/],
    ['Last-Event-ID', /Resume a stream|Events|Stream/],
    ['webhook-id', /webhook/i],
    ['how to install the client', /JavaScript|client/],
    ['sdk', /JavaScript/],
    ['call', /^(?!call\.)/],
    ['bulk', /Sync a CRM|many contacts/],
    ['call.ended', /^call\.ended/],
  ] as const) {
    await combobox.fill('')
    await combobox.fill(typed)
    await options.first().waitFor()
    assert.match((await options.first().textContent()) ?? '', first, typed)
  }
  await combobox.fill('create a contact')
  await options.first().getByText('Create a contact').waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/api/contacts#create-a-contact')
  assert.deepEqual(errors, [])
})

test('samples show the chosen language on all pages of the session', { skip }, async () => {
  const { page, errors } = await open('/docs/api/contacts')
  const tabs = page.getByRole('tablist').first()
  const panel = page.getByRole('tabpanel').first()
  assert.match((await panel.textContent()) ?? '', /^curl /)
  await tabs.getByRole('tab', { name: 'curl' }).focus()
  await page.keyboard.press('ArrowRight')
  assert.equal(await tabs.getByRole('tab', { name: 'JavaScript' }).getAttribute('aria-selected'), 'true')
  assert.match((await panel.textContent()) ?? '', /^import \{ \w+ \} from/)
  await page.keyboard.press('End')
  assert.match((await panel.textContent()) ?? '', /^import os/)
  await page.goto(`${server.url}/docs/recipes/verify-a-webhook`)
  const [first] = await page.getByRole('tab', { selected: true }).allTextContents()
  assert.equal(first, 'Python')
  assert.deepEqual(errors, [])
})

test("samples have the reader's address and key, which stays in the page", { skip }, async () => {
  const { context, page, errors } = await open('/docs/api/contacts')
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  const samples = page.locator('.samples').first()
  const field = page.getByLabel('API key for the samples')
  await field.fill(key)
  const texts = await samples.locator('pre').allTextContents()
  assert.equal(texts.length, 3)
  for (const text of texts) assert.ok(text.includes(key) && text.includes(server.url), text)
  await field.fill('"; rm -rf /')
  assert.equal(await field.getAttribute('aria-invalid'), 'true')
  for (const text of await samples.locator('pre').allTextContents()) assert.ok(!text.includes('rm -rf'), text)
  await field.fill(key)
  const stored = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])')
  assert.ok(!String(stored).includes(key))
  assert.deepEqual(requests, [])
  await page.reload()
  assert.equal(await field.inputValue(), '')
  // The configured address is 127.0.0.1.
  await page.goto(`${server.url.replace('127.0.0.1', 'localhost')}/docs/api/contacts`)
  assert.match((await samples.locator('pre').first().textContent()) ?? '', /^curl http:\/\/localhost:/)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await samples.getByRole('button', { name: 'Copy' }).click()
  await samples.getByRole('button', { name: 'Copied' }).waitFor()
  assert.match(String(await page.evaluate('navigator.clipboard.readText()')), /^curl http:\/\/localhost:/)
  assert.deepEqual(errors, [])
})

test('without JavaScript a page shows all samples, and nothing that would not work', { skip }, async () => {
  const { page } = await open('/docs/api/contacts', { javaScriptEnabled: false })
  for (const sample of await page.locator('.samples').first().locator('pre').all()) assert.ok(await sample.isVisible())
  assert.equal(await page.getByRole('combobox').count(), 0)
  assert.equal(await page.locator('#key').isVisible(), false)
  await page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: 'Web chat' }).click()
  assert.equal(pathOf(page), '/docs/guide/web-chat')
})

test('pages fit wide and narrow screens, and axe finds nothing in light and dark colors', { skip }, async () => {
  for (const path of [
    '/docs',
    '/docs/api/contacts',
    '/docs/guide/conversations',
    '/docs/recipes/sync-a-crm',
    '/docs/errors',
  ]) {
    const { page, errors } = await open(path)
    for (const { variant, size, color_scheme } of variants) {
      await page.setViewportSize(size)
      await page.emulateMedia({ colorScheme: color_scheme })
      await saveScreenshot(page, `docs ${path.replaceAll('/', ' ')}, ${variant}`)
      await assertFits(page, `${path}, ${variant}`)
      assert.deepEqual((await findViolations(page)).map(describe), [], `axe on ${path}, ${variant}`)
    }
    assert.deepEqual(errors, [])
  }
})
