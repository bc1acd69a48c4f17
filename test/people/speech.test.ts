import assert from 'node:assert/strict'
import path from 'node:path'
import { after, test } from 'node:test'
import { createDatabase, openServer, testPool } from '../support/harness.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'
import { requireSpeech, speech_folder } from '../support/speech.ts'

/** Closed before the database is dropped. */
const open = new AsyncDisposableStack()
after(() => open.disposeAsync())
/** Only here it is known which workspace is the first. */
const { url } = await createDatabase('speech')

async function newServer(speech_dir: string) {
  const server = await openServer(testPool(url), { speech_dir })
  open.defer(server.close)
  return server
}

const server = await newServer(speech_folder)
const [first, second] = [await server.workspace(), await server.workspace()]
const owner = await newPerson(server, { [first.id]: 'owner' })
const member = await newPerson(server, { [first.id]: 'member', [second.id]: 'owner' })

test('everyone who is signed in sees the status of offline speech', async () => {
  requireSpeech()
  const { status, body } = await member.go('GET', '/speech')
  assert.equal(status, 200)
  const { licenses, folder_bytes, total_bytes, ...shown } = body.data
  assert.deepEqual(shown, {
    status: 'installed',
    message: null,
    progress: null,
    done_bytes: 0,
    languages: ['English'],
    may_install: false,
  })
  assert.ok(licenses.length > 3 && folder_bytes > 30_000_000 && total_bytes > folder_bytes)
  assert.equal((await owner.go('GET', '/speech')).body.data.may_install, true)
})

test('only owners of the first workspace may install it', async () => {
  requireSpeech()
  for (const workspace of [first, second]) {
    const refused = await member.go('POST', '/speech', undefined, inWorkspace(workspace))
    assert.equal(refused.status, 403)
    assert.match(refused.body.error.message, /^Only owners of the first workspace may install offline speech\./)
  }
  const done = await owner.go('POST', '/speech', undefined, inWorkspace(first))
  assert.deepEqual([done.status, done.body.data.status], [202, 'installed'])
})

test('an install that fails says why, and can be tried again', async () => {
  // A file is no folder to install into.
  const other = await newServer(path.join(process.execPath, 'speech'))
  const again = await newPerson(other, { [first.id]: 'owner' })
  assert.equal((await again.go('GET', '/speech')).body.data.status, 'not_installed')
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await again.go('POST', '/speech')
    let status = (await again.go('GET', '/speech')).body.data
    while (status.status === 'installing') status = (await again.go('GET', '/speech')).body.data
    assert.equal(status.status, 'failed')
    assert.match(status.message, /^Offline speech could not be/)
  }
})
