import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Sql } from '../../server/kit/postgres/sql.ts'
import { createDatabase, openServer, testPool } from '../support/harness.ts'
import { recordStatements } from '../support/old-rows.ts'
import { command } from '../support/process.ts'
import { browser, inWorkspace, newPerson } from '../support/sessions.ts'

/** Closed before the database is dropped. */
const open = new AsyncDisposableStack()
after(() => open.disposeAsync())
/** Only here it is known which workspace is the first. */
const { url } = await createDatabase('installation')
const sent: Sql[] = []
const server = await openServer(recordStatements(testPool(url), sent), { database_url: url })
open.defer(server.close)
const [first, second] = [await server.workspace(), await server.workspace()]

test('owners of the first workspace see what the command line says', async () => {
  const owner = await newPerson(server, { [first.id]: 'owner', [second.id]: 'viewer' })
  assert.equal((await owner.go('GET', '/session')).body.data.is_operator, true)
  // Whichever workspace they look at.
  for (const headers of [{}, inWorkspace(first), inWorkspace(second)]) {
    const { status, body } = await owner.go('GET', '/installation', undefined, headers)
    assert.equal(status, 200)
    const { stdout } = await command(['status', '--json'], { DATABASE_URL: url, DATA_DIR: '.cache' }).ended
    const { disk: _disk, ...printed } = JSON.parse(stdout)
    const { disk, ...shown } = body.data
    assert.deepEqual(shown, printed)
    assert.ok(disk.free_bytes > 0)
  }
})

test('nobody else sees the installation', async () => {
  const member = await newPerson(server, { [first.id]: 'member', [second.id]: 'owner' })
  assert.equal((await member.go('GET', '/session')).body.data.is_operator, false)
  for (const workspace of [first, second]) {
    const { status, body } = await member.go('GET', '/installation', undefined, inWorkspace(workspace))
    assert.deepEqual([status, body.error.code], [403, 'FORBIDDEN'])
    assert.match(body.error.message, /^Only owners of the first workspace may see the installation\./)
  }
  assert.equal((await browser(server).go('GET', '/installation')).status, 401)
})

test('those who ask at the same time share one answer', async () => {
  const owners = [await newPerson(server, { [first.id]: 'owner' }), await newPerson(server, { [first.id]: 'owner' })]
  const countReads = () => sent.filter(({ text }) => text.includes('current_database()')).length
  const before = countReads()
  const answers = await Promise.all([...owners, ...owners].map(({ go }) => go('GET', '/installation')))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  // None if the answer of the test before is still current.
  assert.ok(countReads() - before <= 1)
})
