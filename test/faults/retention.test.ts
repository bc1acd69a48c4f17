import { scenario } from './retention.ts'
import { testShortly } from './short.ts'

testShortly(scenario)
