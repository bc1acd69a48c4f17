import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { serve } from '../support/harness.ts'
import { newContact } from '../support/samples.ts'
import { contactsOf, getImport, importFile, upload } from '../support/uploads.ts'

const { workspace, pool } = await serve()

const outcomes = (rows: { outcome: string }[]) => rows.map(({ outcome }) => outcome)
const reasons = (rows: { reason: string | null }[]) => rows.map(({ reason }) => reason)

test('rows become contacts with the source import, and search finds them', async () => {
  const tenant = await workspace()
  const file =
    'Mobile number,First Name,Nachname,E-Mail,Firma,Time zone,Remarks,Labels,Size\n+14155550100,Ada,Lovelace,ada@example.com,Engines,Europe/London,hello,vip | new;vip,XL\n'
  const done = await importFile(tenant, file)
  const { mapping, total, created, status, file_name } = done.import
  assert.deepEqual([status, total, created, file_name], ['finished', 1, 1, 'people.csv'])
  assert.deepEqual(mapping, {
    'Mobile number': 'phone_number',
    'First Name': 'first_name',
    Nachname: 'last_name',
    'E-Mail': 'email',
    Firma: 'company',
    'Time zone': 'time_zone',
    Remarks: 'notes',
    Labels: 'tags',
    Size: null,
  })
  const [contact] = (await tenant.call('GET', '/contacts?search=lovelace&tag=VIP&source=import')).body.data
  assert.equal(contact.id, done.rows[0].contact_id)
  const { company, time_zone, notes, tags } = contact
  assert.deepEqual([company, time_zone, notes, tags], ['Engines', 'Europe/London', 'hello', ['vip', 'new']])
  assert.deepEqual(done.rows[0].values, {
    'Mobile number': '+14155550100',
    'First Name': 'Ada',
    Nachname: 'Lovelace',
    'E-Mail': 'ada@example.com',
    Firma: 'Engines',
    'Time zone': 'Europe/London',
    Remarks: 'hello',
    Labels: 'vip | new;vip',
    Size: 'XL',
  })
  const events = await pool.many<{ type: string }>(
    sql`select type from events where workspace_id = ${tenant.id} and resource_id = ${contact.id}`,
  )
  assert.deepEqual(events, [{ type: 'contact.created' }])
})

test('an invalid row is refused with a reason, and the others are imported', async () => {
  const tenant = await workspace()
  const file = `phone,email,first_name,tz
+14155550101,,${'x'.repeat(101)}
,a@b.org,
12,,
+14155550102,no address,
+14155550103,a@b.org,Ada,,more
+14155550106,,,EST time
+14155550104,,,,
"+1 (415) 555-0105",c@d.org,
`
  const { import: done, rows } = await importFile(tenant, file)
  assert.deepEqual([done.created, done.refused], [2, 6])
  assert.deepEqual(outcomes(rows), [...Array(6).fill('refused'), 'created', 'created'])
  const [name, missing, number, email, cells, zone] = reasons(rows)
  assert.match(String(name), /first_name must have at most 100 characters/)
  assert.equal(missing, 'phone_number is required.')
  assert.match(String(number), /phone_number must be in E.164 form/)
  assert.equal(email, 'email must be an email address.')
  assert.equal(cells, 'The row has 5 cells, but there are 4 columns.')
  assert.equal(zone, 'time_zone must be a time zone such as America/New_York.')
  const numbers = (await contactsOf(tenant)).map(({ phone_number }: { phone_number: string }) => phone_number)
  assert.deepEqual(numbers.sort(), ['+14155550104', '+14155550105'])
  const refused = await tenant.call('GET', `/contacts/imports/${done.id}/rows?outcome=refused&limit=2`)
  assert.deepEqual([refused.body.pagination.total, refused.body.data.length], [6, 2])
  const cursor = refused.body.pagination.next_cursor
  const next = await tenant.call('GET', `/contacts/imports/${done.id}/rows?outcome=refused&limit=2&cursor=${cursor}`)
  assert.deepEqual(
    next.body.data.map(({ row_number }: { row_number: number }) => row_number),
    [3, 4],
  )
})

test('refused rows can be downloaded as CSV with the reason', async () => {
  const tenant = await workspace()
  const { id } = await importFile(tenant, 'phone,notes\n12,"a ""b"", c"\n+14155550100,fine\n13,=1+1\n')
  const answer = await tenant.call('GET', `/contacts/imports/${id}/rows.csv?outcome=refused`)
  assert.match(answer.headers.get('content-disposition') ?? '', /attachment/)
  const hint = 'phone_number must be in E.164 form, such as +14155550100.'
  assert.equal(answer.text, `phone,notes,reason\r\n12,"a ""b"", c","${hint}"\r\n13,'=1+1,"${hint}"\r\n`)
})

test('a national number is read as a number of the default country', async () => {
  const tenant = await workspace()
  const file = 'Telefon\n030 901820\n0049 30 901821\n+43 1 53115\n'
  const { import: done } = await importFile(tenant, file, { default_country: 'DE' })
  assert.equal(done.created, 3)
  const numbers = (await contactsOf(tenant)).map(({ phone_number }: { phone_number: string }) => phone_number)
  assert.deepEqual(numbers.sort(), ['+43153115', '+4930901820', '+4930901821'])
})

test('known numbers are skipped, and of rows with the same number the first is imported', async () => {
  const tenant = await workspace()
  const known = (await tenant.call('POST', '/contacts', newContact({ first_name: 'Ada' }))).body.data
  const file = `phone,first_name\n${known.phone_number},Eva\n+4930901820,Max\n+4930901820,Moritz\n`
  const { import: done, rows } = await importFile(tenant, file)
  assert.deepEqual([done.created, done.skipped, done.updated], [1, 2, 0])
  assert.deepEqual(reasons(rows), ['A contact has this phone number.', null, 'Row 2 has the same phone number.'])
  assert.equal(rows[0].contact_id, known.id)
  assert.equal(rows[2].contact_id, rows[1].contact_id)
  assert.equal((await tenant.call('GET', `/contacts/${known.id}`)).body.data.first_name, 'Ada')
})

test('on_conflict update changes only the fields with values in the row', async () => {
  const tenant = await workspace()
  const fields = { first_name: 'Ada', company: 'Engines', tags: ['old'] }
  const known = (await tenant.call('POST', '/contacts', newContact(fields))).body.data
  const same = (await tenant.call('POST', '/contacts', newContact({ first_name: 'Max' }))).body.data
  const file = `phone,first_name,company,tags\n${known.phone_number},Eva,,new\n${same.phone_number},Max,,\n`
  const { import: done, rows } = await importFile(tenant, file, { on_conflict: 'update' })
  assert.deepEqual([done.updated, done.skipped], [1, 1])
  assert.deepEqual(reasons(rows), [null, 'No changes: the contact already has these values.'])
  const { first_name, company, tags, source } = (await tenant.call('GET', `/contacts/${known.id}`)).body.data
  assert.deepEqual([first_name, company, tags, source], ['Eva', 'Engines', ['new'], 'api'])
  assert.equal((await tenant.call('GET', `/contacts/${same.id}`)).body.data.updated_at, same.updated_at)
})

for (const on_conflict of ['skip', 'update']) {
  test(`a dry run writes nothing and reports what running it then does (${on_conflict})`, async () => {
    const tenant = await workspace()
    const known = (await tenant.call('POST', '/contacts', newContact())).body.data
    const lines = Array.from({ length: 2_500 }, (_, index) => `+49309${100_000 + (index % 2_400)},n${index}`)
    const file = `phone,name\n${known.phone_number},Ada\n12,bad\n${lines.join('\n')}\n`
    const dry = await importFile(tenant, file, { is_dry_run: true, on_conflict })
    assert.equal((await contactsOf(tenant)).length, 1)
    assert.deepEqual([dry.import.status, dry.import.total, dry.import.done], ['finished', 2_502, 2_502])
    assert.deepEqual([dry.import.created, dry.import.refused], [2_400, 1])
    const run = await tenant.call('POST', `/contacts/imports/${dry.id}/run`)
    assert.equal(run.status, 201)
    assert.equal(run.headers.get('location'), `/api/v1/contacts/imports/${run.body.data.id}`)
    await tenant.work()
    const real = await getImport(tenant, run.body.data.id)
    const counts = ({ created, updated, skipped, refused }: Record<string, number>) => [
      created,
      updated,
      skipped,
      refused,
    ]
    assert.deepEqual(counts(real.import), counts(dry.import))
    const reportOf = async (id: string) => {
      const { text } = await tenant.call('GET', `/contacts/imports/${id}/rows.csv`)
      return text
    }
    assert.equal(await reportOf(real.id), await reportOf(dry.id))
    assert.equal((await tenant.call('GET', '/contacts?limit=1')).body.pagination.total, 2_401)
    const { error } = (await tenant.call('POST', `/contacts/imports/${real.id}/run`)).body
    assert.deepEqual([error.code, error.message], ['INVALID_STATE', 'Only a dry run can be run. This is an import.'])
  })
}

test('two concurrent workers import no row twice', async () => {
  const tenant = await workspace()
  const lines = Array.from({ length: 6_000 }, (_, index) => `+49309${100_000 + index}`)
  const { id } = (await upload(tenant, `phone\n${lines.join('\n')}\n`)).body.data
  while ((await getImport(tenant, id)).import.status !== 'finished') await Promise.all([tenant.work(), tenant.work()])
  const { import: done } = await getImport(tenant, id)
  assert.deepEqual([done.created, done.done], [6_000, 6_000])
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 6_000)
})

test('a national number must have a possible length, and one with a country code is accepted as it is', async () => {
  const tenant = await workspace()
  const numbers = [
    '123',
    '12',
    '0',
    '110',
    '030',
    '030 901820 901820 901820',
    '01511 2345678',
    '+49123',
    '+49 124',
    '0049 125',
  ]
  const { rows } = await importFile(tenant, `Telefon\n${numbers.join('\n')}\n`, { default_country: 'DE' })
  assert.deepEqual(outcomes(rows), [...Array(6).fill('refused'), ...Array(4).fill('created')])
  assert.match(rows[0].reason, /phone_number must be in E.164 form/)
  const kept = (await contactsOf(tenant)).map(({ phone_number }: { phone_number: string }) => phone_number)
  assert.deepEqual(kept.sort(), ['+49123', '+49124', '+49125', '+4915112345678'])
  const { url } = (
    await tenant.call('POST', '/integrations', {
      name: 'Form',
      field_map: { phone_number: '/phone' },
      default_country: 'DE',
    })
  ).body.data
  assert.equal((await tenant.send(url, { phone: '123' })).status, 400)
  assert.equal((await tenant.send(url, { phone: '+49126' })).status, 200)
})

test('the CSV has extra cells after the reason, and corrected rows can be imported', async () => {
  const tenant = await workspace()
  const { id, import: done } = await importFile(
    tenant,
    'phone,name\n+14155550100,Lovelace, Ada,,x,,\n+14155550101,Grace,,\n12,Max\n',
  )
  assert.deepEqual([done.created, done.refused], [1, 2])
  const { text } = await tenant.call('GET', `/contacts/imports/${id}/rows.csv`)
  const hint = 'phone_number must be in E.164 form, such as +14155550100.'
  assert.deepEqual(text.split('\r\n'), [
    'phone,name,reason',
    '+14155550100,Lovelace,"The row has 7 cells, but there are 2 columns.", Ada,,x',
    '+14155550101,Grace,',
    `12,Max,"${hint}"`,
    '',
  ])
  const again = await importFile(tenant, text.replace('+14155550101,Grace,\r\n', ''))
  assert.deepEqual(
    [again.import.created, again.import.refused],
    [0, 2],
    'rows that were not corrected are refused again',
  )
  const twice = await tenant.call('GET', `/contacts/imports/${again.id}/rows.csv?outcome=refused`)
  assert.match(twice.text, /^phone,name,reason,reason\r\n.*"The row has 6 cells, but there are 3 columns.", Ada,,x\r\n/)
  const corrected = text
    .replace('Lovelace,', '"Lovelace, Ada",')
    .replace(', Ada,,x', ',,,')
    .replace('12,', '+14155550112,')
  const { import: last } = await importFile(tenant, corrected)
  assert.deepEqual([last.created, last.skipped, last.refused], [2, 1, 0])
  const names = (await contactsOf(tenant)).map(({ display_name }: { display_name: string }) => display_name)
  assert.deepEqual(names.sort(), ['Grace', 'Lovelace, Ada', 'Max'])
})
