import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SegmentedMessage } from 'sms-segments-calculator'
import { segmentsOf } from '../../server/messages/segments.ts'
import { runs } from '../support/property-runs.ts'

/** Twilio's own calculator. It keeps characters that are joined, such as a letter with an accent of its own, in one part. */
const calculated = (text: string): number => new SegmentedMessage(text).segmentsCount

const plain = fc.constantFrom(...'@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./09:;<=>?¡AZÄÖÑÜ§¿azäöñüà\n')
const extended = fc.constantFrom(...'^{}\\[~]|€')
const wide = fc.constantFrom(...'ç’–…ÀЖ中あ')
const pairs = fc.constantFrom(...'😀🚀𝒳')
const textOf = (...units: fc.Arbitrary<string>[]) =>
  fc.string({ unit: fc.oneof(...units), maxLength: 700, size: 'max' })

test('segments are counted as the carrier counts them', () => {
  const texts = fc.oneof(textOf(plain), textOf(plain, extended), textOf(plain, wide), textOf(plain, wide, pairs))
  fc.assert(
    fc.property(texts, (text) => assert.equal(segmentsOf(text), calculated(text), JSON.stringify(text))),
    runs(),
  )
})

test('the same characters as those of the carrier are plain', () => {
  const codes = [...Array.from({ length: 0x500 }, (_, code) => code), 0x20ac, 0x2019, 0xfeff]
  for (const code of codes) {
    const text = String.fromCharCode(code).repeat(100)
    // Accents that are joined with the letter before them.
    if (/\p{M}/u.test(text)) continue
    assert.equal(segmentsOf(text), calculated(text), `U+${code.toString(16)}`)
  }
})

test('a segment never ends within a character', () => {
  for (const [text, segments] of [
    ['', 1],
    ['a'.repeat(160), 1],
    ['a'.repeat(161), 2],
    ['a'.repeat(306), 2],
    ['a'.repeat(307), 3],
    [`${'a'.repeat(158)}€`, 1],
    [`${'a'.repeat(159)}€`, 2],
    // The sign begins the second part, because only one place is left in the first.
    [`${'a'.repeat(152)}€${'a'.repeat(151)}`, 2],
    [`${'a'.repeat(152)}€${'a'.repeat(152)}`, 3],
    ['ж'.repeat(70), 1],
    ['ж'.repeat(71), 2],
    ['😀'.repeat(35), 1],
    ['😀'.repeat(36), 2],
    ['😀'.repeat(66), 2],
    ['😀'.repeat(67), 3],
  ] as const)
    assert.equal(segmentsOf(text), segments, text)
})
