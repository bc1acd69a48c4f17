import type { Attack } from './attack.ts'
import { attack as long_calls } from './long-calls.ts'

export const attacks: Attack[] = [long_calls]
