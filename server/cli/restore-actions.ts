import fs from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { isBackupFromBefore, removed_tables } from '../before-first-release.ts'
import { type Config, readConfig } from '../config.ts'
import { type Database, migrations } from '../database.ts'
import type { Service } from '../kit/at.ts'
import { idOfKey } from '../kit/crypto/seal.ts'
import { changeOneShardAtATime } from '../kit/postgres/citus/settings.ts'
import { addTenants } from '../kit/postgres/citus/tenants.ts'
import { SetupError } from '../kit/postgres/embedded/embedded.ts'
import { isUnavailable } from '../kit/postgres/errors.ts'
import { describeMigrations } from '../kit/postgres/migrate.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { quoteName } from '../kit/postgres/sql.ts'
import { analyzeTables, countRows, hasRows } from '../kit/postgres/tables.ts'
import { errorMessage, Problem } from '../kit/problem.ts'
import { counted } from '../kit/text.ts'
import { seal_info, version } from '../product.ts'
import { recordingsFolder, sealFor } from '../service.ts'
import { key_files, readSecretsKeys, writeKeyFile } from '../start/secrets-key.ts'
import { consoleOf, type Shell } from '../start/shell.ts'
import { all_workspaces } from '../workspaces/store.ts'
import { listBackedUp, listRecordings } from './backup-actions.ts'
import { type Contents, type Manifest, type Part, readBackup, readManifest } from './backup-file.ts'
import { CanceledError } from './command.ts'
import { describeErasures, type ErasedAgain, queueErasures, readErasures, runErasures } from './erasures-actions.ts'
import { formatBytes, openProgress } from './progress.ts'
import type { Answer } from './run.ts'
import { stopSignal } from './stop-signal.ts'

type Restore = (service: Service, shell: Shell, database: Database) => Promise<Answer | undefined>

/** Checks everything that can be checked before the database is opened or created. Returns what restores into it. */
export async function openRestore(
  shell: Shell,
  file: string,
  { erasures: erasures_file }: { erasures?: string } = {},
): Promise<Restore> {
  const config = readConfig(shell.env)
  const folder = recordingsFolder(config)
  const left = config.bucket ? 0 : await countRecordings(folder)
  const signal = stopSignal(shell)
  const progress = openProgress(shell)
  /** Reads all of the file, which fails if it is damaged. */
  const read = async (verb: string, take: (part: Part) => Promise<void>): Promise<Contents> => {
    let bytes = 0
    const contents = await readBackup(file, async (part) => {
      if (signal.aborted) {
        consoleOf(shell).error('Stopped: nothing was restored.')
        throw new CanceledError()
      }
      bytes += part.kind === 'rows' ? part.rows.length : part.kind === 'recording' ? part.size : 0
      progress.show(
        () => `${verb} ${part.kind === 'rows' ? `table ${part.table}` : 'files'}: ${formatBytes(bytes)} in all`,
      )
      await take(part)
    }).finally(progress.clear)
    return contents
  }
  let known = 0
  const checked = await read('Checking', async (part) => {
    if (left > 0 && part.kind === 'recording' && (await exists(path.join(folder, part.key)))) known += 1
  })
  // The release is checked after the file, because a damaged file could seem to be of another release.
  const manifest = toThisRelease(file, await readManifest(file), checked)
  const key_source = checkKeys(file, manifest, config)
  const backed_up_at = manifest.created_at
  const erasures = erasures_file === undefined ? undefined : await readErasures(erasures_file, { backed_up_at })
  // Recordings of the backup may be there: a restore that was killed has left them, or the old service has the same
  // folder.
  if (known < left)
    throw new SetupError(
      `DATA_DIR is not empty: ${folder} has ${counted(left - known, 'recording that is', 'recordings that are')} not in the backup: make a new backup, or set DATA_DIR to another folder`,
    )
  return async (service, shell, { name }) => {
    const undo = newUndo()
    try {
      const target = { manifest, config, key_source, undo, has_recordings: left > 0 }
      let queued = 0
      const { contents, opened } = await restoreInto(service, target, {
        read: (take) => read('Restoring', take),
        beforeCommit: async (opened, db) => {
          if (erasures) queued = await queueErasures(opened, db, { erasures, backed_up_at })
        },
      })
      await analyze(service, shell, manifest)
      const erased = erasures && {
        count: queued,
        // A failure is only reported, because everything is restored, and the service goes on with the erasures.
        left: await runErasures(opened, erasures, signal).catch((error: unknown) => {
          consoleOf(shell).error(`erasing has failed: ${errorMessage(error)}`)
          return queued
        }),
        exported_at: erasures.exported_at,
      }
      return describe(name, manifest, contents, erased)
    } catch (error) {
      for (const name of undo.keys) await fs.rm(path.join(config.data_dir, name), { force: true })
      if (undo.recordings) await removeRecordings(service, file)
      throw isUnavailable(error) ? new SetupError(`the database is not available: ${errorMessage(error)}`) : error
    }
  }
}

/** Refuses a backup of another release. One from before the first release has further tables, which are left out. */
function toThisRelease(file: string, manifest: Manifest, { tables }: Contents): Manifest {
  const own = describeMigrations(migrations)
  if (manifest.version === version && manifest.migrations.sha256 === own.sha256) return manifest
  if (isBackupFromBefore(manifest)) {
    if (tables.some(({ name, rows }) => rows > 0 && removed_tables.includes(name)))
      throw new SetupError(
        `${file} was made before all analytics were counted: let the service that made it run for an hour, and back up again`,
      )
    return { ...manifest, tables: manifest.tables.filter(({ name }) => !removed_tables.includes(name)) }
  }
  const [made, here] = [`${manifest.version} (${manifest.migrations.last})`, `${version} (${own.last})`]
  throw new SetupError(
    `${file} was made by release ${made}, and this is ${here}: restore it with the release that made it`,
  )
}

/** Returns the source of the keys. Refuses keys with which stored secrets can't be opened. */
function checkKeys(file: string, { secrets_keys }: Manifest, config: Config): 'backup' | 'settings' {
  const { ids, are_included } = secrets_keys
  const { secrets_key, secrets_key_previous } = readSecretsKeys(config)
  const given = [secrets_key, secrets_key_previous].flatMap((key) => (key === undefined ? [] : idOfKey(key, seal_info)))
  const missing = ids.findIndex((id) => !given.includes(id))
  if (missing < 0) return 'settings'
  const are_set = config.secrets_key !== undefined || config.secrets_key_previous !== undefined
  // A restore that was killed may have left one of two keys.
  if (are_included && !config.database_url && !are_set && given.every((id) => ids.includes(id))) return 'backup'
  if (secrets_key !== undefined && config.secrets_key === undefined)
    throw new SetupError(
      `DATA_DIR ${config.data_dir} is not empty: it has the ${key_files.secrets_key} of another installation`,
    )
  const setting = missing === 0 ? 'SECRETS_KEY' : 'SECRETS_KEY_PREVIOUS'
  const name = missing === 0 ? key_files.secrets_key : key_files.secrets_key_previous
  const hint = are_included
    ? `the backup has it: tar --zstd -xOf ${file} ${name} prints it`
    : `its id is ${ids[missing]}`
  throw new SetupError(
    `${setting} must be the key that the backup was made with, else its secrets can't be read; ${hint}`,
  )
}

async function countRecordings(folder: string): Promise<number> {
  let count = 0
  for await (const _recording of listRecordings(folder, Number.POSITIVE_INFINITY)) count += 1
  return count
}

const exists = (file: string): Promise<boolean> =>
  fs.lstat(file).then(
    (found) => found.isFile(),
    () => false,
  )

interface Target {
  manifest: Manifest
  config: Config
  key_source: 'backup' | 'settings'
  undo: Undo
  /** Whether some recordings of the backup are there already. */
  has_recordings: boolean
}

/** The files that a failed restore removes again. */
interface Undo {
  keys: string[]
  /** Whether the recordings of the backup are removed. */
  recordings: boolean
}

const newUndo = (): Undo => ({ keys: [], recordings: false })

/** Restores a backup. Rows are committed last, after everything has been read and counted. */
function restoreInto(
  service: Service,
  { manifest, config, key_source, undo, has_recordings }: Target,
  {
    read,
    beforeCommit,
  }: {
    read: (take: (part: Part) => Promise<void>) => Promise<Contents>
    beforeCommit: (opened: Service, db: Db) => Promise<void>
  },
): Promise<{ contents: Contents; opened: Service }> {
  const { pool, tools } = service
  const columns = new Map(manifest.tables.map((table) => [table.name, table.columns.map(quoteName)]))
  return pool.session(async (db) => {
    await checkTables(db, manifest)
    await begin(db, [...columns.keys()])
    const contents = await read(async (part) => {
      if (part.kind === 'rows') await db.copy(quoteName(part.table), columns.get(part.table) ?? [], part.rows)
      if (part.kind === 'recording') {
        // Recordings that may have been there before are not removed after a failure.
        if (!config.bucket && !has_recordings) undo.recordings = true
        await storeRecording(tools, part)
      }
      if (part.kind === 'key' && key_source === 'backup') {
        // The name comes from the file, so it is checked.
        if (!Object.values(key_files).includes(part.name)) throw new SetupError(`there is no key ${part.name}`)
        undo.keys.push(part.name)
        writeKeyFile(config, part.name, part.key)
      }
    })
    for (const { name, rows } of contents.tables.filter(({ name }) => columns.has(name))) {
      const found = await countRows(db, name)
      if (found !== rows) throw new Error(`the table ${name} has ${found} rows instead of ${rows}`)
    }
    // A version from before the first release may have added workspaces without tenants.
    if (isBackupFromBefore(manifest)) await addTenants(db, all_workspaces)
    // The secrets are opened with the keys of the backup, if these were restored.
    const opened = { ...service, tools: { ...tools, seal: sealFor({ ...config, ...readSecretsKeys(config) }) } }
    await beforeCommit(opened, db)
    // The files stay from now on: if the connection is lost during the commit, the rows may be there, and need them.
    Object.assign(undo, newUndo())
    await db.script('commit')
    return { contents, opened }
  })
}

/** Checks that the target has the tables of the backup. A newer version may have migrated it. */
async function checkTables(db: Db, { tables }: Manifest): Promise<void> {
  const own = new Map((await listBackedUp(db)).own.map(({ name, columns }) => [name, columns]))
  const unknown = tables.find(({ name, columns }) => own.get(name)?.toSorted().join() !== columns.toSorted().join())
  if (unknown ?? own.size !== tables.length)
    throw new SetupError(`the database has other tables than the backup${unknown ? `, such as ${unknown.name}` : ''}`)
}

/**
 * Locks the tables, so that a service that is started meanwhile can't write, and the tables stay as empty as they are.
 */
async function begin(db: Db, tables: string[]): Promise<void> {
  await db.script('begin')
  await db.script('set local statement_timeout = 0')
  await db.script('set local idle_in_transaction_session_timeout = 0')
  await changeOneShardAtATime(db)
  await db.script(`lock table ${tables.map(quoteName).join(', ')} in exclusive mode`)
  for (const table of tables)
    if (await hasRows(db, table)) throw new SetupError('the database is not empty: use another')
}

/** Lets PostgreSQL know the new rows. Plans of statements are bad until then. */
async function analyze({ pool }: Service, shell: Shell, { tables }: Manifest): Promise<void> {
  const names = tables.map(({ name }) => name)
  // A failure is only reported: everything is restored, and PostgreSQL analyzes by itself some time later.
  await analyzeTables(pool, names).catch((error: unknown) =>
    consoleOf(shell).error(`analyze has failed: ${errorMessage(error)}`),
  )
}

/** Removes only the recordings of the backup, because another service may use the folder by mistake. */
const removeRecordings = ({ tools }: Service, file: string): Promise<unknown> =>
  readBackup(file, async (part) => {
    if (part.kind === 'recording') await tools.blobs.remove(part.key)
    // Errors are ignored, because the error with which the restore has failed is reported.
  }).catch(() => {})

async function storeRecording({ blobs }: Service['tools'], { key, size, content }: Part & { kind: 'recording' }) {
  await blobs.put(key, { size, stream: Readable.from(content, { objectMode: false }) }).catch((error: unknown) => {
    const cause = error instanceof Problem ? error.cause : error
    throw new SetupError(`a recording can't be written: ${errorMessage(cause)}`)
  })
}

function describe(
  name: string,
  { created_at, recordings, tables }: Manifest,
  contents: Contents,
  erased: ErasedAgain | undefined,
): Answer {
  const restored = contents.tables.filter((table) => tables.some(({ name }) => name === table.name))
  const rows = restored.reduce((sum, table) => sum + table.rows, 0)
  const { files } = contents.recordings
  const lines = [
    `Restored ${counted(rows, 'row', 'rows')} of ${restored.length} tables into ${name}, as they were at ${created_at}.`,
    recordings === 'bucket'
      ? 'The recordings are in the bucket of the old service: set BLOB_URL to it.'
      : `Restored ${counted(files, 'recording', 'recordings')}.`,
    ...describeErasures(created_at, erased),
    'Stop the old service before you start this one: both would do the same work.',
  ]
  const data = {
    created_at,
    tables: restored.map(({ name, rows }) => ({ name, rows })),
    recordings: recordings === 'bucket' ? null : files,
    erased: erased ? { persons: erased.count, unfinished: erased.left, until: erased.exported_at } : null,
  }
  return { data: { restored: data }, text: lines.join('\n') }
}
