import fs from 'node:fs'
import path from 'node:path'
import { newId } from '../kit/id.ts'
import { isObject } from '../kit/json.ts'
import { errorCode } from '../kit/problem.ts'
import { product } from '../product.ts'
import type { Shell } from '../start/shell.ts'
import { UsageError } from './command.ts'

/** The service that a command asks, and the workspace of its key. */
export interface Login {
  url: string
  api_key: string
  workspace: { id: string; name: string; kind: 'live' | 'test' }
}

type Environment = Shell['env']

const file_name = 'logins.json'
const logins_max = 100

/** Returns the user's configuration folder, if the environment names one. */
export function configurationFolder({ XDG_CONFIG_HOME, APPDATA, HOME }: Environment): string | undefined {
  const parent = XDG_CONFIG_HOME || APPDATA || (HOME && path.join(HOME, '.config'))
  return parent && path.join(parent, product.short_name)
}

/**
 * Finds a service elsewhere: the one that PARLEY_URL names, or else the last login, unless the environment names a
 * database.
 */
export function findLogin({ env }: Shell, workspace?: string): (Omit<Login, 'workspace'> & Partial<Login>) | undefined {
  const { PARLEY_URL, PARLEY_API_KEY, DATABASE_URL, DATA_DIR } = env
  if (!PARLEY_URL && (DATABASE_URL || DATA_DIR)) return undefined
  if (PARLEY_URL && PARLEY_API_KEY) return { url: toAddress(PARLEY_URL), api_key: PARLEY_API_KEY }
  if (PARLEY_API_KEY && !PARLEY_URL) throw new UsageError('PARLEY_API_KEY needs PARLEY_URL, the address of its service')
  const logins = readLogins(env).filter(({ url }) => !PARLEY_URL || url === toAddress(PARLEY_URL))
  if (PARLEY_URL && logins.length === 0)
    throw new UsageError(`PARLEY_URL needs a key: set PARLEY_API_KEY, or run parley login ${PARLEY_URL}`)
  if (workspace === undefined || logins.length === 0) return logins[0]
  const found = logins.find((login) => login.workspace.name === workspace || login.workspace.id === workspace)
  if (found) return found
  const names = logins.map((login) => `"${login.workspace.name}"`).join(', ')
  throw new UsageError(`there is no login for the workspace "${workspace}", only for ${names}: run parley login`)
}

/** Reads an address, with or without `/api/v1`. */
export function toAddress(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username)
    throw new UsageError(`"${text}" is not the URL of a service, such as https://parley.example.com`)
  return url.href.replace(/\/+$/, '').replace(/\/api\/v1$/, '')
}

/** Reads the logins. The one in use comes first. */
export function readLogins(environment: Environment): Login[] {
  const stored = readConfiguration(environment, file_name)
  // Only `writeLogins` writes this file.
  return isObject(stored) && Array.isArray(stored.logins) ? (stored.logins as Login[]) : []
}

export const writeLogins = (environment: Environment, logins: Login[]): string =>
  writeConfiguration(environment, file_name, { logins: logins.slice(0, logins_max) })

/** Reads a file of the configuration. Returns undefined if there is no such file. */
export function readConfiguration(environment: Environment, name: string): unknown {
  const folder = configurationFolder(environment)
  if (!folder) return undefined
  const file = path.join(folder, name)
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw new UsageError(`the file ${file} can't be read: delete it, and log in again`)
  }
}

/**
 * Writes a file of the configuration, which only the user can read, and which appears when it is complete. Returns its
 * path.
 */
export function writeConfiguration(environment: Environment, name: string, value: object): string {
  const folder = configurationFolder(environment)
  if (!folder) throw new UsageError('set HOME or XDG_CONFIG_HOME to a folder that keeps the file')
  const file = path.join(folder, name)
  const unfinished = `${file}.${newId()}`
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  fs.writeFileSync(unfinished, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 })
  fs.renameSync(unfinished, file)
  return file
}

export function removeConfiguration(environment: Environment, name: string): void {
  const folder = configurationFolder(environment)
  if (folder) fs.rmSync(path.join(folder, name), { force: true })
}
