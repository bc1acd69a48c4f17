import fs from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')

export interface KnowledgeQuestion {
  question: string
  /** The name of the package in whose README the answer is. */
  document: string
  /** Words of the passage that has the answer. */
  answer: string
}

/** Documents that were not written for a search, and questions about them with known answers. */
export const knowledge: { packages: string[]; questions: KnowledgeQuestion[] } = JSON.parse(
  fs.readFileSync(path.join(root, 'bench/knowledge/questions.json'), 'utf8'),
)

export function readmeOf(name: string): string {
  const folder = path.join(root, 'node_modules', name)
  const file = fs.readdirSync(folder).find((each) => each.toLowerCase() === 'readme.md')
  return fs.readFileSync(path.join(folder, file ?? 'README.md'), 'utf8')
}
