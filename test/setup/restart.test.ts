import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { baseFolder } from '../../server/kit/postgres/embedded/embedded.ts'
import { product } from '../../server/product.ts'
import { parley, type Running } from '../support/process.ts'

const checkout = path.resolve(import.meta.dirname, '../..')
const base = path.join(baseFolder(checkout, product.short_name), '.cache', `restart-${process.pid}`)
after(() => fs.rmSync(base, { recursive: true, force: true }))

const key = `pk_${'Re5tart'.repeat(5)}`
/** On SIGUSR2 the process throws an uncaught error. */
const bug = "process.on('SIGUSR2', () => setImmediate(() => { throw new Error('a bug') }))"
const environment = {
  PORT: '0',
  DATA_DIR: path.join(base, 'data'),
  BOOTSTRAP_API_KEY: key,
  METRICS_TOKEN: key,
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(bug)}`,
}

const serverPid = (): number => JSON.parse(fs.readFileSync(path.join(environment.DATA_DIR, 'lock.json'), 'utf8')).pid
const postmasterPid = (): number =>
  Number.parseInt(fs.readFileSync(path.join(environment.DATA_DIR, 'postgres/postmaster.pid'), 'utf8'), 10)

/** Waits until standard error contains `text`. Fails if the process ends before. */
async function waitForStderr({ child, stderr, ended }: Running, text: string): Promise<void> {
  while (!stderr().includes(text)) {
    const has_ended = await Promise.race([
      once(child.stderr ?? child, 'data').then(() => false),
      ended.then(() => true),
    ])
    assert.ok(!has_ended || stderr().includes(text), stderr())
  }
}

/** Ends the server's process with the signal, and waits until the launcher has reported it. */
async function crash(running: Running, signal: NodeJS.Signals, restart: number): Promise<void> {
  process.kill(serverPid(), signal)
  await waitForStderr(running, `(restart ${restart})`)
}

/** Waits until the server has printed this many times that it is ready again. */
const waitUntilReadyAgain = (running: Running, times: number) =>
  running.says(new RegExp(`(?:ready again: [^]*){${times}}`))

async function fetchMetrics(address: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${address.replace('/api/v1', '')}/metrics`, { headers })
  return response.text()
}

test('a server that crashes is restarted', async (t) => {
  const running = parley(['serve'], environment)
  const [, address = ''] = await running.says(/Base address +(\S+)/)
  const [, link = ''] = await running.says(/Set up +(\S+)/)
  const contacts = async (body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const request = body && { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${address}/contacts`, { headers, ...request })
    return { status: response.status, body: JSON.parse(await response.text()) }
  }
  assert.match(await fetchMetrics(address), /^parley_restarts_total 0$/m)
  assert.equal((await contacts({ phone_number: '+14155550100' })).status, 201)
  const postgres = postmasterPid()

  await t.test('after a kill: the address, the data, PostgreSQL and the set-up link stay the same', async () => {
    await crash(running, 'SIGKILL', 1)
    assert.match(running.stderr(), /"the server was ended by SIGKILL: restarting in 0.5 s \(restart 1\)"/)
    const [line] = await waitUntilReadyAgain(running, 1)
    assert.ok(line.includes(address), 'on the same port')
    assert.equal((await contacts()).body.pagination.total, 1)
    assert.match(await fetchMetrics(address), /^parley_restarts_total 1$/m)
    assert.equal(postmasterPid(), postgres)
    assert.equal((await fetch(link.replace('/setup/', '/app/setup/'))).status, 200)
    assert.equal(running.stdout().match(/Parley is ready\./g)?.length, 1, 'the greeting is printed once')
  })

  await t.test('after an uncaught error, which is logged with its stack', async () => {
    await crash(running, 'SIGUSR2', 2)
    assert.match(running.stderr(), /"level":60[^\n]+"stack":"Error: a bug\\n[^\n]+uncaught error: the process ends/)
    assert.match(running.stderr(), /"the server ended with status 1: restarting in 1 s \(restart 2\)"/)
    await waitUntilReadyAgain(running, 2)
    assert.equal((await contacts()).status, 200)
    assert.match(await fetchMetrics(address), /^parley_restarts_total 2$/m)
  })

  await t.test('but not if it is stopped before the restart', async () => {
    await crash(running, 'SIGKILL', 3)
    running.child.kill('SIGTERM')
    const { code, stdout, stderr } = await running.ended
    assert.equal(code, 0, stderr)
    assert.equal(stdout.match(/ready again/g)?.length, 2, 'it was not restarted again')
    assert.ok(!fs.existsSync(path.join(environment.DATA_DIR, 'postgres/postmaster.pid')), 'PostgreSQL was stopped')
  })
})

test('a signal during a restart leaves no PostgreSQL running', async () => {
  const wait =
    "if (process.env.PARLEY_RESTARTS === '1') { console.error('new server'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) }"
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(wait)}`
  const running = parley(['serve'], { ...environment, NODE_OPTIONS })
  await running.says(/Base address/)
  process.kill(serverPid(), 'SIGKILL')
  await waitForStderr(running, 'new server')
  running.child.kill('SIGTERM')
  await running.ended
  assert.ok(!fs.existsSync(path.join(environment.DATA_DIR, 'postgres/postmaster.pid')), 'PostgreSQL was stopped')
})

test('a server that was never ready is not restarted', async () => {
  const { code, stderr } = await parley(['serve'], { ...environment, PORT: 'none' }).ended
  assert.equal(code, 1)
  assert.match(stderr, /^parley: PORT must be [^\n]+\n$/)
})

type Restarts = () => (ran_ms: number, now_ms: number) => number | undefined

test('the pause doubles, is reset by a long run, and the tenth crash in ten minutes is final', async () => {
  const { restarts }: { restarts: Restarts } = await import(path.join(checkout, 'bin/restarts.mjs'))
  const pauseAfter = restarts()
  const pauses = Array.from({ length: 9 }, (_, index) => pauseAfter(1_000, index))
  assert.deepEqual(pauses, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  assert.equal(pauseAfter(1_000, 10), undefined)

  const later = restarts()
  for (let index = 0; index < 9; index += 1) later(1_000, index)
  assert.equal(later(300_000, 600_009), 500)
  assert.equal(later(1_000, 600_010), 1_000)
})
