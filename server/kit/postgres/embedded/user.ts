import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { SetupError } from './setup-error.ts'

/** PostgreSQL refuses to run as root: it then runs as nobody, and must reach all it needs as nobody. */
export interface PostgresUser {
  uid: number
  gid: number
}

/** Undefined when PostgreSQL runs as whoever runs us. */
export function postgresUser(): PostgresUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  try {
    return { uid: idOfNobody('-u'), gid: idOfNobody('-g') }
  } catch {
    throw new SetupError(
      'As root, PostgreSQL needs the user nobody, which is missing: run as another user or set DATABASE_URL',
    )
  }
}

/** How PostgreSQL's programs are spawned: as its user, with nothing of our environment, which holds secrets. */
export function spawnedAs(user: PostgresUser | undefined) {
  return { ...user, cwd: '/', env: { LC_ALL: 'C', TZ: 'UTC' }, windowsHide: true }
}

export function canEnter(user: PostgresUser | undefined, folder: string) {
  return !user || spawnSync('test', ['-x', folder], spawnedAs(user)).status === 0
}

/**
 * Where this checkout keeps things by default: the checkout itself, or, for root in a folder that PostgreSQL's
 * user can't enter, its shelter.
 */
export function baseFolder(checkout: string, name: string) {
  return canEnter(postgresUser(), checkout) ? checkout : systemFolder(checkout, name)
}

/** The folder outside of the checkout for what PostgreSQL's user couldn't reach in it. */
export function systemFolder(checkout: string, name: string) {
  const hash = createHash('sha256').update(fs.realpathSync(checkout)).digest('hex').slice(0, 12)
  return join('/var/lib', name, hash)
}

/** Makes it with the folders above it; enterable for PostgreSQL's user, whatever the umask. */
export function makeFolder(path: string): void {
  const umask = process.umask(0)
  try {
    makeFolders(path, process.getuid?.() === 0 ? 0o711 : 0o700)
  } finally {
    process.umask(umask)
  }
}

/** Node's own recursion doesn't end where no folder can be made, as in /proc, and calls read-only missing. */
function makeFolders(path: string, mode: number): void {
  if (isFolder(path)) return
  makeFolders(dirname(path), mode)
  try {
    fs.mkdirSync(path, { mode })
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(path)) throw error
  }
}

function isFolder(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function idOfNobody(option: '-u' | '-g') {
  return Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
}
