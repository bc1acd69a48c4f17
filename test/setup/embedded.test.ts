import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { baseFolder, openEmbedded, SetupError } from '../../server/kit/postgres/embedded/embedded.ts'
import { lockHolder, tryLock } from '../../server/kit/postgres/embedded/lock.ts'
import { findPostmaster } from '../../server/kit/postgres/embedded/pid-file.ts'
import { makeFolder, postgresUser, systemFolder } from '../../server/kit/postgres/embedded/user.ts'
import { waitFor } from '../../server/kit/postgres/embedded/wait.ts'

const checkout = resolve(import.meta.dirname, '../..')
const embedded = new URL('../../server/kit/postgres/embedded/', import.meta.url)
const name = 'parley'
const user = postgresUser()
const base = join(baseFolder(checkout, name), '.cache', `embedded test ${process.pid}`)
// Most tests continue with the data of the previous one, like restarts of a real service.
const data_dir = join(base, 'data')
const cluster = join(data_dir, 'postgres')

makeFolder(base)
after(() => {
  const left = findPostmaster(cluster)
  if (left) process.kill(left.pid, 'SIGQUIT')
  fs.rmSync(base, { recursive: true, force: true, maxRetries: 10 })
})

test('a lock has one holder, who is named', () => {
  const path = join(base, 'lock')
  const lock = tryLock(path, 'serve')
  assert.ok(lock)
  assert.equal(tryLock(path, 'command'), undefined)
  assert.deepEqual(lockHolder(path), { pid: process.pid, command: 'serve' })
  lock.release()
  assert.equal(lockHolder(path), undefined)
  const next = tryLock(path, 'command')
  assert.ok(next)
  next.release()
})

test('the lock of a killed process is free', async () => {
  const path = join(base, 'lock')
  const child = await run(`import { tryLock } from '${embedded}lock.ts'
    globalThis.lock = tryLock(${JSON.stringify(path)}, 'serve')
    console.log('held')`)
  assert.equal(tryLock(path, 'command'), undefined)
  assert.deepEqual(lockHolder(path), { pid: child.pid, command: 'serve' })
  await kill(child)
  assert.equal(lockHolder(path), undefined)
  const lock = tryLock(path, 'command')
  assert.ok(lock)
  lock.release()
})

test('the first start creates a database that the second start opens', async (t) => {
  const first = await serveSlowly()
  await query(first.url, 'create table note (body text)')
  await query(first.url, `insert into note values ('kept')`)
  await first.close()
  assert.equal(findPostmaster(cluster), undefined)

  const server = await serveSlowly()
  assert.equal(await query(server.url, 'select body from note'), 'kept')
  await t.test('a slow start says what it is doing', () => {
    assert.deepEqual(
      [first.said, server.said],
      [['PostgreSQL is still being set up: the first start takes longer'], ['PostgreSQL is still starting']],
    )
  })
  await t.test('the database is durable, uses UTF-8 and requires its password', async () => {
    const { url } = server
    for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums'])
      assert.equal(await query(url, `show ${setting}`), 'on', setting)
    assert.equal(await query(url, `select lower('ÄÉ') || current_setting('server_encoding')`), 'äéUTF8')
    assert.equal(await query(url, 'show unix_socket_directories'), '')
    assert.equal(fs.statSync(join(data_dir, 'postgres-password')).mode & 0o777, 0o600)
    const with_wrong_password = url.replace(/parley:[^@]*/, 'parley:wrong')
    await assert.rejects(query(with_wrong_password, 'select 1'), /password authentication failed/)
  })
  await t.test('a second server is refused with the name of the first', async () => {
    const message = `DATA_DIR ${data_dir} is in use by another parley serve (pid ${process.pid})`
    await assert.rejects(serve(), { constructor: SetupError, message })
  })
  await t.test('a command shares the PostgreSQL of a running server and leaves it running', async () => {
    const command = await openEmbedded({ checkout, name, data_dir, as: 'command', say })
    assert.equal(command.url, server.url)
    await command.close()
    assert.equal(await query(server.url, 'select body from note'), 'kept')
  })
  await server.close()
})

test('commands without a server run one after the other and leave nothing running', async () => {
  const command = async () => {
    const { url, close } = await openEmbedded({ checkout, name, data_dir, as: 'command', say })
    assert.equal(await query(url, 'select body from note'), 'kept')
    await close()
  }
  await Promise.all([command(), command(), command()])
  assert.equal(findPostmaster(cluster), undefined)
})

test('a server waits until a command has finished', async () => {
  const command = await openEmbedded({ checkout, name, data_dir, as: 'command', say })
  const starting = serve()
  assert.equal(await query(command.url, 'select body from note'), 'kept')
  await command.close()
  const server = await starting
  assert.equal(await query(server.url, 'select body from note'), 'kept')
  await server.close()
})

test('a PostgreSQL left by a killed server is taken over', async () => {
  await kill(await serveInChild())
  const left = findPostmaster(cluster)
  assert.ok(left)
  const { url, close } = await serve()
  assert.deepEqual(findPostmaster(cluster), left)
  assert.equal(await query(url, 'select body from note'), 'kept')
  await close()
  assert.equal(findPostmaster(cluster), undefined)
})

test('committed data survives when everything is killed', async () => {
  const child = await serveInChild()
  const { url, close } = await openEmbedded({ checkout, name, data_dir, as: 'command', say })
  await query(url, `update note set body = 'kept well'`)
  await close()
  await kill(child)
  killPostmaster()
  const next = await serve()
  assert.equal(await query(next.url, 'select body from note'), 'kept well')
  await next.close()
})

test('a start waits until the last sessions of a killed PostgreSQL are gone', async () => {
  const before = await serve()
  const pipe = join(base, 'pipe')
  execFileSync('mkfifo', ['-m', '644', pipe])
  // A session that waits for someone to write doesn't notice that its PostgreSQL was killed.
  const reading = Promise.allSettled([query(before.url, `select pg_read_file('${pipe}')`)])
  const active = `select count(*)::int from pg_stat_activity where query like '%pg_read_file%' and pid <> pg_backend_pid()`
  while ((await query(before.url, active)) !== 1);
  killPostmaster()
  await before.close()

  const starting = serve()
  const log = () => fs.readFileSync(join(data_dir, 'postgres.log'), 'utf8')
  assert.ok(await waitFor(30_000, () => log().includes('pre-existing shared memory block')))
  fs.writeFileSync(pipe, '')
  const next = await starting
  assert.equal(await query(next.url, 'select body from note'), 'kept well')
  await reading
  await next.close()
})

test('a PostgreSQL that is killed is restarted with all committed data', async (t) => {
  const warnings: string[] = []
  const warn = (line: string) => void warnings.push(line)
  const embedded = await openEmbedded({ checkout, name, data_dir, as: 'serve', say, warn })
  for (const signal of ['SIGKILL', 'SIGQUIT'] as const)
    await t.test(`by ${signal}`, async () => {
      const before = findPostmaster(cluster)
      assert.ok(before)
      process.kill(before.pid, signal)
      await waitFor(30_000, () => warnings.length === 2)
      assert.match(
        warnings.splice(0).join('\n'),
        /^PostgreSQL \(pid \d+\) has stopped: .*\nPostgreSQL is running again \(pid \d+\)$/,
      )
      assert.notEqual(findPostmaster(cluster)?.pid, before.pid)
      assert.equal(await query(embedded.url, 'select body from note'), 'kept well')
    })
  await t.test(
    'also when a restart fails: it is retried until it succeeds, and the failure is logged once',
    async () => {
      const control = join(cluster, 'global', 'pg_control')
      fs.renameSync(control, `${control}.away`)
      const log = () => fs.readFileSync(join(data_dir, 'postgres.log'), 'utf8')
      const attempts = () => log().split('could not find the database system').length - 1
      const attempts_before = attempts()
      killPostmaster()
      await waitFor(30_000, () => attempts() >= attempts_before + 2)
      fs.renameSync(`${control}.away`, control)
      await waitFor(30_000, () => warnings.at(-1)?.startsWith('PostgreSQL is running again'))
      assert.equal(await query(embedded.url, 'select body from note'), 'kept well')
      assert.equal(warnings.length, 3)
      assert.match(warnings[1] ?? '', /PostgreSQL does not start: .*database system/)
    },
  )
  await embedded.close()
  assert.equal(findPostmaster(cluster), undefined)
})

test('a PostgreSQL that can not be seen for want of handles is not restarted', async () => {
  const child = await run(
    `import fs from 'node:fs'
    import { openEmbedded } from '${embedded}embedded.ts'
    import { isPostmaster, findPostmaster } from '${embedded}pid-file.ts'
    const cluster = ${JSON.stringify(cluster)}
    const warnings = []
    const options = ${JSON.stringify({ checkout, name, data_dir, as: 'serve' })}
    const { url } = await openEmbedded({ ...options, say() {}, warn: (line) => warnings.push(line) })
    const { pid } = findPostmaster(cluster)
    const gone = 4000000
    const used = []
    try { for (;;) used.push(fs.openSync('/dev/null')) } catch {}
    const seen = [isPostmaster(pid, cluster), isPostmaster(gone, cluster)]
    await new Promise((wake) => setTimeout(wake, 500))
    for (const one of used) fs.closeSync(one)
    const is_same = findPostmaster(cluster).pid === pid
    console.log(JSON.stringify({ warnings, seen, is_same, url }))`,
    'ulimit -n 256',
  )
  const { url, ...found } = JSON.parse(child.said)
  assert.deepEqual(found, { warnings: [], seen: [true, false], is_same: true })
  assert.equal(await query(url, 'select body from note'), 'kept well')
  await kill(child)
  await (await serve()).close()
})

test('a close during a restart leaves nothing running', async () => {
  for (const pause_ms of [0, 110, 150, 250]) {
    const { close } = await serve()
    killPostmaster()
    await new Promise((wake) => setTimeout(wake, pause_ms))
    await close()
    assert.equal(findPostmaster(cluster), undefined)
    await new Promise((wake) => setTimeout(wake, 150))
    assert.equal(findPostmaster(cluster), undefined)
  }
})

for (const [what, text] of [
  ['that names a process of another program', `${process.pid}\n${cluster}\n1\n5432\n\n127.0.0.1\n1 1\nready\n`],
  ['that names a process that is gone', `4000000\n${cluster}\n1\n5432\n\n127.0.0.1\n1 1\nready\n`],
  ['that is truncated', ''],
] as const)
  test(`a pid file ${what} does not prevent a start`, async () => {
    const file = join(cluster, 'postmaster.pid')
    fs.writeFileSync(file, text)
    if (user) fs.chownSync(file, user.uid, user.gid)
    const { url, close, said } = await serveSlowly()
    assert.equal(await query(url, 'select body from note'), 'kept well')
    const reason = ': it was not stopped cleanly, so it recovers its data first'
    assert.deepEqual(said, [`PostgreSQL is still starting${reason}`])
    await close()
  })

test('a start that is killed while it creates the cluster does not prevent the next', async () => {
  const data_dir = join(base, 'interrupted')
  const isDraft = (name: string) => name.startsWith('postgres-draft-')
  const child = spawnNode(opening(data_dir))
  await waitFor(10_000, () => fs.existsSync(data_dir) && fs.readdirSync(data_dir).some(isDraft))
  await kill(child)
  assert.ok(!fs.existsSync(join(data_dir, 'postgres')))
  const { url, close } = await openEmbedded({ checkout, name, data_dir, as: 'serve', say })
  assert.equal(await query(url, 'select current_database()'), 'parley')
  assert.ok(!fs.readdirSync(data_dir).some(isDraft))
  await close()
})

test('a DATA_DIR that can not be created is refused', async () => {
  const file = join(base, 'file')
  fs.writeFileSync(file, '')
  await refuses(file, /file already exists/)
  await refuses(join(file, 'data'), /file already exists/)
  // Not even root can create a folder there.
  if (process.platform === 'linux') await refuses('/proc/parley', /no such file or directory/)
})

test('a DATA_DIR that the server or PostgreSQL can not enter is refused', async () => {
  const folder = join(base, 'closed')
  fs.mkdirSync(folder, { mode: user ? 0o700 : 0o500 })
  await refuses(folder, user ? /PostgreSQL runs as the user nobody, who can't enter it/ : /permission denied/)
})

test('a cluster of another major version is refused', async () => {
  const folder = join(base, 'old')
  makeCluster(folder, '17\n')
  if (user) fs.chownSync(join(folder, 'postgres'), user.uid, user.gid)
  await refuses(folder, /its cluster has PostgreSQL version 17, but this is version 18/)
})

test('a cluster of another user is refused', { skip: !user && 'only root can change the owner of files' }, async () => {
  const folder = join(base, 'foreign')
  makeCluster(folder, '18\n')
  await refuses(folder, /the data belongs to user 0/)
})

test('in a checkout that only root may enter PostgreSQL runs from a folder outside of it', {
  skip: !user,
}, async () => {
  const closed = join(base, 'checkout')
  fs.mkdirSync(closed, { mode: 0o700 })
  fs.symlinkSync(join(checkout, 'node_modules'), join(closed, 'node_modules'))
  const outside = systemFolder(closed, name)
  assert.equal(baseFolder(closed, name), outside)
  assert.match(outside, /^\/var\/lib\/parley\/[0-9a-f]{12}$/)
  const said: string[] = []
  const data_dir = join(outside, 'data')
  try {
    const { url, close } = await openEmbedded({
      checkout: closed,
      name,
      data_dir,
      as: 'serve',
      say: (line) => said.push(line),
    })
    assert.equal(await query(url, 'select current_database()'), 'parley')
    await close()
    assert.match(said.join('\n'), new RegExp(outside))
  } finally {
    fs.rmSync(outside, { recursive: true, force: true })
    if (fs.readdirSync(dirname(outside)).length === 0) fs.rmdirSync(dirname(outside))
  }
})

function say() {}

function serve() {
  return openEmbedded({ checkout, name, data_dir, as: 'serve', say })
}

/** Every start counts as slow. `said` is what it says about that. */
async function serveSlowly() {
  const said: string[] = []
  const sayThis = (line: string) => void said.push(line)
  const opened = await openEmbedded({ checkout, name, data_dir, as: 'serve', say: sayThis, slow_after_ms: 0 })
  return { url: opened.url, close: opened.close, said }
}

/** A server in a child process that a test can kill. */
function serveInChild() {
  return run(opening(data_dir))
}

function opening(data_dir: string) {
  const options = JSON.stringify({ checkout, name, data_dir, as: 'serve' })
  return `import { openEmbedded } from '${embedded}embedded.ts'
    await openEmbedded({ ...${options}, say() {} })
    console.log('open')`
}

/** Runs the code until its first output, and keeps it running. A command of the shell before it can limit it. */
async function run(code: string, before = 'true') {
  const child = spawnNode(code, before)
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('it exited without output')))
  const [said] = await Promise.race([once(child.stdout, 'data'), ended])
  ended.catch(() => {})
  return Object.assign(child, { said: String(said) })
}

function spawnNode(code: string, before = 'true') {
  const keep_running = `${code}\nsetInterval(() => {}, 1000)`
  const words = ['-c', `${before}; exec "$0" "$@"`, process.execPath, '--input-type=module', '-e', keep_running]
  return spawn('sh', words, { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function kill(child: ChildProcess) {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

function killPostmaster() {
  const postmaster = findPostmaster(cluster)
  assert.ok(postmaster)
  process.kill(postmaster.pid, 'SIGKILL')
}

async function query(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' })
    return rows[0]?.[0]
  } finally {
    await client.end()
  }
}

async function refuses(data_dir: string, why: RegExp) {
  await assert.rejects(openEmbedded({ checkout, name, data_dir, as: 'serve', say }), (error: Error) => {
    assert.ok(error instanceof SetupError, error)
    assert.match(error.message, why)
    assert.ok(error.message.startsWith(`DATA_DIR ${data_dir} `))
    assert.doesNotMatch(error.message, /\n/)
    return true
  })
}

function makeCluster(data_dir: string, version: string) {
  makeFolder(data_dir)
  fs.mkdirSync(join(data_dir, 'postgres'), { mode: 0o700 })
  fs.writeFileSync(join(data_dir, 'postgres', 'PG_VERSION'), version)
}
