import fs from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { csvLine } from '../../server/kit/csv.ts'
import { copyLine } from '../../server/kit/postgres/copy.ts'
import { chunksOf } from '../chunks.ts'
import { type Person, people, toCopyCells } from '../scale/people.ts'

export const text_columns = ['workspace_id', 'id', 'created_at', 'text']
export const tag_columns = ['workspace_id', 'tag', 'created_at', 'id']
const csv_columns = ['Phone', 'First Name', 'Last Name', 'E-Mail', 'Company', 'Notes', 'Tags']

/** Writes the same people as files for COPY and as CSV. */
export async function writePeople(
  folder: string,
  { count, seed, workspace_id }: { count: number; seed: number; workspace_id: string },
) {
  const at = (name: string) => path.join(folder, name)
  const files = { copy: at('people.copy'), texts: at('texts.copy'), tags: at('tags.copy'), csv: at('people.csv') }
  const write = (file: string, toLine: (person: Person) => string) =>
    pipeline(Readable.from(chunksOf(mapped(people(count, seed), toLine))), fs.createWriteStream(file))
  await write(files.copy, (person) => copyLine(toCopyCells(workspace_id, person)))
  await write(files.texts, ({ id, created_at, search_text }) => copyLine([workspace_id, id, created_at, search_text]))
  await write(files.tags, ({ id, created_at, normalized_tags }) =>
    normalized_tags.map((tag) => copyLine([workspace_id, tag, created_at, id])).join(''),
  )
  const csv_lines = mapped(people(count, seed), toCsvLine)
  await pipeline(Readable.from(chunksOf([csvLine(csv_columns)], csv_lines)), fs.createWriteStream(files.csv))
  return files
}

function* mapped<In>(values: Iterable<In>, map: (value: In) => string): Generator<string> {
  for (const value of values) yield map(value)
}

const toCsvLine = ({ phone_number, first_name, last_name, email, company, notes, tags }: Person): string =>
  csvLine([phone_number, first_name, last_name, email, company, notes, tags.join('|')])
