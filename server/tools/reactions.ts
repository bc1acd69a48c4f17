import type { Reaction } from '../kit/at.ts'
import { named, namesIn } from '../kit/postgres/names.ts'
import { raw } from '../kit/postgres/sql.ts'

export const reactions: Reaction[] = [named('tool', namesIn(raw('tools'), raw('name')))]
