import { scenario } from './fuzz.ts'
import { testShortly } from './short.ts'

testShortly(scenario)
