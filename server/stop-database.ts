/**
 * Stops the PostgreSQL that a killed server left running, unless another process uses it. The launcher runs this file when
 * it doesn't restart the server: node stop-database.ts DATA_DIR
 */
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { tryLock } from './kit/postgres/embedded/lock.ts'
import { findPostmaster } from './kit/postgres/embedded/pid-file.ts'
import { stopPostmaster } from './kit/postgres/embedded/postmaster.ts'

const data_dir = realpathSync(process.argv[2] ?? '')
const cluster = join(data_dir, 'postgres')
const lock = tryLock(join(data_dir, 'lock'), 'command')
const postmaster = lock && findPostmaster(cluster)
if (postmaster) await stopPostmaster(postmaster, cluster)
lock?.release()
