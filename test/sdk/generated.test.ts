import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { type Document, generate } from '../../sdk/generate.ts'
import { document } from '../../server/api.ts'

const root = path.resolve(import.meta.dirname, '../..')
const read = (name: string): string => fs.readFileSync(path.join(root, name), 'utf8')

test('the client has the types and methods of the document', () => {
  // As JSON it has the members that the generator reads.
  const published: Document = JSON.parse(JSON.stringify(document))
  for (const [name, text] of Object.entries(generate(published)))
    assert.equal(read(`sdk/src/${name}`), text, `sdk/src/${name} is out of date: run npm run openapi`)
})

test('the client has the version and the license of the service', () => {
  assert.equal(JSON.parse(read('sdk/package.json')).version, JSON.parse(read('package.json')).version)
  assert.equal(read('sdk/LICENSE'), read('LICENSE'))
})
