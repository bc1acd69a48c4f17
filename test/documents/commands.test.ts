import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { serve } from '../support/harness.ts'
import { command } from '../support/process.ts'

const server = await serve()
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'parley-'))
after(() => fs.rmSync(folder, { recursive: true }))

test('a document is added, listed, searched and deleted on the command line', async () => {
  const tenant = await server.workspace()
  const environment = { HOME: folder, PARLEY_URL: server.url, PARLEY_API_KEY: tenant.key }
  const run = (...words: string[]) => command(['document', ...words], environment).ended
  const file = path.join(folder, 'parking.md')
  fs.writeFileSync(file, '# Parking\n\nYou can park in the yard.\n')
  const adding = run('add', file, '--tag', 'shop', '--tag', 'yard')
  // The command waits until it was read.
  let status: string | undefined
  while (status !== 'ready') {
    await tenant.work()
    status = (await tenant.call('GET', '/documents')).body.data[0]?.status
  }
  const added = await adding
  assert.equal(added.code, 0, added.stderr)
  assert.match(added.stdout, /^"parking\.md" \S+ has 25 characters in 1 passage\.\n$/)
  const [document] = (await tenant.call('GET', '/documents')).body.data
  assert.deepEqual([document.name, document.tags], ['parking.md', ['shop', 'yard']])
  assert.match((await run('list')).stdout, /parking\.md +ready +file +1 .*shop, yard/)
  assert.match(
    (await run('search', 'Where', 'can', 'I', 'park?')).stdout,
    /parking\.md › Parking\n +You can park in the yard\./,
  )
  assert.equal((await run('search', 'vouchers')).stdout, 'Nothing was found.\n')
  const missing = await run('add', path.join(folder, 'none.md'))
  assert.deepEqual([missing.code, /could not be read: ENOENT/.test(missing.stderr)], [1, true])
  assert.equal((await run('delete', 'parking.md')).code, 0)
  assert.equal((await tenant.call('GET', '/documents')).body.data.length, 0)
})
