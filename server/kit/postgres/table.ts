import type { InWorkspace } from '../at.ts'
import * as clock from '../clock.ts'
import { raw, rowsFrom, type Sql, sql } from './sql.ts'
import { selectRows } from './tenants.ts'

/** A table of a workspace, with the type of each column but `workspace_id`. What is written to it is made from these. */
export interface Table<Name extends string> {
  name: string
  columns: Record<Name, string>
}

/** A row with the values of all these columns. It may have others, which are not written. */
type RowWith<Name extends string> = { [column in Name]: unknown }

/** Inserts rows. A clause such as `on conflict` may follow. */
export function insertInto<Name extends string, Written extends Name>(
  { name, columns }: Table<Name>,
  at: InWorkspace,
  { names, rows }: { names: readonly Written[]; rows: readonly RowWith<NoInfer<Written>>[] },
): Sql {
  const list = raw(names.join(', '))
  return sql`insert into ${raw(name)} (workspace_id, ${list})
    ${selectRows(at, { columns: list, from: rowsFrom(rows, typesOf(columns, names)) })}`
}

/** Returns a function that changes columns of rows, which are found by their `id`. */
export const updaterOf =
  <Name extends string>({ name, columns }: Table<Name | 'id'>) =>
  async <Written extends Name, Kept extends Name = never>(
    { db, workspace }: InWorkspace,
    rows: readonly RowWith<NoInfer<Written | Kept> | 'id'>[],
    names: readonly Written[],
    /** Columns that stay as they are where the new value is null. */
    unless_null: readonly Kept[] = [],
  ): Promise<void> => {
    if (rows.length === 0) return
    const changes = [
      ...names.map((column) => `${column} = row.${column}`),
      ...unless_null.map((column) => `${column} = coalesce(row.${column}, ${name}.${column})`),
    ]
    await db.run(
      sql`update ${raw(name)} set ${raw(changes.join(', '))}
        from ${rowsFrom(rows, typesOf(columns, ['id', ...names, ...unless_null]))}
        where ${raw(name)}.workspace_id = ${workspace} and ${raw(name)}.id = row.id`,
    )
  }

/** Makes the new `updated_at`, as `clock.laterThan` does, in a statement that reads no row before. */
export const laterUpdate = (now: number): Sql =>
  sql`greatest((updated_at at time zone 'UTC' + interval '1 millisecond') at time zone 'UTC', ${clock.iso(now)})`

/** Members of an object, for a `select`. Those that have no column of their name are computed. */
export function selected<Name extends string, Member extends string>(
  { columns }: Table<Name>,
  { members, computed }: { members: readonly Member[]; computed: { [member in Exclude<Member, Name>]: string } },
): Sql {
  const expressions = new Map(Object.entries<string>(computed))
  const list = members.map((member) => (member in columns ? member : `${expressions.get(member)} as "${member}"`))
  return raw(list.join(', '))
}

const typesOf = <Name extends string>(columns: Record<Name, string>, names: readonly Name[]): string =>
  names.map((column) => `${column} ${columns[column]}`).join(', ')
