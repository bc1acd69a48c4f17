import { diffLines, diffWordsWithSpace } from 'diff'
import type { Difference } from '../../../server/agents/schema.ts'
import { toJsonText } from '../kit/json.ts'
import styles from './changes.module.css'
import { type DraftValues, draft_labels } from './draft.ts'

/** With more edits nothing inside is marked: the time to find them grows with the square of their number. */
const edits_max = 300

type Piece = Difference['instructions'][number]

export const isEmpty = ({ fields, instructions, script }: Difference): boolean =>
  fields.length + instructions.length + script.length === 0

/** Shows what differs, with marks on lines and words. */
export function Changes({ difference }: { difference: Difference }) {
  if (isEmpty(difference)) return <p className={styles.none}>No differences.</p>
  const { instructions, fields, script } = difference
  const parts = [
    { name: 'Instructions', pieces: instructions },
    ...fields.map(({ path, before, after }) => ({ name: fieldName(path), pieces: compare(before, after) })),
    ...script.map(({ node, before, after }) => ({ name: `Step ${node}`, pieces: compare(before, after) })),
  ]
  return (
    <div className={styles.changes}>
      {parts
        .filter(({ pieces }) => pieces.length > 0)
        .map(({ name, pieces }) => (
          <section key={name} aria-label={name}>
            <h3 className={styles.title}>{name}</h3>
            <Lines pieces={pieces} />
          </section>
        ))}
    </div>
  )
}

/** "limits.turns_max" is "Limits: turns max". */
function fieldName(path: string): string {
  const [field = '', ...rest] = path.split('.')
  const label = draft_labels[field as keyof DraftValues] ?? field
  return [label, rest.join(' ').replaceAll('_', ' ')].filter((part) => part !== '').join(': ')
}

function compare(before: unknown, after: unknown): Piece[] {
  const [from, to] = [toText(before), toText(after)]
  const pieces = diffLines(from, to, { maxEditLength: edits_max }) ?? [
    { added: false, removed: true, value: from },
    { added: true, removed: false, value: to },
  ]
  return pieces.map(({ added, removed, value }) => ({
    change: added ? 'added' : removed ? 'removed' : 'same',
    text: value,
  }))
}

function toText(value: unknown): string {
  if (value === null || value === undefined || value === '') return ''
  return `${typeof value === 'string' ? value : toJsonText(value)}\n`
}

function Lines({ pieces }: { pieces: Piece[] }) {
  return (
    <div className={styles.lines}>
      {pieces.map((piece, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces have no other name
        <pre key={index} data-change={piece.change}>
          <Text piece={piece} other={counterpart(pieces, index)} />
        </pre>
      ))}
    </div>
  )
}

/** A removed piece and the added one after it are two states of the same lines. */
function counterpart(pieces: Piece[], index: number): Piece | undefined {
  const change = pieces[index]?.change
  if (change === 'removed' && pieces[index + 1]?.change === 'added') return pieces[index + 1]
  if (change === 'added' && pieces[index - 1]?.change === 'removed') return pieces[index - 1]
  return undefined
}

function Text({ piece: { change, text }, other }: { piece: Piece; other: Piece | undefined }) {
  const shown = text.replace(/\n$/, '')
  const words = other ? compareWords(shown, other.text.replace(/\n$/, '')) : [{ text: shown, is_marked: false }]
  const lines = <Words words={words} />
  if (change === 'same') return lines
  const Element = change === 'added' ? 'ins' : 'del'
  return (
    <Element>
      <span className={styles.visuallyHidden}>{change}: </span>
      {lines}
    </Element>
  )
}

interface Word {
  text: string
  is_marked: boolean
}

/** Marks the words that the other text doesn't have. */
function compareWords(text: string, other: string): Word[] {
  const words = diffWordsWithSpace(other, text, { maxEditLength: edits_max })?.filter(({ removed }) => !removed)
  const has_common = words?.some(({ added, value }) => !added && /[\p{L}\p{N}]/u.test(value))
  if (!words || !has_common) return [{ text, is_marked: false }]
  return words.map(({ added, value }) => ({ text: value, is_marked: added }))
}

/** Shows a sign on each line, because not everyone can tell the colors apart. */
const Words = ({ words }: { words: Word[] }) =>
  toLines(words).map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
    <span key={index} className={styles.line}>
      {line.map(({ text, is_marked }, at) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: words have no other name
        is_marked ? <mark key={at}>{text}</mark> : text,
      )}
    </span>
  ))

function toLines(words: Word[]): Word[][] {
  const lines: Word[][] = [[]]
  for (const { text, is_marked } of words)
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) lines.push([])
      if (part !== '') lines.at(-1)?.push({ text: part, is_marked })
    }
  return lines
}
