import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { join, relative } from 'node:path'
import { lock, sha256 } from './install.mjs'

/** Builds the dashboard, unless the last build is of the same sources and packages. */
export async function ensureBuilt(root, node) {
  const folder = join(root, '.cache', 'dashboard')
  const stamp = join(folder, 'built-from')
  const wanted = hashOfSources(root)
  const isBuilt = () => fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted
  if (isBuilt()) return

  const release = await lock(root, 'build')
  try {
    if (isBuilt()) return
    const draft = `${folder}.draft`
    fs.rmSync(draft, { recursive: true, force: true })
    await build(root, node, draft)
    fs.writeFileSync(join(draft, 'built-from'), wanted)
    // A server that starts meanwhile must not read half a build.
    fs.rmSync(folder, { recursive: true, force: true })
    fs.renameSync(draft, folder)
  } finally {
    release()
  }
}

function hashOfSources(root) {
  const sources = filesBelow(join(root, 'dashboard')).sort()
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

async function build(root, node, folder) {
  process.stderr.write('Building the dashboard (a few seconds)...\n')
  const child = spawn(node, [join(root, 'dashboard', 'build.ts'), folder], { cwd: root, stdio: ['ignore', 2, 2] })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error('The dashboard could not be built: see the output above')
}
