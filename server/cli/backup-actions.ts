import fs from 'node:fs/promises'
import path from 'node:path'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { migrations } from '../database.ts'
import { atWall, type Service } from '../kit/at.ts'
import { flushFolder } from '../kit/blobs/folder.ts'
import * as clock from '../kit/clock.ts'
import { idOfKey } from '../kit/crypto/seal.ts'
import { listPlacements } from '../kit/postgres/citus/nodes.ts'
import { readOneSnapshotOfEachNode } from '../kit/postgres/citus/settings.ts'
import { SetupError } from '../kit/postgres/embedded/embedded.ts'
import { isUnavailable } from '../kit/postgres/errors.ts'
import { describeMigrations, listCreated, listUnknown } from '../kit/postgres/migrate.ts'
import type { Db, Session } from '../kit/postgres/pool.ts'
import { quoteName } from '../kit/postgres/sql.ts'
import { listTables, type Table } from '../kit/postgres/tables.ts'
import { errorCode, errorMessage } from '../kit/problem.ts'
import { counted } from '../kit/text.ts'
import { sealed_column as two_factor_column } from '../people/sealed.ts'
import { seal_info, version } from '../product.ts'
import { recordingsFolder } from '../service.ts'
import { key_files, readSecretsKeys } from '../start/secrets-key.ts'
import { consoleOf, type Shell } from '../start/shell.ts'
import * as workspaces from '../workspaces/store.ts'
import { type Contents, type Manifest, type Part, writeBackup } from './backup-file.ts'
import { formatBytes, openProgress } from './progress.ts'
import type { Answer } from './run.ts'
import { sealed_columns } from './secrets.ts'
import { stopSignal } from './stop-signal.ts'

/** These tables are left out, because the target has its own migrations, and its own leases of processes. */
const left_out = ['schema_migrations', 'process_leases']
/**
 * Files that appear later than this after the snapshot belong to calls that it doesn't know: nothing would ever delete
 * them. The clock of a file server may differ by less.
 */
const late_ms = 60_000
/** Limits the wait for the lock. A migration holds its locks for a short time, and nobody waits for this lock. */
const lock_wait_ms = 60_000
const checked_workspaces_max = 1_000
const checked_rows = 10
const read_bytes = 256 * 1024

/** Writes the database as it is at one moment, recordings and keys into a new file, while the service runs. */
export async function backUp(
  service: Service,
  shell: Shell,
  file: string,
  { force = false }: { force?: boolean },
): Promise<Answer | undefined> {
  const config = readConfig(shell.env)
  const keys = keysOf(config)
  const target = path.resolve(file)
  await refuseExisting(target, { force })
  if (keys.length > 0) await checkKeys(service)
  const signal = stopSignal(shell)
  try {
    const written = await intoFile(target, { force }, (handle) =>
      service.pool.session((db) => writeSnapshot(db, service.pool, { config, keys, handle, shell, signal })),
    )
    const { size } = await fs.stat(target)
    return describe(file, size, config, written)
  } catch (error) {
    if (signal.aborted) return void consoleOf(shell).error('Stopped: no backup was made.')
    throw isUnavailable(error) ? new SetupError(`the database is not available: ${errorMessage(error)}`) : error
  }
}

interface OwnKey {
  name: string
  key: string
  /** Whether the key is a file in DATA_DIR, and so part of the backup. */
  is_file: boolean
}

function keysOf(config: Config): OwnKey[] {
  const keys = readSecretsKeys(config)
  if (config.database_url && !keys.secrets_key)
    throw new ConfigError('SECRETS_KEY is required: set it as for the server')
  return (['secrets_key', 'secrets_key_previous'] as const).flatMap((name) => {
    const key = keys[name]
    return key === undefined ? [] : { name: key_files[name], key, is_file: config[name] === undefined }
  })
}

/**
 * Fails if the keys open nothing of what is stored. The backup names the keys that a restore needs, so with wrong ones
 * it could never be restored. Single secrets may have been sealed with a key that is lost.
 */
async function checkKeys(service: Service): Promise<void> {
  let has_unreadable = false
  for await (const sealed of listSealed(service)) {
    if (canOpen(service, sealed)) return
    has_unreadable = true
  }
  if (has_unreadable) throw new ConfigError("SECRETS_KEY can't open the stored secrets: set it as for the server")
}

async function* listSealed(service: Service): AsyncGenerator<string> {
  const ids = (await workspaces.list({ db: service.pool })).slice(0, checked_workspaces_max).map(({ id }) => id)
  const columns = [
    { at: atWall(service, ''), column: two_factor_column },
    ...ids.flatMap((id) => sealed_columns.map((column) => ({ at: atWall(service, id), column }))),
  ]
  for (const { at, column } of columns)
    for (const { sealed } of await column.list(at, undefined, checked_rows)) if (sealed !== null) yield sealed
}

function canOpen({ tools }: Service, sealed: string): boolean {
  try {
    return tools.seal.open(sealed) !== ''
  } catch {
    return false
  }
}

/**
 * Fails if the file exists. With `force` a regular file is replaced, but nothing else, such as a device, which is not a
 * backup.
 */
async function refuseExisting(file: string, { force }: { force: boolean }): Promise<void> {
  const found = await fs.lstat(file).catch(() => undefined)
  if (found && !force) throw new SetupError(`${file} exists: name another, or add --force`)
  if (found && !found.isFile()) throw new SetupError(`${file} is not a regular file: name another`)
}

/** Writes a file, which gets its name when it is complete and on the disk. After a failure nothing is left of it. */
async function intoFile<Result>(
  target: string,
  { force }: { force: boolean },
  write: (handle: fs.FileHandle) => Promise<Result>,
): Promise<Result> {
  const part = `${target}.part`
  const handle = await fs.open(part, 'wx', 0o600).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw new SetupError(`the file can't be written: ${errorMessage(error)}`)
    throw new SetupError(`${part} exists: another backup is running, or was killed. If it was killed, delete that file`)
  })
  try {
    const result = await write(handle)
    await handle.sync()
    await handle.close()
    // The file may have been created meanwhile.
    await refuseExisting(target, { force })
    await fs.rename(part, target)
    await flushFolder(path.dirname(target))
    return result
  } catch (error) {
    await handle.close().catch(() => {})
    await fs.rm(part, { force: true })
    const code = errorCode(error) ?? ''
    if (!['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EISDIR'].includes(code)) throw error
    throw new SetupError(`the file can't be written: ${errorMessage(error)}`)
  }
}

interface Snapshot {
  config: Config
  keys: OwnKey[]
  handle: fs.FileHandle
  shell: Shell
  signal: AbortSignal
}

interface WrittenBackup {
  manifest: Manifest
  contents: Contents
  /** The names of tables that are not part of the backup. */
  of_others: string[]
}

async function writeSnapshot(
  db: Session,
  pool: Db,
  { config, keys, handle, shell, signal }: Snapshot,
): Promise<WrittenBackup> {
  const { own: tables, of_others } = await listBackedUp(db)
  const placements = await listPlacements(pool)
  await db.script('begin isolation level repeatable read, read only')
  await readOneSnapshotOfEachNode(db)
  await db.script('set local statement_timeout = 0')
  await db.script('set local idle_in_transaction_session_timeout = 0')
  await db.script(`set local lock_timeout = ${lock_wait_ms}`)
  // The lock comes before the snapshot, so that no migration changes a table in between. It also opens the snapshots of nodes
  // before that of the coordinator, which then has every workspace that they know.
  await db.script(`lock table ${tables.map(({ name }) => quoteName(name)).join(', ')} in access share mode`)
  if ((await listUnknown(db, migrations)).length > 0)
    throw new SetupError('a newer version has migrated the database: use that version')
  const now = db.time()
  const manifest: Manifest = {
    format: 1,
    version,
    migrations: describeMigrations(migrations),
    created_at: clock.iso(now),
    tables,
    recordings: config.bucket ? 'bucket' : 'files',
    secrets_keys: {
      ids: keys.map(({ key }) => idOfKey(key, seal_info)),
      are_included: keys.length > 0 && keys.every(({ is_file }) => is_file),
    },
  }
  const progress = openProgress(shell)
  let bytes = 0
  async function* parts(): AsyncGenerator<Part> {
    for (const { name: table, columns } of tables)
      for await (const rows of db.copyOut(table, columns)) {
        bytes += rows.length
        progress.show(() => `Table ${table}: ${formatBytes(bytes)} in all`)
        yield { kind: 'rows', table, rows }
      }
    // The node to which a shard was moved has a snapshot from before, without the rows of the shard.
    if ((await listPlacements(pool)) !== placements)
      throw new SetupError('shards were moved meanwhile: back up again when that is done')
    // The commit ends the snapshot, so that the database can tidy up while files are copied.
    await db.script('commit')
    for (const { name, key, is_file } of keys) if (is_file) yield { kind: 'key', name, key }
    if (config.bucket) return
    for await (const recording of listRecordings(recordingsFolder(config), now + late_ms)) {
      bytes += recording.size
      progress.show(() => `Recordings: ${formatBytes(bytes)} in all`)
      yield recording
    }
  }
  const contents = await writeBackup(handle, manifest, parts(), { mtime_ms: now, signal })
  progress.clear()
  return { manifest, contents, of_others }
}

/** Lists the tables to back up, and the names of tables that no migration has created. */
export async function listBackedUp(db: Db): Promise<{ own: Table[]; of_others: string[] }> {
  const created = listCreated(migrations)
  const tables = (await listTables(db)).filter(({ name }) => !left_out.includes(name))
  return {
    own: tables.filter(({ name }) => created.has(name)),
    of_others: tables.flatMap(({ name }) => (created.has(name) ? [] : name)),
  }
}

/**
 * Lists recordings. Files that are removed meanwhile are left out. Temporary files have names that begin with a dot.
 */
export async function* listRecordings(
  folder: string,
  until_ms: number,
  prefix = '',
): AsyncGenerator<Part & { kind: 'recording' }> {
  const names = await fs.readdir(path.join(folder, prefix), { withFileTypes: true }).catch(ifMissing([]))
  for (const entry of names) {
    const key = `${prefix}${entry.name}`
    if (entry.name.startsWith('.')) continue
    if (entry.isDirectory()) yield* listRecordings(folder, until_ms, `${key}/`)
    if (!entry.isFile()) continue
    const opened = await fs.open(path.join(folder, key)).catch(ifMissing(undefined))
    if (!opened) continue
    try {
      const { size, mtimeMs } = await opened.stat()
      if (mtimeMs <= until_ms) yield { kind: 'recording', key, size, content: contentOf(opened) }
    } finally {
      await opened.close()
    }
  }
}

async function* contentOf(handle: fs.FileHandle): AsyncGenerator<Buffer> {
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(read_bytes))
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

const ifMissing =
  <T>(otherwise: T) =>
  (error: unknown): T => {
    if (errorCode(error) !== 'ENOENT') throw error
    return otherwise
  }

function describe(
  file: string,
  bytes: number,
  config: Config,
  { manifest: { created_at, recordings, secrets_keys }, contents, of_others }: WrittenBackup,
): Answer {
  const rows = contents.tables.reduce((sum, table) => sum + table.rows, 0)
  const { files } = contents.recordings
  const lines = [
    `Backed up ${counted(rows, 'row', 'rows')} of ${contents.tables.length} tables to ${file} (${formatBytes(bytes)}).`,
    recordings === 'bucket'
      ? 'The recordings are in the bucket and not part of the backup.'
      : `It has ${counted(files, 'recording', 'recordings')}, from ${recordingsFolder(config)}.`,
    secrets_keys.are_included
      ? 'It has the key that encrypts stored secrets: keep the file as safe as the installation itself.'
      : secrets_keys.ids.length > 0
        ? 'It does not have SECRETS_KEY: store that key with the backup, which is of little use without it.'
        : 'There is no secrets key yet.',
    ...(of_others.length > 0
      ? [
          `${counted(of_others.length, 'table', 'tables')} of others in the same schema ${of_others.length === 1 ? 'is' : 'are'} not part of it: ${of_others.join(', ')}.`,
        ]
      : []),
  ]
  const data = {
    file,
    bytes,
    created_at,
    tables: contents.tables.map(({ name, rows }) => ({ name, rows })),
    recordings: recordings === 'bucket' ? null : files,
    has_secrets_key: secrets_keys.are_included,
  }
  return { data: { backup: data }, text: lines.join('\n') }
}
