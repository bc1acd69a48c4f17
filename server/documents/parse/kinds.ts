const file_kinds = ['text', 'markdown', 'html', 'pdf', 'word', 'csv'] as const
export type FileKind = (typeof file_kinds)[number]

const kinds_by_extension: Record<string, FileKind> = {
  txt: 'text',
  text: 'text',
  log: 'text',
  md: 'markdown',
  markdown: 'markdown',
  mdx: 'markdown',
  htm: 'html',
  html: 'html',
  xhtml: 'html',
  pdf: 'pdf',
  docx: 'word',
  csv: 'csv',
  tsv: 'csv',
}

const kinds_by_type: Record<string, FileKind> = {
  'text/plain': 'text',
  'text/markdown': 'markdown',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'word',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
}

const supported = 'Supported are text, Markdown, HTML, PDF, Word (.docx) and CSV.'

interface FileHint {
  /** The first bytes of the file. */
  head: Buffer
  name: string | null
  /** The header `Content-Type`. */
  type?: string | undefined
}

/** Returns the kind of a file, or why it can't be read. */
export function kindOf({ head, name, type }: FileHint): FileKind | { refusal: string } {
  const start = head.toString('latin1')
  if (start.startsWith('\xd0\xcf\x11\xe0'))
    return {
      refusal:
        'This is an Office file of an old format, or one with a password. Save it as .docx without a password, and upload that.',
    }
  const extension = /\.([a-z0-9]{1,10})$/i.exec(name ?? '')?.[1]?.toLowerCase() ?? ''
  const by_name = kinds_by_extension[extension]
  const by_type = kinds_by_type[(type ?? '').split(';')[0]?.trim().toLowerCase() ?? '']
  // Other bytes may stand before the mark of a PDF, and a text may mention it.
  const is_called_pdf = by_name === 'pdf' || by_type === 'pdf'
  if (/^(\xef\xbb\xbf)?\s*%PDF-/.test(start) || (is_called_pdf && start.includes('%PDF-'))) return 'pdf'
  if (start.startsWith('PK\u0003\u0004'))
    return by_name === 'word' || by_type === 'word' || start.includes('[Content_Types].xml') || start.includes('word/')
      ? 'word'
      : { refusal: `This is an archive, not a document. ${supported}` }
  if (isBinary(head)) return { refusal: `This is not a document that can be read. ${supported}` }
  if (is_called_pdf || by_name === 'word' || by_type === 'word')
    return { refusal: `The file is damaged: it is no ${is_called_pdf ? 'PDF' : 'Word file'}.` }
  if (/^\s*(<!doctype html|<html|<head|<body)/i.test(start)) return 'html'
  return by_type ?? by_name ?? 'text'
}

/** Whether the file is no text. Texts have no NUL, except in UTF-16. */
function isBinary(head: Buffer): boolean {
  const is_utf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  return !is_utf16 && head.includes(0)
}
