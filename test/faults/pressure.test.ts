import { scenario } from './pressure.ts'
import { testShortly } from './short.ts'

testShortly(scenario)
