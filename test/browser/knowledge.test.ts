import assert from 'node:assert/strict'
import { test } from 'node:test'
import { captureAll, narrow, openInPage, openOwner, setColorScheme, skip, wide } from '../support/dashboard.ts'

const owner = await openOwner()
const { page, send } = owner
const dialog = () => page.getByRole('dialog')

test('an owner uploads a document, and sees what an agent would find', { skip }, async () => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Knowledge' }).click()
  await page.getByText('No documents yet').waitFor()
  await page.locator('main').getByRole('button', { name: 'Add document' }).first().click()
  const file = {
    name: 'parking.md',
    mimeType: 'text/markdown',
    buffer: Buffer.from('# Parking\n\nYou can park in the yard.'),
  }
  await dialog().locator('input[type=file]').setInputFiles(file)
  await dialog().getByRole('combobox', { name: 'Tags' }).fill('shop')
  await page.keyboard.press('Enter')
  await owner.capture('document, new')
  await dialog().getByRole('button', { name: 'Add document' }).click()
  const row = page.getByRole('row', { name: /parking\.md/ })
  await row.getByText('Ready').waitFor()
  await page.getByRole('textbox', { name: 'Question' }).fill('Where can I park?')
  await page.locator('main').getByRole('button', { name: 'Search' }).click()
  await page.getByText('A script would answer: “You can park in the yard.”').waitFor()
  await captureAll(owner, 'knowledge')
})

test('a document that can not be read says why', { skip }, async () => {
  await page.locator('main').getByRole('button', { name: 'Add document' }).first().click()
  const file = { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4 broken') }
  await dialog().locator('input[type=file]').setInputFiles(file)
  await dialog().getByRole('button', { name: 'Add document' }).click()
  await page
    .getByRole('row', { name: /broken\.pdf/ })
    .getByText('Failed')
    .waitFor()
  await page.getByRole('button', { name: 'broken.pdf' }).click()
  await dialog().getByText('The PDF is damaged and could not be read.').waitFor()
  await owner.capture('document, failed')
  await dialog().getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete document' }).click()
  await page.getByRole('row', { name: /broken\.pdf/ }).waitFor({ state: 'detached' })
})

test('the drawer names the agents that use a document, and the settings of an agent choose it', { skip }, async () => {
  const { id } = await send('POST', '/agents', { name: 'Porter' })
  await openInPage(page, `/agents/${id}`)
  await page.getByText('By tag').click()
  await page
    .getByRole('textbox', { name: 'Tags' })
    .or(page.getByRole('combobox', { name: 'Tags' }))
    .first()
    .waitFor()
  await owner.capture('agent, knowledge')
  while ((await send('GET', `/agents/${id}`)).draft.knowledge === null);
  assert.deepEqual((await send('GET', `/agents/${id}`)).draft.knowledge, { tags: ['shop'] })
  await openInPage(page, '/knowledge')
  await page.getByRole('button', { name: 'parking.md' }).click()
  await dialog().getByRole('link', { name: 'Porter' }).waitFor()
  await owner.capture('document')
  await dialog().getByRole('button', { name: 'Close' }).click()
})

test('the page works in dark mode and on a phone', { skip }, async () => {
  await setColorScheme(page, 'dark')
  await page.setViewportSize(narrow)
  await openInPage(page, '/knowledge')
  await page.getByText('parking.md').first().waitFor()
  await owner.capture('knowledge, narrow, dark')
  await page.setViewportSize(wide)
  assert.deepEqual(owner.pageErrors([400, 409]), [])
})
