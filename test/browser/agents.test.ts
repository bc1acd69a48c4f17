import assert from 'node:assert/strict'
import { test } from 'node:test'
import { captureAll, openFromNav, openInPage, openOwner, skip } from '../support/dashboard.ts'

const owner = await openOwner()
const { page, send } = owner
const dialog = () => page.getByRole('dialog')

const script = {
  start: 'greet',
  nodes: {
    greet: { say: 'Is Tuesday all right?', on: [{ intent: 'yes', go: 'done' }], else: { go: '@hand_over' } },
    done: { say: 'See you on Tuesday.', go: '@end' },
  },
}

test('a draft that is published and not deployed is not called live', { skip }, async () => {
  const { id } = await send('POST', '/agents', { name: 'Reception', instructions: 'Greet the caller.' })
  await send('PATCH', `/agents/${id}`, { instructions: 'Ask for the name.' })
  await send('POST', `/agents/${id}/versions`, {})
  await openInPage(page, `/agents/${id}`)
  await page.getByText('Live v1 · draft changed').waitFor()
  assert.equal(await page.getByText('Published', { exact: true }).count(), 0)
})

test('looking at the instructions of a scripted agent asks nothing', { skip }, async () => {
  const { id } = await send('POST', '/agents', { name: 'Scripted', script })
  await openInPage(page, `/agents/${id}`)
  await page.getByText('Instructions', { exact: true }).click()
  await page.getByRole('textbox', { name: 'Instructions' }).waitFor()
  assert.equal(await dialog().count(), 0)
  assert.deepEqual((await send('GET', `/agents/${id}`)).draft.script, script)
})

test('a greeting is shown in place of the words of the first step', { skip }, async () => {
  const { id } = await send('POST', '/agents', { name: 'Greeting', script })
  await openInPage(page, `/agents/${id}`)
  await page.getByText('Leave blank to begin with the first step, “greet”.').waitFor()
  await page.getByLabel('Greeting', { exact: true }).fill('Hello.')
  await page.getByText('Replaces the words of the first step, “greet”.').waitFor()
  const first = page.getByRole('list', { name: 'Steps' }).getByRole('listitem').first()
  await first.getByText('Greeting: “Hello.”').waitFor()
  await first.getByText('If no answer fits: “Is Tuesday all right?”').waitFor()
  await first.getByRole('button', { name: 'greet' }).click()
  await first.getByText('Replaced by the greeting: “Hello.”').waitFor()
  await page.getByText('Map', { exact: true }).click()
  await page.getByRole('button', { name: 'greet · Start Greeting: “Hello.”' }).waitFor()
})

test('the test chat lights up the step of the script, and says why', { skip }, async () => {
  const { id } = await send('POST', '/agents', { name: 'Lit', script })
  await openInPage(page, `/agents/${id}`)
  await page.getByRole('button', { name: 'Start chat' }).click()
  const lit = page.locator('[aria-current=step]')
  await lit.getByText('Is Tuesday all right?').waitFor()
  await page.getByLabel('Write as the contact').fill('yes')
  await page.keyboard.press('Enter')
  await page.getByText('Heard: yes → done').waitFor()
  await lit.getByText('See you on Tuesday.').waitFor()
  await captureAll(owner, 'agent, lit step')
  await page.getByText('Map', { exact: true }).click()
  await lit.getByRole('button', { name: /^done/ }).waitFor()
})

test('a comparison marks what was added and removed', { skip }, async () => {
  const { id } = await send('POST', '/agents', { name: 'Compared', script })
  const changed = { ...script.nodes.done, say: 'See you on Friday.' }
  await send('PATCH', `/agents/${id}`, {
    greeting: 'Hello.',
    script: { ...script, nodes: { ...script.nodes, done: changed } },
  })
  await openInPage(page, `/agents/${id}`)
  await page.getByRole('button', { name: 'Deploy…' }).click()
  await dialog().locator('del').getByText('Tuesday').waitFor()
  assert.equal(await dialog().locator('ins').getByText('Friday').count(), 1)
  await captureAll(owner, 'agent, deploy')
  await dialog().getByRole('button', { name: 'Cancel' }).click()
  await send('PATCH', `/agents/${id}`, { script: null, instructions: 'Greet.\nAsk for the name.' })
  await send('POST', `/agents/${id}/versions`, { note: 'Asks first.' })
  // Each line has a sign of its own, and those who are not owners see who made the version.
  const viewer = await owner.newMember('viewer')
  await openInPage(viewer.page, `/agents/${id}`)
  await viewer.page.getByText('Versions', { exact: true }).click()
  await viewer.page.getByRole('button', { name: /v2.*Ada.*Asks first/ }).click()
  const added = viewer.page.getByRole('region', { name: 'Instructions', exact: true }).locator('ins > span')
  await added.getByText('Ask for the name.').waitFor()
  const signs = await viewer.page.evaluate(
    `[...document.querySelectorAll('[role=dialog] [aria-label=Instructions] ins > span')].slice(1).map((line) => getComputedStyle(line, '::before').content)`,
  )
  assert.deepEqual(signs, ['"+"', '"+"'])
  assert.deepEqual(viewer.pageErrors(), [])
})

test('a long name leaves its version room', { skip }, async () => {
  await send('POST', '/agents', { name: `Reception ${'of the long northern corridor '.repeat(6)}`.trim() })
  await openInPage(page, '/agents')
  const labels = page.locator('main').getByText('v1', { exact: true })
  await labels.first().waitFor()
  const squeezed = await labels.evaluateAll(
    (all) => all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length,
  )
  assert.equal(squeezed, 0)
})

test('the steps of a script are edited as forms, and shown as a map', { skip }, async () => {
  const { id } = await send('POST', '/agents', { name: 'Steps', script })
  const draftScript = async () => (await send('GET', `/agents/${id}`)).draft.script
  const saved = () => page.getByRole('status').getByText('Saved', { exact: true }).waitFor()
  await openInPage(page, `/agents/${id}`)
  const steps = page.getByRole('list', { name: 'Steps' })
  await steps.getByText('See you on Tuesday.').waitFor()
  await page.getByRole('button', { name: 'Add step', exact: true }).click()
  await steps.getByLabel('Says').fill('Which day?')
  await steps.getByRole('button', { name: 'Add answer' }).click()
  await steps.getByText('Must not be empty').or(steps.getByText('hear must not be empty')).first().waitFor()
  await captureAll(owner, 'agent, step with error')
  await steps.getByRole('combobox', { name: 'Phrases' }).fill('friday')
  await page.keyboard.press('Enter')
  await saved()
  await steps.getByLabel('Name', { exact: true }).fill('day')
  await page.keyboard.press('Enter')
  await steps.getByRole('button', { name: 'Move day up' }).click()
  await steps.getByRole('button', { name: 'greet' }).first().click()
  await steps.getByRole('button', { name: 'Add answer' }).click()
  await steps.getByRole('combobox', { name: 'Phrases' }).fill('another day')
  await page.keyboard.press('Enter')
  const answer = steps.getByRole('group', { name: 'Answer 2' })
  await answer.getByRole('combobox', { name: 'Go to' }).click()
  await page.getByRole('option', { name: 'day', exact: true }).click()
  await saved()
  const { nodes } = await draftScript()
  assert.deepEqual(Object.keys(nodes), ['greet', 'day', 'done'])
  assert.deepEqual(nodes.day, { say: 'Which day?', on: [{ hear: ['friday'], go: '@end' }] })
  assert.deepEqual(nodes.greet.on[1], { hear: ['another day'], go: 'day' })
  await captureAll(owner, 'agent, step')
  await page.getByText('Map', { exact: true }).click()
  const map = page.getByRole('region', { name: 'Map' })
  await map.getByText('“another day”').waitFor()
  await captureAll(owner, 'agent, map')
  const outside = await map.evaluate((region) => {
    const pane = region.getBoundingClientRect()
    const boxes = [...region.querySelectorAll('.react-flow__node')].map((step) => step.getBoundingClientRect())
    return boxes.filter(({ left, top, right, bottom }) => {
      return left < pane.left || top < pane.top || right > pane.right || bottom > pane.bottom
    }).length
  })
  assert.equal(outside, 0, 'the map fits its pane')
  await map.getByRole('button', { name: /^done/ }).focus()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await steps.getByRole('button', { name: 'Delete done' }).click()
  await steps
    .getByText(/is "done", which is no node/)
    .first()
    .waitFor()
  await page.getByText('JSON', { exact: true }).click()
  const editor = page.getByRole('textbox', { name: 'Script', exact: true })
  const line = page.locator('.cm-line').filter({ has: page.locator('.cm-lintRange-error') })
  await line.getByText('"go"').waitFor()
  assert.match((await line.innerText()).trim(), /"go": "done"/)
  await captureAll(owner, 'agent, script with error')
  await openFromNav(page, 'Home')
  await dialog().getByText('Discard changes?').waitFor()
  await dialog().getByRole('button', { name: 'Cancel' }).click()
  await editor.fill(JSON.stringify(script))
  await page.getByRole('list', { name: 'Errors' }).waitFor({ state: 'detached' })
  await saved()
  assert.deepEqual(await draftScript(), script)
  await page.reload()
  await page.getByText('JSON', { exact: true }).click()
  const text = await editor.innerText()
  assert.ok(text.indexOf('"intent"') < text.indexOf('"go"'), 'members have the order in which they are read')
  assert.deepEqual(owner.pageErrors([400]), [])
})

test('an agent that can’t answer isn’t shown as live in green, and says why', { skip }, async () => {
  const { id } = await send('POST', '/agents', { name: 'Speechless' })
  await openInPage(page, '/agents')
  const row = page.getByRole('row').filter({ hasText: 'Speechless' })
  await row.getByText('Can’t answer').and(page.locator('[data-tone=danger]')).waitFor()
  await captureAll(owner, 'agents, can’t answer')
  await row.getByRole('link', { name: 'Speechless' }).click()
  const main = page.locator('main')
  await main.getByText('Can’t answer · Live v1').and(page.locator('[data-tone=danger]')).waitFor()
  await main.getByText('The agent has no script and no model, and there is no default provider.').waitFor()
  await captureAll(owner, 'agent, can’t answer')
  // The reason covers nothing.
  const tabs = page.getByRole('navigation', { name: 'Agent', exact: true })
  await tabs.getByRole('link', { name: 'Tests' }).click()
  await tabs.getByRole('link', { name: 'Editor' }).click()
  await page.getByText('Versions', { exact: true }).click()
  await main.getByText('Live, can’t answer').waitFor()
  assert.equal(await main.locator('[data-tone=success]').count(), 0)
  const viewer = await owner.newMember('viewer')
  await openInPage(viewer.page, `/agents/${id}`)
  await viewer.page.getByText('An owner can set up a model provider.').waitFor()
  await main.getByRole('link', { name: 'Set up a model provider' }).click()
  await page.getByRole('button', { name: 'New provider' }).first().click()
  await dialog().getByLabel('Name').fill('Models')
  await dialog().getByLabel('Base URL').fill('https://models.example/v1')
  await dialog().getByLabel('Default model').fill('small')
  await dialog().getByRole('button', { name: 'Create provider' }).click()
  await dialog().waitFor({ state: 'detached' })
  await openInPage(page, `/agents/${id}`)
  await main.getByText('Live v1').and(page.locator('[data-tone=success]')).waitFor()
  assert.equal(await main.getByText('Can’t answer').count(), 0)
})
