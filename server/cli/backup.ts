import type { Shell } from '../start/shell.ts'
import type { Command } from './command.ts'
import type { Run } from './run.ts'

const backup_note = `
It runs beside the service. All rows are those of one moment; in a sharded database those of each workspace are.

FILE is a tar archive, compressed with zstd, that only you can read: it also holds the key that encrypts stored secrets,
if that key is a file in DATA_DIR. Keep it as safe as the installation itself.

Recordings in a bucket (BLOB_URL), offline speech and environment variables are not part of it. If SECRETS_KEY is set,
store it with the backup.`

const restore_note = `
FILE is checked first. The release must be the one that has made it, or FILE must be from the last version before the
first release. DATA_DIR or DATABASE_URL must be empty. To move to a database of your own, back up without DATABASE_URL
and restore with it. SECRETS_KEY must then be the key of the
backup.

A backup also has persons who were erased since. --erasures FILE erases them again; parley erasures export > FILE
prints what it needs, and must be newer than the backup.

Stop the old service before you start the restored one: both would do the same work.`

const loadActions = () => import('./backup-actions.ts')
const loadRestore = () => import('./restore-actions.ts')

export function addBackupCommand(program: Command, run: Run): void {
  program
    .command('backup')
    .description('Write everything into one file')
    .argument('<file>', 'The file to create')
    .option('--force', 'Replace the file if it exists')
    .addHelpText('after', backup_note)
    .action((file: string, options: { force?: boolean }) =>
      run(async (service, shell) => (await loadActions()).backUp(service, shell, file, options)),
    )
}

export function addRestoreCommand(program: Command, run: Run, shell: Shell): void {
  program
    .command('restore')
    .description('Restore a backup into an empty DATA_DIR or database')
    .argument('<file>', 'The file that backup has created')
    .option('--erasures <file>', 'Erase again who was erased since: what erasures export has printed')
    .addHelpText('after', restore_note)
    .action(async (file: string, options: { erasures?: string }) => {
      const { openRestore } = await loadRestore()
      const restore = await openRestore(shell, file, options)
      await run(restore, { may_create: true, must_be_empty: true })
    })
}
