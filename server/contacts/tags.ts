const separators = ',;|'

/**
 * Tags as one text, such as the cell of a file: separated by `; `. One that holds a separator, or begins with a double quote, stands in double
 * quotes, with those inside doubled.
 */
export const writeTags = (tags: string[]): string =>
  tags.map((tag) => (/^"|[,;|]/.test(tag) ? `"${tag.replaceAll('"', '""')}"` : tag)).join('; ')

/** Reads that, and lists as people write them: a quote that is not closed before the next separator is a sign like any other. */
export function readTags(text: string): string[] {
  const tags: string[] = []
  for (let at = 0; at < text.length; ) {
    const { tag, end } = quotedTag(text, at) ?? plainTag(text, at)
    if (tag !== '') tags.push(tag)
    at = end + 1
  }
  return tags
}

interface Read {
  tag: string
  /** Where the separator after it stands, or the text ends. */
  end: number
}

function plainTag(text: string, from: number): Read {
  let end = from
  while (end < text.length && !separators.includes(text.charAt(end))) end += 1
  return { tag: text.slice(from, end).trim(), end }
}

function quotedTag(text: string, from: number): Read | undefined {
  const opening = afterBlanks(text, from)
  if (text[opening] !== '"') return undefined
  let closing = text.indexOf('"', opening + 1)
  while (closing !== -1 && text[closing + 1] === '"') closing = text.indexOf('"', closing + 2)
  if (closing === -1) return undefined
  const end = afterBlanks(text, closing + 1)
  if (end < text.length && !separators.includes(text.charAt(end))) return undefined
  return {
    tag: text
      .slice(opening + 1, closing)
      .replaceAll('""', '"')
      .trim(),
    end,
  }
}

function afterBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charAt(at).trim() === '') at += 1
  return at
}
