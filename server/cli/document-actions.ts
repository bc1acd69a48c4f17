import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Document } from '../../sdk/src/index.ts'
import { Problem } from '../kit/problem.ts'
import { counted } from '../kit/text.ts'
import { takeFirst } from './api-client.ts'
import type { Target } from './ask.ts'
import { UsageError } from './command.ts'
import { findByName } from './find-by-name.ts'
import { formatBytes, openProgress } from './progress.ts'
import { type Answer, formatTable } from './run.ts'

export interface AddOptions {
  name?: string
  language?: string
  tag?: string[]
}

/** A workspace has at most this many documents. */
const documents_max = 1_000
const poll_ms = 300
const shown_length_max = 300

export async function addDocument(target: Target, file: string, options: AddOptions): Promise<Answer> {
  const { api, shell } = target
  const { name, language, tag: tags } = options
  const given = {
    ...(name !== undefined && { name }),
    ...(language !== undefined && { language }),
    ...(tags && { tags }),
  }
  const created = /^https?:\/\//.test(file)
    ? await api.documents.create({ url: file, ...given })
    : await api.documents.create({ file: readFile(file), options: given })
  const progress = openProgress(shell)
  let document = created
  while (document.status === 'processing') {
    progress.show(() => `Reading "${created.name}"...`)
    await sleep(poll_ms)
    document = await api.documents.get(created.id)
  }
  progress.clear()
  if (document.status === 'failed')
    throw new Problem('INVALID_STATE', `"${document.name}" could not be read. ${document.error}`)
  const { passages, characters } = document
  return {
    data: { document },
    text: `"${document.name}" ${document.id} has ${counted(characters, 'character', 'characters')} in ${counted(passages, 'passage', 'passages')}.`,
  }
}

const nameOf = (file: string): string => (file === '-' ? 'stdin.md' : path.basename(file))

function readFile(file: string): File {
  try {
    return new File([fs.readFileSync(file === '-' ? 0 : file)], nameOf(file))
  } catch (error) {
    throw new UsageError(`${file} could not be read: ${Object(error).code ?? error}`)
  }
}

const listAll = ({ api }: Target): Promise<Document[]> => takeFirst(api.documents.list(), documents_max)

export async function listDocuments(target: Target): Promise<Answer> {
  const documents = await listAll(target)
  const rows = documents.map(({ id, name, status, source, passages, bytes, tags, error }) => [
    id,
    name,
    status,
    source,
    String(passages),
    formatBytes(bytes),
    tags.join(', '),
    error ?? '',
  ])
  const header = ['ID', 'NAME', 'STATUS', 'SOURCE', 'PASSAGES', 'SIZE', 'TAGS', 'ERROR']
  return { data: { documents }, text: formatTable(header, rows) }
}

export async function searchDocuments(
  { api }: Target,
  query: string,
  { tag: tags }: { tag?: string[] },
): Promise<Answer> {
  const found = await api.documents.search({ query, ...(tags && { tags: tags.join(',') }) })
  const passages = found.passages.map(({ title, heading, text, score }) => {
    const where = [title, heading].filter((part) => part !== '').join(' › ')
    const shown = text.length > shown_length_max ? `${text.slice(0, shown_length_max)}...` : text
    return `${score.toFixed(2)}  ${where}\n${shown.replace(/^/gm, '      ')}`
  })
  return { data: found, text: passages.length > 0 ? passages.join('\n\n') : 'Nothing was found.' }
}

export async function deleteDocument(target: Target, wanted: string): Promise<Answer> {
  const { id, name } = findByName(await listAll(target), wanted, 'document', target.workspace)
  await target.api.documents.delete(id)
  return { data: { deleted: id }, text: `Deleted "${name}" ${id}.` }
}
