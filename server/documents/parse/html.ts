import { Tokenizer } from 'htmlparser2'
import { Blocks } from './blocks.ts'

/** Words before and after these tags belong to different paragraphs. */
const block_tags = new Set(
  (
    'address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol optgroup option p pre search section ' +
    'select summary table tbody tfoot thead title tr ul'
  ).split(' '),
)
/** These tags begin a new line in the same paragraph. */
const line_tags = new Set(['br', 'tr', 'li', 'dt', 'dd'])
const cell_tags = new Set(['td', 'th'])
/** The content of these tags is no text of the document. */
const skipped_tags = new Set(
  'script style noscript template svg math iframe object canvas head nav button select textarea audio video'.split(' '),
)
/** These tags belong to the head. Any other tag ends it, because its end tag may be missing. */
const head_tags = new Set('base link meta noscript script style template title'.split(' '))
/** Lists and tables are one paragraph, with a line for each item or row. */
const grouping_tags = new Set(['ul', 'ol', 'dl', 'table'])
const heading_tag = /^h[1-6]$/

/**
 * Reads the text of HTML. It counts open tags instead of keeping them: a document may be nested as deep as it likes,
 * and tags may be missing. A skipped tag without an end, as in "press <button> twice", was no tag: the rest is read
 * again.
 */
export function readHtml(html: string, blocks = new Blocks()): Blocks {
  const skipped = new Set(skipped_tags)
  for (let rest: string | undefined = html; rest !== undefined; ) {
    const open: OpenTag | undefined = readPart(rest, { blocks, skipped })
    if (open) skipped.delete(open.tag)
    rest = open && rest.slice(open.end)
  }
  return blocks
}

interface OpenTag {
  tag: string
  end: number
}

/** Reads a part. Returns a skipped tag that has no end. */
function readPart(html: string, { blocks, skipped }: { blocks: Blocks; skipped: Set<string> }): OpenTag | undefined {
  /** The text that was written last in this block. It is a new line before the first cell. */
  let last = '\n'
  let heading = 0
  let skipping: (OpenTag & { depth: number }) | undefined
  let group_depth = 0
  let pre_depth = 0
  let is_closing_tag = false
  let open_tag = ''
  const write = (text: string): void => {
    last = text
    blocks.write(text, heading)
  }
  const end = (): void => {
    last = '\n'
    blocks.end(heading)
  }
  const begin = (tag: string, tag_end: number): void => {
    if (skipping?.tag === 'head' && !head_tags.has(tag)) skipping = undefined
    if (skipping) {
      if (tag === skipping.tag) skipping.depth += 1
      return
    }
    if (skipped.has(tag)) {
      skipping = { tag, end: tag_end, depth: 1 }
      return
    }
    if (heading_tag.test(tag)) {
      end()
      heading = Number(tag[1])
    } else if (cell_tags.has(tag)) write(last.endsWith('\n') ? '' : ' | ')
    else if (line_tags.has(tag)) write('\n')
    else if (block_tags.has(tag)) {
      if (group_depth === 0) end()
      else write('\n')
    }
    if (grouping_tags.has(tag)) group_depth += 1
    if (tag === 'pre') pre_depth += 1
  }
  const close = (tag: string): void => {
    if (skipping) {
      if (tag === skipping.tag) skipping.depth -= 1
      if (skipping.depth === 0) skipping = undefined
      return
    }
    if (heading_tag.test(tag)) {
      end()
      heading = 0
      return
    }
    if (grouping_tags.has(tag)) group_depth = Math.max(0, group_depth - 1)
    if (tag === 'pre') pre_depth = Math.max(0, pre_depth - 1)
    if (block_tags.has(tag) && !line_tags.has(tag) && group_depth === 0) end()
    else if (block_tags.has(tag)) write('\n')
  }
  const add = (text: string): void => {
    if (!skipping) write(pre_depth > 0 ? text : text.replace(/\s+/g, ' '))
  }
  const nothing = (): void => {}
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      onopentagname: (start, until) => {
        is_closing_tag = false
        open_tag = html.slice(start, until).toLowerCase()
      },
      onopentagend: (at) => {
        if (!is_closing_tag) begin(open_tag, at + 1)
      },
      onselfclosingtag: (at) => {
        // The slash means nothing in HTML, except that some write it after tags that have no end.
        if (!skipped.has(open_tag)) begin(open_tag, at + 1)
      },
      onclosetag: (start, until) => {
        is_closing_tag = true
        close(html.slice(start, until).toLowerCase())
      },
      ontext: (start, until) => add(html.slice(start, until)),
      ontextentity: (codepoint) => add(String.fromCodePoint(codepoint)),
      onattribdata: nothing,
      onattribentity: nothing,
      onattribend: nothing,
      onattribname: nothing,
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onprocessinginstruction: nothing,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  end()
  return skipping
}
