import { type At, type InWorkspace, newHook, on, type Reaction } from '../at.ts'
import { type Sql, sql } from './sql.ts'

/** Something that was recorded by its id, so that its name is not stored. */
export interface Reference {
  type: string
  id: string | null
}

/** The name is null if the thing has none, or doesn't exist any more. */
export interface Named<R extends Reference = Reference> {
  type: R['type']
  id: R['id']
  name: string | null
}

interface Name {
  id: string
  name: string | null
}

/** Runs when names are read, with the ids by type. */
const naming = newHook<Map<string, string[]>, { type: string; found: Name[] }>('names.read')

/** A room says with this how things of its type are called. */
export const named = (type: string, read: (at: InWorkspace, ids: string[]) => Promise<Name[]>): Reaction =>
  on(naming, async (at, wanted) => {
    const ids = wanted.get(type)
    return { type, found: ids ? await read(at, ids) : [] }
  })

/** Reads names from a table of the workspace. */
export const namesIn =
  (table: Sql, name: Sql) =>
  ({ db, workspace }: InWorkspace, ids: string[]): Promise<Name[]> =>
    db.many<Name>(
      sql`select id, ${name} as name from ${table} where workspace_id = ${workspace} and id = any(${ids}::uuid[])`,
    )

/** Returns a function that adds names. It reads those of all references at once, in one statement for most types. */
export async function readNames(
  at: At,
  references: readonly (Reference | null)[],
): Promise<<R extends Reference>(reference: R) => Named<R>> {
  const wanted = new Map<string, Set<string>>()
  for (const reference of references) {
    if (!reference?.id) continue
    const ids = wanted.get(reference.type) ?? new Set()
    wanted.set(reference.type, ids.add(reference.id))
  }
  const lists = new Map([...wanted].map(([type, ids]) => [type, [...ids]]))
  const read = lists.size > 0 ? await at.hooks.run(at, naming, lists) : []
  const names = new Map(read.flatMap(({ type, found }) => found.map(({ id, name }) => [`${type} ${id}`, name])))
  return ({ type, id }) => ({ type, id, name: names.get(`${type} ${id}`) ?? null })
}
