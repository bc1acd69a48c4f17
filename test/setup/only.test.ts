import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase } from '../support/harness.ts'
import { type Command, command } from '../support/process.ts'

const { url: DATABASE_URL } = await createDatabase('only')
const BOOTSTRAP_API_KEY = `pk_${'a'.repeat(43)}`
const environment = { PORT: '0', LOG_LEVEL: 'warn', DATABASE_URL, SECRETS_KEY: 'k'.repeat(32), BOOTSTRAP_API_KEY }

const running: Command[] = []
function start(only: string): Command {
  const part = command(['serve', '--only', only], environment)
  running.push(part)
  return part
}

/** Before the database is dropped. */
async function stopAll(): Promise<void> {
  for (const { signal, ended } of running.splice(0)) {
    signal('SIGTERM')
    assert.equal((await ended).code, 0)
  }
}
after(stopAll)

test('one part serves the API and another runs the background work', async () => {
  const [, address = ''] = await start('api').says(/Base address +(\S+)/)
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { authorization: `Bearer ${BOOTSTRAP_API_KEY}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return JSON.parse(await response.text()).data
  }
  const { id } = await call('POST', '/contacts/imports', { rows: [{ phone: '+14155550100' }] })
  const statusOf = async () => (await call('GET', `/contacts/imports/${id}`)).status
  await sleep(1_500)
  assert.equal(await statusOf(), 'queued', 'nothing runs it yet')
  await start('worker').says(/runs background work/)
  while ((await statusOf()) !== 'finished') await sleep(50)

  await stopAll()
})

test('--only needs a database that processes can share', async () => {
  const { code, stderr } = await command(['serve', '--only', 'worker'], { PORT: '0' }).ended
  assert.equal(code, 1)
  assert.match(stderr, /DATABASE_URL is required with --only/)
})

test('--only names a part of the service', async () => {
  const { code, stderr } = await command(['serve', '--only', 'everything'], environment).ended
  assert.equal(code, 1)
  assert.match(stderr, /Allowed choices are api, worker/)
})
