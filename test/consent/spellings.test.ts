import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findGranted, findOptedOut } from '../../server/consent/refusals.ts'
import { kinds } from '../../server/consent/schema.ts'
import { firstSpellingOf, spellingsOf } from '../../server/consent/spellings.ts'
import { newTestCalls } from '../support/calls.ts'
import { recordEntries } from '../support/consents.ts'
import { create } from '../support/contacts.ts'
import { newAgent } from '../support/conversations.ts'
import { serve } from '../support/harness.ts'
import { runs } from '../support/property-runs.ts'
import { importFile } from '../support/uploads.ts'

const server = await serve()
const { workspace, at } = server

/** Spellings of the same number, for the digits that follow. Written down here, so that the code isn't asked. */
const families: ((digits: string) => string[])[] = [
  (digits) => [`+44163${digits}`, `+440163${digits}`],
  (digits) => [`+4930${digits}`, `+49030${digits}`],
  (digits) => [`+33612${digits.slice(1)}`, `+330612${digits.slice(1)}`],
  (digits) => [`+61291${digits.slice(1)}`, `+610291${digits.slice(1)}`],
  (digits) => [`+52551${digits}`, `+521551${digits}`],
  (digits) => [`+54112${digits}`, `+549112${digits}`, `+540112${digits}`],
  (digits) => [`+1415${digits}`, `+11415${digits}`],
  (digits) => [`+7495${digits}`, `+78495${digits}`],
]
/** Numbers that look alike and belong to different people: 0 is part of the number, or nothing stands before it. */
const strangers: ((digits: string) => string[])[] = [
  (digits) => [`+3906${digits}`, `+396${digits}`],
  (digits) => [`+225071${digits}`, `+22571${digits}`],
  (digits) => [`+44163${digits}`, `+44136${digits}`],
  (digits) => [`+7800${digits}`, `+7495${digits}`],
  (digits) => [`+1415${digits}`, `+5215${digits}`, `+4915${digits}`],
]
const digits = fc.integer({ min: 2_000_000, max: 9_999_999 }).map(String)
const family = fc.tuple(fc.constantFrom(...families), digits).map(([spell, digits]) => spell(digits))

test('each spelling of a number is found by each other one, and none by other numbers', () => {
  fc.assert(
    fc.property(family, fc.tuple(fc.constantFrom(...strangers), digits), (spellings, [alike, digits]) => {
      for (const one of spellings) {
        const found = spellingsOf(one)
        assert.equal(found[0], one)
        for (const other of spellings) assert.ok(found.includes(other), `${other} by ${one}`)
        assert.ok(found.length <= 4)
        assert.equal(firstSpellingOf(one), firstSpellingOf(spellings[0] ?? ''))
      }
      const people = alike(digits)
      for (const one of people)
        for (const other of people.filter((other) => other !== one)) {
          assert.ok(!spellingsOf(one).includes(other), `${other} by ${one}`)
          assert.notEqual(firstSpellingOf(one), firstSpellingOf(other))
        }
    }),
    runs(),
  )
})

test('any number has spellings, itself among them, which have the same person', () => {
  const number = fc
    .tuple(fc.constantFrom('+52', '+54', '+1', '+7', '+440', '+55', '+81', '+86', '+39', '+', '+370'), fc.nat())
    .map(([start, rest]) => `${start}${rest || 1}`)
  fc.assert(
    fc.property(number, (number) => {
      const spellings = spellingsOf(number)
      assert.ok(spellings.includes(number) && spellings.includes(firstSpellingOf(number)))
      assert.ok(spellings.length <= 5 && spellings.every((one) => /^\+\d+$/.test(one)))
    }),
    runs(),
  )
})

test('the latest entry of all spellings decides', async () => {
  const tenant = await workspace()
  const entry = fc.record({
    spelling: fc.nat({ max: 2 }),
    kind: fc.constantFrom(...kinds),
    status: fc.constantFrom('granted' as const, 'revoked' as const),
  })
  await fc.assert(
    fc.asyncProperty(
      family,
      fc.array(entry, { maxLength: 6 }),
      fc.constantFrom('sms' as const, 'voice' as const),
      async (spellings, entries, kind) => {
        await recordEntries(
          server,
          tenant,
          // Numbers may repeat in the ledger of the workspace, so each run begins with an agreement.
          [{ spelling: 0, kind: 'all' as const, status: 'granted' as const }, ...entries].map(
            ({ spelling, ...rest }) => ({
              ...rest,
              phone_number: spellings[spelling % spellings.length] ?? '',
            }),
          ),
        )
        const last = entries.findLast((one) => one.kind === kind || one.kind === 'all')?.status ?? 'granted'
        const expected = new Set(spellings)
        assert.deepEqual(await findOptedOut(at(tenant.id), kind, spellings), last === 'revoked' ? expected : new Set())
        assert.deepEqual(await findGranted(at(tenant.id), kind, spellings), last === 'granted' ? expected : new Set())
      },
    ),
    runs(0.2),
  )
  assert.equal((await tenant.call('POST', '/consents/verify')).body.data.is_valid, true)
})

for (const [known, other] of [
  ['+441632960001', '+4401632960001'],
  ['+4401632960002', '+441632960002'],
  ['+525512345678', '+5215512345678'],
  ['+5215512345679', '+525512345679'],
] as const) {
  test(`an opt-out of ${known} keeps calls and messages from ${other}, until START`, async () => {
    const tenant = await workspace()
    await newTestCalls(tenant)
    const agent_id = await newAgent(tenant, { greeting: 'Hello' })
    const contact = await create(tenant, { phone_number: known })
    await tenant.call('POST', `/contacts/${contact.id}/consents`, { kind: 'all', status: 'revoked' })
    const called = await tenant.call('POST', '/calls', { agent_id, to: other })
    assert.deepEqual([called.status, called.body.error?.details.rule], [409, 'opted_out'])
    const same = await create(tenant, { phone_number: other })
    assert.equal(same.phone_number, other)
    const entries = (await tenant.call('GET', `/contacts/${same.id}/consents`)).body.data
    assert.deepEqual(
      entries.map(({ status }: { status: string }) => status),
      ['revoked'],
    )
    // An import doesn't revive what the person has opted out of.
    await importFile(tenant, `phone\n${other}\n`, { consent: 'all', on_conflict: 'update' })
    assert.equal((await tenant.call('GET', '/consents')).body.pagination.total, 1)
    await recordEntries(server, tenant, [{ phone_number: other, status: 'granted', source: 'sms_keyword' }])
    assert.deepEqual(await findOptedOut(at(tenant.id), 'sms', [known, other]), new Set())
  })

  test(`a suppression of ${known} holds for ${other}, and is found by it`, async () => {
    const tenant = await workspace()
    await newTestCalls(tenant)
    const agent_id = await newAgent(tenant, { greeting: 'Hello' })
    const { id } = (await tenant.call('POST', '/suppressions', { phone_number: known })).body.data
    const called = await tenant.call('POST', '/calls', { agent_id, to: other })
    assert.deepEqual([called.status, called.body.error?.details.rule], [409, 'suppressed'])
    const found = await tenant.call('GET', `/suppressions?phone_number=${encodeURIComponent(other)}`)
    assert.deepEqual(
      found.body.data.map(({ id, phone_number }: { id: string; phone_number: string }) => [id, phone_number]),
      [[id, known]],
    )
    // No number is refused or rewritten.
    assert.equal((await tenant.call('POST', '/suppressions', { phone_number: other })).body.data.phone_number, other)
  })
}
