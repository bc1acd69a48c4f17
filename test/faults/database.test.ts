import { scenario } from './database.ts'
import { testShortly } from './short.ts'

testShortly(scenario)
