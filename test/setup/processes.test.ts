import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { baseFolder } from '../../server/kit/postgres/embedded/embedded.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { product } from '../../server/product.ts'
import { type Client, openClient, type Reply, waitUntil } from '../faults/client.ts'
import { checkout, postmasterPid, withEmbeddedPool } from '../faults/service.ts'
import { command, type Ended, parley, type Running } from '../support/process.ts'

const base = path.join(baseFolder(checkout, product.short_name), '.cache', `processes-${process.pid}`)
after(() => fs.rmSync(base, { recursive: true, force: true }))

const DATA_DIR = path.join(base, 'data')
const key = `pk_${'5everal'.repeat(5)}`
/** On SIGUSR2 the process throws an uncaught error. */
const bug = "process.on('SIGUSR2', () => setImmediate(() => { throw new Error('a bug') }))"
/** The clients send the same token for metrics. */
const environment = { PORT: '0', DATA_DIR, BOOTSTRAP_API_KEY: key, METRICS_TOKEN: key, NODE_OPTIONS: importing(bug) }

function importing(code: string): string {
  return `--import=data:text/javascript,${encodeURIComponent(code)}`
}

interface Line {
  process?: number
  pid: number
  msg: string
  reason?: string
}

const linesOf = ({ stderr }: Running): Line[] =>
  stderr()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line)] : []))

/** The process ids of those that have run as this process, the last one at the end. */
const pidsOf = (running: Running, number: number): number[] => [
  ...new Set(linesOf(running).flatMap(({ process, pid }) => (process === number ? pid : []))),
]

const hasLine = (running: Running, pid: number, msg: string) =>
  linesOf(running).some((line) => line.pid === pid && line.msg === msg)

/** Each process has its own beginning of request ids. */
const processOf = ({ headers }: Reply): string => String(headers['x-request-id']).split('_')[1] ?? ''

/** Connects until each of the processes has answered, and returns a client of each. All requests must be answered with 200. */
async function clientsOfAll(url: string, count: number): Promise<Client[]> {
  const clients = new Map<string, Client>()
  for (let connections = 0; clients.size < count; connections += 1) {
    assert.ok(connections < 100, `${clients.size} processes have answered`)
    const client = openClient(url, key)
    const reply = await client.call('GET', '/contacts')
    assert.equal(reply.status, 200)
    if (clients.has(processOf(reply))) client.close()
    else clients.set(processOf(reply), client)
  }
  return [...clients.values()]
}

async function assertAllAnswer(url: string, count: number): Promise<void> {
  for (const client of await clientsOfAll(url, count)) client.close()
}

const gets = 'http_request_duration_seconds_count{method="GET",route="/api/v1/contacts",status="200"}'

async function readMetric(client: Client, series: string): Promise<number> {
  const { status, body } = await client.call('GET', '/metrics')
  assert.equal(status, 200)
  const line = String(body)
    .split('\n')
    .find((one) => one.startsWith(`${series} `))
  return Number(line?.slice(series.length + 1))
}

describe('serve --processes 2', () => {
  let running: Running
  let url = ''
  before(async () => {
    running = parley(['serve', '--processes', '2'], environment)
    ;[, url = ''] = await running.says(/Base address +(\S+)\/api\/v1/)
    await waitUntil('the second process is ready', () => isReady(2, 1), running.stderr)
  })
  after(() => {
    running.child.kill('SIGTERM')
    return running.ended
  })

  /** Whether the process with this number is ready, after this many starts of it. */
  const isReady = (number: number, starts: number): boolean => {
    const pid = pidsOf(running, number)[starts - 1]
    return pid !== undefined && hasLine(running, pid, 'ready')
  }

  /** Ends the process with the signal. While it is away, the other one answers. */
  async function crash(number: number, signal: NodeJS.Signals): Promise<void> {
    const starts = pidsOf(running, number).length
    const [client] = await clientsOfAll(url, 1)
    const gets_before = client ? await readMetric(client, gets) : Number.NaN
    client?.close()
    process.kill(pidsOf(running, number).at(-1) ?? 0, signal)
    const isReported = () =>
      linesOf(running).filter(({ msg }) => new RegExp(`^process ${number} .+restarting`).test(msg)).length === starts
    await waitUntil('the launcher reports it', isReported, running.stderr)
    const isBack = async () => {
      await assertAllAnswer(url, 1)
      return isReady(number, starts + 1)
    }
    await waitUntil('it is back', isBack, running.stderr)
    const restarts = linesOf(running).filter(({ msg }) => msg.includes('restarting in')).length
    for (const client of await clientsOfAll(url, 2)) {
      assert.ok((await readMetric(client, gets)) > gets_before, 'what the killed process has counted is not lost')
      assert.equal(await readMetric(client, 'parley_restarts_total'), restarts)
      client.close()
    }
  }

  test('both answer, and the greeting is printed once', async () => {
    await assertAllAnswer(url, 2)
    assert.equal(running.stdout().match(/Parley is ready\./g)?.length, 1)
    const [, link = ''] = await running.says(/Set up +(\S+)/)
    assert.equal((await fetch(link.replace('/setup/', '/app/setup/'))).status, 200, 'the second start left it valid')
  })

  test('metrics are those of both, whichever is asked', async () => {
    const clients = await clientsOfAll(url, 2)
    const [first, second] = clients
    assert.ok(first && second)
    const before = await readMetric(first, gets)
    for (const client of [first, second, second]) await client.call('GET', '/contacts')
    assert.deepEqual([await readMetric(first, gets), await readMetric(second, gets)], [before + 3, before + 3])
    for (const number of [1, 2]) assert.equal(await readMetric(first, `parley_calls_live{process="${number}"}`), 0)
    assert.ok(Number.isNaN(await readMetric(first, 'parley_calls_live')), 'gauges are not summed')
    for (const client of clients) client.close()
  })

  test('while the database is slow, both show the gauges of both', async () => {
    const clients = await clientsOfAll(url, 2)
    const readGauges = async (client: Client) =>
      String((await client.call('GET', '/metrics')).body).match(/^parley_(calls|engine)_l.*process="\d"\}/gm) ?? []
    await withEmbeddedPool(DATA_DIR, (pool) =>
      pool.tx(async (db) => {
        // How late work is can't be read meanwhile. What was read before is shown for a second.
        await db.script('lock table due_workspaces in access exclusive mode')
        await waitUntil('both show no lag', async () => {
          const gauges = await Promise.all(clients.map(readGauges))
          const expected = [1, 2].map((number) => `parley_calls_live{process="${number}"}`)
          for (const names of gauges)
            assert.deepEqual(
              names.filter((name) => name.includes('calls_live')),
              expected,
            )
          return !gauges.flat().join().includes('lag')
        })
      }),
    )
    for (const client of clients) client.close()
  })

  test('another service can not take the same port', async () => {
    const settings = { ...environment, DATA_DIR: path.join(base, 'another'), PORT: new URL(url).port }
    for (const words of [['serve'], ['serve', '--processes', '2']]) {
      const { code, stderr } = await parley(words, settings).ended
      assert.equal(code, 1)
      assert.match(stderr, /PORT \d+ can't be used: listen EADDRINUSE/)
    }
  })

  test('the second process is restarted after a kill', () => crash(2, 'SIGKILL'))

  test('the first process is restarted after a kill, and PostgreSQL runs on', async () => {
    const postmaster = postmasterPid(DATA_DIR)
    await crash(1, 'SIGKILL')
    assert.equal(postmasterPid(DATA_DIR), postmaster)
  })

  test('an uncaught error of the first process leaves PostgreSQL to the others', async () => {
    const postmaster = postmasterPid(DATA_DIR)
    await crash(1, 'SIGUSR2')
    assert.equal(postmasterPid(DATA_DIR), postmaster)
  })

  test('both find PostgreSQL again when it was restarted', async () => {
    const clients = await clientsOfAll(url, 2)
    process.kill(postmasterPid(DATA_DIR), 'SIGQUIT')
    for (const client of clients) {
      const isBack = async () => {
        const { status } = await client.call('GET', '/contacts')
        assert.ok(status === 200 || status === 503, `${status}`)
        return status === 200
      }
      await waitUntil('it is back', isBack, running.stderr)
      client.close()
    }
  })

  test('a stop finishes the requests of both, and then ends PostgreSQL', async () => {
    const areBack = () =>
      assertAllAnswer(url, 2).then(
        () => true,
        () => false,
      )
    await waitUntil('both have found the database again', areBack, running.stderr)
    const clients = await clientsOfAll(url, 2)
    const ids: string[] = []
    for (const [index, client] of clients.entries()) {
      const { body } = await client.call('POST', '/contacts', { phone_number: `+1415555010${index}` })
      ids.push(body.data.id)
    }
    const changing = await withEmbeddedPool(DATA_DIR, (pool) =>
      pool.tx(async (db) => {
        await db.many(sql`select id from contacts for update`)
        const replies = Promise.all(
          clients.map((client, index) => client.call('PATCH', `/contacts/${ids[index]}`, { notes: 'changed' })),
        )
        const areHeld = async () => {
          const { count } = await db.one<{ count: number }>(
            sql`select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock'`,
          )
          return count === 2
        }
        await waitUntil('both wait', areHeld)
        running.child.kill('SIGTERM')
        await waitUntil(
          'both are stopping',
          () => linesOf(running).filter(({ reason }) => reason === 'SIGTERM').length === 2,
          running.stderr,
        )
        return { replies }
      }),
    )
    for (const { status, body } of await changing.replies)
      assert.deepEqual([status, body.data?.notes], [200, 'changed'])
    for (const client of clients) client.close()
    const { code, stderr } = await running.ended
    assert.equal(code, 0, stderr)
    assert.ok(!fs.existsSync(path.join(DATA_DIR, 'postgres/postmaster.pid')), 'PostgreSQL was stopped')
    const since_stop = stderr.slice(stderr.indexOf('"SIGTERM"'))
    assert.doesNotMatch(since_stop, /lost a connection|could not stop/)
  })
})

test('SIGTERM to one of the processes stops the service', async () => {
  const running = parley(['serve', '--processes', '2'], environment)
  await waitUntil('it is ready', () => hasLine(running, pidsOf(running, 2)[0] ?? 0, 'ready'), running.stderr)
  process.kill(pidsOf(running, 2)[0] ?? 0, 'SIGTERM')
  const { code, stderr } = await running.ended
  assert.equal(code, 0, stderr)
  for (const number of [1, 2]) assert.ok(hasLine(running, pidsOf(running, number)[0] ?? 0, 'stopped'), stderr)
  assert.ok(!fs.existsSync(path.join(DATA_DIR, 'postgres/postmaster.pid')), 'PostgreSQL was stopped')
})

test('without a drain no process closes its socket before all have the signal', async () => {
  const closing =
    "import net from 'node:net'; const { close } = net.Server.prototype; net.Server.prototype.close = function (...words) { console.error(JSON.stringify({ pid: process.pid, msg: 'closing' })); return close.apply(this, words) }"
  const settings = { ...environment, NODE_OPTIONS: importing(closing), DRAIN_SECONDS: '0' }
  const running = parley(['serve', '--processes', '2'], settings)
  await waitUntil('it is ready', () => hasLine(running, pidsOf(running, 2)[0] ?? 0, 'ready'), running.stderr)
  const [first = 0] = pidsOf(running, 1)
  process.kill(first, 'SIGTERM')
  const { code, stderr } = await running.ended
  assert.equal(code, 0, stderr)
  const words = linesOf(running).map(({ pid, msg }) => `${pid === first ? 1 : 2} ${msg}`)
  const stopping = words.indexOf('2 stopping')
  assert.ok(stopping > words.indexOf('1 stopping'), stderr)
  assert.ok(stopping < words.lastIndexOf('1 closing'), stderr)
  assert.ok(!words.slice(words.indexOf('1 stopping'), stopping).includes('1 closing'), stderr)
  assert.doesNotMatch(stderr, /lost a connection|could not stop/, 'PostgreSQL ends last')
  assert.ok(!fs.existsSync(path.join(DATA_DIR, 'postgres/postmaster.pid')), 'PostgreSQL was stopped')
})

test('a process that can not be started is tried again, while the others serve', async () => {
  // The first restart finds no Node, and the second one no memory.
  const failing = `
    import child_process from 'node:child_process'
    import { syncBuiltinESMExports } from 'node:module'
    const { spawn } = child_process
    child_process.spawn = (file, words, options) => {
      const { PARLEY_RESTARTS } = options.env ?? {}
      if (PARLEY_RESTARTS === '2') throw new Error('spawn ENOMEM')
      return spawn(PARLEY_RESTARTS === '1' ? '/none' : file, words, options)
    }
    if (!process.env.PARLEY_PROCESS) syncBuiltinESMExports()`
  const running = parley(['serve', '--processes', '2'], { ...environment, NODE_OPTIONS: importing(failing) })
  const [, url = ''] = await running.says(/Base address +(\S+)\/api\/v1/)
  await waitUntil('it is ready', () => hasLine(running, pidsOf(running, 2)[0] ?? 0, 'ready'), running.stderr)
  process.kill(pidsOf(running, 2)[0] ?? 0, 'SIGKILL')
  await waitUntil('it is back', () => hasLine(running, pidsOf(running, 2)[1] ?? 0, 'ready'), running.stderr)
  for (const reason of ['spawn /none ENOENT', 'spawn ENOMEM'])
    assert.match(running.stderr(), new RegExp(`process 2 could not be started: ${reason}: restarting in`))
  await assertAllAnswer(url, 2)
  running.child.kill('SIGTERM')
  const { code, stderr } = await running.ended
  assert.equal(code, 0, stderr)
})

test('a stop does not wait for a process that does not react', async () => {
  const hang =
    "if (process.env.PARLEY_PROCESS === '2') process.on('SIGUSR2', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))"
  const settings = { ...environment, NODE_OPTIONS: importing(hang), DRAIN_SECONDS: '1' }
  const running = parley(['serve', '--processes', '2'], settings)
  await waitUntil('it is ready', () => hasLine(running, pidsOf(running, 2)[0] ?? 0, 'ready'), running.stderr)
  const [pid = 0] = pidsOf(running, 2)
  process.kill(pid, 'SIGUSR2')
  running.child.kill('SIGTERM')
  const { code, stderr } = await running.ended
  assert.equal(code, 0, stderr)
  assert.throws(() => process.kill(pid, 0), 'it was killed')
})

const elsewhere = "if (process.env.PARLEY_PROCESS) Object.defineProperty(process, 'platform', { value: 'darwin' })"

const wrong_uses: Record<string, [() => Promise<Ended>, RegExp]> = {
  'with --only': [
    () => command(['serve', '--processes', '2', '--only', 'api']).ended,
    /'--processes <n>' cannot be used with option '--only <part>'/,
  ],
  'with none': [() => command(['serve', '--processes', '0']).ended, /Use a whole number from 1 to 64\./],
  'with a word': [() => command(['serve', '--processes', 'two']).ended, /Use a whole number from 1 to 64\./],
  'with more than there is room for': [() => command(['serve', '--processes', '65']).ended, /from 1 to 64\./],
  'without the launcher': [
    () => command(['serve', '--processes', '2'], { DATA_DIR }).ended,
    /--processes needs the launcher: run npx parley serve/,
  ],
  'with more connections than the embedded PostgreSQL has': [
    () => parley(['serve', '--processes', '9'], { DATA_DIR, DATABASE_POOL_SIZE: '11' }).ended,
    /--processes times DATABASE_POOL_SIZE must be at most 90 with the embedded PostgreSQL, but is 99/,
  ],
  'on another system': [
    () => parley(['serve', '--processes', '2'], { DATA_DIR, NODE_OPTIONS: importing(elsewhere) }).ended,
    /--processes works on Linux only/,
  ],
}

for (const [name, [run, message]] of Object.entries(wrong_uses))
  test(`--processes ${name} is one line of error`, async () => {
    const { code, stdout, stderr } = await run()
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, message)
    assert.equal(stderr.trim().split('\n').length, 1, stderr)
  })
