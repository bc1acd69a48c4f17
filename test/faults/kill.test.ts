import { scenario } from './kill.ts'
import { testShortly } from './short.ts'

testShortly(scenario)
