import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayAskByName, scoreIntent } from '../../server/models/intents.ts'
import { type Intent, intents } from '../../server/models/languages/language.ts'
import { languageOf, listen } from '../../server/models/matching.ts'
import { english } from '../support/intents/english.ts'
import { german } from '../support/intents/german.ts'

const sentences = { en: english, de: german }
const sentences_min = 20

const isHeard = (intent: Intent, text: string, { language = 'en', names = [] as string[] } = {}): boolean =>
  scoreIntent(intent, listen(text, languageOf(language)), names) !== undefined

for (const [language, lists] of Object.entries(sentences))
  for (const intent of intents)
    test(`${intent} is heard in its phrases only: ${language}`, () => {
      const { heard, not_heard } = lists[intent]
      assert.ok(heard.length >= sentences_min && not_heard.length >= sentences_min)
      const wrong = {
        heard: not_heard.filter((text) => isHeard(intent, text, { language })),
        not_heard: heard.filter((text) => !isHeard(intent, text, { language })),
      }
      assert.deepEqual(wrong, { heard: [], not_heard: [] })
    })

test('someone is asked for by name only if the name is known', () => {
  const rows: [text: string, language?: string][] = [
    ['Can I speak to Maria?'],
    ["I'd like to talk to Maria Schmidt, please"],
    ['Put me through to Mrs Schmidt'],
    ['is Maria there'],
    ['Kann ich mit Maria sprechen?', 'de'],
    ['Ich möchte Frau Schmidt sprechen', 'de'],
    ['Ist Maria da?', 'de'],
    ['Verbinden Sie mich mit Frau Schmidt', 'de'],
  ]
  for (const [text, language = 'en'] of rows) {
    assert.ok(isHeard('human', text, { language, names: ['Peter Jones', 'Maria Schmidt'] }), text)
    assert.ok(!isHeard('human', text, { language, names: ['Peter Jones'] }), text)
    assert.ok(!isHeard('human', text, { language }), text)
    assert.ok(mayAskByName(listen(text, languageOf(language))), text)
  }
  const names = ['Maria Schmidt']
  for (const text of ['Maria told me about you', 'I am Maria', 'My name is Maria Schmidt', 'Did Maria speak to you?'])
    assert.ok(!isHeard('human', text, { names }), text)
  assert.ok(!isHeard('human', 'Can I speak to you?', { names: ['You and Me'] }))
  assert.ok(!mayAskByName(listen('When are you open?', languageOf())))
})
