import type { Db } from '../../server/kit/postgres/pool.ts'

/** The same handle, with which the server sends the statements for a sharded database. Any PostgreSQL takes them. */
export function asSharded<Handle extends Db>(db: Handle): Handle {
  const tx: Db['tx'] = (work, options) => db.tx((inner) => work(asSharded(inner)), options)
  return { ...db, tx, isSharded: () => true }
}
