import { scenario } from './hostile.ts'
import { testShortly } from './short.ts'

testShortly(scenario)
