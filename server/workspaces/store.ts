import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { sql } from '../kit/postgres/sql.ts'

export interface Workspace {
  id: string
  name: string
  created_at: string
}

/** The workspace that the first start makes. */
export const default_name = 'Default'

/** Undefined when the name is taken. */
export function create(db: Db, name: string, now: number): Promise<Workspace | undefined> {
  return db.maybe<Workspace>(
    sql`insert into workspaces (id, name, created_at) values (${newId()}, ${name}, ${clock.iso(now)})
      on conflict (name) do nothing returning id, name, created_at`,
  )
}

/** Fails on a name that is taken as the constraint says. */
export const rename = (db: Db, id: string, name: string): Promise<Workspace> =>
  db.one<Workspace>(sql`update workspaces set name = ${name} where id = ${id} returning id, name, created_at`)

/** Until the end of the transaction, who holds it too waits: for what is counted before one more is made. */
export const hold = (db: Db, id: string): Promise<number> =>
  db.run(sql`select from workspaces where id = ${id} for no key update`)

export const find = (db: Db, name: string): Promise<Workspace | undefined> =>
  db.maybe<Workspace>(sql`select id, name, created_at from workspaces where name = ${name}`)

export const list = (db: Db): Promise<Workspace[]> =>
  db.many<Workspace>(sql`select id, name, created_at from workspaces order by created_at, id`)
