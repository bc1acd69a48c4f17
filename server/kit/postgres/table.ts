import { raw, rowsFrom, type Sql, sql } from './sql.ts'

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
  {
    workspace,
    names,
    rows,
  }: { workspace: string; names: readonly Written[]; rows: readonly RowWith<NoInfer<Written>>[] },
): Sql {
  const list = raw(names.join(', '))
  return sql`insert into ${raw(name)} (workspace_id, ${list}) select ${workspace}, ${list}
    from ${rowsFrom(rows, typesOf(columns, names))}`
}

/** Changes these columns of rows, which are found by their `id`. */
export function updateIn<Name extends string, Written extends Name>(
  { name, columns }: Table<Name | 'id'>,
  {
    workspace,
    names,
    rows,
  }: { workspace: string; names: readonly Written[]; rows: readonly RowWith<NoInfer<Written> | 'id'>[] },
): Sql {
  const changes = raw(names.map((column) => `${column} = row.${column}`).join(', '))
  return sql`update ${raw(name)} set ${changes} from ${rowsFrom(rows, typesOf(columns, ['id', ...names]))}
    where ${raw(name)}.workspace_id = ${workspace} and ${raw(name)}.id = row.id`
}

const typesOf = <Name extends string>(columns: Record<Name, string>, names: readonly Name[]): string =>
  names.map((column) => `${column} ${columns[column]}`).join(', ')
