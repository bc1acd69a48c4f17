import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after } from 'node:test'
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core'
import { openPool } from '../../server/kit/postgres/pool.ts'
import { openChromium } from './chromium.ts'
import { parley } from './process.ts'

const checkout = path.resolve(import.meta.dirname, '../..')
const screenshots = path.join(checkout, '.cache/screenshots')
const axe = fs.readFileSync(path.join(checkout, 'node_modules/axe-core/axe.min.js'), 'utf8')

/** Only to fail instead of hanging: no test depends on its length. */
const timeout_ms = 60_000

export const wide = { width: 1280, height: 860 }
export const narrow = { width: 390, height: 780 }

export interface Dashboard {
  address: string
  setup_link: string
  browser: Browser
  /** Opens a browser context with its own cookies. */
  newBrowserUser: () => Promise<BrowserUser>
  /** Kills the server and starts it again at the same address, with these environment variables added. */
  restart: (environment?: Record<string, string>) => Promise<void>
  /** Runs a command on the server's database, with --json. */
  cli: (words: string[]) => Promise<unknown>
}

export interface BrowserUser {
  context: BrowserContext
  page: Page
  /** Takes a screenshot and fails if axe finds a serious violation. */
  capture: (name: string) => Promise<void>
  /** Console errors, exceptions and requests to other hosts, except error responses with these statuses. */
  pageErrors: (allowed_statuses?: number[]) => string[]
}

/** Starts the server on a new database, and a browser, until the tests of the file are done. */
export async function openDashboard(environment: Record<string, string> = {}): Promise<Dashboard> {
  const url = process.env.TEST_DATABASE_URL
  if (!url) throw new Error('run it with: npm test -- FILE')
  const name = `browser_${process.pid}`
  const admin = openPool({ url, size: 1, onError: console.error })
  await admin.script(`create database ${name}`)
  const common = {
    ...environment,
    LOG_LEVEL: 'warn',
    DATABASE_URL: url.replace(/\/[^/]*$/, `/${name}`),
    SECRETS_KEY: 'a key for tests that is long enough',
  }
  const start = (port: string, more: Record<string, string> = {}) =>
    parley(['serve'], { ...common, ...more, PORT: port })
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
  const restart = async (more = {}) => {
    server.child.kill('SIGKILL')
    await server.ended
    server = start(new URL(address).port, more)
    await server.says(new RegExp(address))
  }
  const cli = async (words: string[]) => {
    const { code, stdout, stderr } = await parley([...words, '--json'], common).ended
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  return { address, setup_link, browser, newBrowserUser: () => openBrowserUser(browser, address), restart, cli }
}

async function openBrowserUser(browser: Browser, address: string): Promise<BrowserUser> {
  const context = await browser.newContext({ viewport: wide, acceptDownloads: true, reducedMotion: 'reduce' })
  context.setDefaultTimeout(timeout_ms)
  const page = await context.newPage()
  const errors: { text: string; status?: number }[] = []
  context.on('request', (request) => {
    const is_own = request.url().startsWith(address) || /^(blob|data):/.test(request.url())
    if (!is_own) errors.push({ text: `request to ${request.url()}` })
  })
  page.on('pageerror', ({ message }) => errors.push({ text: message }))
  page.on('console', (message) => {
    if (message.type() !== 'error') return
    const status = Number(/status of (\d+)/.exec(message.text())?.[1])
    errors.push({ text: message.text(), ...(status && { status }) })
  })
  return {
    context,
    page,
    capture: (name) => capture(page, name),
    pageErrors: (allowed = []) =>
      errors.filter(({ status }) => !status || !allowed.includes(status)).map(({ text }) => text),
  }
}

/** Opens a path of the workspace that the page shows, as its links do, without loading the page again. */
export async function openInPage(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '/w/${workspaceOf(page)}${path}')`)
}

/** Opens a page from the navigation. On a phone it may be in the menu "More". */
export async function openFromNav(page: Page, name: string): Promise<void> {
  const nav = page.getByRole('navigation', { name: 'Main' })
  const link = nav.getByRole('link', { name })
  if (await link.isVisible()) return await link.click()
  await nav.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name }).click()
}

export async function setColorScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
}

export const workspaceOf = (page: Page): string => /\/w\/([^/?]+)/.exec(page.url())?.[1] ?? ''

export const password = 'correct horse battery'

/** Creates the owner account, Ada, with the setup link. */
export async function setUp(page: Page, setup_link: string): Promise<void> {
  await page.goto(setup_link)
  await fillAccountForm(page, 'Ada Lovelace', 'ada@example.com')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('Get started').waitFor()
}

export async function fillAccountForm(on: Page, name: string, email: string): Promise<void> {
  await on.getByLabel('Your name').fill(name)
  await on.getByLabel('Email').fill(email)
  await on.getByRole('textbox', { name: 'Password' }).fill(password)
}

/** Holds matching requests until the returned function is called, then fails them with 404. */
export async function holdRequests(page: Page, urls: RegExp): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(urls, async (route) => {
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

/** A color is not the final one while it changes. */
const transitions_end =
  'Promise.allSettled(document.getAnimations().flatMap((one) => one.transitionProperty ? one.finished : []))'

async function capture(page: Page, name: string): Promise<void> {
  await page.evaluate(transitions_end)
  await saveScreenshot(page, name)
  const found = (await findViolations(page)).filter(({ impact }) => impact === 'serious' || impact === 'critical')
  assert.deepEqual(found.map(describe), [], `axe on ${name}`)
}

/** Captures the page, wide and narrow, light and dark. Fails if it scrolls sideways, or if axe finds anything at all. */
export async function captureAll({ page, capture }: BrowserUser, name: string): Promise<void> {
  for (const [variant, size] of Object.entries({ wide, narrow })) {
    for (const color_scheme of ['light', 'dark'] as const) {
      await page.setViewportSize(size)
      await setColorScheme(page, color_scheme)
      await capture(`${name}, ${variant}, ${color_scheme}`)
      assert.deepEqual((await findViolations(page)).map(describe), [], `axe on ${name}, ${variant}, ${color_scheme}`)
      const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
      assert.ok(overflow <= 0, `${name}, ${variant} is ${overflow} px too wide`)
    }
  }
  await page.setViewportSize(wide)
  await setColorScheme(page, 'light')
}

export const saveScreenshot = (page: Page, name: string): Promise<Buffer> =>
  page.screenshot({ path: path.join(screenshots, `${name}.png`) })

/** What axe finds in the page or frame, without the frames in it: axe can't look into those of other origins. */
export async function findViolations(page: Page | Frame): Promise<Violation[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe)
  const { violations }: { violations: Violation[] } = await page.evaluate(
    "axe.run({ resultTypes: ['violations'], iframes: false })",
  )
  return violations
}

export const describe = ({ id, nodes }: Violation): string => `${id}: ${nodes[0]?.html}`
