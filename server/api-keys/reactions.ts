import type { Reaction } from '../kit/at.ts'
import { named, namesIn } from '../kit/postgres/names.ts'
import { raw } from '../kit/postgres/sql.ts'

const readNames = namesIn(raw('api_keys'), raw('name'))

/** A key does something, or something is done to it: both kinds of references have its name. */
export const reactions: Reaction[] = [named('key', readNames), named('api_key', readNames)]
