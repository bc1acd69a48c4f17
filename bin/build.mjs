import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { join, relative } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { lock, sha256 } from './install.mjs'

/** Folders with web applications, each of which has a build.ts. */
const applications = { dashboard: 'the dashboard', chat: 'the web chat', voice: 'the voice page' }
const compressible = /\.(js|css|svg)$/

/** Builds the web applications into .cache, unless the last build is of the same sources and packages. */
export async function ensureBuilt(root, node) {
  const stale = () => Object.keys(applications).filter((name) => !isBuilt(root, name))
  if (stale().length === 0) return

  const release = await lock(root, 'build')
  try {
    await Promise.all(stale().map((name) => build(root, node, name)))
  } finally {
    release()
  }
}

const folderOf = (root, name) => join(root, '.cache', name)

function isBuilt(root, name) {
  const stamp = join(folderOf(root, name), 'built-from')
  return fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === hashOfSources(root, name)
}

async function build(root, node, name) {
  const wanted = hashOfSources(root, name)
  const folder = folderOf(root, name)
  const draft = `${folder}.draft`
  fs.rmSync(draft, { recursive: true, force: true })
  await runBuild(root, node, name, draft)
  compressFiles(draft)
  fs.writeFileSync(join(draft, 'built-from'), wanted)
  // The finished build is moved into place, so that a server that starts meanwhile doesn't read half a build.
  fs.rmSync(folder, { recursive: true, force: true })
  fs.renameSync(draft, folder)
}

function hashOfSources(root, name) {
  // All applications use parts of voice/, and the dashboard uses the client.
  const sources = [...new Set([name, 'voice', 'sdk/src'].flatMap((folder) => filesBelow(join(root, folder))))].sort()
  const hashes = [join(root, 'package-lock.json'), ...sources].map(
    (file) => `${relative(root, file)} ${sha256(fs.readFileSync(file))}`,
  )
  return sha256(hashes.join('\n'))
}

function filesBelow(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesBelow(path) : [path]
  })
}

async function runBuild(root, node, name, folder) {
  process.stderr.write(`Building ${applications[name]} (a few seconds)...\n`)
  const child = spawn(node, [join(root, name, 'build.ts'), folder], { cwd: root, stdio: ['ignore', 2, 2] })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`Could not build ${applications[name]}: see the output above`)
}

/** Adds .br and .gz of each file but pages, which the server changes. */
function compressFiles(folder) {
  for (const file of filesBelow(folder).filter((file) => compressible.test(file))) {
    const bytes = fs.readFileSync(file)
    fs.writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
    fs.writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
  }
}
