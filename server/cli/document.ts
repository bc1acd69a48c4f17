import type { Ask } from './ask.ts'
import type { Command } from './command.ts'
import type { AddOptions } from './document-actions.ts'

const loadActions = () => import('./document-actions.ts')

interface InWorkspace {
  workspace?: string
}

const as = ({ workspace }: InWorkspace) => ({
  workspace,
  command: 'document',
  scopes: ['documents:read', 'documents:write', 'workspace:read'],
})

export function addDocumentCommands(program: Command, ask: Ask): void {
  const group = program
    .command('document')
    .summary('What agents can look up')
    .description('Add, list, search and delete documents, through the API of the running service')
  const add = (name: string, description: string) =>
    group
      .command(name)
      .description(description)
      .option(
        '--workspace <name>',
        'The workspace of the documents (default: PARLEY_WORKSPACE, or that of the login, or the oldest one)',
      )
  const collect = (tag: string, tags: string[] = []): string[] => [...tags, tag]
  add('add', 'Add a file or a page, and wait until it was read')
    .argument('<file>', 'A file (text, Markdown, HTML, PDF, Word or CSV), a URL, or - for Markdown on standard input')
    .option('--name <name>', 'Its name (default: that of the file, or the URL)')
    .option('--language <tag>', 'Its language, such as de (default: en)')
    .option('--tag <tag>', 'A tag; can be repeated', collect)
    .action((file: string, options: InWorkspace & AddOptions) =>
      ask(as(options), async (target) => (await loadActions()).addDocument(target, file, options)),
    )
  add('list', 'List documents').action((options: InWorkspace) =>
    ask(as(options), async (target) => (await loadActions()).listDocuments(target)),
  )
  add('search', 'Show what an agent would find')
    .argument('<words...>', 'A question')
    .option('--tag <tag>', 'Only documents with this tag; can be repeated', collect)
    .action((words: string[], options: InWorkspace & { tag?: string[] }) =>
      ask(as(options), async (target) => (await loadActions()).searchDocuments(target, words.join(' '), options)),
    )
  add('delete', 'Delete a document')
    .argument('<document>', 'The name or the id of the document')
    .action((name: string, options: InWorkspace) =>
      ask(as(options), async (target) => (await loadActions()).deleteDocument(target, name)),
    )
}
