import { parseArgs } from 'node:util'
import { scopes as all_scopes, document } from '../api.ts'
import { scopesOf as scopesOfKey } from '../api-keys/schema.ts'
import * as api_keys from '../api-keys/store.ts'
import { ConfigError, readConfig } from '../config.ts'
import { type Database, openDatabase } from '../database.ts'
import * as clock from '../kit/clock.ts'
import { type Schema, validate } from '../kit/http/validate.ts'
import { isId } from '../kit/id.ts'
import { openLog } from '../kit/log.ts'
import { SetupError } from '../kit/postgres/embedded/embedded.ts'
import type { Pool } from '../kit/postgres/pool.ts'
import { serve } from '../main.ts'
import { hashPassword } from '../people/password.ts'
import { NewPerson, type Person, type Role, roles } from '../people/schema.ts'
import * as sessions from '../people/sessions.ts'
import * as people from '../people/store.ts'
import * as workspaces from '../workspaces/store.ts'
import { askSecret } from './prompt.ts'

const help = `Usage: parley COMMAND [--json]

  serve                      start the service
  migrate                    bring the database to the newest schema
  workspace create NAME      create a workspace with a first API key
  workspace list             list the workspaces
  key create --workspace NAME [--name NAME] [--scopes SCOPE,...] [--expires-in 90d]
                             create an API key; it is shown once
  key list [--workspace NAME]
                             list the API keys
  key revoke ID              end an API key; it stops working within a second
  user create EMAIL [--name NAME] [--workspace NAME] [--role owner|member|viewer]
                             create a person, by default an owner of the first workspace; the password is asked for, or
                             read from standard input when that is no terminal
  user join EMAIL --workspace NAME [--role owner|member|viewer]
                             let a person into a workspace
  user password EMAIL        give a person a new password, and end the sessions
  user list                  list the people
  openapi                    print the OpenAPI document

  --json                     one JSON object on standard output
  --help                     this text

Scopes: ${all_scopes.join(', ')}; all of them
but api_keys:* unless told otherwise.
--expires-in takes minutes, hours, days or weeks: 30m, 12h, 90d, 4w.
All commands work while the service runs, with its DATA_DIR or DATABASE_URL, and say on standard error which database
they use. Only serve and migrate create one. All variables: see README.md.`

/** What the person who typed it can mend; the message is one line. */
class UsageError extends Error {}

/** What a command gives: for programs, and for people. */
interface Output {
  json: object
  text: string
}

interface Options {
  workspace?: string
  name?: string
  scopes?: string
  'expires-in'?: string
  role?: string
}

type Command = (database: Database, words: string[], options: Options, now: number) => Promise<Output>

const commands: Record<string, { words: string[]; options: (keyof Options)[]; run: Command }> = {
  migrate: { words: [], options: [], run: migrated },
  'workspace create': { words: ['NAME'], options: [], run: createWorkspace },
  'workspace list': { words: [], options: [], run: listWorkspaces },
  'key create': { words: [], options: ['workspace', 'name', 'scopes', 'expires-in'], run: createKey },
  'key list': { words: [], options: ['workspace'], run: listKeys },
  'key revoke': { words: ['ID'], options: [], run: revokeKey },
  'user create': { words: ['EMAIL'], options: ['name', 'workspace', 'role'], run: createUser },
  'user join': { words: ['EMAIL'], options: ['workspace', 'role'], run: joinUser },
  'user password': { words: ['EMAIL'], options: [], run: setPassword },
  'user list': { words: [], options: [], run: listUsers },
}

/** Every command finds the newest schema: this one only tells. */
async function migrated({ applied }: Database): Promise<Output> {
  return { json: { applied }, text: applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The schema is current.' }
}

async function createWorkspace(
  { pool }: Database,
  [name = '']: string[],
  _options: Options,
  now: number,
): Promise<Output> {
  const trimmed = name.trim()
  if (trimmed === '' || trimmed.length > 200) throw new UsageError('NAME must have 1 to 200 characters')
  return pool.tx(async (db) => {
    const workspace = await workspaces.create(db, trimmed, now)
    if (!workspace) throw new UsageError(`there is a workspace "${trimmed}" already`)
    const api_key = api_keys.newToken()
    await api_keys.create(db, workspace.id, api_key, { name: 'First key', scopes: null, expires_at: null }, now)
    return {
      json: { workspace: { id: workspace.id, name: workspace.name }, api_key },
      text: `Workspace "${workspace.name}" ${workspace.id}\nAPI key ${api_key}\nIt is shown this once.`,
    }
  })
}

async function listWorkspaces({ pool }: Database): Promise<Output> {
  const all = await workspaces.list(pool)
  return {
    json: { workspaces: all },
    text: table(
      ['ID', 'NAME', 'CREATED'],
      all.map(({ id, name, created_at }) => [id, name, created_at]),
    ),
  }
}

async function createKey({ pool }: Database, _words: string[], options: Options, now: number): Promise<Output> {
  const workspace = await workspaceNamed(pool, options.workspace)
  const scopes = scopesOf(options.scopes)
  const expires_at = expiryOf(options['expires-in'], now)
  const api_key = api_keys.newToken()
  const name = options.name?.trim() || 'API key'
  const key = await pool.tx((db) => api_keys.create(db, workspace.id, api_key, { name, scopes, expires_at }, now))
  return {
    json: { key: shown(key), api_key },
    text: `Key ${key.id} of "${workspace.name}"\nAPI key ${api_key}\nIt is shown this once.`,
  }
}

async function listKeys({ pool }: Database, _words: string[], options: Options): Promise<Output> {
  const only = options.workspace === undefined ? undefined : await workspaceNamed(pool, options.workspace)
  const keys = (await api_keys.listAll(pool)).filter(({ workspace_id }) => !only || workspace_id === only.id)
  const names = new Map((await workspaces.list(pool)).map(({ id, name }) => [id, name]))
  const rows = keys.map((key) => [
    key.id,
    names.get(key.workspace_id) ?? '',
    key.name,
    `...${key.last_four}`,
    key.scopes?.join(',') ?? 'all but api_keys:*',
    key.last_used_at ?? 'never',
    key.revoked_at ? `revoked ${key.revoked_at}` : key.expires_at ? `expires ${key.expires_at}` : 'valid',
  ])
  return {
    json: { keys: keys.map(shown) },
    text: table(['ID', 'WORKSPACE', 'NAME', 'KEY', 'SCOPES', 'LAST USED', 'STATE'], rows),
  }
}

async function revokeKey({ pool }: Database, [id = '']: string[], _options: Options, now: number): Promise<Output> {
  const key = isId(id) ? await pool.tx((db) => api_keys.revokeAny(db, id, now)) : undefined
  if (!key) throw new UsageError(`there is no key ${id}`)
  return { json: { key: shown(key) }, text: `Key ${key.id} is revoked.` }
}

async function createUser({ pool }: Database, [email = '']: string[], options: Options, now: number): Promise<Output> {
  const named = options.workspace === undefined ? undefined : await workspaceNamed(pool, options.workspace)
  const role = roleOf(options.role)
  const name = options.name ?? email.split('@')[0]
  checked({ email, name, password: 'not asked for yet' })
  if (await people.findByEmail(pool, email.trim())) throw new UsageError(`there is a person ${email} already`)
  const input = checked({ email, name, password: await askSecret('Password: ') })
  const password_hash = await hashPassword(input.password)
  const { person, workspace } = await pool.tx(async (db) => {
    const created = await people.create(db, { ...input, password_hash }, now)
    if (!created) throw new UsageError(`there is a person ${email} already`)
    const [first] = await workspaces.list(db)
    const workspace = named ?? first ?? (await workspaces.create(db, workspaces.default_name, now))
    if (!workspace) throw new UsageError('the service makes the first workspace at this moment: try again')
    await people.join(db, workspace.id, created.id, role, now)
    return { person: created, workspace }
  })
  return joined(person, workspace, role)
}

async function joinUser({ pool }: Database, [email = '']: string[], options: Options, now: number): Promise<Output> {
  const workspace = await workspaceNamed(pool, options.workspace)
  const role = roleOf(options.role)
  const { password_hash: _, ...person } = await personWith(pool, email)
  if (!(await people.join(pool, workspace.id, person.id, role, now)))
    throw new UsageError(`${person.email} is a member of "${workspace.name}" already`)
  return joined(person, workspace, role)
}

const joined = (person: Person, { id, name }: workspaces.Workspace, role: Role): Output => ({
  json: { person, workspace: { id, name, role } },
  text: `${person.email} is ${role} of "${name}".`,
})

async function setPassword({ pool }: Database, [email = '']: string[]): Promise<Output> {
  const { password_hash: before, ...person } = await personWith(pool, email)
  const { password } = checked({ ...person, password: await askSecret('New password: ') })
  const after = await hashPassword(password)
  await pool.tx(async (db) => {
    if (!(await people.setPassword(db, person.id, before, after))) throw new UsageError('it was changed meanwhile')
    await sessions.endAll(db, person.id)
  })
  return { json: { person }, text: `${person.email} has a new password, and is signed out everywhere.` }
}

async function listUsers({ pool }: Database): Promise<Output> {
  const all = await people.list(pool)
  const rows = all.map((one) => [one.id, one.email, one.name, one.workspaces.join(', '), one.created_at])
  return { json: { people: all }, text: table(['ID', 'EMAIL', 'NAME', 'WORKSPACES', 'CREATED'], rows) }
}

/** By the rules of the set-up page. */
function checked({ email, name, password }: Record<string, unknown>): NewPerson {
  const { value, faults } = validate(NewPerson as Schema, { email, name, password })
  if (faults[0]) throw new UsageError(faults[0].message)
  // It was checked against the schema that the type comes from.
  return value as NewPerson
}

function roleOf(said = 'owner'): Role {
  const role = roles.find((one) => one === said)
  if (!role) throw new UsageError(`--role takes ${roles.join('|')}, not "${said}"`)
  return role
}

async function personWith(pool: Pool, email: string): Promise<people.PersonWithHash> {
  const person = await people.findByEmail(pool, email.trim())
  if (!person) throw new UsageError(`there is no person ${email}`)
  return person
}

const shown = (key: api_keys.ApiKey) => ({ ...key, scopes: key.scopes ?? all_scopes.filter(scopesOfKey(null).has) })

async function workspaceNamed(pool: Pool, name: string | undefined): Promise<workspaces.Workspace> {
  if (name === undefined) throw new UsageError('--workspace NAME is needed')
  const workspace = await workspaces.find(pool, name.trim())
  if (!workspace) throw new UsageError(`there is no workspace "${name}"`)
  return workspace
}

function scopesOf(text: string | undefined): string[] | null {
  if (text === undefined) return null
  const scopes = text.split(',').map((scope) => scope.trim())
  const unknown = scopes.find((scope) => !all_scopes.includes(scope))
  if (unknown !== undefined) throw new UsageError(`there is no scope "${unknown}", only ${all_scopes.join(', ')}`)
  return [...new Set(scopes)]
}

const unit_ms: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 }

function expiryOf(text: string | undefined, now: number): string | null {
  if (text === undefined) return null
  const [, count, unit = ''] = /^([1-9]\d{0,4})([mhdw])$/.exec(text) ?? []
  if (count === undefined) throw new UsageError(`--expires-in takes 30m, 12h, 90d or 4w, not "${text}"`)
  return clock.iso(now + Number(count) * (unit_ms[unit] ?? 0))
}

function table(heads: string[], rows: string[][]): string {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [heads, ...rows].map(line).join('\n')
}

async function main(): Promise<void> {
  const { values, positionals } = parse()
  const { help: is_help, json: is_json, ...options } = values
  const [first = '', second = '', ...rest] = positionals
  if (is_help || first === 'help') return console.log(help)
  if (first === 'serve' && positionals.length === 1) return serve(readConfig())
  if (first === 'openapi' && positionals.length === 1) return console.log(JSON.stringify(document, null, 2))
  const name = Object.hasOwn(commands, first) ? first : `${first} ${second}`
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) throw new UsageError(first ? `there is no command "${positionals.join(' ')}"` : 'a command is needed')
  const words = name === first ? positionals.slice(1) : rest
  if (words.length !== command.words.length) throw new UsageError(`usage: parley ${[name, ...command.words].join(' ')}`)
  const stray = Object.keys(options).find((option) => !command.options.some((known) => known === option))
  if (stray) throw new UsageError(`parley ${name} takes no --${stray}`)
  const config = readConfig()
  const database = await openDatabase(
    config,
    'command',
    openLog(config.log_level === 'info' ? 'warn' : config.log_level),
    name === 'migrate',
  )
  console.error(`Using ${database.name}`)
  try {
    const { json, text } = await command.run(database, words, options, clock.now())
    console.log(is_json ? JSON.stringify(json) : text)
  } finally {
    await database.close()
  }
}

function parse() {
  const string = { type: 'string' } as const
  const boolean = { type: 'boolean' } as const
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        workspace: string,
        name: string,
        scopes: string,
        'expires-in': string,
        role: string,
        json: boolean,
        help: { ...boolean, short: 'h' },
      },
    })
  } catch (error) {
    // Only the first sentence: the second is advice about arguments that begin with a dash, which no command takes.
    throw new UsageError(error instanceof Error ? error.message.replace(/\.\s.*/s, '') : String(error))
  }
}

const isExpected = (error: unknown): error is Error =>
  error instanceof UsageError || error instanceof ConfigError || error instanceof SetupError

main().catch((error: unknown) => {
  console.error(
    isExpected(error) ? `parley: ${error.message}${error instanceof UsageError ? ' (parley --help)' : ''}` : error,
  )
  process.exit(1)
})
