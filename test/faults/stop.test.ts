import { testShortly } from './short.ts'
import { scenario } from './stop.ts'

testShortly(scenario)
