import type { TSchema } from 'typebox'
import type { Scopes } from '../kit/http/operation.ts'

/** A kind of event. Each room exports its own; `api.ts` makes the catalog from them. */
export interface EventType {
  /** noun.verb */
  name: string
  description: string
  /** The resource, as it is after the event. */
  data: TSchema
  /** For updates: the previous values of what changed. */
  previous?: TSchema
  /** The scope that a reader of these events needs. */
  scope: string
  /** Caused by people one at a time, so a workspace has few of them. */
  is_rare?: boolean
}

/** All event types. Names are never removed. */
export interface Catalog {
  types: EventType[]
  names: string[]
  /** What a filter accepts: names, and patterns such as `contact.*`. */
  patterns: string[]
  /** The names that a pattern matches. */
  namesMatching: (pattern: string) => string[]
  /** The names that a pattern matches and that someone with these scopes may read. */
  readableNames: (scopes: Scopes, pattern?: string) => string[]
}

export function newCatalog(types: EventType[]): Catalog {
  const names = types.map(({ name }) => name)
  const nouns = new Set(names.map(nounOf))
  return {
    types,
    names,
    patterns: [...names, '*', ...Array.from(nouns, (noun) => `${noun}.*`)],
    namesMatching: (pattern) => names.filter((name) => patternsFor(name).includes(pattern)),
    readableNames: (scopes, pattern = '*') =>
      types
        .filter(({ name, scope }) => scopes.has(scope) && patternsFor(name).includes(pattern))
        .map(({ name }) => name),
  }
}

const nounOf = (name: string): string => name.split('.')[0] ?? ''

/** The patterns that match a name. */
export const patternsFor = (name: string): string[] => ['*', `${nounOf(name)}.*`, name]
