import type { TSchema } from 'typebox'
import type { Scopes } from '../kit/http/operation.ts'
import { forbidden } from '../kit/problem.ts'

/** Each room exports its own types. `api.ts` makes the catalog from them. */
export interface EventType {
  /** `noun.verb` */
  name: string
  description: string
  /** The resource after the event. */
  data: TSchema
  /** For updates: the previous values of the fields that changed. */
  previous?: TSchema
  /** The scope that a reader of these events needs. */
  scope: string
  /** A workspace has few such events, because people cause them one at a time. */
  is_rare?: boolean
}

/** All event types. Names are never removed. */
export interface Catalog {
  types: EventType[]
  names: string[]
  /** What a filter accepts: names, and patterns such as `contact.*`. */
  patterns: string[]
  /** The names that a pattern matches and that a caller with these scopes may read. */
  readableNames: (scopes: Scopes, pattern?: string) => string[]
  /** Throws a Problem unless a caller with these scopes may read all types that the patterns match. */
  assertReadable: (scopes: Scopes, patterns: string[]) => void
}

export function newCatalog(types: EventType[]): Catalog {
  const names = types.map(({ name }) => name)
  const nouns = new Set(names.map(nounOf))
  return {
    types,
    names,
    patterns: [...names, '*', ...Array.from(nouns, (noun) => `${noun}.*`)],
    readableNames: (scopes, pattern = '*') =>
      types
        .filter(({ name, scope }) => scopes.has(scope) && patternsFor(name).includes(pattern))
        .map(({ name }) => name),
    assertReadable(scopes, patterns) {
      const unreadable = types.find(({ name, scope }) => !scopes.has(scope) && matchesAny(name, patterns))
      if (unreadable)
        throw forbidden(unreadable.scope, `${unreadable.name} events require the scope "${unreadable.scope}".`)
    },
  }
}

const nounOf = (name: string): string => name.split('.')[0] ?? ''

/** All patterns that match the name. */
export const patternsFor = (name: string): string[] => ['*', `${nounOf(name)}.*`, name]

export const matchesAny = (name: string, patterns: string[]): boolean =>
  patternsFor(name).some((pattern) => patterns.includes(pattern))
