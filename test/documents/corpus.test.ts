import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { find, uploadDocument } from '../support/documents.ts'
import { serve } from '../support/harness.ts'
import { knowledge, readmeOf } from '../support/readmes.ts'

const { workspace, pool } = await serve()
const tenant = await workspace()
const found_at_most = 5
const shared_words_max = 2

test('200 READMEs are read', async () => {
  for (const name of knowledge.packages)
    assert.equal((await uploadDocument(tenant, readmeOf(name), 'README.md', { name })).status, 201, name)
  // A turn of a document lasts a second at most, and a run takes a few turns.
  for (let left = 200; left > 0; ) {
    await tenant.work()
    const { pagination } = (await tenant.call('GET', '/documents?status=processing&limit=1')).body
    assert.ok(pagination.total < left, 'the work goes on')
    left = pagination.total
  }
  const ready = (await tenant.call('GET', '/documents?status=ready&limit=1')).body.pagination.total
  assert.equal(ready, 200)
})

test('of 100 questions at least 30 share at most two words with the passage that answers them', async () => {
  const shared = await Promise.all(
    knowledge.questions.map(async ({ question, document, answer }) => {
      const [best] = await pool.many<{ shared: number }>(
        sql`select cardinality(array(
            select unnest(tsvector_to_array(to_tsvector('english', ${question})))
            intersect select unnest(tsvector_to_array(words)))) as shared
          from document_passages
          where workspace_id = ${tenant.id} and position(${answer} in text) > 0
            and document_id = (select id from documents where workspace_id = ${tenant.id} and name = ${document})
          order by shared limit 1`,
      )
      assert.ok(best, `${document} has no passage with "${answer}"`)
      return best.shared
    }),
  )
  assert.equal(shared.length, 100)
  const distant = shared.filter((count) => count <= shared_words_max).length
  assert.ok(distant >= 30, `only ${distant} share at most two words`)
})

test('at least 80 of 100 questions find the right passage among the first five, without embeddings', async (t) => {
  const missed: string[] = []
  for (const { question, document, answer } of knowledge.questions) {
    const passages = await find(tenant, question, `&limit=${found_at_most}`)
    if (!passages.some(({ title, text }) => title === document && text.includes(answer))) missed.push(question)
  }
  t.diagnostic(`${100 - missed.length} of 100 found`)
  assert.ok(missed.length <= 20, `${missed.length} were not found:\n${missed.join('\n')}`)
})
