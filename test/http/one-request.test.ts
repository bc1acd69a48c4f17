import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { Type } from 'typebox'
import { readConfig } from '../../server/config.ts'
import { openHooks, system } from '../../server/kit/at.ts'
import * as operation from '../../server/kit/http/operation.ts'
import { openHttp } from '../../server/kit/http/server.ts'
import { openLog } from '../../server/kit/log.ts'
import { openService } from '../../server/service.ts'
import { testPool } from '../support/harness.ts'

/** Node refuses to send such a header. */
const broken_type = 'text/plain\n'

const operations = [
  operation.get({
    id: 'fine.get',
    path: '/fine',
    scope: 'all:read',
    summary: '',
    response: Type.Object({}),
    run: async () => ({}),
  }),
  operation.file({
    id: 'unsendable.get',
    path: '/unsendable',
    scope: 'all:read',
    summary: '',
    file: { content_type: broken_type, name: 'file', example: '' },
    async *run() {
      yield 'text'
    },
  }),
]

const pool = testPool()
const scopes = { has: () => true, is_open: true }
const caller = { id: 'a', workspace: 'a', scopes, authenticated_by: 'key', is_test: false, actor: system } as const
/** Nothing reacts: the caller's workspace doesn't exist. */
const service = { ...openService(pool, readConfig({}), () => ''), hooks: openHooks([]) }
const { app } = openHttp({
  doors: [{ operations, base_path: '', served_at: [''], identify: async () => caller }],
  service,
  log: openLog('silent'),
  rate_limit_per_second: 0,
  trust_proxy: [],
  limits: {},
  site: { answer: () => undefined },
})
const url = await app.listen({ host: '127.0.0.1', port: 0 })
after(async () => {
  await app.close()
  await service.tools.outbound.close()
  await pool.close()
})

const isFine = async () => assert.equal((await fetch(`${url}/fine`)).status, 200)

// An uncaught error fails the test that is running.
test('an answer that cannot be sent ends only its own connection', async () => {
  await assert.rejects(fetch(`${url}/unsendable`))
  await isFine()
})

test('a connection that cannot be accepted does not affect others', async () => {
  app.server.emit('error', new Error('accept EMFILE'))
  await isFine()
})

test('a log that cannot be written does not end the process', { skip: !fs.existsSync('/dev/full') }, () => {
  const full = fs.openSync('/dev/full', 'w')
  const script = `
    import { openLog } from '${path.resolve(import.meta.dirname, '../../server/kit/log.ts')}'
    openLog('info').info('lost')
    setTimeout(() => console.log('still here'), 10)`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', full],
    encoding: 'utf8',
  })
  fs.closeSync(full)
  assert.equal(stdout, 'still here\n')
})
