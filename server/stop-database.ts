/**
 * Stops the PostgreSQL that a killed server left running, unless another process uses it. The launcher runs this file when
 * it doesn't restart the server: node stop-database.ts DATA_DIR
 */
import { realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { tryLock } from './kit/postgres/embedded/lock.ts'
import { findPostmaster } from './kit/postgres/embedded/pid-file.ts'
import { stopPostmaster } from './kit/postgres/embedded/postmaster.ts'
import { findPrograms } from './kit/postgres/embedded/programs.ts'
import { postgresUser } from './kit/postgres/embedded/user.ts'
import { product } from './product.ts'

const checkout = resolve(import.meta.dirname, '..')
const data_dir = realpathSync(process.argv[2] ?? '')
const cluster = join(data_dir, 'postgres')
const lock = tryLock(join(data_dir, 'lock'), 'command')
const postmaster = lock && findPostmaster(cluster)
if (postmaster) {
  const user = postgresUser()
  await stopPostmaster(postmaster, { ...findPrograms(checkout, product.short_name, user), data_dir, cluster, user })
}
lock?.release()
