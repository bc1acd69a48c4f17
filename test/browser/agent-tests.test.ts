import assert from 'node:assert/strict'
import { test } from 'node:test'
import { captureAll, openInPage, openOwner, skip } from '../support/dashboard.ts'

const owner = await openOwner()
const { page, send } = owner
const dialog = () => page.getByRole('dialog')
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })

const scriptThatSays = (hours: string) => ({
  start: 'greet',
  nodes: {
    greet: { say: 'How can I help?', on: [{ hear: ['open'], go: 'hours' }], else: { go: '@hand_over' } },
    hours: { say: hours, go: '@end' },
  },
})

test('an agent without tests says what one is, and a test is written as a chat', { skip }, async () => {
  const { id } = await send('POST', '/agents', { name: 'Reception', script: scriptThatSays('We open at ten.') })
  await openInPage(page, `/agents/${id}`)
  await page.getByRole('link', { name: 'Tests', exact: true }).click()
  await page.getByText('A test says what a contact says').waitFor()
  await captureAll(owner, 'agent tests, empty')
  await page.getByRole('link', { name: 'New test' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Tells the opening hours')
  await page.getByLabel('The contact says').fill('When are you open?')
  await page.getByRole('group', { name: 'Line 1: the agent should' }).getByRole('button').click()
  await page.getByRole('menuitem', { name: 'say one of' }).click()
  await page.getByRole('combobox', { name: 'The agent should say one of' }).fill('open at nine')
  await page.keyboard.press('Enter')
  await captureAll(owner, 'agent test, new')
  // What is typed isn't lost by a link.
  await page.getByRole('link', { name: 'Tests of Reception' }).click()
  await dialog().getByText('Discard changes?').waitFor()
  await dialog().getByRole('button', { name: 'Go back' }).click()
  await button('Create test').click()
  await page.getByText('Test created.').waitFor()
  const [made] = await send('GET', `/agents/${id}/tests`)
  assert.deepEqual(made.steps, [{ says: 'When are you open?', expect: [{ type: 'says', any_of: ['open at nine'] }] }])
  await captureAll(owner, 'agent test')
})
