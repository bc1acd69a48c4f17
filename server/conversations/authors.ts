import type { At } from '../kit/at.ts'
import { readNames } from '../kit/postgres/names.ts'
import type { Turn } from './schema.ts'

/** Adds the names of people who have answered. Only their ids are stored. */
export async function withAuthors(at: At, turns: Turn[]): Promise<Turn[]> {
  const people = turns.map(({ author }) => author && { type: 'person', id: author.id })
  const withName = await readNames(at, people)
  return turns.map((turn) =>
    turn.author
      ? { ...turn, author: { id: turn.author.id, name: withName({ type: 'person', id: turn.author.id }).name } }
      : turn,
  )
}
