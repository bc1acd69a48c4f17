import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDatabase, openServer, testPool } from '../support/harness.ts'
import { command } from '../support/process.ts'
import { browser, inWorkspace, newPerson } from '../support/sessions.ts'

/** Closed before the database is dropped. */
const open = new AsyncDisposableStack()
after(() => open.disposeAsync())
/** Only here it is known which workspace is the first. */
const { url } = await createDatabase('installation')
const server = await openServer(testPool(url), { database_url: url })
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
