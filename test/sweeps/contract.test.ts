import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { document, documentWithoutGuide } from '../../server/api.ts'
import { printJson } from '../../server/kit/openapi/print.ts'
import { serve } from '../support/harness.ts'

const { fetch } = await serve()

test('the document is valid OpenAPI according to another library', async () => {
  const result = await new Validator().validate(structuredClone(JSON.parse(JSON.stringify(document))))
  assert.deepEqual(result.errors ?? [], [])
  assert.ok(result.valid)
})

test('no schema is named like a global of JavaScript', () => {
  assert.deepEqual(
    Object.keys(document.components.schemas).filter((name) => name in globalThis),
    [],
  )
})

test('openapi.json is up to date (if not, run: npm run openapi)', async () => {
  const committed = fs.readFileSync(path.resolve(import.meta.dirname, '../../openapi.json'), 'utf8')
  assert.equal(committed, `${printJson(documentWithoutGuide)}\n`)
  assert.deepEqual(JSON.parse(committed), JSON.parse(JSON.stringify(documentWithoutGuide)))
})

test('the served document is the committed one with the guide', async () => {
  const { body: served } = await fetch('GET', '/openapi.json')
  assert.deepEqual(served, JSON.parse(JSON.stringify(document)))
  assert.match(served.info.description, /\n## Idempotency\n/)
  const { externalDocs: _, ...committed } = JSON.parse(JSON.stringify(documentWithoutGuide))
  const { description } = committed.info
  assert.ok(description.length < 1_000 && served.info.description.startsWith(description))
  assert.deepEqual({ ...served, info: { ...served.info, description } }, committed)
})
