import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseContact } from '../../server/contacts/parse.ts'
import { serve } from '../support/harness.ts'

const { workspace } = await serve()

const hint = 'To accept numbers without a country code, set default_country.'
const messageFor = (phone_number: string, default_country: string | null) =>
  parseContact({ phone_number }, default_country).faults[0]?.message

test('a number without a country code is rejected with a hint at default_country', () => {
  for (const phone_number of ['030 901820', '(415) 555-0100', '4155550100', '030/901820']) {
    assert.equal(
      messageFor(phone_number, null),
      `phone_number must be in E.164 form, such as +14155550100. ${hint}`,
      phone_number,
    )
  }
  assert.equal(parseContact({ phone_number: '030 901820' }, 'DE').contact?.phone_number, '+4930901820')
})

test('the hint is left out where default_country would not help', () => {
  for (const [phone_number, default_country] of [
    ['12', null],
    ['call me', null],
    ['+0155550100', null],
    ['00', null],
    ['030 901820 901820 901820', 'DE'],
  ] as const) {
    assert.equal(messageFor(phone_number, default_country)?.includes('default_country'), false, phone_number)
  }
})

test('a default_country that is no country code is rejected with an example', async () => {
  const { call } = await workspace()
  for (const default_country of ['Germany', 'de', 'XX', '49']) {
    const { status, body } = await call('POST', '/integrations', { name: 'Form', default_country })
    const [fault] = body.error.details.fields
    assert.deepEqual([status, fault.path, fault.code], [400, 'default_country', 'enum'])
    assert.equal(fault.message, 'default_country must be the two-letter code of a country, such as US or DE.')
  }
})
