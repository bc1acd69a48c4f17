import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { captureAll, openInPage, openOwner, skip } from '../support/dashboard.ts'
import { newPerson, newSessionToken, password } from '../support/sessions.ts'
import { codeFor, turnOnTwoFactor } from '../support/two-factor.ts'

const owner = await openOwner()
const { page, address, workspace, server, newBrowserUser } = owner
/** Pixels of a module of the QR code. */
const scale = 4
const home = `/w/${workspace.id}`
const new_password = 'another horse battery'

const dialog = (on: Page = page) => on.getByRole('dialog')
const button = (name: string, on: Page | Locator = page) => on.getByRole('button', { name, exact: true })

async function signIn(on: Page, email: string, entered: string): Promise<void> {
  await on.goto(`${address}/sign-in`)
  await on.getByLabel('Email').fill(email)
  await on.getByRole('textbox', { name: 'Password' }).fill(entered)
  await button('Sign in', on).click()
}

test('an owner makes a password link, and the member signs in with the new password', { skip }, async () => {
  const member = await newPerson(server, { [workspace.id]: 'member' })
  await openInPage(page, '/settings/members')
  await page.getByRole('row', { name: member.email }).getByRole('button').click()
  await page.getByRole('menuitem', { name: 'Create password link' }).click()
  await button('Create link', dialog()).click()
  const link = await dialog().locator('code').innerText()
  await captureAll(owner, 'password link, new')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Close without copying?' }).getByRole('button', { name: 'Go back' }).click()
  await button('Done', dialog()).click()

  const visitor = await newBrowserUser()
  await visitor.page.goto(link)
  assert.equal(await visitor.page.getByLabel('Email').inputValue(), member.email)
  await captureAll(visitor, 'password link')
  await visitor.page.getByRole('textbox', { name: 'New password' }).fill(new_password)
  await button('Set password', visitor.page).click()
  await visitor.page.getByRole('link', { name: 'Sign in' }).click()
  await signIn(visitor.page, member.email, new_password)
  await visitor.page.getByRole('navigation', { name: 'Main' }).waitFor()
  const contacts = `${home}/contacts`
  for (const next of [contacts, '//example.com/', 'https://example.com/', '/\\example.com', '7']) {
    await visitor.page.goto(`${address}/sign-in?next=${encodeURIComponent(next)}`)
    await visitor.page.waitForURL(address + (next === contacts ? contacts : home))
  }
  await visitor.page.goto(link)
  await visitor.page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  await captureAll(visitor, 'password link, used')
  assert.deepEqual(visitor.pageErrors([404]), [])
})

test('the sign-in page says whom to ask for a new password', { skip }, async () => {
  const visitor = await newBrowserUser()
  await visitor.page.goto(address)
  await visitor.page.getByText('Forgot your password?').click()
  await visitor.page.getByText('Ask an owner of your workspace').waitFor()
  await visitor.page.getByText('npx parley user password-link EMAIL').waitFor()
  await captureAll(visitor, 'sign in, forgotten password')
  assert.deepEqual(visitor.pageErrors(), [])
})

/** What a phone reads from the QR code. */
async function readQrCode(): Promise<string> {
  const image = page.getByRole('img', { name: 'QR code for the authenticator app' })
  const size = Number((await image.getAttribute('viewBox'))?.split(' ').at(-1))
  const drawn = (await image.locator('path').getAttribute('d')) ?? ''
  const dark = new Set(Array.from(drawn.matchAll(/M(\d+) (\d+)h1v1h-1z/g), ([, x, y]) => `${x} ${y}`))
  const width = size * scale
  const data = Uint8Array.from({ length: 4 * width * width }, (_, index) => {
    const [x, y] = [Math.floor(((index >> 2) % width) / scale), Math.floor((index >> 2) / width / scale)]
    return index % 4 === 3 || !dark.has(`${x} ${y}`) ? 255 : 0
  })
  return decodeQR({ width, height: width, data })
}

test('a person turns on two-factor sign-in, signs in with a code, and turns it off', { skip }, async () => {
  await openInPage(page, '/profile')
  await button('Set up two-factor sign-in').click()
  const key = await page.locator('figure', { hasText: 'enter this key' }).locator('code').innerText()
  assert.match(await readQrCode(), new RegExp(`^otpauth://totp/Parley:.*\\?secret=${key}&issuer=Parley$`))
  await captureAll(owner, 'two-factor, set up')
  const code = page.getByLabel('Code from the app')
  await page.getByLabel('Your password').fill(password)
  await code.fill('000000')
  await button('Turn on').click()
  await page.getByText('Is wrong or was already used.').waitFor()
  await code.fill(codeFor(key, -1))
  await button('Turn on').click()
  const codes = page.getByRole('list', { name: 'Recovery codes' })
  await codes.waitFor()
  const recovery_codes = await codes.locator('code').allInnerTexts()
  assert.equal(recovery_codes.length, 10)
  await captureAll(owner, 'two-factor, recovery codes')
  await page.getByRole('link', { name: 'Home' }).click()
  await dialog().getByText('won’t be able to see them again').waitFor()
  await button('Go back', dialog()).click()
  const downloading = page.waitForEvent('download')
  await button('Download').click()
  assert.equal((await downloading).suggestedFilename(), 'parley-recovery-codes.txt')
  await button('Done').click()
  await page.getByText('10 recovery codes are left.').waitFor()
  await captureAll(owner, 'two-factor, on')

  const visitor = await newBrowserUser()
  const on = visitor.page
  await signIn(on, owner.email, password)
  await on.getByLabel('Code').waitFor()
  await captureAll(visitor, 'sign in, code')
  await on.getByLabel('Code').fill('000000')
  await button('Sign in', on).click()
  await on.getByText('This code is wrong or was already used.').waitFor()
  await on.getByLabel('Code').fill(codeFor(key))
  await button('Sign in', on).click()
  await on.getByRole('navigation', { name: 'Main' }).waitFor()
  assert.deepEqual(visitor.pageErrors([401]), [])

  await button('Turn off').click()
  await dialog().getByRole('textbox', { name: 'Password' }).fill(password)
  await dialog()
    .getByLabel('Code')
    .fill(recovery_codes[0] ?? '')
  await captureAll(owner, 'two-factor, turn off')
  await button('Turn off', dialog()).click()
  await button('Set up two-factor sign-in').waitFor()
  assert.deepEqual(owner.pageErrors([400]), [])
})

test('a workspace that requires two-factor sign-in asks people to set it up', { skip }, async () => {
  const member = await owner.newMember('member')
  await openInPage(page, '/settings/workspace')
  const security = page.getByRole('region', { name: 'Security' })
  assert.ok(await security.getByRole('switch').isDisabled(), 'the owner has none')
  await security.getByRole('link', { name: 'Set it up in your profile' }).click()
  await button('Set up two-factor sign-in').click()
  const key = await page.locator('figure', { hasText: 'enter this key' }).locator('code').innerText()
  await page.getByLabel('Your password').fill(password)
  await page.getByLabel('Code from the app').fill(codeFor(key))
  await button('Turn on').click()
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))")
  await button('Copy codes').click()
  await page.getByText('Couldn’t copy. Select the text and copy it.').waitFor()
  assert.ok(await button('Done').isDisabled(), 'nothing was copied')
  await page.evaluate('delete navigator.clipboard.writeText')
  await button('Copy codes').click()
  await button('Done').click()
  await page.getByText('10 recovery codes are left.').waitFor()
  await openInPage(page, '/settings/workspace')
  await security.getByRole('switch').check()
  await security.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Security saved.').waitFor()

  const on = member.page
  await on.reload()
  await on.getByRole('heading', { name: 'Two-factor sign-in required' }).waitFor()
  await captureAll(member, 'two-factor required')
  await button('Set up two-factor sign-in', on).click()
  const own_key = await on.locator('figure', { hasText: 'enter this key' }).locator('code').innerText()
  await captureAll(member, 'two-factor required, set up')
  await on.getByLabel('Your password').fill(password)
  await on.getByLabel('Code from the app').fill(codeFor(own_key))
  await button('Turn on', on).click()
  await on.getByRole('list', { name: 'Recovery codes' }).waitFor()
  const mayLeave = () => on.evaluate("dispatchEvent(new Event('beforeunload', { cancelable: true }))")
  assert.equal(await mayLeave(), false, 'the codes would be lost')
  await button('Copy codes', on).click()
  await button('Done', on).click()
  await on.getByRole('navigation', { name: 'Main' }).waitFor()
  assert.deepEqual(member.pageErrors([403]), [])
  await openInPage(page, '/settings/members')
  await captureAll(owner, 'members, two-factor')
})

test('a session without a code is asked to sign in again', { skip }, async () => {
  const person = await newPerson(server, { [workspace.id]: 'member' })
  const visitor = await newBrowserUser()
  const { secret } = await turnOnTwoFactor(person)
  const value = await newSessionToken(server, person.id)
  await visitor.context.addCookies([{ name: 'parley_session', value, url: address }])
  const on = visitor.page
  await on.goto(`${address}/w/${workspace.id}`)
  await button('Sign in again', on).click()
  await on.getByLabel('Email').fill(person.email)
  await on.getByRole('textbox', { name: 'Password' }).fill(password)
  await button('Sign in', on).click()
  await on.getByLabel('Code').fill(codeFor(secret))
  await button('Sign in', on).click()
  await on.getByRole('navigation', { name: 'Main' }).waitFor()
  assert.deepEqual(visitor.pageErrors([401, 403]), [])
})

test('after a rotation the list shows which key is old', { skip }, async () => {
  await owner.send('POST', '/api_keys', { name: 'CRM sync', scopes: null, expires_at: null })
  await openInPage(page, '/api-keys')
  await page.getByRole('button', { name: 'Actions for CRM sync' }).click()
  await page.getByRole('menuitem', { name: 'Rotate' }).click()
  await button('Rotate key', dialog()).click()
  await button('Copy key', dialog()).click()
  await button('Done', dialog()).click()
  const rows = page.getByRole('row').filter({ hasText: 'CRM sync' })
  await rows.nth(0).getByText('Active', { exact: true }).waitFor()
  const old = rows.nth(1).getByText('Old key', { exact: true })
  await rows.nth(1).getByText('Expires in 24 hours').waitFor()
  assert.equal(await old.getAttribute('data-tone'), 'warning')
  await captureAll(owner, 'keys, rotated')
  await rows.nth(1).getByRole('button').click()
  await page.getByRole('menuitem', { name: 'Revoke' }).waitFor()
  assert.equal(await page.getByRole('menuitem', { name: 'Rotate' }).count(), 0)
  assert.deepEqual(owner.pageErrors([400, 403]), [])
})

test('an owner sees in the audit log who did what, and filters it', { skip }, async () => {
  await openInPage(page, '/settings/audit-log')
  const log = page.getByRole('table', { name: 'Audit log' })
  const created = log.getByRole('row').filter({ hasText: 'Created an API key' })
  await created.getByText('CRM sync').waitFor()
  await captureAll(owner, 'audit log')
  await created.getByRole('link').click()
  await dialog().getByText('127.0.0.1').waitFor()
  await dialog().getByText(/^req_/).waitFor()
  await captureAll(owner, 'audit log, entry')
  await dialog().getByRole('link', { name: 'CRM sync' }).click()
  await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
  await page.goBack()
  await dialog().getByRole('link', { name: 'All about this' }).click()
  await dialog().waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Remove filter About: CRM sync' }).click()

  await button('Filter').click()
  const filters = page.getByRole('dialog', { name: 'Filter' })
  await filters.getByRole('combobox', { name: 'Action' }).fill('campaign')
  await filters.getByRole('option', { name: 'Deleted a campaign' }).click()
  await page.getByText('No results').waitFor()
  await captureAll(owner, 'audit log, filters')
  await filters.getByLabel('From').fill('2031-01-01')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Remove filter From: Jan 1, 2031' }).click()
  await page.getByRole('button', { name: 'Remove filter Action: Deleted a campaign' }).click()
  await created.waitFor()

  await owner.send('PATCH', '/workspace', { settings: { requires_two_factor: false } })
  const member = await owner.newMember('member')
  await openInPage(member.page, '/settings/audit-log')
  await member.page.getByText('Only owners can view this page').waitFor()
  assert.equal(await member.page.getByRole('link', { name: 'Audit log' }).count(), 0)
  assert.deepEqual(owner.pageErrors([400, 403]), [])
})
