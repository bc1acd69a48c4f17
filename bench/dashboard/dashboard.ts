import { randomBytes } from 'node:crypto'
import os from 'node:os'
import type { BrowserContext, Page } from 'playwright-core'
import type { Contact, NewContact } from '../../server/contacts/schema.ts'
import * as contacts from '../../server/contacts/store.ts'
import { atWall, inTransaction } from '../../server/kit/at.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { hashPassword } from '../../server/people/password.ts'
import * as sessions from '../../server/people/sessions.ts'
import * as people from '../../server/people/store.ts'
import { openChromium } from '../../test/support/chromium.ts'
import { type PageWeight, weighPage } from '../../test/support/page-weight.ts'
import { openDatabase } from '../database.ts'
import { serviceOn } from '../fill.ts'
import { startServer } from '../processes.ts'
import { median } from '../table.ts'

export interface Shown {
  weights: Record<string, PageWeight>
  first_row_ms: number
  long_tasks_ms: number[]
}

const stored_contacts = 538
const loaded_rows = 10_000
const rounds = 7
const weight_max_bytes = 250_000
const first_row_max_ms = 1_000
const long_task_max_ms = 50
const scroll_steps = 120
const scroll_step_px = 900

const method = `On this machine, in Chromium, with the dashboard as it is built for everyone and ${stored_contacts} contacts.
  weight      what Home and Contacts load without a cache: HTML, JavaScript, CSS and fonts, as received
  first row   from the request for Contacts until its first row is painted, without a cache. Median of ${rounds} after a warm-up
  long tasks  the longest task of the page while ${loaded_rows.toLocaleString('en')} loaded rows are scrolled by the wheel. Chromium names those above 50 ms
`

/** Measures what people wait for in the dashboard. */
export async function showing(stack: AsyncDisposableStack, signal: AbortSignal): Promise<Shown> {
  console.log(method)
  const { url, pool } = await openDatabase(stack)
  const server = await startServer(stack, 'bin/parley.mjs', ['serve'], {
    DATABASE_URL: url,
    PORT: '0',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_SECOND: '0',
  })
  const address = `http://127.0.0.1:${server.port}`
  const { workspace, token } = await addOwner(pool)
  const browser = await openChromium()
  stack.defer(() => browser.close())
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  await context.addCookies([{ name: 'parley_session', value: token, url: address }])
  const home = `${address}/w/${workspace}`

  const weights: Record<string, PageWeight> = {}
  for (const [name, at] of Object.entries({ Home: home, Contacts: `${home}/contacts` })) {
    signal.throwIfAborted()
    const weight = await weighPage(context, at)
    weights[name] = weight
    const parts = Object.entries(weight).map(([part, bytes]) => `${part} ${toKilobytes(bytes)}`)
    console.log(`${name}: ${parts.join(', ')} kB ${verdict(weight.total < weight_max_bytes, 'below 250 kB')}`)
  }

  const times: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    signal.throwIfAborted()
    const time = await timeFirstRow(context, `${home}/contacts`)
    // The first round warms up the server.
    if (round > 0) times.push(time)
  }
  const first_row_ms = median(times)
  const [load = 0] = os.loadavg()
  console.log(
    `First row: ${Math.round(first_row_ms)} ms (${times.map(Math.round).join(', ')}; load ${load.toFixed(1)}) ${verdict(first_row_ms < first_row_max_ms, 'within a second')}`,
  )

  const long_tasks_ms = await scrollRows(context, `${home}/contacts`)
  const longest = Math.max(0, ...long_tasks_ms)
  console.log(
    `Long tasks while scrolling: ${long_tasks_ms.map(Math.round).join(', ') || 'none'} ms ${verdict(longest <= long_task_max_ms, 'none above 50 ms')}`,
  )
  return { weights, first_row_ms, long_tasks_ms }
}

const toKilobytes = (bytes: number): string => (bytes / 1000).toFixed(1)

const verdict = (is_met: boolean, target: string): string => `(target: ${target}, ${is_met ? 'met' : 'missed'})`

async function addOwner(pool: Pool): Promise<{ workspace: string; token: string }> {
  const at = atWall(serviceOn(pool), '')
  const unscoped = { db: pool, now: at.now }
  const password_hash = await hashPassword(randomBytes(16).toString('hex'))
  const person = await people.create(unscoped, { email: 'ada@example.com', name: 'Ada', password_hash })
  if (!person) throw new Error('the email is taken')
  const { id } = await people.createWorkspace(at, { person_id: person.id, name: 'Bakery' })
  const inputs = Array.from({ length: stored_contacts }, (_, index) => ({ ...sample(index), source: 'api' as const }))
  await inTransaction(atWall(serviceOn(pool), id), (at) => contacts.create(at, inputs))
  const token = await sessions.create(unscoped, { person_id: person.id, password_hash, user_agent: 'bench' })
  if (token === undefined) throw new Error('the password was changed')
  return { workspace: id, token }
}

const first_names = ['Wei', 'Grace', 'Łukasz', 'Zoë', 'Ángel', 'Priya', 'Søren', 'Irina']
const last_names = ['Wałęsa', 'Hopper', 'Kowalski', 'Müller', 'García', 'Patel', 'Nguyễn', 'Иванова', 'Jones']

const sample = (index: number): NewContact => ({
  phone_number: `+1415555${1000 + index}`,
  first_name: first_names[index % first_names.length] ?? '',
  last_name: last_names[index % last_names.length] ?? '',
  company: index % 3 === 0 ? 'Northwind Dental' : '',
  tags: index % 4 === 0 ? ['vip', 'recall'] : [],
})

const mark_first_row = `
  const look = () => {
    if (document.querySelector('tbody td a')) performance.mark('first row')
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)`

const observe_long_tasks = `
  globalThis.durations = []
  new PerformanceObserver((list) => durations.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' })`

/** In the page's own time, which begins with the request for it. */
async function timeFirstRow(context: BrowserContext, address: string): Promise<number> {
  const page = await openWithoutCache(context)
  await page.addInitScript({ content: mark_first_row })
  await page.goto(address)
  await page.locator('tbody td a').first().waitFor()
  const time = await page.evaluate<number>(
    "new Promise((resolve) => requestAnimationFrame(() => resolve(performance.getEntriesByName('first row')[0].startTime)))",
  )
  await page.close()
  return time
}

async function openWithoutCache(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  const network = await context.newCDPSession(page)
  await network.send('Network.enable')
  await network.send('Network.setCacheDisabled', { cacheDisabled: true })
  return page
}

/** The list is answered with as many rows as the table must hold, instead of a page of them. */
async function scrollRows(context: BrowserContext, address: string): Promise<number[]> {
  const page = await context.newPage()
  await page.route(/\/app\/api\/v1\/contacts\?/, async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    const rows = body.data as Contact[]
    const data = Array.from({ length: loaded_rows }, (_, index) => ({
      ...rows[index % rows.length],
      id: String(index),
    }))
    await route.fulfill({ response, json: { ...body, data } })
  })
  await page.goto(address)
  await page
    .locator('tbody tr')
    .nth(loaded_rows - 1)
    .waitFor({ state: 'attached' })
  await page.waitForTimeout(1_000)
  await page.evaluate(observe_long_tasks)
  await page.mouse.move(700, 400)
  for (let step = 0; step < scroll_steps; step += 1) {
    await page.mouse.wheel(0, scroll_step_px)
    await page.waitForTimeout(16)
  }
  await page.waitForTimeout(500)
  const durations = await page.evaluate<number[]>('durations')
  await page.close()
  return durations
}
