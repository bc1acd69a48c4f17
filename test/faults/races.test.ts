import { scenario } from './races.ts'
import { testShortly } from './short.ts'

testShortly(scenario)
