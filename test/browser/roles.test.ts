import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  type BrowserUser,
  fillAccountForm,
  narrow,
  openInPage,
  openOwner,
  setColorScheme,
  skip,
  variantsOf,
  wide,
} from '../support/dashboard.ts'

const owner = await openOwner()
const { page, send, newBrowserUser } = owner

const dialog = (on: Page = page) => on.getByRole('dialog')
const loaded = async (on: Page) => {
  await on.getByRole('heading', { level: 1 }).waitFor()
  await on.locator('[aria-busy=true], [role=status][aria-label=Loading]').first().waitFor({ state: 'hidden' })
}

/** Without the number of conversations that wait. */
async function linksOf(on: Page, nav: string): Promise<string[]> {
  const texts = await on.getByRole('navigation', { name: nav }).getByRole('link').allInnerTexts()
  return texts.map((text) => text.replace(/\d.*/s, '').trim())
}

/** Invites someone in the page, and accepts the invitation in another browser context. */
async function inviteAs(role: 'Member' | 'Viewer', name: string): Promise<BrowserUser> {
  await openInPage(page, '/settings/members')
  await page.getByRole('button', { name: 'Invite' }).click()
  await dialog().getByRole('radio', { name: role }).check()
  await owner.capture(`invite, ${role.toLowerCase()}`)
  await dialog().getByRole('button', { name: 'Create invitation link' }).click()
  const link = await dialog().locator('code').innerText()
  await dialog().getByRole('button', { name: 'Done' }).click()
  const guest = await newBrowserUser()
  await guest.page.goto(link)
  await guest.page.getByText(`invited you to join as a ${role.toLowerCase()}. You can`).waitFor()
  await guest.capture(`invitation, ${role.toLowerCase()}`)
  await fillAccountForm(guest.page, name, `${name.split(' ')[0]?.toLowerCase()}@example.com`)
  await guest.page.getByRole('button', { name: 'Join' }).click()
  await guest.page.getByRole('navigation', { name: 'Main' }).waitFor()
  return guest
}

const owner_pages = {
  '/webhooks': 'Webhooks',
  '/webhooks/01a1dd18-9904-726a-94bc-9e3b6ab9ad11': 'Webhook',
  '/tools/01a1dd18-9904-726a-94bc-9e3b6ab9ad11': 'Tool',
  '/channels/01a1dd18-9904-726a-94bc-9e3b6ab9ad11': 'Channel',
  '/integrations': 'Integrations',
  '/integrations/01a1dd18-9904-726a-94bc-9e3b6ab9ad11': 'Integration',
  '/api-keys': 'API keys',
  '/settings/members': 'Settings',
}

let import_id = ''
let contact_id = ''
let agent_id = ''
let conversation_id = ''

test('a workspace is filled with one resource of each kind', { skip }, async () => {
  const contact = { phone_number: '+14155550101', first_name: 'Konrad', tags: ['vip'] }
  contact_id = (await send('POST', '/contacts', contact)).id
  agent_id = (await send('POST', '/agents', { name: 'Reception', instructions: 'Greet the caller.' })).id
  conversation_id = (await send('POST', '/conversations', { agent_id })).id
  await send('POST', `/conversations/${conversation_id}/hand_over`, { reason: 'Asks for a refund.' })
  await send('POST', '/webhooks', { url: 'inbox', events: ['*'] })
  await send('POST', '/tools', { name: 'book_slot', url: 'https://93.184.215.14/book' })
  const channel = { name: 'Front desk', kind: 'sms', provider: 'simulator', address: '+14155550100' }
  await send('POST', '/channels', channel)
  const provider = { name: 'OpenAI', kind: 'openai_compatible', base_url: 'https://93.184.215.14/v1' }
  await send('POST', '/providers', { ...provider, default_model: 'small', api_key: 'sk-test' })
  const rows = [{ phone_number: '+14155550102' }, { phone_number: 'none' }]
  import_id = (await send('POST', '/contacts/imports', { rows })).id
})

const viewer_links =
  'Home Inbox Conversations Campaigns Contacts Agents Knowledge Tools Channels Events Docs Settings'.split(' ')

test('an import that wrote nothing has no undo', { skip }, async () => {
  const { id } = await send('POST', '/contacts/imports', { rows: [{ phone_number: 'none' }] })
  await openInPage(page, `/imports/${id}`)
  await page.getByText('Finished').waitFor()
  await page.getByRole('button', { name: 'Download invalid rows' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Undo import' }).count(), 0)
})

test('a viewer sees all resources, and no controls that change them', { skip }, async () => {
  const viewer = await inviteAs('Viewer', 'Vera Viewer')
  const on = viewer.page
  assert.deepEqual(await linksOf(on, 'Main'), viewer_links)
  for (const [path, shown] of Object.entries({
    '': 'Contact created',
    '/contacts': 'Konrad',
    [`/contacts/${contact_id}`]: 'Contact created',
    '/imports': 'API import',
    [`/imports/${import_id}`]: 'none',
    '/agents': 'Reception',
    [`/agents/${agent_id}`]: 'Live v1',
    '/channels': 'Front desk',
    '/knowledge': 'Unanswered questions',
    '/tools': 'book_slot',
    '/settings/providers': 'OpenAI',
    '/inbox': 'Asks for a refund.',
    '/conversations': 'Handed over',
    [`/conversations/${conversation_id}`]: 'Asks for a refund.',
    '/events': 'contact.created',
  })) {
    await openInPage(on, path)
    await on.locator('main').getByText(shown).first().waitFor()
    await loaded(on)
    const name =
      path === ''
        ? 'home'
        : path
            .slice(1)
            .replace(/\/.{36}$/, ', one')
            .replace('/', ' ')
    for (const { variant, size, color_scheme } of variantsOf(name)) {
      await on.setViewportSize(size)
      await setColorScheme(on, color_scheme)
      await viewer.capture(`viewer, ${name}, ${variant}`)
    }
    await on.setViewportSize(wide)
    await setColorScheme(on, 'light')
    const changing =
      /New|Edit|Delete|Import|Export|Undo|Download|CSV|Select|Hand over|Return|Close|Send|Record|Suppress/
    assert.equal(await on.locator('main').getByRole('button', { name: changing }).count(), 0, path)
    assert.equal(
      await on
        .locator('main')
        .getByRole('link', { name: /New|Import contacts/ })
        .count(),
      0,
      path,
    )
    assert.equal(await on.locator('main').getByRole('checkbox').count(), 0, path)
    assert.equal(await on.getByText(/api_key|API key|webhook\.|Webhooks|93\.184\.215\.14/).count(), 0, path)
  }

  await openInPage(on, '/contacts')
  await on.getByRole('link', { name: 'Konrad' }).click()
  await dialog(on).getByText('+1 415 555 0101').waitFor()
  assert.equal(
    await dialog(on)
      .getByRole('button', { name: /Edit|Delete/ })
      .count(),
    0,
  )
  await viewer.capture('viewer, contact')
  for (const path of ['/imports/new', '/contacts?contact=new', '/suppressions']) {
    await openInPage(on, path)
    await on.getByText('Only members and owners can do this').waitFor()
    await viewer.capture(`viewer, ${path.slice(1).replace(/\W/g, ' ')} refused`)
  }
  await openInPage(on, '/events')
  await on.getByRole('combobox', { name: 'Event type' }).click()
  const choices = await on.getByRole('option').allInnerTexts()
  assert.ok(choices.includes('contact.created') && !choices.some((one) => /api_key|webhook/.test(one)), `${choices}`)
  await assertOwnerPagesAreClosed(viewer, 'viewer')

  await openInPage(on, '/settings')
  await on.getByLabel('Your role').waitFor()
  assert.deepEqual(await linksOf(on, 'Settings'), ['Workspace', 'Model providers', 'Speech'])
  await openInPage(on, '/settings/installation')
  await on.getByText('Only owners of the first workspace can view this page').waitFor()
  await viewer.capture('viewer, installation refused')
  await openInPage(on, '/settings')
  await on.getByLabel('Your role').waitFor()
  await viewer.capture('viewer, settings')
  await on.getByRole('button', { name: 'Leave' }).click()
  await dialog(on).getByRole('button', { name: 'Leave' }).click()
  await on.getByText('You aren’t in a workspace yet').waitFor()
  assert.deepEqual(viewer.pageErrors(), [], 'the page sends no request that fails')
  await viewer.context.close()
})

test('a member edits contacts, and pages of owners say so', { skip }, async () => {
  const member = await inviteAs('Member', 'Max Member')
  const on = member.page
  assert.deepEqual(await linksOf(on, 'Main'), viewer_links)
  await openInPage(on, '/contacts')
  await on.getByRole('button', { name: 'New contact' }).click()
  await dialog(on).getByLabel('Phone number').fill('+14155550177')
  await dialog(on).getByRole('button', { name: 'Create contact' }).click()
  await dialog(on).getByRole('button', { name: 'Edit' }).waitFor()
  await dialog(on).getByRole('button', { name: 'Close' }).click()
  assert.equal(await on.getByRole('button', { name: 'Export' }).count(), 1)
  await member.capture('member, contacts')
  await openInPage(on, `/imports/${import_id}`)
  await on.getByRole('button', { name: 'Undo' }).waitFor()
  await openInPage(on, '/agents')
  await on.getByRole('button', { name: 'New agent' }).waitFor()
  await assertOwnerPagesAreClosed(member, 'member')
  assert.deepEqual(member.pageErrors(), [], 'the page sends no request that fails')

  // The owner's page has shown the members since before he joined.
  await page.reload()
  await page.getByRole('button', { name: 'Actions for Max Member' }).click()
  await page.getByRole('menuitem', { name: 'Make viewer' }).waitFor()
  await owner.capture('members, roles')
  await openInPage(on, '/contacts')
  await on.getByRole('button', { name: 'New contact' }).waitFor()
  await page.getByRole('menuitem', { name: 'Make viewer' }).click()
  await page.getByRole('row', { name: 'Max Member' }).getByRole('cell', { name: 'Viewer', exact: true }).waitFor()
  await on.getByRole('button', { name: 'Export' }).click()
  await on.getByRole('button', { name: 'Export' }).waitFor({ state: 'hidden' })
  assert.deepEqual(member.pageErrors([403]), [], 'the page follows the new role after a 403')
  await page.setViewportSize(narrow)
  await owner.capture('members, narrow')
  await page.setViewportSize(wide)
  assert.deepEqual(owner.pageErrors(), [])
  await member.context.close()
})

test('a page of a resource that does not exist says so', { skip }, async () => {
  const nouns = {
    contacts: 'Contact',
    agents: 'Agent',
    campaigns: 'Campaign',
    imports: 'Import',
    webhooks: 'Webhook',
    integrations: 'Integration',
  }
  for (const [path, noun] of Object.entries(nouns)) {
    await openInPage(page, `/${path}/01a1dd18-9904-726a-94bc-9e3b6ab9ad11`)
    await page.getByRole('heading', { name: `${noun} not found` }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
  }
  await owner.capture('integration, not found')
  assert.deepEqual(owner.pageErrors([404]), [])
})

async function assertOwnerPagesAreClosed({ page: on, capture }: BrowserUser, role: string): Promise<void> {
  for (const [path, title] of Object.entries(owner_pages)) {
    await openInPage(on, path)
    await on.getByText('Only owners can view this page').waitFor()
    await on.getByText(`You are a ${role} of this workspace.`).waitFor()
    await on.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
    await capture(`${role}, refused ${title.toLowerCase()}`)
  }
}
