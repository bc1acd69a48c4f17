import { testShortly } from './short.ts'
import { scenario } from './soak.ts'

testShortly(scenario)
