/**
 * Stops the PostgreSQL that a killed server has left running, unless another process uses it by now. The launcher runs
 * this file when it starts no new server: node stop.ts DATA_DIR
 */
import { realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { tryLock } from './lock.ts'
import { findPostmaster } from './pid-file.ts'
import { stopPostmaster } from './postmaster.ts'
import { programs } from './programs.ts'
import { postgresUser } from './user.ts'

const checkout = resolve(import.meta.dirname, '../../../..')
const data_dir = realpathSync(process.argv[2] ?? '')
const cluster = join(data_dir, 'postgres')
const lock = tryLock(join(data_dir, 'lock'), 'command')
const postmaster = lock && findPostmaster(cluster)
if (postmaster) {
  const user = postgresUser()
  await stopPostmaster(postmaster, { ...programs(checkout, user), data_dir, cluster, user })
}
lock?.release()
