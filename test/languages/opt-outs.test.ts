import assert from 'node:assert/strict'
import fs from 'node:fs'
import { test } from 'node:test'
import { sentencesIn } from '../../server/consent/sentences.ts'
import { wishIn } from '../../server/consent/spoken.ts'
import { wordOf } from '../../server/consent/words.ts'
import { askingOf } from '../../server/consent/written.ts'
import { en } from '../../server/languages/en.ts'
import { languages } from '../../server/languages/languages.ts'
import { PatternSteps } from '../../server/languages/pattern-steps.ts'
import { PhraseIndex } from '../../server/languages/phrase-index.ts'
import { phrasesOf } from '../../server/languages/wish.ts'
import { pressKey } from '../../server/talk/sentences.ts'

/** What people write and say in one language. */
interface Said {
  opt_outs: string[]
  /** They may be meant otherwise: the agent asks. */
  asks: string[]
  others: string[]
  /** Answers to reminders, menus and questions. */
  reminders: string[]
}

const readSaid = (tag: string): Said =>
  JSON.parse(fs.readFileSync(new URL(`opt-outs/${tag}.json`, import.meta.url), 'utf8'))

/**
 * Most of these sentences were written without knowledge of the rules, which were then made better by them. Of two sets that were read
 * once, before that, the rules understood 96.3 % of 520 opt-outs and 96.6 % of 555, and opted out 3 of 1,260 others.
 */
const understood_min = 0.98

const isUnderstood = (text: string): boolean => wordOf(text) !== undefined || wishIn(text) !== undefined
const isOptOut = (text: string): boolean => askingOf(text, { by_sms: false })?.word === 'opt_out'

for (const { tag } of languages) {
  const said = readSaid(tag)

  test(`who asks for no more calls and messages is understood (${tag})`, () => {
    const missed = said.opt_outs.filter((text) => !isUnderstood(text))
    assert.ok(missed.length <= (1 - understood_min) * said.opt_outs.length, missed.join('\n'))
  })

  test(`who says something else is not opted out (${tag})`, () => {
    assert.deepEqual(said.reminders.filter(isOptOut), [])
    assert.deepEqual(said.others.filter(isOptOut), [])
  })
}

test('the key is named in every language, and what the agent says of it is no wish of someone who says it', () => {
  for (const { tag, sayings } of languages) {
    const names = { '7': '7', '*': sayings.star, '#': sayings.hash }
    for (const [key, name] of Object.entries(names)) {
      const said = pressKey(key as '7', tag)
      assert.ok(said.includes(name) && !said.includes('{'), said)
      assert.equal(wishIn(said), undefined, said)
    }
  }
})

test('what is kept for ever has neither names nor numbers', () => {
  const shownOf = (text: string) => askingOf(text, { by_sms: true })?.shown.words
  assert.equal(shownOf('STOP\n-- Jane Doe, 0791234567'), 'stop')
  assert.equal(shownOf('Rayez Jean de votre liste'), 'rayez … votre liste')
  assert.equal(shownOf('Rayez le 0791234567 de votre liste'), 'rayez … votre liste')
  assert.equal(shownOf('请把我王小明从名单里删除'), '把 … 名单 … 删')
  assert.equal(shownOf('Non chiamatemi più'), 'non chiamatemi piu')
  for (const { tag } of languages) {
    const { opt_outs }: Said = readSaid(tag)
    const digits = opt_outs.map(shownOf).filter((words) => /\p{N}{3}/u.test(words ?? ''))
    assert.deepEqual(digits, [], tag)
  }
})

test('who asks for later, or says it with words that English has borrowed, is not opted out', () => {
  for (const text of [
    "Please don't call me right away, I'm in a meeting",
    'Rufen Sie mich bitte nicht sofort an, ich bin in einer Besprechung',
    'No me llame inmediatamente',
    "Ne m'appelez pas immédiatement, je suis en réunion",
    'nie dzwońcie natychmiast',
    'मुझे तुरंत कॉल मत करो',
    'do not delete me',
    'did you delete me?',
    'why did you stop the newsletter?',
    'alta',
  ])
    assert.notEqual(askingOf(text, { by_sms: true })?.word, 'opt_out', text)
  for (const text of ['Stop calling me immediately', 'No me llamen más inmediatamente', 'stop bitte', 'STOP svp'])
    assert.equal(askingOf(text, { by_sms: true })?.word, 'opt_out', text)
})

test('people may write as they hear, leave out letters, draw words out and write a plus for "more"', () => {
  for (const text of [
    'no kiero resibir + mensages',
    'noooo me yamen maaas',
    'paren d mi ligar',
    'não liguem +',
    'nn kiamatemi +',
    'nierzycze sobie smsuw',
    'me contactez+ svp',
  ])
    assert.equal(askingOf(text, { by_sms: true })?.word, 'opt_out', text)
  for (const text of ['quiero + mensajes', 'no llamen al +34 600 000 000', '1 + 1', 'me liga + tarde'])
    assert.notEqual(askingOf(text, { by_sms: true })?.word, 'opt_out', text)
})

test('a sentence that may be in several languages is in each of them', () => {
  const tagsOf = (text: string) => askingOf(text, { by_sms: true })?.languages.map(({ tag }) => tag)
  assert.deepEqual(tagsOf('SMSの配信を停止してください。'), ['ja'])
  assert.ok(tagsOf('STOP')?.includes('pt'))
})

test('the first character of each phrase is known, so that few are tried at each word', () => {
  const tried = new PhraseIndex(languages).phrasesAt('\u0000', 0)
  assert.deepEqual(
    tried.map(({ phrase: { language, says } }) => `${language.tag}: ${says.source}`),
    [],
  )
})

test('a phrase is found wherever it begins', () => {
  const index = new PhraseIndex(languages)
  for (const { tag, opt_outs } of languages)
    for (const sentence of readSaid(tag).opt_outs.flatMap(sentencesIn))
      for (const { says } of opt_outs.phrases) {
        const found = says.exec(sentence)
        if (!found) continue
        const is_found = index.phrasesAt(sentence, found.index).some(({ phrase }) => phrase.says === says)
        assert.ok(is_found, `${tag}: ${sentence}: ${says.source}`)
      }
})

test('a phrase is tried where a text begins as it does', () => {
  for (const [pattern, begun, others] of [
    [/(?:stop|cease)(?: it)?/u, ['stop', 'stopping', 'cease it'], ['sto', 'stap', 'it', '']],
    [/(?<![^ ])(?:stop|no)(?![^ ])/u, ['stop', 'stop it', 'no'], ['stopping', 'not']],
    [/no (?!one)[a-c]{1,2}d/u, ['no ad', 'no cccd'], ['no d', 'no acx', 'none']],
    [/(?:(?:all|the) ){0,2}calls?/u, ['call', 'the all calls'], ['the alls', 'calm']],
    [/(?:a|b?)*c+[de]?f/u, ['abacdf', 'cccf', 'cef'], ['abd', 'cd', 'f']],
    [/keine? [^ ]+ mehr/u, ['kein x', 'keine x'], ['keiner', 'keins']],
    [/\S+nummer|\u{1f600}?x|.y/u, ['anything'], []],
    [/[\u{1f600}\u{1f601}]x/u, ['\u{1f601}x'], []],
    [/a long beginning/u, ['a long begin'], ['a long bead', 'a long']],
  ] as const) {
    const phrases = phrasesOf([], [], pattern)
    const index = new PhraseIndex([{ ...en, opt_outs: { ...en.opt_outs, phrases } }])
    const isTried = (text: string) => index.phrasesAt(text, 0).length === 1
    assert.deepEqual([begun.filter(isTried), others.filter(isTried)], [begun, []], pattern.source)
  }
  assert.throws(() => new PatternSteps(/(stop)/u), /captures/)
})

test('what was read before makes no difference', () => {
  const sentences = languages.flatMap(({ tag }) => readSaid(tag).opt_outs.flatMap(sentencesIn))
  const triedOf = (all: string[]) => {
    const index = new PhraseIndex(languages)
    return all.map((sentence) => index.phrasesAt(sentence, 0).map(({ phrase }) => phrase.says))
  }
  assert.deepEqual(triedOf(sentences), triedOf(sentences.toReversed()).reverse())
})

test('a wish is heard after a long text of what people say, and of its beginnings', () => {
  for (const { tag } of languages)
    for (const said of readSaid(tag).opt_outs) {
      const words = said.split(/[\s\p{P}]+/u).filter((word) => word !== '')
      for (const count of [1, Math.ceil(words.length / 2), words.length]) {
        const long = `${words.slice(0, count).join(' ')} `.repeat(1_000)
        assert.ok(wishIn(`${long}. Stop calling me`), said)
      }
    }
})

test('phrases are tried at words, and those without spaces everywhere', () => {
  const phrases = phrasesOf([], [], /(?<![^ ])끊어/u, /停止/u)
  const index = new PhraseIndex([{ ...en, opt_outs: { ...en.opt_outs, phrases } }])
  const countAt = (text: string, place: number) => index.phrasesAt(text, place).length
  assert.deepEqual([countAt('지금 끊어', 3), countAt('지금끊어', 2), countAt('請停止', 1)], [1, 0, 1])
})

test('every language has words, phrases and sayings of its own', () => {
  for (const { tag, opt_outs, answers, sayings } of languages) {
    assert.ok(opt_outs.words.length > 0 && opt_outs.phrases.length > 0 && answers.yes.length > 0, tag)
    assert.equal(new Set(Object.values(sayings)).size, 7, tag)
    assert.ok(sayings.opt_out.includes('START'), tag)
  }
})
