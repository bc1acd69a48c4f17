import { getDefaults, Lexer, type MarkedOptions, Parser } from 'marked'
import { Blocks } from './blocks.ts'
import { readHtml } from './html.ts'
import { readText } from './text.ts'

/**
 * A piece ends after the first length at the next place where nothing goes on, and after the second one at the next
 * line, or else anywhere.
 */
const piece_wanted = 32 * 1024
const piece_max = 256 * 1024
const definition = /^ {0,3}\[((?:[^\]\\\n]|\\.){1,999})\]: *\S/gm
const options: MarkedOptions<string, string> = { ...getDefaults(), async: false }

/**
 * Reads Markdown. It becomes HTML first, because it may contain HTML, and in pieces, because what `marked` makes of a
 * text is many times as large. Text that is nested too deep to be understood is read as plain text.
 */
export function readMarkdown(text: string): Blocks {
  const lines = text.replace(/\r\n?/g, '\n').replace(/^\ufeff?---\n[\s\S]{0,10000}?\n---\n/, '')
  const links = definedLinks(lines)
  const blocks = new Blocks()
  for (const piece of cutMarkdown(lines)) {
    const html = htmlOf(piece, links)
    if (html === undefined) for (const block of readText(piece).all) blocks.add(block)
    else readHtml(html, blocks)
  }
  return blocks
}

type Links = Lexer['tokens']['links']

/**
 * Finds the links that a text defines, because one may be defined in another piece. Only the text of a link is read, so
 * its address doesn't matter.
 */
function definedLinks(text: string): Links {
  const links: Links = Object.create(null)
  for (const [, label = ''] of text.matchAll(definition))
    links[label.toLowerCase().replace(/\s+/g, ' ')] = { href: '', title: null }
  return links
}

/** Converts a piece. Returns undefined if it is nested too deep. */
function htmlOf(piece: string, links: Links): string | undefined {
  try {
    const lexer = new Lexer<string, string>(options)
    lexer.tokens.links = Object.create(links)
    return Parser.parse<string, string>(lexer.lex(piece), options)
  } catch {
    return undefined
  }
}

/** The begin and end of HTML that goes on after empty lines. */
const long_html: [begin: RegExp, end: RegExp][] = [
  [/^ {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [/^ {0,3}<![a-z]/i, />/],
]

/** Cuts a text before lines that begin something new: after an empty line, not indented, outside of code and HTML. @internal */
export function* cutMarkdown(text: string): Generator<string> {
  let start = 0
  let is_after_empty = false
  let fence = ''
  let html_end: RegExp | undefined
  for (let at = 0; at < text.length; ) {
    const line_end = text.indexOf('\n', at)
    const next = line_end === -1 ? text.length : line_end + 1
    // A line that is longer than a piece is cut, too.
    const until = Math.min(next, at + piece_max)
    const line = text.slice(at, until)
    const is_new = is_after_empty && fence === '' && !html_end && /^\S/.test(line)
    if (at > start && at - start > (is_new ? piece_wanted : piece_max)) {
      yield text.slice(start, at)
      start = at
    }
    const [, mark = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)/.exec(line) ?? []
    if (html_end) html_end = html_end.test(line) ? undefined : html_end
    else if (fence !== '') fence = mark.startsWith(fence) && info.trim() === '' ? '' : fence
    else if (mark !== '' && !(mark.startsWith('`') && info.includes('`'))) fence = mark
    else html_end = long_html.find(([begin, end]) => begin.test(line) && !end.test(line))?.[1]
    is_after_empty = line.trim() === ''
    at = until
  }
  if (start < text.length) yield text.slice(start)
}
