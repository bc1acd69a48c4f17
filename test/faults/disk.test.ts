import { scenario } from './disk.ts'
import { testShortly } from './short.ts'

testShortly(scenario)
