import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { SetupError } from './setup-error.ts'

/** PostgreSQL refuses to run as root. It runs as the user nobody then, who must have access to its files. */
export interface PostgresUser {
  uid: number
  gid: number
}

/** Undefined when PostgreSQL runs as the current user. */
export function postgresUser(): PostgresUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  try {
    return { uid: idOfNobody('-u'), gid: idOfNobody('-g') }
  } catch {
    throw new SetupError(
      'As root, PostgreSQL needs the user nobody, who does not exist. Run as another user or set DATABASE_URL.',
    )
  }
}

/** Spawn options for PostgreSQL's programs. They don't get our environment, because it contains secrets. */
export function spawnOptions(user: PostgresUser | undefined) {
  return { ...user, cwd: '/', env: { LC_ALL: 'C', TZ: 'UTC' } }
}

export function canEnter(user: PostgresUser | undefined, folder: string) {
  return !user || spawnSync('test', ['-x', folder], spawnOptions(user)).status === 0
}

/**
 * The default folder for data: the checkout, or the system folder when PostgreSQL's user can't enter the checkout.
 */
export function baseFolder(checkout: string, name: string) {
  return canEnter(postgresUser(), checkout) ? checkout : systemFolder(checkout, name)
}

/** A folder outside of the checkout that PostgreSQL's user can enter. */
export function systemFolder(checkout: string, name: string) {
  const hash = createHash('sha256').update(fs.realpathSync(checkout)).digest('hex').slice(0, 12)
  return join('/var/lib', name, hash)
}

/** Creates the folder and its parents. PostgreSQL's user can enter them, whatever the umask is. */
export function makeFolder(path: string): void {
  const umask = process.umask(0)
  try {
    makeFolders(path, process.getuid?.() === 0 ? 0o711 : 0o700)
  } finally {
    process.umask(umask)
  }
}

/** Doesn't use Node's recursive option, which never ends in /proc and reports a read-only folder as missing. */
function makeFolders(path: string, mode: number): void {
  if (isFolder(path)) return
  makeFolders(dirname(path), mode)
  try {
    fs.mkdirSync(path, { mode })
  } catch (error) {
    // Another process may have created the folder.
    if (!isFolder(path)) throw error
  }
}

function isFolder(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function idOfNobody(option: '-u' | '-g') {
  return Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
}
