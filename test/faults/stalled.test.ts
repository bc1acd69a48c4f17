import { testShortForm } from './short-form.ts'
import { scenario } from './stalled.ts'

testShortForm(scenario)
