import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core'
import type { Config } from '../../server/config.ts'
import { newId } from '../../server/kit/id.ts'
import { openPool } from '../../server/kit/postgres/pool.ts'
import type { NewWorkspace, Role } from '../../server/people/schema.ts'
import * as people from '../../server/people/store.ts'
import { openChromium } from './chromium.ts'
import { copyTemplate } from './database.ts'
import { openServer, type Server } from './harness.ts'
import { parley } from './process.ts'
import { newPerson, password } from './sessions.ts'
import { closeAfterLastFile } from './shared.ts'
import { speech_folder } from './speech.ts'
import { startWorker } from './workers.ts'

const checkout = path.resolve(import.meta.dirname, '../..')
const screenshots = path.join(checkout, '.cache/screenshots')
/** `npm run screenshots` sets SCREENSHOTS. */
const takes_screenshots = process.env.SCREENSHOTS === '1'
/** The scenario `long` sets AXE_ON_EACH_STATE. */
const looks_at_each_state = takes_screenshots || process.env.AXE_ON_EACH_STATE === '1'
const axe = fs.readFileSync(path.join(checkout, 'node_modules/axe-core/axe.min.js'), 'utf8')

/** The timeout makes tests fail instead of hang: no test depends on its length. */
const timeout_ms = 60_000
const pool_size = 10

/** For `test`: why the tests with a browser can't run here. */
export const skip = process.platform === 'linux' ? false : 'npm has a Chromium for Linux only'

export const wide = { width: 1280, height: 860 }
export const narrow = { width: 390, height: 780 }

/** What all test files of a process use: a server that does its background work, and Chromium. */
interface Shared {
  server: Server
  database_url: string
  browser: Browser
}

let shared: Promise<Shared> | undefined

/** The first file opens both, and the next ones find them open. */
export async function openShared(): Promise<Shared> {
  shared ??= startShared()
  return await shared
}

async function startShared(): Promise<Shared> {
  await using starting = new AsyncDisposableStack()
  const { url, drop } = await copyTemplate('browser')
  starting.defer(drop)
  const data_dir = fs.mkdtempSync(path.join(os.tmpdir(), 'parley-browser-'))
  starting.defer(() => fs.rmSync(data_dir, { recursive: true, force: true }))
  const pool = openPool({ url, size: pool_size, onError: console.error })
  const allowed = ['127.0.0.1']
  const server = await openServer(pool, {
    data_dir,
    outbound_allow_hosts: allowed,
    trust_proxy: allowed,
    speech_dir: speech_folder,
  })
  starting.defer(server.close)
  starting.defer(startWorker(server).stop)
  // Where Chromium can't run, all tests are skipped, and nothing uses it.
  const browser = skip ? ({} as Browser) : await openChromium()
  if (!skip) starting.defer(() => browser.close())
  const started = starting.move()
  closeAfterLastFile(() => started.disposeAsync())
  return { server, database_url: url, browser }
}

export interface BrowserUser {
  context: BrowserContext
  page: Page
  /** Fails if the page scrolls sideways, or if axe finds a serious violation. */
  capture: (name: string) => Promise<void>
  /** Console errors, exceptions and requests to other hosts, except error responses with these statuses. */
  pageErrors: (allowed_statuses?: number[]) => string[]
}

export interface Owner extends BrowserUser {
  server: Server
  address: string
  /** The workspace of this file, and of no other. */
  workspace: { id: string; name: string }
  email: string
  /** Sends a request below /app as the page does, in the workspace that the page shows, and returns the data. */
  fetchApp: SendRequest
  /** Sends a request below /app/api/v1, as `fetchApp` does below /app. */
  send: SendRequest
  /** Opens a browser context with its own cookies. */
  newBrowserUser: () => Promise<BrowserUser>
  /** Opens the workspace as someone else, who has this role. */
  newMember: (role: Role) => Promise<BrowserUser>
  /** Opens the workspace at another server, which has these settings and the same database. */
  openBeside: (settings: Partial<Config>) => Promise<BrowserUser>
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type SendRequest = (method: string, path: string, data?: object) => Promise<any>

/** Creates a workspace on the shared server and opens it as its owner, Ada, until the tests of the file are done. */
export async function openOwner(fields: Pick<NewWorkspace, 'kind' | 'now'> = {}): Promise<Owner> {
  // Without Chromium all tests of the file are skipped, and nothing reads the owner.
  if (skip) return {} as Owner
  const { server, database_url, browser } = await openShared()
  const { url: address } = server
  const person = await newPerson(server)
  const name = `Bakery ${newId().slice(-6)}`
  const workspace = await people.createWorkspace(server.at(''), { ...fields, person_id: person.id, name })
  const openAs = async ({ cookie }: { cookie: () => string }, at = address): Promise<BrowserUser> => {
    const user = await openBrowserUser(browser, at)
    const [cookie_name = '', value = ''] = cookie().split('=')
    await user.context.addCookies([{ name: cookie_name, value, url: at }])
    await user.page.goto(`${at}/w/${workspace.id}`)
    await user.page.getByRole('navigation', { name: 'Main' }).waitFor()
    return user
  }
  const owner = await openAs(person)
  const fetchApp: SendRequest = (method, path, data) => sendAs(owner, { address, method, path, data })
  return {
    ...owner,
    server,
    address,
    workspace,
    email: person.email,
    fetchApp,
    send: (method, path, data) => fetchApp(method, `/api/v1${path}`, data),
    newBrowserUser: () => openBrowserUser(browser, address),
    newMember: async (role) => openAs(await newPerson(server, { [workspace.id]: role })),
    openBeside: async (settings) => {
      const pool = openPool({ url: database_url, size: pool_size, onError: console.error })
      const beside = await openServer(pool, settings)
      const user = await openAs(person, beside.url)
      // The server is closed after the context, because it waits for its streams.
      after(beside.close)
      return user
    },
  }
}

interface SentRequest {
  address: string
  method: string
  path: string
  data?: object | undefined
}

/** Sends a request with the cookies of the page, in the workspace that it shows. */
export async function sendAs({ page, context }: BrowserUser, { address, method, path, data }: SentRequest) {
  const headers = { origin: address, 'x-workspace': workspaceOf(page) }
  const answer = await context.request.fetch(`${address}/app${path}`, { method, headers, ...(data && { data }) })
  assert.ok(answer.ok(), await answer.text())
  return (await answer.json()).data
}

export interface OwnServer {
  address: string
  setup_link: string
  newBrowserUser: () => Promise<BrowserUser>
  /** Kills the server. */
  stop: () => Promise<void>
  /** Starts the server again at the same address. */
  start: () => Promise<void>
  restart: () => Promise<void>
}

/** Starts the server as a process on an empty database, until the tests of the file are done. Chromium is the shared one. */
export async function openOwnServer(): Promise<OwnServer> {
  const { browser } = await openShared()
  const { url, drop } = await copyTemplate('browser')
  const serve = (port: string) =>
    parley(['serve'], {
      LOG_LEVEL: 'warn',
      DATABASE_URL: url,
      SECRETS_KEY: 'a key for tests that is long enough',
      PORT: port,
    })
  let server = serve('0')
  after(async () => {
    server.child.kill('SIGTERM')
    await server.ended
    await drop()
  })
  const [, setup_link = ''] = await server.says(/Set up +(\S+)/)
  const address = new URL(setup_link).origin
  const stop = async () => {
    server.child.kill('SIGKILL')
    await server.ended
  }
  const start = async () => {
    server = serve(new URL(address).port)
    await server.says(new RegExp(address))
  }
  const restart = async () => {
    await stop()
    await start()
  }
  return { address, setup_link, newBrowserUser: () => openBrowserUser(browser, address), stop, start, restart }
}

async function openBrowserUser(browser: Browser, address: string): Promise<BrowserUser> {
  const context = await browser.newContext({
    viewport: wide,
    acceptDownloads: true,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  after(() => context.close())
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

const workspaceOf = (page: Page): string => /\/w\/([^/?]+)/.exec(page.url())?.[1] ?? ''

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

/** Resolves in the page when its transitions have ended: while a color changes, it is not the final one. */
const transitions_end =
  'Promise.allSettled(document.getAnimations().flatMap((one) => one.transitionProperty ? one.finished : []))'

const isSerious = ({ impact }: Violation): boolean => impact === 'serious' || impact === 'critical'

async function capture(page: Page, name: string): Promise<void> {
  await page.evaluate(transitions_end)
  await saveScreenshot(page, name)
  if (await mustLookAt(page, 'serious'))
    assert.deepEqual((await findViolations(page)).filter(isSerious).map(describe), [], `axe on ${name}`)
  await assertFits(page, name)
}

const mixed_variants = [
  { variant: 'wide, dark', size: wide, color_scheme: 'dark' },
  { variant: 'narrow, light', size: narrow, color_scheme: 'light' },
] as const

/** Each width and each color scheme once. With screenshots, also the other way around. */
export const variants = [
  { variant: 'wide, light', size: wide, color_scheme: 'light' },
  { variant: 'narrow, dark', size: narrow, color_scheme: 'dark' },
  ...(takes_screenshots ? mixed_variants : []),
] as const

/**
 * The variants in which a state of a page is looked at. Without screenshots, one: axe takes as long as the rest of these tests.
 * The length of the name decides which, so about half of the states of a page are narrow and dark.
 */
export function variantsOf(name: string): readonly (typeof variants)[number][] {
  const index = name.length % 2
  return takes_screenshots ? variants : variants.slice(index, index + 1)
}

/** Fails if the page scrolls sideways, or if axe finds anything at all. */
export async function captureAll({ page }: Pick<BrowserUser, 'page'>, name: string): Promise<void> {
  for (const { variant, size, color_scheme } of variantsOf(name)) {
    await page.setViewportSize(size)
    await setColorScheme(page, color_scheme)
    await page.evaluate(transitions_end)
    await saveScreenshot(page, `${name}, ${variant}`)
    if (await mustLookAt(page, 'any'))
      assert.deepEqual((await findViolations(page)).map(describe), [], `axe on ${name}, ${variant}`)
    await assertFits(page, `${name}, ${variant}`)
  }
  await page.setViewportSize(wide)
  await setColorScheme(page, 'light')
}

const looked_at = new Set<string>()

/**
 * Axe takes 40 % of the time of these tests, so `npm test` looks once at each page, and at each page with a dialog, in each color
 * scheme. Pages whose paths differ in ids are the same.
 */
async function mustLookAt(page: Page, violations: 'serious' | 'any'): Promise<boolean> {
  const path = new URL(page.url()).pathname.replace(/[\w-]{20,}/g, ':id')
  const state = await page.evaluate(
    "document.documentElement.dataset.mantineColorScheme + (document.querySelector('[role=dialog]') ? ', dialog' : '')",
  )
  const key = `${path}, ${state}, ${violations}`
  const is_new = !looked_at.has(key)
  looked_at.add(key)
  return is_new || looks_at_each_state
}

/** Fails if the page or frame scrolls sideways, or if something leaves its card. */
export async function assertFits(page: Page | Frame, name: string): Promise<void> {
  const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
  assert.ok(overflow <= 0, `${name} is ${overflow} px too wide`)
  assert.deepEqual(await page.evaluate(finding_what_leaves), [], `${name}: something leaves its card`)
}

/**
 * Runs in the page: the elements that are wider than the nearest box with a border around them, and that it doesn't scroll or cut off.
 * What floats above the page is no part of a box.
 */
const finding_what_leaves = `(() => {
  const isBox = ({ borderLeftWidth, borderRightWidth }) => parseFloat(borderLeftWidth) > 0 && parseFloat(borderRightWidth) > 0
  const found = []
  const look = (element, box) => {
    const style = getComputedStyle(element)
    if (style.display === 'none' || style.position === 'fixed' || style.position === 'absolute') return
    const { left, right, width } = element.getBoundingClientRect()
    if (box && width > 0 && (left < box.left - 1 || right > box.right + 1))
      return void found.push(element.outerHTML.slice(0, 160) + ' at ' + [left, right] + ' in ' + [box.left, box.right])
    if (style.overflowX !== 'visible') return
    const inside = isBox(style) && style.display !== 'inline' ? { left, right } : box
    for (const child of element.children) look(child, inside)
  }
  look(document.body, undefined)
  return found
})()`

/** Saves a screenshot, but only with `npm run screenshots`. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  if (takes_screenshots) await page.screenshot({ path: path.join(screenshots, `${name}.png`) })
}

/** What axe finds in the page or frame, without the frames in it: axe can't look into those of other origins. */
export async function findViolations(page: Page | Frame): Promise<Violation[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe)
  const { violations }: { violations: Violation[] } = await page.evaluate(
    "axe.run({ resultTypes: ['violations'], iframes: false, selectors: false })",
  )
  return violations
}

export const describe = ({ id, nodes }: Violation): string => `${id}: ${nodes[0]?.html}`
