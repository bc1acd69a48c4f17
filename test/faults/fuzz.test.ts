import { scenario } from './fuzz.ts'
import { testShortForm } from './short-form.ts'

testShortForm(scenario)
