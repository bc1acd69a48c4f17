import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scopes as known_scopes } from '../../dashboard/src/settings/api-key.ts'
import { scopes } from '../../server/api.ts'
import { captureAll, narrow, openInPage, openOwner, setColorScheme, skip, wide } from '../support/dashboard.ts'
import { find_customer, mcpServer } from '../support/mcp-servers.ts'
import { openaiServer, until } from '../support/model-servers.ts'
import { receiver } from '../support/receivers.ts'

const owner = await openOwner()
const { page, send, openBeside } = owner

const dialog = () => page.getByRole('dialog')
const status = () => page.locator('main').getByRole('status')
const model_server = await openaiServer({ words: ['Hello'] })
const tool_server = await receiver()

const more = async (button: string, item: string) => {
  await page.locator('main').getByRole('button', { name: button }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

/** Clicks the button until the request is sent: a workspace can send one test request per second. */
async function sendTest(button: string, on = page): Promise<void> {
  const click = async () => {
    const answer = on.waitForResponse(/\/test$/)
    await on.getByRole('button', { name: button }).click()
    return (await answer).status()
  }
  while ((await click()) === 429);
}

test('the dashboard knows every scope', () => {
  assert.deepEqual(known_scopes.map(({ value }) => value).sort(), scopes)
})

test('an owner changes the settings of the workspace, section by section', { skip }, async () => {
  const save = (section: string) =>
    page.getByRole('region', { name: section }).getByRole('button', { name: 'Save' }).click()
  await openInPage(page, '/settings/workspace')
  await page.getByLabel('Delete conversations after').fill('4000')
  await page.getByLabel('Tokens per day').fill('500')
  await save('Data retention')
  await page.getByText('Must be at most 3650').waitFor()
  await owner.capture('workspace settings, invalid')
  await page.getByLabel('Delete conversations after').fill('365')
  await page.getByLabel('Delete tool runs after').fill('')
  await save('Data retention')
  await page.getByText('Data retention saved.').waitFor()
  assert.notEqual((await send('GET', '/workspace')).settings.tokens_per_day_max, 500, 'another section')
  await save('Limits')
  await page.getByText('Limits saved.').waitFor()
  await page.getByPlaceholder('Countries of your own numbers').fill('germ')
  await page.getByRole('option', { name: 'Germany' }).click()
  await page.getByRole('combobox', { name: 'Allowed countries' }).fill('united st')
  await page.getByRole('option', { name: 'United States' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('combobox', { name: 'Time zone' }).fill('berlin')
  await page.getByRole('option', { name: 'Europe/Berlin' }).click()
  await save('General')
  await page.getByText('General saved.').waitFor()
  const quiet_hours = page.getByRole('group', { name: 'Quiet hours' })
  await quiet_hours.getByLabel('From').fill('22:00')
  await save('Who can be reached')
  await quiet_hours.getByRole('alert').waitFor()
  await quiet_hours.getByLabel('From').fill('09:30')
  await save('Who can be reached')
  await page.getByText('Who can be reached saved.').waitFor()
  await owner.capture('workspace settings')
  const { settings } = await send('GET', '/workspace')
  const { conversations_keep_days, tool_runs_keep_days, tokens_per_day_max, allowed_countries } = settings
  assert.deepEqual(settings.quiet_hours, { start: '09:30', end: '21:00' })
  assert.equal(settings.time_zone, 'Europe/Berlin')
  assert.deepEqual(
    { conversations_keep_days, tool_runs_keep_days, tokens_per_day_max, allowed_countries },
    {
      conversations_keep_days: 365,
      tool_runs_keep_days: null,
      tokens_per_day_max: 500,
      allowed_countries: ['DE', 'US'],
    },
  )
  const countries = page.getByRole('combobox', { name: 'Allowed countries' })
  await countries.press('Backspace')
  await countries.press('Backspace')
  await page.keyboard.press('Escape')
  await page.getByText('Who can be reached saved.').waitFor({ state: 'hidden' })
  await save('Who can be reached')
  await page.getByText('Who can be reached saved.').waitFor()
  assert.equal((await send('GET', '/workspace')).settings.allowed_countries, null)
  assert.deepEqual(owner.pageErrors([400]), [])
})

test('a model provider is added, tested, edited and deleted', { skip }, async () => {
  await openInPage(page, '/settings/providers')
  await page.getByText('No model providers yet').waitFor()
  await owner.capture('providers, empty')
  await page.getByRole('button', { name: 'New provider' }).click()
  await dialog().getByLabel('Name').fill('Local')
  await dialog().getByLabel('Base URL').fill('http://10.0.0.1/v1')
  await dialog().getByLabel('Default model').fill('small')
  await dialog().getByLabel('API key', { exact: true }).fill('sk-secret')
  await dialog().getByRole('button', { name: 'Create provider' }).click()
  await dialog().locator('[aria-invalid=true]').waitFor()
  await owner.capture('provider, invalid')
  await dialog().getByLabel('Base URL').fill(model_server.base_url)
  await dialog().getByRole('button', { name: 'Create provider' }).click()
  const table = page.getByRole('table', { name: 'Model providers' })
  await table.getByText('Default', { exact: true }).waitFor()
  assert.equal(await page.getByText('sk-secret').count(), 0)
  await sendTest('Test Local')
  await status().getByText('Local responded · HTTP 200').waitFor()
  assert.equal(model_server.received[0]?.headers.authorization, 'Bearer sk-secret')
  await owner.capture('providers')

  await more('Actions for Local', 'Edit')
  await dialog().getByText('A key is stored. Leave blank to keep it.').waitFor()
  await dialog().getByLabel('Base URL').fill('https://93.184.215.14/v1')
  await dialog().getByText('The stored key is removed').waitFor()
  await dialog().getByLabel('Base URL').fill(model_server.base_url)
  await dialog().getByLabel('Default model').fill('large')
  await owner.capture('provider, form')
  await dialog().getByRole('button', { name: 'Save changes' }).click()
  await table.getByText('large').waitFor()
  await table.getByText('Stored').waitFor()

  const used_by = [{ kind: 'agent', id: '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa' }]
  const error = { code: 'INVALID_STATE', message: 'The provider is in use.', details: { used_by } }
  await page.route(/\/providers\/[\w-]+$/, (route) => route.fulfill({ status: 409, json: { success: false, error } }))
  await more('Actions for Local', 'Delete')
  await dialog().getByRole('button', { name: 'Delete provider' }).click()
  await dialog().getByText('The provider is in use. Used by: 1 agent').waitFor()
  await owner.capture('provider, in use')
  await page.unrouteAll()
  await dialog().getByRole('button', { name: 'Delete provider' }).click()
  await page.getByText('No model providers yet').waitFor()
  assert.deepEqual(owner.pageErrors([400, 409]), [])
})

test('a tool is created, tested, edited and deleted', { skip }, async () => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tools' }).click()
  await page.getByText('No tools yet').waitFor()
  await owner.capture('tools, empty')
  await page.getByRole('button', { name: 'New tool' }).click()
  await dialog().getByRole('textbox', { name: 'Name' }).fill('book_slot')
  await dialog().getByLabel('Description').fill('Books an appointment.')
  await dialog().getByLabel('URL').fill(tool_server.url)
  const parameters = dialog().getByLabel('Parameters')
  await parameters.fill('{"type": "object"')
  await dialog().getByRole('button', { name: 'Create tool' }).click()
  await dialog().getByText('This is not valid JSON.').waitFor()
  await parameters.fill('{"type": "object", "properties": {"day": {"type": "string", "pattern": "x"}}}')
  await dialog().getByRole('button', { name: 'Add header' }).click()
  await dialog().getByLabel('Name of header 1').fill('Host')
  await dialog().getByLabel('Value of header 1').fill('shop-secret')
  await dialog().getByRole('button', { name: 'Create tool' }).click()
  await dialog()
    .getByText(/^properties\.day/)
    .waitFor()
  await dialog()
    .getByText(/^host can't be set/)
    .waitFor()
  await owner.capture('tool, invalid')
  await parameters.fill('{"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]}')
  await dialog().getByLabel('Name of header 1').fill('X-API-Key')
  await owner.capture('tool, form')
  await dialog().getByRole('button', { name: 'Create tool' }).click()
  const secret = await dialog().locator('code').innerText()
  assert.match(secret, /^whsec_/)
  await owner.capture('tool, secret')
  await dialog().getByRole('button', { name: 'Done' }).click()

  await page.getByRole('heading', { level: 1, name: 'book_slot' }).waitFor()
  assert.equal(await page.getByText(/shop-secret|whsec_/).count(), 0)
  await page.getByLabel('Arguments').fill('{"day": 1}')
  await sendTest('Send test request')
  await status().getByText('book_slot failed').waitFor()
  assert.equal(tool_server.received.length, 0)
  await owner.capture('tool, test failed')
  await page.getByLabel('Arguments').fill('{"day": "tue"}')
  await sendTest('Send test request')
  await status().getByText('book_slot responded · HTTP 200').waitFor()
  assert.equal(tool_server.received[0]?.headers['x-api-key'], 'shop-secret')

  await more('More', 'Edit')
  await dialog().getByLabel('Say while it runs').fill('One moment.')
  await owner.capture('tool, edit')
  await dialog().getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('One moment.').waitFor()
  await sendTest('Send test request')
  assert.equal(tool_server.received[1]?.headers['x-api-key'], 'shop-secret', 'a stored value is kept')

  await more('More', 'Edit')
  await dialog().getByLabel('Ask the contact first').check()
  await dialog().getByLabel('Ask before it runs').fill('I book {{day}}.')
  await dialog().getByLabel('Runs in one answer').fill('101')
  await dialog().getByRole('button', { name: 'Save changes' }).click()
  await dialog().locator('[aria-invalid=true]').waitFor()
  await dialog().getByLabel('Runs in one answer').fill('2')
  await dialog().getByLabel('May repeat').check()
  await owner.capture('tool, limits')
  await dialog().getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('At most 2').waitFor()
  await page.getByText('I book {{day}}.').waitFor()
  const [{ calls_max, may_repeat, confirm }] = await send('GET', '/tools')
  assert.deepEqual({ calls_max, may_repeat, confirm }, { calls_max: 2, may_repeat: true, confirm: true })

  await more('More', 'Rotate secret')
  await dialog().getByRole('button', { name: 'Rotate secret' }).click()
  await dialog().getByText('Copy this secret now.').waitFor()
  assert.notEqual(await dialog().locator('code').innerText(), secret)
  await dialog().getByRole('button', { name: 'Done' }).click()
  await page.getByText('The previous secret works until').waitFor()
  await owner.capture('tool')
  assert.deepEqual(owner.pageErrors([400, 409, 429]), [])
})

test('an MCP server is added, and an agent gets one of its tools', { skip }, async () => {
  const crm = await mcpServer({
    tools: [find_customer, { name: 'x'.repeat(64), inputSchema: { type: 'object' } }],
  })
  await openInPage(page, '/tools')
  await page.getByRole('button', { name: 'New tool' }).click()
  await dialog().getByRole('combobox', { name: 'Kind' }).click()
  await page.getByRole('option', { name: 'MCP server' }).click()
  assert.equal(await dialog().getByLabel('Parameters').count(), 0)
  await dialog().getByRole('textbox', { name: 'Name' }).fill('crm')
  await dialog().getByLabel('URL').fill(crm.url)
  await owner.capture('tool, form of an MCP server')
  await dialog().getByRole('button', { name: 'Create tool' }).click()
  await dialog().getByRole('button', { name: 'Done' }).click()
  await page.getByText('crm__find').waitFor()
  await page.getByText('Its name is too long').waitFor()
  await page.getByText('Parameters').click()
  await owner.capture('tool, MCP server')
  const { id } = await send('POST', '/agents', { name: 'Knows customers' })
  await openInPage(page, `/agents/${id}`)
  await page.getByRole('combobox', { name: 'Tools' }).click()
  await page.getByRole('option', { name: 'crm__find' }).waitFor()
  await owner.capture('agent, tools of an MCP server')
  await page.getByRole('option', { name: 'crm__find' }).click()
  await page.keyboard.press('Escape')
  await until(async () => (await send('GET', `/agents/${id}`)).draft.tools[0] === 'crm__find')
  await send('DELETE', `/agents/${id}`)
  const [server_tool] = (await send('GET', '/tools')).filter(({ name }: { name: string }) => name === 'crm')
  await send('DELETE', `/tools/${server_tool.id}`)
  assert.deepEqual(owner.pageErrors([400, 409, 429]), [])
})

test('a provider for speech is added without a model', { skip }, async () => {
  await openInPage(page, '/settings/providers')
  await page.getByRole('button', { name: 'New provider' }).click()
  await dialog().getByRole('combobox', { name: 'Kind' }).click()
  await page.getByRole('option', { name: 'ElevenLabs (speech)' }).click()
  await dialog().getByLabel('Name').fill('Voices')
  assert.equal(await dialog().getByLabel('Default provider').count(), 0)
  await owner.capture('provider, speech')
  await dialog().getByRole('button', { name: 'Create provider' }).click()
  const table = page.getByRole('table', { name: 'Model providers' })
  await table.getByText('https://api.elevenlabs.io/v1').waitFor()
  await more('Actions for Voices', 'Delete')
  await dialog().getByRole('button', { name: 'Delete provider' }).click()
  await page.getByText('No model providers yet').waitFor()
})

test('a provider from the environment is shown and can only be tested', { skip }, async () => {
  const settings = { openai_api_key: 'sk-env', openai_model: 'small', openai_base_url: model_server.base_url }
  const beside = await openBeside(settings)
  const on = beside.page
  await openInPage(on, '/settings/providers')
  await on.getByText('From the server’s environment').waitFor()
  await sendTest('Test openai', on)
  await on.locator('main').getByRole('status').getByText('openai responded · HTTP 200').waitFor()
  assert.equal(await on.getByRole('button', { name: 'Actions for openai' }).count(), 0)
  await captureAll(beside, 'providers, environment')
  assert.deepEqual(beside.pageErrors([429]), [])
})

test('every page works in dark mode and on a phone', { skip }, async () => {
  const pages = {
    'workspace settings': { path: '/settings/workspace', shown: 'Tokens per day' },
    tools: { path: '/tools', shown: 'book_slot' },
    tool: { path: `/tools/${(await send('GET', '/tools'))[0]?.id}`, shown: 'book_slot' },
  }
  await setColorScheme(page, 'dark')
  await page.setViewportSize(narrow)
  for (const [name, { path, shown }] of Object.entries(pages)) {
    await openInPage(page, path)
    await page.getByText(shown).first().waitFor()
    await owner.capture(`${name}, narrow, dark`)
  }
  await more('More', 'Edit')
  await dialog().getByLabel('Name of header 1').waitFor()
  await owner.capture('tool, edit, narrow, dark')
  await dialog().getByRole('button', { name: 'Close' }).click()
  await page.setViewportSize(wide)
  await more('More', 'Delete')
  await dialog().getByRole('button', { name: 'Delete tool' }).click()
  await page.getByText('No tools yet').waitFor()
  assert.deepEqual(owner.pageErrors([400, 409, 429]), [])
})
