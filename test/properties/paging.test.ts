import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { serve, type Tenant } from '../support/harness.ts'
import { runs } from '../support/property-runs.ts'
import { newContact } from '../support/samples.ts'

const { workspace } = await serve()

async function createMany({ call }: Tenant, count: number): Promise<string[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => call('POST', '/contacts', newContact())))
  return answers.map(({ body }) => body.data.id)
}

/** Follows the cursor to the end and calls `afterPage` after each page. */
async function readAll({ call }: Tenant, query: string, afterPage: () => Promise<unknown>): Promise<string[]> {
  const ids: string[] = []
  let next: string | null = ''
  while (next !== null) {
    const page = await call('GET', `/contacts?${query}${next && `&cursor=${next}`}`)
    assert.equal(page.status, 200, page.text)
    assert.equal(page.body.pagination.offset, ids.length)
    assert.equal(page.body.pagination.has_more, page.body.pagination.next_cursor !== null)
    ids.push(...page.body.data.map(({ id }: { id: string }) => id))
    next = page.body.pagination.next_cursor
    await afterPage()
  }
  return ids
}

test('paging by cursor during concurrent inserts skips and repeats nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 0, max: 5 }),
      async (count, limit, inserted_per_page) => {
        const tenant = await workspace()
        const existing = await createMany(tenant, count)
        const running: Promise<string[]>[] = []
        const seen = await readAll(tenant, `limit=${limit}`, async () =>
          running.push(createMany(tenant, inserted_per_page)),
        )
        await Promise.all(running)
        assert.equal(new Set(seen).size, seen.length, 'no contact is returned twice')
        assert.deepEqual(
          existing.filter((id) => !seen.includes(id)),
          [],
          'every contact that existed is returned',
        )
      },
    ),
    runs(0.1),
  )
})

test('in every order the pages together are the whole list', async () => {
  const tenant = await workspace()
  const ids = await createMany(tenant, 23)
  await Promise.all(ids.slice(0, 9).map((id) => tenant.call('PATCH', `/contacts/${id}`, { company: 'X' })))
  for (const sort of ['created_at', 'updated_at', 'last_contact_at'].flatMap((name) => [name, `-${name}`])) {
    const whole = await tenant.call('GET', `/contacts?limit=100&sort=${sort}`)
    const expected = whole.body.data.map(({ id }: { id: string }) => id)
    assert.equal(expected.length, ids.length)
    assert.deepEqual(await readAll(tenant, `limit=5&sort=${sort}`, async () => undefined), expected)
  }
})
