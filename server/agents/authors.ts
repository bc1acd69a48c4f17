import type { At } from '../kit/at.ts'
import { readNames } from '../kit/postgres/names.ts'
import type { Author, NamedAuthor } from './schema.ts'

export const toStored = (author: Author | null): string =>
  JSON.stringify(author && { kind: author.kind, id: author.id })

interface AuthoredRow {
  created_by: NamedAuthor | null
}

/** Adds the names of the people and API keys that have made versions or deployments. */
export async function withAuthors<Row extends AuthoredRow>(at: At, rows: Row[]): Promise<Row[]> {
  const references = rows.map((row) => row.created_by && toReference(row.created_by))
  const withName = await readNames(at, references)
  return rows.map((row) => {
    const { created_by: author } = row
    return author ? { ...row, created_by: { ...author, name: withName(toReference(author)).name } } : row
  })
}

export const withAuthor = async <Row extends AuthoredRow>(at: At, row: Row): Promise<Row> =>
  (await withAuthors(at, [row]))[0] ?? row

const toReference = ({ kind, id }: Author) => ({ type: kind === 'person' ? 'person' : 'key', id })
