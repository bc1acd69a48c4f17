import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHtml } from '../../server/documents/parse/html.ts'
import { cutMarkdown, readMarkdown } from '../../server/documents/parse/markdown.ts'
import { parse } from '../../server/documents/parse/parser.ts'
import { hasMemory } from '../../server/documents/parse/slots.ts'
import { readText } from '../../server/documents/parse/text.ts'
import { readWord } from '../../server/documents/parse/word.ts'
import { openLog } from '../../server/kit/log.ts'
import { wordOf, zipOf } from '../support/documents.ts'

const megabyte = 1024 * 1024
const context = { workspace: '', attempt: 1, isStopping: () => false, log: openLog('silent') }

test('a file is read in another process, and its passages come in order', async () => {
  const text = Array.from({ length: 500 }, (_, index) => `# Part ${index}\n\nOpen at ${index}.\n\n`).join('')
  const parsed = await parse({ kind: 'markdown', file: Buffer.from(text) }, context)
  assert.deepEqual(
    parsed?.passages.map(({ heading, text }) => [heading, text]),
    Array.from({ length: 500 }, (_, index) => [`Part ${index}`, `Open at ${index}.`]),
  )
})

test('a second file is read beside another if there is memory for both', () => {
  assert.equal(hasMemory(0, 0), true)
  assert.equal(hasMemory(1, 999 * megabyte), false)
  assert.equal(hasMemory(1, 1_000 * megabyte), true)
})

const sentences = 'Open at nine.\n\n'.repeat(3_000)

test('pieces of Markdown are all of it, and begin outside of code, comments and lists', () => {
  const inner = [
    `\`\`\`\n${sentences}\`\`\`\n\n`,
    `~~~~\n${sentences}~~~\n\n~~~~\n\n`,
    `<!--\n\n${sentences}-->\n\n`,
    `- a\n\n${'  b\n\n'.repeat(10_000)}`,
  ]
  const text = inner.map((one) => `${sentences}${one}`).join('') + sentences
  const pieces = [...cutMarkdown(text)]
  assert.equal(pieces.join(''), text)
  assert.ok(pieces.length > inner.length)
  for (const one of inner) assert.ok(pieces.some((piece) => piece.includes(one.trimEnd())))
})

test('Markdown without a place to cut is cut anyway', () => {
  const text = `${'a b '.repeat(300_000)}\n${'a\n'.repeat(300_000)}`
  const pieces = [...cutMarkdown(text)]
  assert.equal(pieces.join(''), text)
  assert.ok(Math.max(...pieces.map(({ length }) => length)) <= 2 * 256 * 1024)
})

const words = Array.from({ length: 100_000 }, (_, index) => `word${index}`)

for (const [kind, read] of Object.entries({
  Word: () => readWord(wordOf([words.join(' ')])),
  'Word with a piece for each word': () =>
    readWord(zipOf({ 'word/document.xml': `<w:p>${words.map((word) => `<w:t>${word} </w:t>`).join('')}</w:p>` })),
  HTML: () => readHtml(`<p>${words.map((word) => `<b>${word}</b> `).join('')}</p>`),
  text: () => readText(words.join(' ')),
}))
  test(`a paragraph of ${kind} without an end becomes several, of whole words`, () => {
    const { all } = read()
    assert.ok(Math.max(...all.map(({ text }) => text.length)) <= 256 * 1024)
    assert.deepEqual(
      all.flatMap(({ text }) => text.split(' ')),
      words,
    )
  })

test('a link that is defined in another piece is text alone', () => {
  const { all } = readMarkdown(`See [the rules][r].\n\n${sentences}[r]: https://pages.example/rules\n`)
  assert.deepEqual(all[0], { type: 'text', text: 'See the rules.' })
})
