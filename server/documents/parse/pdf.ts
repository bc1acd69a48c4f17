import { getDocumentProxy, getResolvedPDFJS } from 'unpdf'
import { isShortage } from '../../kit/work/shortage.ts'
import { Blocks, UnreadableError } from './blocks.ts'

// The library is imported at once. Otherwise it would be imported with the first file, which would be blamed for what
// fails then.
await getResolvedPDFJS()

const pages_max = 2_000
/** A line whose letters are this much larger than most is a heading. */
const heading_factor = 1.15
const heading_length_max = 120

interface Line {
  text: string
  /** The height of the line's letters. */
  height: number
  /** The distance from the line before, in heights. */
  gap: number
}

export async function readPdf(file: Buffer): Promise<Blocks> {
  const document = await open(file)
  if (document.numPages > pages_max) {
    const pages = document.numPages.toLocaleString('en')
    throw new UnreadableError(`The PDF has ${pages} pages. At most ${pages_max.toLocaleString('en')} can be read.`)
  }
  const pages: Line[][] = []
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    pages.push(toLines(items as Item[]))
    page.cleanup()
  }
  const blocks = toBlocks(pages)
  if (blocks.all.length === 0)
    throw new UnreadableError('The PDF has no text. If it was scanned, recognise its text (OCR) and upload it again.')
  return blocks
}

async function open(file: Buffer) {
  try {
    return await getDocumentProxy(new Uint8Array(file), { verbosity: 0 })
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException')
      throw new UnreadableError('The PDF has a password. Upload it without one.')
    if (isShortage(error)) throw error
    throw new UnreadableError('The PDF is damaged and could not be read.')
  }
}

interface Item {
  str?: string
  hasEOL?: boolean
  height?: number
  transform?: number[]
}

function toLines(items: Item[]): Line[] {
  const lines: Line[] = []
  let text = ''
  let height = 0
  let y: number | undefined
  let last_y: number | undefined
  const end = (): void => {
    const trimmed = text.trim()
    const gap = last_y === undefined || y === undefined || height === 0 ? 0 : Math.abs(last_y - y) / height
    if (trimmed !== '') {
      lines.push({ text: trimmed, height: Math.round(height * 2) / 2, gap })
      last_y = y
    }
    text = ''
    height = 0
    y = undefined
  }
  for (const item of items) {
    if (item.str === undefined) continue
    const item_y = item.transform?.[5]
    if (y !== undefined && item_y !== undefined && Math.abs(item_y - y) > Math.max(height, 1) * 0.6) end()
    text += item.str
    if (item.str.trim() !== '') {
      height = Math.max(height, item.height ?? 0)
      y ??= item_y
    }
    if (item.hasEOL) end()
  }
  end()
  return lines
}

function toBlocks(pages: Line[][]): Blocks {
  const blocks = new Blocks()
  const body = commonHeight(pages)
  const isHeading = ({ text, height }: Line) =>
    body > 0 && height >= body * heading_factor && text.length <= heading_length_max && /\p{L}/u.test(text)
  const heights = [
    ...new Set(
      pages
        .flat()
        .filter(isHeading)
        .map(({ height }) => height),
    ),
  ].sort((a, b) => b - a)
  let paragraph: string[] = []
  const end = (): void => {
    blocks.add({ type: 'text', text: paragraph.join('\n') })
    paragraph = []
  }
  for (const lines of pages)
    for (const line of lines) {
      if (isHeading(line)) {
        end()
        blocks.add({ type: 'heading', level: Math.min(heights.indexOf(line.height) + 1, 6), text: line.text })
        continue
      }
      if (line.gap > 1.7) end()
      const last = paragraph.at(-1)
      // The word was divided at the end of a line.
      if (last && /\p{L}-$/u.test(last) && /^\p{Ll}/u.test(line.text))
        paragraph[paragraph.length - 1] = last.slice(0, -1) + line.text
      else paragraph.push(line.text)
    }
  end()
  return blocks
}

/** Returns the height of most letters. */
function commonHeight(pages: Line[][]): number {
  const lengths = new Map<number, number>()
  for (const { text, height } of pages.flat()) lengths.set(height, (lengths.get(height) ?? 0) + text.length)
  let common = 0
  for (const [height, length] of lengths) if (length > (lengths.get(common) ?? 0)) common = height
  return common
}
