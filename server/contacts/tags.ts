const separators = ',;|'

/**
 * Formats tags as one text, such as a CSV cell, separated by `; `. A tag that contains a separator or begins with a
 * double quote is quoted, and double quotes inside are doubled.
 */
export const formatTags = (tags: string[]): string =>
  tags.map((tag) => (/^"|[,;|]/.test(tag) ? `"${tag.replaceAll('"', '""')}"` : tag)).join('; ')

/** Parses what `formatTags` wrote, and lists as people write them: a quote without its closing quote is plain text. */
export function parseTags(text: string): string[] {
  const tags: string[] = []
  for (let start = 0; start < text.length; ) {
    const { tag, end } = parseQuotedTag(text, start) ?? parsePlainTag(text, start)
    if (tag !== '') tags.push(tag)
    start = end + 1
  }
  return tags
}

interface ParsedTag {
  tag: string
  /** The index of the separator after the tag, or the length of the text. */
  end: number
}

function parsePlainTag(text: string, start: number): ParsedTag {
  let end = start
  while (end < text.length && !separators.includes(text.charAt(end))) end += 1
  return { tag: text.slice(start, end).trim(), end }
}

/** Parses a quoted tag. Returns undefined if none starts here. */
function parseQuotedTag(text: string, start: number): ParsedTag | undefined {
  const opening = skipSpaces(text, start)
  if (text[opening] !== '"') return undefined
  let closing = text.indexOf('"', opening + 1)
  while (closing !== -1 && text[closing + 1] === '"') closing = text.indexOf('"', closing + 2)
  if (closing === -1) return undefined
  const end = skipSpaces(text, closing + 1)
  if (end < text.length && !separators.includes(text.charAt(end))) return undefined
  const quoted = text.slice(opening + 1, closing)
  return { tag: quoted.replaceAll('""', '"').trim(), end }
}

function skipSpaces(text: string, start: number): number {
  let index = start
  while (index < text.length && text.charAt(index).trim() === '') index += 1
  return index
}
