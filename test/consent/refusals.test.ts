import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findRefusals, refusal } from '../../server/consent/refusals.ts'
import { kinds } from '../../server/consent/schema.ts'
import { openSeal } from '../../server/kit/crypto/seal.ts'
import { seal_info } from '../../server/product.ts'
import { recordEntries } from '../support/consents.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { runs } from '../support/property-runs.ts'
import { newContact, newSuppression, phoneNumber } from '../support/samples.ts'

const server = await serve()
const { workspace, at } = server

const own = '+14155550100'

interface Options {
  kind?: 'sms' | 'voice'
  own_numbers?: string[]
  is_test?: boolean
}

async function refusals({ id }: Tenant, phone_numbers: string[], options: Options = {}) {
  const { kind = 'sms', own_numbers = [own], is_test = false } = options
  const found = await findRefusals({ ...at(id), is_test }, { kind, phone_numbers, own_numbers })
  return phone_numbers.map((number) => found.get(number))
}

test('the latest entry of the kind or of all kinds decides', async () => {
  const tenant = await workspace()
  const entry = fc.record({
    person: fc.nat({ max: 2 }),
    kind: fc.constantFrom(...kinds),
    status: fc.constantFrom('granted' as const, 'revoked' as const),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 12 }), fc.constantFrom('sms', 'voice'), async (entries, kind) => {
      const people = [phoneNumber(), phoneNumber(), phoneNumber()]
      await recordEntries(
        server,
        tenant,
        entries.map(({ person, ...rest }) => ({ ...rest, phone_number: people[person] ?? '' })),
      )
      const expected = people.map((_, person) => {
        const own_entries = entries.filter((one) => one.person === person && (one.kind === kind || one.kind === 'all'))
        return own_entries.at(-1)?.status === 'revoked' ? 'opted_out' : undefined
      })
      assert.deepEqual(await refusals(tenant, people, { kind }), expected)
    }),
    runs(0.3),
  )
})

test('a contact that is deleted and created again stays opted out', async () => {
  const tenant = await workspace()
  const { id, phone_number } = (await tenant.call('POST', '/contacts', newContact())).body.data
  await tenant.call('POST', `/contacts/${id}/consents`, { kind: 'all', status: 'revoked' })
  await tenant.call('DELETE', `/contacts/${id}`)
  assert.deepEqual(await refusals(tenant, [phone_number]), ['opted_out'])
  const again = (await tenant.call('POST', '/contacts', { phone_number })).body.data
  assert.deepEqual(await refusals(tenant, [phone_number]), ['opted_out'])
  await tenant.call('POST', `/contacts/${again.id}/consents`, { kind: 'sms', status: 'granted' })
  assert.deepEqual(await refusals(tenant, [phone_number]), [undefined])
  assert.deepEqual(await refusals(tenant, [phone_number], { kind: 'voice' }), ['opted_out'])
})

test('an opt-out belongs to one workspace', async () => {
  const [one, other] = [await workspace(), await workspace()]
  const phone_number = phoneNumber()
  await recordEntries(server, one, [{ phone_number }])
  await recordEntries(server, other, [{}])
  assert.deepEqual(await refusals(one, [phone_number]), ['opted_out'])
  assert.deepEqual(await refusals(other, [phone_number]), [undefined])
})

test('suppressed numbers are refused for their kind, until the suppression is deleted', async () => {
  const [tenant, other] = [await workspace(), await workspace()]
  const numbers = [phoneNumber(), phoneNumber(), phoneNumber(), phoneNumber()]
  const [sms, voice, all] = numbers
  await tenant.call('POST', '/suppressions', { phone_number: sms, kind: 'sms' })
  await tenant.call('POST', '/suppressions', { phone_number: voice, kind: 'voice' })
  const { id } = (await tenant.call('POST', '/suppressions', { phone_number: all })).body.data
  const rule = 'suppressed'
  assert.deepEqual(await refusals(tenant, numbers), [rule, undefined, rule, undefined])
  assert.deepEqual(await refusals(tenant, numbers, { kind: 'voice' }), [undefined, rule, rule, undefined])
  assert.deepEqual(await refusals(other, numbers), [undefined, undefined, undefined, undefined])
  await tenant.call('DELETE', `/suppressions/${id}`)
  assert.deepEqual(await refusals(tenant, numbers), [rule, undefined, undefined, undefined])
})

test('a suppression is created once for a number and kind, listed and filtered', async () => {
  const tenant = await workspace()
  const phone_number = phoneNumber()
  const first = await tenant.call('POST', '/suppressions', { phone_number, reason: 'Wrong number' })
  const { id, created_at: _, ...rest } = first.body.data
  assert.deepEqual([first.status, rest], [201, { phone_number, is_erased: false, kind: 'all', reason: 'Wrong number' }])
  const again = await tenant.call('POST', '/suppressions', { phone_number, kind: 'all' })
  assert.deepEqual([again.status, again.body.error.code, again.body.error.details.existing_id], [409, 'CONFLICT', id])
  assert.equal((await tenant.call('POST', '/suppressions', { phone_number, kind: 'sms' })).status, 201)
  assert.equal((await tenant.call('POST', '/suppressions', newSuppression())).status, 201)
  const count = async (query: string) =>
    (await tenant.call('GET', `/suppressions?${query}`)).body.pagination.total as number
  const of_number = `phone_number=${encodeURIComponent(phone_number)}`
  assert.deepEqual(
    [await count(''), await count(of_number), await count(`${of_number}&kind=sms`), await count('kind=all')],
    [3, 2, 1, 2],
  )
  const at_once = newSuppression()
  const answers = await Promise.all([1, 2, 3].map(() => tenant.call('POST', '/suppressions', at_once)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
})

const numbers = {
  us: '+14155550100',
  canada: '+14165550100',
  jamaica: '+18765550100',
  somewhere_in_north_america: '+15551234567',
  germany: '+4930123456',
  no_country: '+80012345678',
  unknown: '+99912345',
}

/** Who is refused because of the country. */
async function refusedCountries(tenant: Tenant, options?: Options) {
  const found = await refusals(tenant, Object.values(numbers), options)
  return Object.keys(numbers).filter((_, index) => found[index] === 'country_not_allowed')
}

test('the countries of the own numbers are allowed', async () => {
  const tenant = await workspace()
  const nowhere = ['no_country', 'unknown']
  assert.deepEqual(await refusedCountries(tenant), ['canada', 'jamaica', 'germany', ...nowhere])
  assert.deepEqual(await refusedCountries(tenant, { own_numbers: [own, numbers.germany] }), [
    'canada',
    'jamaica',
    ...nowhere,
  ])
  assert.deepEqual(await refusedCountries(tenant, { own_numbers: [] }), Object.keys(numbers))
})

test('allowed_countries replaces them, also in a test workspace', async () => {
  const tenant = await workspace()
  assert.deepEqual(await refusedCountries(tenant, { own_numbers: [], is_test: true }), [])
  await tenant.call('PATCH', '/workspace', { settings: { allowed_countries: ['DE', 'CA'] } })
  for (const is_test of [true, false])
    assert.deepEqual(await refusedCountries(tenant, { is_test }), ['us', 'jamaica', 'no_country', 'unknown'])
  await tenant.call('PATCH', '/workspace', { settings: { allowed_countries: [] } })
  assert.deepEqual(await refusedCountries(tenant), Object.keys(numbers))
})

test('an opt-out comes before a suppression, and that before the country', async () => {
  const tenant = await workspace()
  const [first, second, third] = ['+4930123450', '+4930123451', '+4930123452']
  await recordEntries(server, tenant, [{ phone_number: first }])
  for (const phone_number of [first, second]) await tenant.call('POST', '/suppressions', { phone_number })
  const expected = ['opted_out', 'suppressed', 'country_not_allowed', 'opted_out']
  assert.deepEqual(await refusals(tenant, [first, second, third, first]), expected)
  assert.deepEqual(await refusals(tenant, []), [])
})

test('with another SECRETS_KEY the check fails, so that nothing goes out', async () => {
  const tenant = await workspace()
  await recordEntries(server, tenant, [{}])
  const input = { kind: 'sms' as const, phone_numbers: [phoneNumber()], own_numbers: [own] }
  const wrong = { ...at(tenant.id).tools, seal: openSeal('another key', seal_info) }
  await assert.rejects(findRefusals({ ...at(tenant.id), tools: wrong }, input), /unknown key/)
  assert.equal((await findRefusals(at(tenant.id), input)).size, 0)
})

test('a refusal names its rule', () => {
  for (const rule of ['opted_out', 'suppressed', 'country_not_allowed'] as const) {
    const { code, status, details, message } = refusal(rule)
    assert.deepEqual([code, status, details], ['INVALID_STATE', 409, { rule }])
    assert.ok(message.length > 0)
  }
})
