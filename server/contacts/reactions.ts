import type { Reaction } from '../kit/at.ts'
import { named } from '../kit/postgres/names.ts'
import { readContactNames } from './names.ts'

export const reactions: Reaction[] = [named('contact', readContactNames)]
