import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import type { BrowserContext, Frame, FrameLocator, Page } from 'playwright-core'
import * as channels from '../../server/channels/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import { newAgent, newModelAgent } from '../support/conversations.ts'
import {
  assertFits,
  describe,
  findViolations,
  narrow,
  openShared,
  saveScreenshot,
  skip,
  variants,
  wide,
} from '../support/dashboard.ts'
import type { Tenant } from '../support/harness.ts'
import { openaiServer, until } from '../support/model-servers.ts'

const markup = '<img src=x onerror="document.title=1"><b>bold</b>'
const on = [
  { hear: ['hours'], go: 'hours' },
  { hear: ['markup'], go: 'markup' },
  { hear: ['separators'], go: 'separators' },
  { intent: 'human', go: '@hand_over' },
]
const script = {
  start: 'ask',
  nodes: {
    ask: { say: 'Hello. How can I help?', on },
    hours: { say: 'Nine to six.', go: 'wait' },
    markup: { say: markup, go: 'wait' },
    separators: { say: 'One\u2028two\u2029three.', go: 'wait' },
    wait: { on, else: { say: 'Sorry?', go: 'wait' } },
  },
}

const { server, browser } = await openShared()
const sites = await Promise.all([openSite(), openSite()])
const [site, other_site] = sites
after(() => {
  for (const { close } of sites) close()
})

/** A website of another origin, whose pages have the script of one channel and a strict policy. */
async function openSite() {
  let attributes = ''
  const site_server = http.createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.setHeader(
      'content-security-policy',
      `default-src 'none'; script-src ${server.url}; frame-src ${server.url}; img-src data:`,
    )
    response.end(`<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">
      <main><h1>Shop</h1><a href="/second">Second page</a></main>
      <script src="${server.url}/chat/widget.js" ${attributes} async></script></html>`)
  })
  site_server.listen(0, '127.0.0.1')
  await once(site_server, 'listening')
  const { port } = site_server.address() as AddressInfo
  return {
    // Another site than the server's, which is at 127.0.0.1.
    origin: `http://localhost:${port}`,
    show: (channel_id: string, more = '') => {
      attributes = `data-channel="${channel_id}" ${more}`
    },
    close: () => site_server.close(),
  }
}

let networks = 0
async function newContext(options: object = {}): Promise<BrowserContext> {
  networks += 1
  const context = await browser.newContext({
    viewport: wide,
    reducedMotion: 'reduce',
    // Each visitor has a network, because limits are per network.
    extraHTTPHeaders: { 'x-forwarded-for': `10.1.0.${networks}` },
    ...options,
  })
  after(() => context.close())
  return context
}

/** A page whose errors and warnings are collected. */
async function newPage(context: BrowserContext): Promise<{ page: Page; errors: string[] }> {
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  page.on('console', (message) => /error|warning/.test(message.type()) && errors.push(message.text()))
  return { page, errors }
}

const newChannel = async (tenant: Tenant, agent_id?: string) =>
  tenant.addChannel({
    name: 'Site',
    kind: 'web_chat',
    provider: 'web',
    origins: [site.origin],
    agent_id: agent_id ?? (await newAgent(tenant, { script })),
  })

const chatIn = (page: Page): FrameLocator => page.frameLocator('iframe[title=Chat]')

function frameOf(page: Page): Frame {
  const frame = page.frames().find((one) => one.url().includes('/chat/'))
  assert.ok(frame, 'the page has the frame')
  return frame
}

async function say(chat: FrameLocator | Page, text: string): Promise<void> {
  await chat.getByLabel('Message', { exact: true }).fill(text)
  await chat.getByLabel('Message', { exact: true }).press('Enter')
}

const tenant = await server.workspace()
const channel = await newChannel(tenant)
const openButton = (page: Page) => page.getByRole('button', { name: 'Open chat' })

test('a visitor chats on a page of another site, reloads and goes on; another one sees nothing', { skip }, async () => {
  site.show(channel.id)
  const context = await newContext()
  const { page, errors } = await newPage(context)
  await page.goto(site.origin)
  await openButton(page).click()
  const chat = chatIn(page)
  await chat.getByText('Hello. How can I help?').waitFor()
  await chat.getByText('You are chatting with an AI assistant.').waitFor()
  await say(chat, 'What are your hours?')
  await chat.getByText('Nine to six.').waitFor()
  await saveScreenshot(page, 'web chat, on a page, light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await saveScreenshot(page, 'web chat, on a page, dark')
  await page.emulateMedia({ colorScheme: 'light' })

  await page.reload()
  await chat.getByText('Nine to six.').waitFor()
  assert.equal(await chat.getByText('What are your hours?').count(), 1)
  await page.getByRole('link', { name: 'Second page' }).click()
  await page.waitForURL(/second/)
  await chat.getByText('Nine to six.').waitFor()
  await say(chat, 'hours again')
  await until(async () => (await chat.getByText('Nine to six.').count()) === 2)

  const second = await newPage(await newContext())
  await second.page.goto(site.origin)
  await openButton(second.page).click()
  await chatIn(second.page).getByText('Hello. How can I help?').waitFor()
  assert.equal(await chatIn(second.page).getByText('Nine to six.').count(), 0)
  assert.deepEqual([errors, second.errors], [[], []])
  assert.deepEqual(await context.cookies(), [])
})

test('Escape and the buttons close the chat, and the focus returns to the button', { skip }, async () => {
  const { page } = await newPage(await newContext())
  await page.goto(site.origin)
  const button = openButton(page)
  await button.focus()
  await page.keyboard.press('Enter')
  const chat = chatIn(page)
  const field = chat.getByLabel('Message', { exact: true })
  await until(() => field.evaluate('document.activeElement.id === "text"'))
  await field.press('Escape')
  await button.waitFor()
  assert.equal(await page.evaluate('document.activeElement.shadowRoot.activeElement.ariaLabel'), 'Open chat')
  await button.click()
  await chat.getByRole('button', { name: 'Close chat' }).click()
  await button.waitFor()
  await page.reload()
  await button.waitFor()
  assert.equal(await page.locator('iframe').count(), 0, 'a closed chat stays closed')
})

const closeButton = (page: Page) => page.getByRole('button', { name: 'Close chat' })
const unavailable = 'This chat is not available.'
const adviceFor = (origin: string) =>
  `The chat did not load. Add ${origin} to the channel's websites, or check that the channel is active.`

test('on a phone, a site that is not listed shows a message that can be closed', { skip }, async () => {
  other_site.show(channel.id)
  const { page, errors } = await newPage(await newContext({ viewport: narrow, hasTouch: true }))
  await page.goto(other_site.origin)
  await openButton(page).tap()
  // Before it is known that there is no chat.
  await closeButton(page).tap()
  await openButton(page).tap()
  await page.getByText(unavailable).waitFor()
  assert.ok(errors.some((text) => text.includes('frame-ancestors')))
  assert.deepEqual(
    errors.filter((text) => text.includes('did not load')),
    [adviceFor(other_site.origin)],
  )
  assert.equal(await page.locator('iframe').isVisible(), false)
  for (const color_scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: color_scheme })
    await saveScreenshot(page, `web chat, not available, ${color_scheme}`)
    assert.deepEqual((await findViolations(page)).map(describe), [])
  }
  await page.reload()
  await openButton(page).tap()
  await page.getByText(unavailable).waitFor()
  await closeButton(page).tap()
  await page.getByText(unavailable).waitFor({ state: 'hidden' })
  await openButton(page).waitFor()
})

test('on a phone, a chat whose channel was deleted does not cover the page', { skip }, async () => {
  const { id } = await newChannel(tenant)
  site.show(id)
  const { page, errors } = await newPage(await newContext({ viewport: narrow, hasTouch: true }))
  await page.goto(site.origin)
  await openButton(page).tap()
  await chatIn(page).getByText('Hello. How can I help?').waitFor()
  await inTransaction(server.at(tenant.id), (at) => channels.remove(at, { id, isCurrent: () => true }))
  await page.reload()
  await page.getByText(unavailable).waitFor()
  assert.ok(errors.includes(adviceFor(site.origin)))
  await closeButton(page).tap()
  await openButton(page).waitFor()
  await page.getByRole('link', { name: 'Second page' }).tap()
  await page.waitForURL(/second/)
  await openButton(page).waitFor()
  assert.equal(await page.locator('iframe').count(), 0, 'it is not opened again')

  await page.goto(`${server.url}/chat/${id}`)
  await page.getByText('This chat is not available at the moment.').waitFor()
  for (const color_scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: color_scheme })
    await saveScreenshot(page, `web chat, page of a deleted channel, ${color_scheme}`)
    assert.deepEqual((await findViolations(page)).map(describe), [])
  }
  site.show(channel.id)
})

test("the website's color is the one of the button and of the chat", { skip }, async () => {
  for (const [color, expected] of Object.entries({
    '#ffd400': ['rgb(255, 212, 0)', 'rgb(0, 0, 0)'],
    '#ffd400;}': ['rgb(23, 116, 94)', 'rgb(255, 255, 255)'],
  })) {
    site.show(channel.id, `data-color="${color}"`)
    const { page, errors } = await newPage(await newContext())
    await page.goto(site.origin)
    await openButton(page).click()
    await chatIn(page).getByText('Hello. How can I help?').waitFor()
    await say(chatIn(page), 'hours')
    await chatIn(page).getByText('Nine to six.').waitFor()
    await saveScreenshot(page, `web chat, color ${expected[0]}`)
    const bubble = "getComputedStyle(document.querySelector('.contact'))"
    const colors = await frameOf(page).evaluate(`[${bubble}.backgroundColor, ${bubble}.color]`)
    assert.deepEqual(colors, expected)
    const button = "document.querySelector('[id^=chat-]').shadowRoot.querySelector('button')"
    assert.equal(await page.evaluate(`getComputedStyle(${button}).backgroundColor`), expected[0])
    assert.deepEqual((await findViolations(frameOf(page))).map(describe), [])
    assert.deepEqual(errors, [])
  }
  site.show(channel.id)
})

test('markup from either side is shown as text', { skip }, async () => {
  const { page, errors } = await newPage(await newContext())
  await page.goto(`${server.url}/chat/${channel.id}`)
  await page.getByText('Hello. How can I help?').waitFor()
  await say(page, `markup ${markup}`)
  await page.locator('.agent').getByText(markup).waitFor()
  await page.locator('.contact').getByText(markup).waitFor()
  assert.equal(await page.locator('main img, main b, main a').count(), 0)
  assert.equal(await page.title(), 'Reception')
  assert.deepEqual(errors, [])
})

test('axe finds nothing, wide in light colors and on a phone in dark ones', { skip }, async () => {
  const { page, errors } = await newPage(await newContext())
  await page.goto(site.origin)
  await openButton(page).click()
  await chatIn(page).getByText('Hello. How can I help?').waitFor()
  await say(chatIn(page), 'hours')
  await chatIn(page).getByText('Nine to six.').waitFor()
  await chatIn(page).getByRole('button', { name: 'Leave your phone number' }).click()
  for (const { variant, size, color_scheme } of variants) {
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme: color_scheme })
    await saveScreenshot(page, `web chat, ${variant}`)
    for (const part of [page, frameOf(page)]) assert.deepEqual((await findViolations(part)).map(describe), [])
    await assertFits(frameOf(page), variant)
  }
  const box = await page.locator('iframe').boundingBox()
  assert.deepEqual(box, { x: 0, y: 0, ...narrow }, 'on a phone the chat covers the page')
  assert.deepEqual(errors, [])
})

test('the last message stays in view when the form for the phone number opens and has an error', { skip }, async () => {
  const { page } = await newPage(await newContext({ viewport: { width: 390, height: 560 } }))
  await page.goto(`${server.url}/chat/${channel.id}`)
  await page.getByText('Hello. How can I help?').waitFor()
  for (let count = 1; count <= 4; count += 1) {
    await say(page, `hours ${count}`)
    await until(async () => (await page.getByText('Nine to six.').count()) === count)
  }
  const below = 'scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop'
  await page.getByRole('button', { name: 'Leave your phone number' }).click()
  await page.getByText('So that we can call or text you back.').waitFor()
  assert.ok(Number(await page.evaluate(below)) < 1)
  await page.getByLabel('Your phone number').fill('555')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('with its country code').waitFor()
  assert.ok(Number(await page.evaluate(below)) < 1)
  await saveScreenshot(page, 'web chat, phone number with an error')
})

test('a phone number in any form is sent in E.164, once', { skip }, async () => {
  const { page } = await newPage(await newContext({ viewport: narrow }))
  await page.goto(`${server.url}/chat/${channel.id}`)
  await page.getByText('Hello. How can I help?').waitFor()
  await page.getByRole('button', { name: 'Leave your phone number' }).click()
  await page.getByLabel('Your phone number').fill('(415) 555-0100')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('with its country code').waitFor()
  await page.getByLabel('Your phone number').fill('+1 (415) 555-0100')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('We have your phone number').waitFor()
  await page.getByRole('button', { name: 'Leave your phone number' }).waitFor({ state: 'hidden' })
  await page.reload()
  await page.getByText('Hello. How can I help?').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Leave your phone number' }).isVisible(), false)
  const { data } = (await tenant.call('GET', `/conversations?channel_id=${channel.id}`)).body
  assert.equal(data[0].counterpart, '+14155550100')
})

test('a message that was not sent can be sent again, and is added once', { skip }, async () => {
  const context = await newContext()
  const { page } = await newPage(context)
  await page.goto(`${server.url}/chat/${channel.id}`)
  await page.getByText('Hello. How can I help?').waitFor()
  await context.setOffline(true)
  await page.getByText('You are offline.').waitFor()
  await say(page, 'hours')
  await page.getByText('Not sent.').waitFor()
  await saveScreenshot(page, 'web chat, offline')
  assert.deepEqual((await findViolations(page)).map(describe), [])
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Nine to six.').waitFor()
  assert.equal(await page.getByText('Not sent.').count(), 0)

  // The server gets it, but the answer is lost.
  await page.route('**/messages', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await say(page, 'hours, please')
  await until(async () => (await page.getByText('Nine to six.').count()) === 2)
  await page.unroute('**/messages')
  await until(async () => (await page.getByText('Not sent.').count()) === 0)
  assert.equal(await page.locator('.contact').count(), 2)
})

test('an unknown token begins a new chat quietly', { skip }, async () => {
  const { page, errors } = await newPage(await newContext())
  await page.goto(`${server.url}/chat/${channel.id}`)
  await page.getByText('Hello. How can I help?').waitFor()
  await page.evaluate(`localStorage.setItem('chat:${channel.id}', '${'x'.repeat(43)}')`)
  await page.reload()
  await page.getByText('Hello. How can I help?').waitFor()
  await say(page, 'hours')
  await page.getByText('Nine to six.').waitFor()
  assert.deepEqual(
    errors.filter((text) => !text.includes('401')),
    [],
  )
})

test('the visitor is told when a person answers, when the chat ends, and can begin another one', { skip }, async () => {
  const { page } = await newPage(await newContext())
  await page.goto(`${server.url}/chat/${channel.id}`)
  await page.getByText('Hello. How can I help?').waitFor()
  await say(page, 'I want to talk to a person')
  await page.getByText('A person will answer here.').waitFor()
  const { data } = (await tenant.call('GET', '/conversations?status=handed_over')).body
  await tenant.call('POST', `/conversations/${data[0].id}/answers`, { text: 'Grace here.' })
  await page.locator('.human').getByText('Person', { exact: true }).waitFor()
  await page.getByText('Grace here.').waitFor()
  await page.getByText('You are chatting with a person.').waitFor()
  await saveScreenshot(page, 'web chat, a person answers')
  await page.reload()
  await page.getByText('You are chatting with a person.').waitFor()
  await tenant.call('POST', `/conversations/${data[0].id}/close`)
  await page.getByText('This chat has ended.').waitFor()
  await saveScreenshot(page, 'web chat, ended')
  assert.deepEqual((await findViolations(page)).map(describe), [])
  await say(page, 'One more thing: hours')
  await page.getByText('Nine to six.').waitFor()
  await saveScreenshot(page, 'web chat, another conversation')
  assert.equal(await page.getByText('Grace here.').count(), 1, 'the earlier words stay')
  assert.equal(await page.getByText('One more thing: hours').count(), 1)
  assert.equal(await page.getByText('This chat has ended.').isVisible(), false)
  const [latest] = (await tenant.call('GET', `/conversations?channel_id=${channel.id}`)).body.data
  await tenant.call('POST', `/conversations/${latest.id}/close`)
  await page.getByRole('button', { name: 'New chat' }).click()
  await page.getByText('Grace here.').waitFor({ state: 'detached' })
  await page.getByText('Hello. How can I help?').waitFor()
})

test('words appear as they are made, and screen readers get the finished answer', { skip }, async () => {
  const holds = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const model = await openaiServer({ words: ['Nine', ' to six.'], beforeWord: (index) => holds[index]?.promise })
  const { id } = await newChannel(tenant, await newModelAgent(tenant, model))
  const { page } = await newPage(await newContext())
  await page.goto(`${server.url}/chat/${id}`)
  await say(page, 'When?')
  await page.getByText('The assistant is typing').waitFor()
  await saveScreenshot(page, 'web chat, answering')
  holds[0]?.resolve()
  await page.locator('#draft').getByText('Nine', { exact: true }).waitFor()
  assert.equal(await page.getByRole('log').getByText('Nine').count(), 0)
  assert.equal(await page.getByText('The assistant is typing').isVisible(), false)
  holds[1]?.resolve()
  await page.getByRole('log').getByText('Nine to six.').waitFor()
  assert.equal(await page.getByText('Nine to six.').count(), 1)
})

test('what is written before the chat has begun is sent', { skip }, async () => {
  const { page } = await newPage(await newContext())
  const hold = Promise.withResolvers<void>()
  await page.route('**/sessions', async (route) => {
    await hold.promise
    await route.continue()
  })
  await page.goto(`${server.url}/chat/${channel.id}`)
  await say(page, 'Your hours, please')
  hold.resolve()
  await page.getByText('Nine to six.').waitFor()
  assert.equal(await page.getByText('Your hours, please').count(), 1)
})

test('line separators of Unicode in an answer do not break the chat', { skip }, async () => {
  const { page } = await newPage(await newContext())
  await page.goto(`${server.url}/chat/${channel.id}`)
  await say(page, 'separators')
  await page.getByText(/One\s+two\s+three\./).waitFor()
  await say(page, 'hours')
  await page.getByText('Nine to six.').waitFor()
})

test('the chat resumes after the server was away', { skip }, async () => {
  const { page } = await newPage(await newContext())
  await page.goto(`${server.url}/chat/${channel.id}`)
  await page.getByText('Hello. How can I help?').waitFor()
  await page.route('**/stream', (route) => route.abort())
  await page.reload()
  await page.getByText('Connecting again').waitFor()
  await say(page, 'hours')
  await page.unroute('**/stream')
  await page.getByText('Nine to six.').waitFor()
  await page.getByText('Connecting again').waitFor({ state: 'hidden' })
})
