import type { Static, TObject, TProperties } from 'typebox'
import type { InWorkspace } from '../at.ts'
import * as clock from '../clock.ts'
import { selectRows } from './citus/tenants.ts'
import type { Db } from './pool.ts'
import { raw, rowsFrom, Sql, type SqlOf, sql } from './sql.ts'

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

/** The members of rows that a `select` or `returning` lists. What it reads has this type. */
export class Selection<Row> extends Sql {
  declare readonly reads: SqlOf<Row>['reads']

  /** Reads rows. The rest of the statement begins with `from`. */
  many(db: Pick<Db, 'many'>, rest: Sql): Promise<Row[]> {
    return db.many<Row>(sql`select ${this} ${rest}`)
  }

  /** Reads one row, if there is one. */
  maybe(db: Pick<Db, 'maybe'>, rest: Sql): Promise<Row | undefined> {
    return db.maybe<Row>(sql`select ${this} ${rest}`)
  }

  /** Reads exactly one row. */
  one(db: Pick<Db, 'one'>, rest: Sql): Promise<Row> {
    return db.one<Row>(sql`select ${this} ${rest}`)
  }
}

/** The type of the rows that are read by a selection. */
export type RowOf<Selected> = Selected extends Selection<infer Row> ? Row : never

/** Returns a function that selects members of rows. Members that have no column of their name are computed. */
export function selectorOf<Row extends object, Name extends string>(
  { columns }: Table<Name>,
  computed: { [member in Exclude<keyof Row, Name>]: string },
) {
  const expressions = new Map(Object.entries<string>(computed))
  return <Member extends keyof Row & string>(members: readonly Member[]): Selection<Pick<Row, Member>> => {
    const list = members.map((member) => (member in columns ? member : `${expressions.get(member)} as "${member}"`))
    return new Selection([list.join(', ')], [])
  }
}

/** Selects a resource whose members all are columns of their name. */
export const columnsOf = <Properties extends TProperties>({
  properties,
}: TObject<Properties>): Selection<Static<TObject<Properties>>> =>
  new Selection([Object.keys(properties).join(', ')], [])

/** A column that clients don't see. Its name, its type, the type of its values and the first of them are said in one place. */
export interface Column<Value> {
  type: string
  /** The value of a new row that is given none. */
  initial: Value
}

export const column = <Value>(type: string, initial: Value): Column<Value> => ({ type, initial })

export const nullable = <Value>(type: string): Column<Value | null> => ({ type, initial: null })

type Columns = Record<string, Column<unknown>>

/** A row of columns. */
export type ValuesOf<Described extends Columns> = { [name in keyof Described]: Described[name]['initial'] }

/** The types of columns, as a table lists them. */
export const typesIn = <Described extends Columns>(described: Described): { [name in keyof Described]: string } =>
  mapColumns(described, ({ type }) => type)

/** A row with the initial value of each column. */
export const initialOf = <Described extends Columns>(described: Described): ValuesOf<Described> =>
  mapColumns(described, ({ initial }) => initial)

const mapColumns = <Described extends Columns, Result>(described: Described, map: (one: Column<unknown>) => unknown) =>
  // The cast is true, because each column gets a value.
  Object.fromEntries(Object.entries(described).map(([name, one]) => [name, map(one)])) as Result

const typesOf = <Name extends string>(columns: Record<Name, string>, names: readonly Name[]): string =>
  names.map((column) => `${column} ${columns[column]}`).join(', ')
