import fs from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { csvLine } from '../../server/kit/csv.ts'
import { type Person, people } from '../scale/people.ts'

export const copy_columns = [
  ...['workspace_id', 'id', 'phone_number', 'first_name', 'last_name', 'email', 'company', 'notes', 'tags', 'source'],
  ...['created_at', 'updated_at'],
]
const chunk_length = 64 * 1024
const csv_columns = ['Phone', 'First Name', 'Last Name', 'E-Mail', 'Company', 'Notes', 'Tags']

/** The same people as COPY reads them and as CSV. */
export async function writePeople(folder: string, count: number, seed: number, workspace_id: string) {
  const files = { copy: path.join(folder, 'people.copy'), csv: path.join(folder, 'people.csv') }
  const copy_lines = mapped(people(count, seed), (person) => copyLine(workspace_id, person))
  await pipeline(Readable.from(chunksOf(copy_lines)), fs.createWriteStream(files.copy))
  const csv_lines = mapped(people(count, seed), lineOf)
  await pipeline(Readable.from(chunksOf([csvLine(csv_columns)], csv_lines)), fs.createWriteStream(files.csv))
  return files
}

function* mapped<In>(values: Iterable<In>, map: (value: In) => string): Generator<string> {
  for (const value of values) yield map(value)
}

function* chunksOf(...all: Iterable<string>[]): Generator<string> {
  let chunk = ''
  for (const lines of all) {
    for (const line of lines) {
      chunk += line
      if (chunk.length < chunk_length) continue
      yield chunk
      chunk = ''
    }
  }
  yield chunk
}

function copyLine(workspace_id: string, person: Person): string {
  const { id, phone_number, first_name, last_name, email, company, notes, tags, created_at } = person
  const list = `{${tags.map((tag) => `"${tag}"`).join(',')}}`
  const cells = [workspace_id, id, phone_number, first_name, last_name, email, company, notes, list, 'import']
  return `${[...cells, created_at, created_at].map((cell) => cell ?? '\\N').join('\t')}\n`
}

const lineOf = ({ phone_number, first_name, last_name, email, company, notes, tags }: Person): string =>
  csvLine([phone_number, first_name, last_name, email, company, notes, tags.join('|')])
