import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatTags, parseTags } from '../../server/contacts/tags.ts'
import { serve } from '../support/harness.ts'
import { runs } from '../support/property-runs.ts'
import { newContact } from '../support/samples.ts'
import { contactsOf, importFile } from '../support/uploads.ts'

const { workspace } = await serve()

/** Characters with a meaning in a list of tags, in CSV or in a spreadsheet. */
const special_character = fc.constantFrom(...',;|"\'=+-@\\ ab', 'é', '😀', '""', "'=", '; ', ', "')
const text = fc
  .oneof(
    fc.string({ unit: special_character, minLength: 1, maxLength: 12 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  )
  .map((value) => value.trim())
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are rejected
  .filter((value) => value !== '' && !/[\u0000-\u001f\u007f-\u009f]/.test(value) && value.isWellFormed())
const tags = fc.uniqueArray(text, { maxLength: 8, selector: (tag) => tag.normalize('NFC').toLowerCase() })

test('formatted tags are parsed back unchanged', () => {
  fc.assert(
    fc.property(tags, (list) => {
      assert.deepEqual(parseTags(formatTags(list)), list)
    }),
    runs(),
  )
})

test('any text is parsed into trimmed tags that are not empty', () => {
  fc.assert(
    fc.property(fc.string({ unit: special_character }), (value) => {
      for (const tag of parseTags(value)) assert.ok(tag !== '' && tag === tag.trim(), tag)
    }),
    runs(),
  )
})

test('tags are parsed as people write them', () => {
  for (const [value, list] of [
    ['', []],
    [' ;, | ', []],
    ['vip', ['vip']],
    ['vip | new;vip', ['vip', 'new', 'vip']],
    ['a "b", c', ['a "b"', 'c']],
    ['"a, b"; c', ['a, b', 'c']],
    ['"a ""b""; c" , d', ['a "b"; c', 'd']],
    ['"a" b, c', ['"a" b', 'c']],
    ['"a, b', ['"a', 'b']],
    ['""', []],
    ['" a ";"  "', ['a']],
    ['5" pipe, 3" pipe', ['5" pipe', '3" pipe']],
  ] as const) {
    assert.deepEqual(parseTags(value), list, value)
  }
})

test('an exported contact is imported unchanged', async () => {
  const time_zone = fc.constantFrom(null, 'UTC', 'America/Port-au-Prince', 'Etc/GMT+5')
  const fields = fc.record({ first_name: text, company: text, time_zone, notes: text, tags })
  const contacts = fc.sample(fields, 100)
  const [tenant, other] = [await workspace(), await workspace()]
  await Promise.all(contacts.map((contact) => tenant.call('POST', '/contacts', newContact(contact))))
  const file = (await tenant.call('GET', '/contacts/export?sort=created_at')).text
  const { import: done } = await importFile(other, file)
  assert.equal(done.created, 100)
  const importedFields = (contact: Record<string, unknown>) =>
    ['phone_number', 'first_name', 'company', 'time_zone', 'notes', 'tags'].map((name) => contact[name])
  const byNumber = (list: Record<string, unknown>[]) =>
    list.map(importedFields).sort(([left], [right]) => String(left).localeCompare(String(right)))
  assert.deepEqual(byNumber(await contactsOf(other)), byNumber(await contactsOf(tenant)))
})
