import { testShortly } from './short.ts'
import { scenario } from './stalled.ts'

testShortly(scenario)
