import { setBounded } from '../limits/bounded-map.ts'
import { errorCode } from '../problem.ts'
import { type Attributes, currentSpan } from '../traces/span.ts'

const described_max = 1_000

interface Description {
  name: string
  attributes: Attributes
}

/** Descriptions by the text of the statement. Making one takes longer than looking it up. */
const described = new Map<string, Description>()

/** Adds a statement that was just sent to the span of its caller, if there is one. Its text has parameters, and no values. */
export function traceStatement<T>(text: string, sent: Promise<T>): Promise<T> {
  const caller = currentSpan()
  if (!caller?.is_sampled) return sent
  const span = caller.child({ kind: 'client', ...describe(text) })
  return sent.then(
    (result) => {
      span?.end()
      return result
    },
    (error: unknown) => {
      // The error is a code of PostgreSQL or of a lost connection, because messages may contain values.
      span?.end({ error: errorCode(error) ?? 'error' })
      throw error
    },
  )
}

function describe(text: string): Description {
  const known = described.get(text)
  if (known) return known
  const name = summarize(text)
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': name, 'db.query.text': text }
  setBounded(described, text, { name, attributes }, described_max)
  return { name, attributes }
}

const common_tables = /(?:\bwith|,)\s+(?:recursive\s+)?(\w+)\s+(?:\([^)]*\)\s+)?as\s+(?:(?:not\s+)?materialized\s+)?\(/g
const written =
  /\b(insert) into (\w+)|(?<!\bfor |\bkey |\bdo )\b(update) (?:only )?(\w+)|\b(delete) from (\w+)|^(copy) (\w+)/
const read = /\b(?:from|join)\s+(?:only\s+)?(?!lateral\b|unnest\b|rows\b)"?([a-z_]\w*)\b(?!\s*[([])/g

/**
 * Returns the verb and the table, such as `select events`. A statement that writes is named by its first write. Tables
 * of subqueries count only if there is no other.
 * @internal
 */
export function summarize(text: string): string {
  const [, ...found] = written.exec(text) ?? []
  const [verb, table] = found.filter((part) => part !== undefined)
  if (verb) return `${verb} ${table}`
  const first_word = /^\s*(\w+)/.exec(text)?.[1] ?? 'statement'
  if (first_word !== 'select' && first_word !== 'with') return first_word
  const own = new Set(Array.from(text.matchAll(common_tables), ([, name]) => name))
  const tablesIn = (part: string) => Array.from(part.matchAll(read), ([, name = '']) => name)
  const [first = ''] = tablesIn(withoutParentheses(text))
  const is_table = first !== '' && !own.has(first)
  return ['select', is_table ? first : tablesIn(text).find((name) => !own.has(name))].join(' ').trim()
}

/** Removes subqueries, which may come before the table that the statement is about. */
function withoutParentheses(text: string): string {
  const shorter = text.replaceAll(/\([^()]*\)/g, '[]')
  return shorter === text ? text : withoutParentheses(shorter)
}
