import type { TSchema } from 'typebox'
import type { Scopes } from '../kit/http/operation.ts'
import { forbidden } from '../kit/problem.ts'

/** A type of events. Each room exports its own; `api.ts` makes the catalog from them. */
export interface EventType {
  /** The name, as `noun.verb`. */
  name: string
  description: string
  /** The resource after the event. */
  data: TSchema
  /** For updates: the previous values of the fields that changed. */
  previous?: TSchema
  /** The scope that a reader of these events needs. */
  scope: string
  /** Set if a workspace has few such events, because people cause them one at a time. */
  is_rare?: boolean
}

/** All event types. Names are never removed. */
export interface Catalog {
  types: EventType[]
  names: string[]
  /** The texts that a filter accepts: names, and patterns such as `contact.*`. */
  patterns: string[]
  /** The names that a pattern matches and that a caller with these scopes may read. */
  readableNames: (scopes: Scopes, pattern?: string) => string[]
  /** Throws a Problem unless a caller with these scopes may read all types that a webhook with these patterns gets. */
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
      const unreadable = types.find(({ name, scope }) => !scopes.has(scope) && isSubscribed(name, patterns))
      if (unreadable)
        throw forbidden(unreadable.scope, `${unreadable.name} events require the scope "${unreadable.scope}".`)
    },
  }
}

/** Returns the type of the resources that events of this name are about. */
export const nounOf = (name: string): string => name.split('.')[0] ?? ''

/** Returns all patterns that match the name. */
const patternsFor = (name: string): string[] => ['*', `${nounOf(name)}.*`, name]

/**
 * Keys have the scope of these events only if they list it. A webhook for `*` doesn't get them: it must name them too.
 */
const nouns_to_name = ['api_key']

/** Returns all patterns with which a webhook subscribes to the name. */
export const subscriptionsTo = (name: string): string[] =>
  patternsFor(name).filter((pattern) => pattern !== '*' || !nouns_to_name.includes(nounOf(name)))

export const isSubscribed = (name: string, patterns: string[]): boolean =>
  subscriptionsTo(name).some((pattern) => patterns.includes(pattern))
