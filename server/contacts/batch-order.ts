import type { At } from '../kit/at.ts'
import { sql } from '../kit/postgres/sql.ts'
import { idsByNumber } from './store.ts'

/** The contact that one operation of a batch is about, by its id or by its phone number. */
interface NamedContact {
  id?: string | undefined
  phone_number?: string | undefined
  /** Whether the operation gives a contact another phone number, which others of the batch may be about. */
  renames: boolean
}

/**
 * Locks the contacts that the operations are about, in the order of their ids. Returns the order to run the operations in: those
 * that create contacts by their phone numbers, and all others as they are. So transactions that share contacts wait for each other
 * instead of deadlocking.
 */
export async function arrange(at: At, operations: NamedContact[]): Promise<number[]> {
  const { db, workspace } = at
  const numbers = operations.flatMap(({ phone_number }) => phone_number ?? [])
  const holders = await idsByNumber(at, [...new Set(numbers)])
  const ids = new Set([...operations.flatMap(({ id }) => id ?? []), ...holders.values()])
  // The fields, which may be long, are not read.
  await db.run(
    sql`select from contacts where workspace_id = ${workspace} and id = any(${[...ids]}::uuid[]) order by id for update`,
  )
  const order = [...operations.keys()]
  if (operations.some(({ renames }) => renames)) return order
  const numberOf = (index: number): string => operations[index]?.phone_number ?? ''
  const isNew = (index: number): boolean => numberOf(index) !== '' && !holders.has(numberOf(index))
  const sorted = order
    .filter(isNew)
    .sort((left, right) => Number(numberOf(left) > numberOf(right)) - Number(numberOf(left) < numberOf(right)))
  return order.map((index) => (isNew(index) ? (sorted.shift() ?? index) : index))
}
