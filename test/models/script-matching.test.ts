import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scoreIntent } from '../../server/models/intents.ts'
import type { Intent } from '../../server/models/languages/language.ts'
import { languageOf, listen, normalize, scorePhrases } from '../../server/models/matching.ts'
import { findSlot, type Slot } from '../../server/models/slots.ts'

/** It is a Sunday. */
const now = Date.parse('2026-11-15T23:30:00Z')

const hears = (text: string, phrase: string, language = 'en') =>
  scorePhrases([phrase], listen(text, languageOf(language)))?.score
const intent = (text: string, name: Intent, language = 'en') =>
  scoreIntent(name, listen(text, languageOf(language))) !== undefined
const slot = (name: Slot, text: string, language = 'en', time_zone = 'UTC') =>
  findSlot(name, listen(text, languageOf(language)), { now, language, time_zone })?.value

test('case, accents, punctuation and number words make no difference', () => {
  const rows: [string, string, string?][] = [
    ['  YES, please!! ', 'yes please'],
    ["I don't; I DON’T", 'i dont i dont'],
    ['Où êtes-vous? Straße', 'ou etes vous strasse'],
    ['twenty-one and two hundred and five', '21 and 205'],
    ['two thousand twenty six', '2026'],
    ['one two three', '1 2 3'],
    ['a hundred and one', 'a 101'],
    ['einundzwanzig Grüße um fünf', '21 grusse um 5', 'de-AT'],
    ['constructor __proto__', 'constructor proto'],
    ['?!', ''],
  ]
  for (const [text, expected, language] of rows) assert.equal(normalize(text, languageOf(language)), expected)
})

test('the score is the share of the words that were heard, in any order', () => {
  assert.equal(hears('so when do you open?', 'when are you open'), 0.75)
  assert.equal(hears('open you are, when', 'when are you open'), 1)
  assert.equal(hears('works', 'that works'), undefined)
  assert.equal(hears('two of three', 'one two three'), 2 / 3)
  assert.equal(hears('three of five', '3 of 5 other words'), 0.6)
  assert.equal(hears('', 'yes'), undefined)
})

test('a word may have one typo from 4 letters on and two from 10', () => {
  assert.equal(hears('yas', 'yes'), undefined)
  assert.equal(hears('bokk', 'book'), 1)
  assert.equal(hears('boook', 'book'), 1)
  assert.equal(hears('boo', 'book'), 1)
  assert.equal(hears('bkko', 'book'), undefined)
  assert.equal(hears('openingz', 'opening'), 1)
  assert.equal(hears('oppeningz', 'opening'), undefined)
  assert.equal(hears('yestreday', 'yesterday'), undefined)
  assert.equal(hears('resturent', 'restaurant'), 1)
  assert.equal(hears('appontmant', 'appointment'), 1)
  assert.equal(hears('apontmant', 'appointment'), undefined)
})

test('numbers must be heard exactly', () => {
  assert.equal(hears('2027', '2026'), undefined)
  assert.equal(hears('two thousand and twenty six', '2026'), 1)
})

test('intents are heard in real sentences', () => {
  const rows: [Intent, string[]][] = [
    ['yes', ['Yes please', 'sure, go ahead', 'that works for me', 'absolutly', 'no problem', "That's right."]],
    ['no', ['no thanks', "that doesn't work", 'I am not interested', 'Nope.', "I'd rather not"]],
    ['repeat', ['could you say that again?', 'Pardon?', "I didn't catch that", 'what did you say']],
    ['human', ['I want to talk to a real person', 'can I speak to someone', 'get me an operator', 'reprasentative']],
    ['stop', ['STOP', 'please stop calling me', "don't call me again", 'unsubcribe', 'take me off your list']],
    ['wrong_person', ['you have the wrong number', "sorry, that's not me"]],
    ['busy', ["I'm driving", 'call me back later', 'not now', "it's a bad time"]],
    ['goodbye', ['Goodbye!', 'bye bye', "that's all, thank you"]],
  ]
  for (const [name, sentences] of rows)
    for (const sentence of sentences) assert.ok(intent(sentence, name), `${sentence}: ${name}`)
})

test('intents are heard in German', () => {
  const rows: [Intent, string][] = [
    ['yes', 'Ja, gerne'],
    ['no', 'Nein danke'],
    ['no', 'das geht leider nicht'],
    ['repeat', 'Wie bitte?'],
    ['human', 'Ich möchte mit einem Mitarbeiter sprechen'],
    ['stop', 'Bitte nicht mehr anrufen'],
    ['wrong_person', 'Da haben Sie die falsche Nummer'],
    ['busy', 'ich habe gerade keine Zeit'],
    ['goodbye', 'Auf Wiederhören'],
  ]
  for (const [name, sentence] of rows) assert.ok(intent(sentence, name, 'de'), `${sentence}: ${name}`)
  assert.ok(!intent('Auf Wiederhören', 'repeat', 'de'))
  assert.ok(intent('yes', 'yes', 'fr'), 'other languages use the English phrases')
})

test('a message with a negation is no yes, and a similar word is no intent', () => {
  for (const sentence of [
    'not sure',
    "that's not right",
    'I do not think that works',
    'nine',
    'I hope so',
    'this year',
  ]) {
    assert.ok(!intent(sentence, 'yes'), sentence)
  }
  for (const sentence of ['I do not know', 'the shop is closed']) assert.ok(!intent(sentence, 'stop'), sentence)
  assert.ok(!intent('I hope so', 'no'))
})

test('dates are found, relative to today', () => {
  const rows: [string, string | undefined, string?][] = [
    ['today', '2026-11-15'],
    ['tomorrow at nine', '2026-11-16'],
    ['the day after tomorrow', '2026-11-17'],
    ['Tuesday works', '2026-11-17'],
    ['on tusday', '2026-11-17'],
    ['Sunday', '2026-11-22'],
    ['not Tuesday, Wednesday', '2026-11-18'],
    ['in two weeks', '2026-11-29'],
    ['2026-12-24', '2026-12-24'],
    ['November 17th', '2026-11-17'],
    ['17th of November 2027', '2027-11-17'],
    ['the twenty first of december', '2026-12-21'],
    ['January 3', '2027-01-03'],
    ['feb 29', '2028-02-29'],
    ['the 17th', '2026-11-17'],
    ['the 3rd', '2026-12-03'],
    ['12/24', '2026-12-24', 'en-US'],
    ['5/6', '2027-05-06', 'en-US'],
    ['5/6', '2027-06-05', 'en-GB'],
    ['24/12/26', '2026-12-24'],
    ['17.11.', '2026-11-17', 'de'],
    ['am 17. November', '2026-11-17', 'de'],
    ['am 3.', '2026-12-03', 'de'],
    ['übermorgen', '2026-11-17', 'de'],
    ['nächsten Dienstag', '2026-11-17', 'de'],
    ['Guten Morgen', undefined, 'de'],
    ['31.02.2027', undefined, 'de'],
    ['one second, I may come', undefined],
    ['at 9.30', undefined],
  ]
  for (const [text, expected, language] of rows) assert.equal(slot('date', text, language), expected, text)
})

test('today is that of the time zone', () => {
  assert.equal(slot('date', 'today', 'en', 'Europe/Berlin'), '2026-11-16')
  assert.equal(slot('date', 'next Tuesday', 'en', 'America/New_York'), '2026-11-17')
  assert.equal(slot('date', 'next Tuesday', 'en', 'Europe/Berlin'), '2026-11-24')
})

test('times are found', () => {
  const rows: [string, string | undefined, string?][] = [
    ['at nine', '09:00'],
    ['9:30', '09:30'],
    ['nine thirty', '09:30'],
    ['9 a.m.', '09:00'],
    ['3pm', '15:00'],
    ['3:15 pm', '15:15'],
    ['12 am', '00:00'],
    ['half past three', '15:30'],
    ['quarter to one', '12:45'],
    ['at 3 in the morning', '03:00'],
    ['at eight tonight', '20:00'],
    ['03:15', '03:15'],
    ['noon', '12:00'],
    ['25:00', undefined],
    ['at 9:75', '09:00'],
    ['I have two cats', undefined],
    ['um halb zehn', '09:30', 'de'],
    ['9.30 Uhr', '09:30', 'de'],
    ['9 Uhr 5', '09:05', 'de'],
    ['um drei', '15:00', 'de'],
  ]
  for (const [text, expected, language] of rows) assert.equal(slot('time', text, language), expected, text)
})

test('digits, phone numbers, emails and names are found', () => {
  const rows: [Slot, string, string | undefined, string?][] = [
    ['digits', 'my code is one two three four', '1234'],
    ['digits', 'I have 2 codes: 12-34', '1234'],
    ['digits', 'double seven oh nine', '7709'],
    ['digits', 'oh dear', undefined],
    ['phone', 'call me at (415) 555-0100', '+14155550100', 'en-US'],
    ['phone', '+49 30 123456', '+4930123456'],
    ['phone', '0049 30 123456', '+4930123456'],
    ['phone', 'plus four nine three oh one two three four five six', '+4930123456'],
    ['phone', '030 1234567', '0301234567', 'de'],
    ['phone', '030 1234567', '+49301234567', 'de-DE'],
    ['phone', '12', undefined],
    ['email', 'It is Ada@Example.com.', 'ada@example.com'],
    ['email', 'ada dot lovelace at example dot co dot uk', 'ada.lovelace@example.co.uk'],
    ['email', 'look at that', undefined],
    ['name', 'My name is Ada Lovelace, and I need help', 'Ada Lovelace'],
    ['name', "it's o'brien", "O'brien"],
    ['name', 'anna-lena meier', 'Anna-Lena Meier'],
    ['name', 'my name is doris day', 'Doris Day'],
    ['name', 'I am busy', undefined],
    ['name', 'no thanks', undefined],
    ['name', 'I would like to book a table for four', undefined],
    ['name', 'Ich heiße Jörg Müller', 'Jörg Müller', 'de'],
  ]
  for (const [name, text, expected, language] of rows) assert.equal(slot(name, text, language), expected, text)
})

test('the work for one message is bounded: beyond it words are still heard without typos', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const words = (first: string) => Array.from(letters).flatMap((a) => Array.from(letters, (b) => `${first}${a}${b}x`))
  const heard = listen(`${words('q').join(' ')} yesterday`, languageOf())
  assert.equal(scorePhrases(['yesterdey'], heard)?.score, 1)
  assert.equal(scorePhrases(words('wz'), heard), undefined)
  assert.ok(heard.letters_left < 0)
  assert.equal(scorePhrases(['yesterdey'], heard), undefined)
  assert.equal(scorePhrases(['yesterday'], heard)?.score, 1)
})

test('of a message the first 4,000 characters are heard', () => {
  const of = (length: number) => listen(`${'x'.repeat(length - 4)} yes`, languageOf())
  assert.equal(scorePhrases(['yes'], of(4000))?.score, 1)
  assert.equal(scorePhrases(['yes'], of(4001)), undefined)
})
