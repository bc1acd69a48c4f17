import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openPool } from '../../server/kit/postgres/pool.ts'
import { openChromium } from './chromium.ts'
import { parley } from './process.ts'

const checkout = path.resolve(import.meta.dirname, '../..')
const pictures = path.join(checkout, '.cache/screenshots')
const axe = fs.readFileSync(path.join(checkout, 'node_modules/axe-core/axe.min.js'), 'utf8')

/** Says nothing about speed: what isn't there by then never comes. */
const hang_ms = 60_000

export const wide = { width: 1280, height: 860 }
export const narrow = { width: 390, height: 780 }

export interface Dashboard {
  address: string
  setup_link: string
  browser: Browser
  /** Someone with a browser of their own. */
  visit: () => Promise<Visit>
  /** Killed, and started again at the same address. */
  restart: () => Promise<void>
}

export interface Visit {
  context: BrowserContext
  page: Page
  /** Takes a picture, and asks axe whether everyone can use what is shown. */
  look: (name: string) => Promise<void>
  /** What a page should never do: say errors, ask other hosts. Refusals that a test provokes are named by status. */
  faults: (allowed_statuses?: number[]) => string[]
}

/** A first start on a database of its own, and a browser, until the file's tests are done. */
export async function openDashboard(): Promise<Dashboard> {
  const url = process.env.TEST_DATABASE_URL
  if (!url) throw new Error('run it by: npm test -- FILE')
  const name = `browser_${process.pid}`
  const admin = openPool({ url, size: 1, on_error: console.error })
  await admin.script(`create database ${name}`)
  const start = (port: string) =>
    parley(['serve'], {
      PORT: port,
      LOG_LEVEL: 'warn',
      DATABASE_URL: url.replace(/\/[^/]*$/, `/${name}`),
      SECRETS_KEY: 'a key for tests that is long enough',
    })
  let server = start('0')
  const browser = await openChromium()
  after(async () => {
    await browser.close()
    server.child.kill('SIGTERM')
    await server.ended
    await admin.script(`drop database ${name} with (force)`)
    await admin.close()
  })
  const [, setup_link = ''] = await server.says(/Set up +(\S+)/)
  const address = new URL(setup_link).origin
  const restart = async () => {
    server.child.kill('SIGKILL')
    await server.ended
    server = start(new URL(address).port)
    await server.says(new RegExp(address))
  }
  return { address, setup_link, browser, visit: () => newVisit(browser, address), restart }
}

async function newVisit(browser: Browser, address: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: wide, acceptDownloads: true, reducedMotion: 'reduce' })
  context.setDefaultTimeout(hang_ms)
  const page = await context.newPage()
  const faults: { text: string; status?: number }[] = []
  context.on('request', (request) => {
    const is_ours = request.url().startsWith(address) || /^(blob|data):/.test(request.url())
    if (!is_ours) faults.push({ text: `asked ${request.url()}` })
  })
  page.on('pageerror', ({ message }) => faults.push({ text: message }))
  page.on('console', (message) => {
    if (message.type() !== 'error') return
    const status = Number(/status of (\d+)/.exec(message.text())?.[1])
    faults.push({ text: message.text(), ...(status && { status }) })
  })
  return {
    context,
    page,
    look: (name) => look(page, name),
    faults: (allowed = []) =>
      faults.filter(({ status }) => !status || !allowed.includes(status)).map(({ text }) => text),
  }
}

export const password = 'correct horse battery'

/** Ada, by the link of the first start. */
export async function setUp(page: Page, setup_link: string): Promise<void> {
  await page.goto(setup_link)
  await fillPerson(page, 'Ada Lovelace', 'ada@example.com')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('Get started').waitFor()
}

export async function fillPerson(on: Page, name: string, email: string): Promise<void> {
  await on.getByLabel('Your name').fill(name)
  await on.getByLabel('Email').fill(email)
  await on.getByRole('textbox', { name: 'Password' }).fill(password)
}

/** Keeps these requests waiting, and refuses them when it is told to. */
export async function hold(page: Page, requests: RegExp): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(requests, async (route) => {
    await promise
    await route.fulfill({ status: 404, json: { success: false, error: { code: 'NOT_FOUND', message: 'Not today.' } } })
  })
  return resolve
}

interface Violation {
  id: string
  impact: string
  nodes: { html: string }[]
}

async function look(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: path.join(pictures, `${name}.png`) })
  await page.evaluate(axe)
  const { violations }: { violations: Violation[] } = await page.evaluate("axe.run({ resultTypes: ['violations'] })")
  const found = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
  assert.deepEqual(found, [], `axe on ${name}`)
}
