import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create } from '../support/contacts.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { phoneNumber } from '../support/samples.ts'
import { getImport, importFile, upload } from '../support/uploads.ts'

const { workspace } = await serve()

interface Entry {
  contact_id: string
  kind: string
  status: string
  source: string
  evidence: object
}

/** The oldest comes first. */
const ledgerOf = async ({ call }: Tenant): Promise<Entry[]> =>
  (await call('GET', '/consents?limit=100')).body.data.toReversed()

const entriesOf = async (tenant: Tenant, contact_id: string) =>
  (await ledgerOf(tenant))
    .filter((entry) => entry.contact_id === contact_id)
    .map(({ kind, status, source }) => `${kind} ${status} ${source}`)

test('an import records the consent of each contact in the file once, also of existing ones', async () => {
  const tenant = await workspace()
  const [skipped, other] = [await create(tenant), await create(tenant)]
  const number = phoneNumber()
  const file = `phone\n${number}\n${number}\n${skipped.phone_number}\nno number\n${skipped.phone_number}\n`
  const { id, import: done, rows } = await importFile(tenant, file, { consent: 'voice' })
  assert.deepEqual([done.status, done.consent, done.created, done.skipped], ['finished', 'voice', 1, 3])
  const entries = await ledgerOf(tenant)
  const said = { kind: 'voice', status: 'granted', source: 'import', evidence: { import_id: id } }
  assert.deepEqual(
    entries.map(({ contact_id, kind, status, source, evidence }) => ({ contact_id, kind, status, source, evidence })),
    [
      { contact_id: rows[0].contact_id, ...said },
      { contact_id: skipped.id, ...said },
    ],
  )
  assert.deepEqual(await entriesOf(tenant, other.id), [])
  assert.equal((await tenant.call('POST', '/consents/verify')).body.data.is_valid, true)
})

test('a number in several batches is recorded once', async () => {
  const tenant = await workspace()
  const known = await create(tenant)
  const others = Array.from({ length: 6_000 }, (_, index) => `+4930${1_000_000 + index}`)
  const file = ['phone', known.phone_number, ...others, known.phone_number, others[0], ''].join('\n')
  const { import: done } = await importFile(tenant, file, { consent: 'all', on_conflict: 'update' })
  assert.deepEqual([done.created, done.skipped], [6_000, 3])
  const { pagination } = (await tenant.call('GET', '/consents?limit=1')).body
  assert.equal(pagination.total, 6_001)
  assert.equal((await tenant.call('POST', '/consents/verify')).body.data.is_valid, true)
})

test('an import does not revive what a person has opted out of', async () => {
  const tenant = await workspace()
  const record = ({ id }: { id: string }, kind: string, status: string) =>
    tenant.call('POST', `/contacts/${id}/consents`, { kind, status })
  const [all, sms, voice, returned] = [
    await create(tenant),
    await create(tenant),
    await create(tenant),
    await create(tenant),
  ] as const
  await record(all, 'all', 'revoked')
  await record(sms, 'sms', 'revoked')
  await record(voice, 'all', 'granted')
  await record(voice, 'voice', 'revoked')
  await record(returned, 'all', 'revoked')
  await record(returned, 'all', 'granted')
  const gone = await create(tenant)
  await record(gone, 'all', 'revoked')
  await tenant.call('DELETE', `/contacts/${gone.id}`)
  const numbers = [all, sms, voice, returned, gone].map(({ phone_number }) => phone_number)
  const { rows } = await importFile(tenant, `phone\n${numbers.join('\n')}\n`, { consent: 'all' })
  assert.deepEqual(await entriesOf(tenant, all.id), ['all revoked api'])
  assert.deepEqual(await entriesOf(tenant, sms.id), ['sms revoked api', 'voice granted import'])
  assert.deepEqual(await entriesOf(tenant, voice.id), ['all granted api', 'voice revoked api', 'sms granted import'])
  assert.deepEqual(await entriesOf(tenant, returned.id), ['all revoked api', 'all granted api', 'all granted import'])
  assert.equal(rows[4].outcome, 'created')
  assert.deepEqual(await entriesOf(tenant, rows[4].contact_id), [], 'a person who was deleted stays opted out')
})

test('a dry run records nothing, its run does, and an undo leaves the entries', async () => {
  const tenant = await workspace()
  const { id } = await importFile(tenant, `phone\n${phoneNumber()}\n`, { consent: 'sms', is_dry_run: true })
  assert.deepEqual(await ledgerOf(tenant), [])
  const run = await tenant.call('POST', `/contacts/imports/${id}/run`)
  assert.equal(run.body.data.consent, 'sms')
  await tenant.work()
  assert.equal((await ledgerOf(tenant)).length, 1)
  await tenant.call('POST', `/contacts/imports/${run.body.data.id}/undo`)
  await tenant.work()
  assert.equal((await getImport(tenant, run.body.data.id)).import.status, 'undone')
  const [entry, ...others] = await ledgerOf(tenant)
  assert.deepEqual([entry?.contact_id, entry?.status, others], [null, 'granted', []])
})

test('an import records no consent by default, and needs a scope to do so', async () => {
  const tenant = await workspace()
  const { import: done } = await importFile(tenant, `phone\n${phoneNumber()}\n`)
  assert.equal(done.consent, null)
  assert.deepEqual(await ledgerOf(tenant), [])
  assert.equal((await upload(tenant, 'phone\n', { consent: 'email' })).status, 400)
  const authorization = `Bearer ${await tenant.newKey({ scopes: ['contacts:write'] })}`
  const refused = await upload(tenant, `phone\n${phoneNumber()}\n`, { consent: 'sms' }, { authorization })
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'FORBIDDEN'])
  assert.equal((await upload(tenant, `phone\n${phoneNumber()}\n`, {}, { authorization })).status, 201)
})
