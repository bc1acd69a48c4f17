import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCounted, createCampaign, fill } from '../support/campaigns.ts'
import { create, unknown_id } from '../support/contacts.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { phoneNumber } from '../support/samples.ts'
import { getImport, importFile, upload } from '../support/uploads.ts'

const { workspace, pool } = await serve()

const enrolledIn = async ({ call }: Tenant, id: string): Promise<string[]> => {
  const { data } = (await call('GET', `/campaigns/${id}/enrollments?limit=100`)).body
  return data.map(({ contact_id }: { contact_id: string }) => contact_id).sort()
}

test('an import enrolls each contact of the file once, also existing ones', async () => {
  const tenant = await workspace()
  const { id: campaign_id } = await createCampaign(tenant)
  const [known] = [await create(tenant), await create(tenant)]
  const number = phoneNumber()
  const file = `phone\n${number}\n${number}\n${known.phone_number}\nno number\n`
  const { import: done, rows } = await importFile(tenant, file, { campaign_id })
  assert.deepEqual([done.status, done.campaign_id, done.error], ['finished', campaign_id, null])
  assert.deepEqual(await enrolledIn(tenant, campaign_id), [rows[0].contact_id, known.id].sort())
  await importFile(tenant, file, { campaign_id, on_conflict: 'update' })
  assert.equal((await enrolledIn(tenant, campaign_id)).length, 2)
  await assertCounted(tenant, campaign_id)
})

test('a dry run enrolls nobody, its run does, and an undo takes out what it created', async () => {
  const tenant = await workspace()
  const { id: campaign_id } = await createCampaign(tenant)
  const known = await create(tenant)
  const file = `phone\n${phoneNumber()}\n${known.phone_number}\n`
  const { id } = await importFile(tenant, file, { campaign_id, is_dry_run: true })
  assert.deepEqual(await enrolledIn(tenant, campaign_id), [])
  const run = await tenant.call('POST', `/contacts/imports/${id}/run`)
  await tenant.work()
  assert.equal((await enrolledIn(tenant, campaign_id)).length, 2)
  await tenant.call('POST', `/contacts/imports/${run.body.data.id}/undo`)
  await tenant.work()
  assert.deepEqual(await enrolledIn(tenant, campaign_id), [known.id])
  await assertCounted(tenant, campaign_id)
})

test('an unknown or foreign campaign, one that is over, and a key without the scope are refused', async () => {
  const tenant = await workspace()
  const { id: campaign_id } = await createCampaign(tenant)
  const { id: foreign_id } = await createCampaign(await workspace())
  const file = `phone\n${phoneNumber()}\n`
  for (const id of [unknown_id, foreign_id]) {
    const { status, body } = await upload(tenant, file, { campaign_id: id })
    assert.deepEqual(
      [status, body.error.details.fields[0].path, body.error.details.fields[0].code],
      [400, 'campaign_id', 'unknown'],
    )
  }
  const authorization = `Bearer ${await tenant.newKey({ scopes: ['contacts:write'] })}`
  assert.equal((await upload(tenant, file, { campaign_id }, { authorization })).status, 403)
  await tenant.call('POST', `/campaigns/${campaign_id}/cancel`)
  const canceled = await upload(tenant, file, { campaign_id })
  assert.deepEqual([canceled.status, canceled.body.error.code], [409, 'INVALID_STATE'])
})

test('contacts are imported without the campaign if it has ended meanwhile', async () => {
  for (const end of ['cancel', 'delete']) {
    const tenant = await workspace()
    const { id: campaign_id } = await createCampaign(tenant)
    const { id } = (await upload(tenant, `phone\n${phoneNumber()}\n`, { campaign_id })).body.data
    if (end === 'cancel') await tenant.call('POST', `/campaigns/${campaign_id}/cancel`)
    else await tenant.call('DELETE', `/campaigns/${campaign_id}`)
    await tenant.work()
    const { import: done } = await getImport(tenant, id)
    assert.deepEqual([done.status, done.created], ['finished', 1])
    assert.match(
      done.error,
      end === 'cancel' ? /not enrolled: .* canceled\.$/ : /not enrolled: The campaign was deleted\.$/,
    )
  }
})

const variablesIn = async ({ call }: Tenant, id: string): Promise<object[]> =>
  (await call('GET', `/campaigns/${id}/enrollments?limit=100`)).body.data.map(
    (one: { variables: object }) => one.variables,
  )

test('columns named variables.NAME are the variables of the enrollments', async () => {
  const tenant = await workspace()
  const { id: campaign_id } = await createCampaign(tenant)
  const known = await create(tenant)
  const header = 'phone,variables.slot,variables.shop_2,variables.skipped,email\n'
  const rows = [`${known.phone_number},Tuesday,,no,`, `${phoneNumber()}, 10:30 ,Berlin,no,ada@example.com`]
  const file = `${header}${rows.join('\n')}\n${phoneNumber()},${'x'.repeat(1_001)},,,\n`
  const mapping = { 'variables.skipped': null }
  const { import: done, rows: results } = await importFile(tenant, file, { campaign_id, mapping })
  assert.deepEqual([done.refused, done.error, done.mapping['variables.slot']], [1, null, 'variables.slot'])
  assert.equal(done.mapping['variables.skipped'], null)
  assert.match(
    results.find(({ outcome }: { outcome: string }) => outcome === 'refused').reason,
    /variables\.slot must have/,
  )
  const variables = await variablesIn(tenant, campaign_id)
  assert.deepEqual(
    new Set(variables.map((one) => JSON.stringify(one))),
    new Set(['{"slot":"Tuesday"}', '{"slot":"10:30","shop_2":"Berlin"}']),
  )
})

test('columns of variables are ignored without a campaign, and must have valid names with one', async () => {
  const tenant = await workspace()
  const { id: campaign_id } = await createCampaign(tenant)
  const file = `phone,variables.Slot\n${phoneNumber()},Tuesday\n`
  const refused = await upload(tenant, file, { campaign_id })
  const [fault] = refused.body.error.details.fields
  assert.deepEqual([refused.status, fault.path, fault.code], [400, 'variables', 'format'])
  const allowed = 'use 1 to 40 lower-case letters (a to z), digits and "_"'
  assert.equal(fault.message, `variables.Slot is not an allowed name: ${allowed}.`)
  const { import: done } = await importFile(tenant, file, {})
  assert.deepEqual([done.created, done.mapping['variables.Slot']], [1, null])
})

test('columns of variables must not have names that objects of JavaScript have', async () => {
  const tenant = await workspace()
  const { id: campaign_id } = await createCampaign(tenant)
  for (const name of ['__proto__', 'constructor', 'prototype']) {
    const { status, body } = await upload(tenant, `phone,variables.${name}\n${phoneNumber()},x\n`, { campaign_id })
    const message = `variables.${name} is not an allowed name: it is reserved.`
    assert.deepEqual([status, body.error?.details.fields], [400, [{ path: 'variables', code: 'format', message }]])
  }
})

test('contacts for which the campaign has no room are imported, and counted as not enrolled', async () => {
  const tenant = await workspace()
  const { id: campaign_id } = await createCampaign(tenant)
  await fill({ pool }, tenant, campaign_id, 999_999)
  const numbers = [phoneNumber(), phoneNumber(), phoneNumber()]
  const { import: done } = await importFile(tenant, `phone\n${numbers.join('\n')}\n`, { campaign_id })
  assert.deepEqual([done.created, done.not_enrolled, (await enrolledIn(tenant, campaign_id)).length], [3, 2, 1])
  assert.match(done.error, /not enrolled: A campaign can have at most 1000000 contacts\.$/)
})
