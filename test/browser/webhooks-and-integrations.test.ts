import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { event_types } from '../../dashboard/src/events/event-types.ts'
import { catalog } from '../../server/api.ts'
import { holdRequests, narrow, openFromNav, openOwner, setColorScheme, skip, wide } from '../support/dashboard.ts'

const owner = await openOwner()
const { page } = owner

const main = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })
const dialog = (on: Page = page) => on.getByRole('dialog')
const more = async (name: string) => {
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name }).click()
}

/** Sends a payload as a form tool does. */
const post = (url: string, payload: object) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(payload),
  })

/** How many pixels of a button's words don't fit. */
const clippedWidth = (name: string) =>
  page
    .getByRole('button', { name })
    .evaluate(({ clientWidth, scrollWidth, firstElementChild }) =>
      Math.max(
        scrollWidth - clientWidth,
        (firstElementChild?.scrollWidth ?? 0) - (firstElementChild?.clientWidth ?? 0),
      ),
    )

let webhook_url = ''

test('the dashboard knows every event type', () => {
  assert.deepEqual(event_types, catalog.names)
})

test('an integration is created, mapped by clicking on a sample, and shows what it receives', { skip }, async () => {
  await main('Integrations').click()
  await page.getByText('No integrations yet').waitFor()
  await owner.capture('integrations, empty')
  await page.getByRole('button', { name: 'New integration' }).click()
  await dialog().getByLabel('Name').fill('Contact form')
  await dialog().getByRole('button', { name: 'Create integration' }).click()
  await page.getByText('Needs mapping').waitFor()
  await owner.capture('integration, new')
  webhook_url = await page.getByText(/^http.+\/in\/[\w-]{43}$/).innerText()

  const payload = { id: 7, form: { phone: '030 901820', name: 'Konrad', tags: ['early', 'vip'] } }
  assert.equal((await post(webhook_url, payload)).status, 400, 'nothing is mapped yet')
  await page.getByRole('button', { name: 'phone: "030 901820"' }).click()
  await page.getByRole('menuitem', { name: 'Phone number' }).click()
  await page.getByText('This sample would be rejected').waitFor()
  await page.getByRole('combobox', { name: 'Default country' }).fill('German')
  await page.getByRole('option', { name: 'Germany' }).click()
  await page.getByText('This sample would create a contact').waitFor()
  await page.getByRole('button', { name: 'name: "Konrad"' }).press('Enter')
  await page.getByRole('menuitem', { name: 'First name' }).press('Enter')
  await page.getByRole('button', { name: 'tags: 2 items' }).click()
  await page.getByRole('menuitem', { name: 'Tags' }).click()
  await page.getByRole('button', { name: 'id: 7' }).click()
  await page.getByRole('menuitem', { name: 'CRM ID' }).click()
  await page.getByLabel('CRM system').fill('hubspot')
  await page.getByText('HubSpot: 7').waitFor()
  await page.getByText('early, vip').waitFor()
  await owner.capture('integration, mapped')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Field mapping saved.').waitFor()
  await page.getByText('Active', { exact: true }).waitFor()

  assert.equal((await post(webhook_url, payload)).status, 200)
  await page.getByRole('navigation', { name: 'Integration' }).getByRole('link', { name: 'Received' }).click()
  const received = page.getByRole('table', { name: 'Received' })
  await received
    .getByRole('row')
    .filter({ hasText: 'Rejected' })
    .getByText('Map a field to the phone number.')
    .waitFor()
  await received.getByRole('link', { name: 'Created' }).click()
  await dialog().getByText('"Konrad"').waitFor()
  await owner.capture('integration, with receipts')
  await dialog().getByRole('link', { name: 'View contact' }).click()
  await page
    .getByText(/\+49 ?30 ?901820/)
    .first()
    .waitFor()
  await page.goBack()
  await dialog().getByRole('link', { name: 'Use as sample' }).click()
  await page.getByText('The contact is already up to date').waitFor()

  await more('Require signatures')
  await dialog().getByRole('button', { name: 'Generate secret' }).click()
  await owner.capture('integration, signing')
  await dialog().getByRole('button', { name: 'Save' }).click()
  await dialog().waitFor({ state: 'hidden' })
  assert.equal((await post(webhook_url, payload)).status, 401)
  await more('Change signing')
  await dialog().getByRole('button', { name: 'Accept unsigned' }).click()
  await dialog().waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Disable' }).click()
  await page.getByRole('button', { name: 'Enable' }).waitFor()
  assert.equal((await post(webhook_url, payload)).status, 409)
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByRole('button', { name: 'Disable' }).waitFor()
  assert.equal((await post(webhook_url, payload)).status, 200)
  assert.deepEqual(owner.pageErrors(), [])
})

test('events appear live, and can be filtered and opened', { skip }, async () => {
  await main('Events').click()
  await page.getByRole('status').getByText('Connected').waitFor()
  const events = page.getByRole('table', { name: 'Events' })
  const row = (name: string) => events.getByRole('row').filter({ hasText: name })
  await row('Contact created').getByText('Konrad').waitFor()
  await row('Contact created').getByText('Integration Contact form').waitFor()
  await post(webhook_url, { form: { phone: '030 901821', name: 'Grace' } })
  await row('Contact created').nth(1).waitFor()
  await row('Grace').getByRole('link', { name: 'Contact created' }).click()
  await dialog().getByRole('region', { name: 'Event data' }).getByText('"Grace"').waitFor()
  await owner.capture('events')
  await page.keyboard.press('Escape')

  await page.getByRole('combobox', { name: 'Event type' }).click()
  const listed = page.waitForResponse((response) => /\/events\?.*type=contact\.updated/.test(response.url()))
  await page.getByRole('option', { name: 'contact.updated' }).click()
  await listed
  await row('Contact created').first().waitFor({ state: 'hidden' })
  assert.equal(new URL(page.url()).searchParams.get('type'), 'contact.updated')
  await page.getByRole('status').getByText('Connected').waitFor()
  await post(webhook_url, { form: { phone: '030 901821', name: 'Grace Hopper' } })
  await row('Grace Hopper').getByRole('link', { name: 'Contact updated' }).click()
  await dialog().getByRole('region', { name: 'Previous values' }).getByText('"Grace"').waitFor()
  await owner.capture('events, filtered')
  await page.keyboard.press('Escape')
  await post(webhook_url, { form: { phone: '030 901821', name: 'Grace' } })
  await row('Contact updated').getByText('×2').waitFor()
  assert.deepEqual(owner.pageErrors(), [])
})

test('a webhook is tested with the inbox, which can respond with errors', { skip }, async () => {
  await main('Webhooks').click()
  await page.getByText('No webhooks yet').waitFor()
  await owner.capture('webhooks, empty')
  await page.getByRole('button', { name: 'New webhook' }).click()
  await dialog().getByLabel('URL').fill('http://10.0.0.1/hook')
  await dialog().getByRole('button', { name: 'Create webhook' }).click()
  await dialog().locator('[aria-invalid=true]').first().waitFor()
  await owner.capture('webhook, invalid')
  await dialog().getByText('Built-in inbox').click()
  await dialog().getByRole('combobox', { name: 'Events' }).fill('contact')
  await page.getByRole('option', { name: 'All contact events' }).click()
  await dialog().getByRole('combobox', { name: 'Events' }).press('Tab')
  await owner.capture('webhook, form')
  await dialog().getByRole('button', { name: 'Create webhook' }).click()
  const secret = await dialog().locator('code').innerText()
  assert.match(secret, /^whsec_/)
  await owner.capture('webhook, secret')
  await dialog().getByRole('button', { name: 'Done' }).click()
  await page.getByText('No deliveries yet').waitFor()
  assert.equal(await page.getByText(secret).count(), 0)

  const deliveries = page.getByRole('table', { name: 'Deliveries' })
  await page.getByRole('button', { name: 'Send test event' }).click()
  await deliveries.getByText('Delivered').waitFor()
  const tabs = page.getByRole('navigation', { name: 'Webhook', exact: true })
  await tabs.getByRole('link', { name: 'Inbox' }).click()
  const inbox = page.getByRole('table', { name: 'Inbox requests' })
  await inbox.getByText('Valid signature').waitFor()
  await inbox.getByRole('link').click()
  await page.getByRole('list', { name: 'Signature check' }).getByText('Signed content', { exact: true }).waitFor()
  await owner.capture('webhook, inbox')
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'hidden' })
  await tabs.getByRole('link', { name: 'Deliveries' }).click()

  await page.getByRole('radiogroup').getByText('500').click()
  await page.getByRole('radio', { name: '500' }).and(page.locator(':checked')).waitFor({ state: 'attached' })
  await post(webhook_url, { form: { phone: '030 901822', name: 'Emmy' } })
  await deliveries.getByRole('link', { name: 'contact.created' }).click()
  await dialog().getByRole('button', { name: /^500/ }).first().waitFor()
  await dialog().getByRole('region', { name: 'Request content' }).getByText('"Emmy"').waitFor()
  assert.match(await dialog().getByRole('region', { name: 'Request content' }).innerText(), /^webhook-timestamp: \d+$/m)
  await dialog().getByRole('region', { name: 'Response content' }).getByText('HTTP 500').waitFor()
  await owner.capture('webhook, an attempt')
  await dialog().getByRole('button', { name: 'Close' }).click()
  await page.getByText('Deliveries are failing').waitFor()
  await deliveries.getByText('500', { exact: true }).waitFor()
  await page.getByRole('region', { name: 'Last 24 hours' }).getByText('1 delivered', { exact: true }).waitFor()
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('table', { name: 'Webhooks' }).getByText('500', { exact: true }).last().waitFor()
  await owner.capture('webhooks, failing')
  await page.goBack()

  await page.getByRole('radiogroup').getByText('200').click()
  await page.getByRole('radio', { name: '200' }).and(page.locator(':checked')).waitFor({ state: 'attached' })
  await deliveries.getByRole('link', { name: 'contact.created' }).click()
  await dialog().getByRole('button', { name: 'Resend' }).click()
  await dialog().getByText('Delivered').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Deliveries are failing').waitFor({ state: 'hidden' })

  await page.getByRole('radiogroup').getByText('410').click()
  await page.getByRole('radio', { name: '410' }).and(page.locator(':checked')).waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.getByText('Your server responded with 410').waitFor()
  await page.getByRole('radiogroup', { name: 'Filter deliveries' }).getByText('Failed').click()
  await deliveries.getByText('webhook.test').waitFor()
  await owner.capture('webhook, disabled')
  await page.getByRole('radiogroup', { name: 'Responds with' }).getByText('200').click()
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByText('This webhook is disabled').waitFor({ state: 'hidden' })
  await more('Resend failed deliveries')
  const recoveries = /\/recoveries\//
  const running = { success: true, data: { status: 'running', recovered: 1_234 } }
  await page.route(recoveries, (route) => route.fulfill({ json: running }))
  await dialog().getByRole('button', { name: 'Resend', exact: true }).click()
  await dialog().getByText('Resending… 1,234 so far').waitFor()
  await owner.capture('webhook, resending')
  await page.unroute(recoveries)
  await dialog().getByText('1 delivery resent.').waitFor()
  await owner.capture('webhook, resent')
  await dialog().getByRole('button', { name: 'Done' }).click()
  await page.getByText('No matching deliveries').waitFor()

  await more('Rotate secret')
  await dialog().getByRole('button', { name: 'Rotate' }).click()
  await dialog().getByText('You won’t be able to see it again').waitFor()
  assert.notEqual(await dialog().locator('code').innerText(), secret)
  await dialog().getByRole('button', { name: 'Done' }).click()
  await page.getByText('The previous secret works until').waitFor()
  await more('Edit')
  await dialog().getByLabel('Description').fill('Try-out')
  await dialog().getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('heading', { name: 'Try-out' }).waitFor()
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('table', { name: 'Webhooks' }).getByText('Try-out').waitFor()
  await owner.capture('webhooks')
  assert.deepEqual(owner.pageErrors([400]), [])
})

test('lists show that they are loading and that they failed', { skip }, async () => {
  const lists = /\/app\/api\/v1\/(events|webhooks|integrations)\?/
  const release = await holdRequests(page, lists)
  await page.reload()
  await page.locator('[aria-busy=true]').waitFor()
  await owner.capture('webhooks, loading')
  release()
  for (const name of ['Webhooks', 'Events', 'Integrations']) {
    await main(name).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await page.getByRole('alert').getByText('Not today.').waitFor()
  }
  await page.unroute(lists)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Contact form').waitFor()
  assert.deepEqual(owner.pageErrors([400, 404]), [])
})

test('every page works in dark mode and on a phone', { skip }, async () => {
  const open = { Events: 'Contact created', Webhooks: 'Try-out', Integrations: 'Contact form' }
  await setColorScheme(page, 'dark')
  await page.setViewportSize(narrow)
  for (const [name, one] of Object.entries(open)) {
    await openFromNav(page, name)
    await page.getByRole('heading', { level: 1, name }).waitFor()
    for (const part of ['', ', one']) {
      if (part) await page.locator('main').getByText(one).first().click()
      if (part && name !== 'Events') await page.getByRole('heading', { level: 1, name: one }).waitFor()
      await page.locator('[aria-busy=true], [role=status][aria-label=Loading]').first().waitFor({ state: 'hidden' })
      await owner.capture(`${name.toLowerCase()}${part}, narrow, dark`)
      if (part && name === 'Integrations') assert.equal(await clippedWidth('Copy URL'), 0)
      if (part && name === 'Events') await page.keyboard.press('Escape')
    }
  }
  assert.deepEqual(owner.pageErrors([400, 404]), [])
})

test('integrations and webhooks are deleted', { skip }, async () => {
  await page.setViewportSize(wide)
  await more('Delete')
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No integrations yet').waitFor()
  assert.equal((await post(webhook_url, {})).status, 404)
  await main('Webhooks').click()
  await page.getByRole('link', { name: 'Try-out' }).click()
  await more('Delete')
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No webhooks yet').waitFor()
})
