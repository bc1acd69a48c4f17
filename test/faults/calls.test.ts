import { scenario } from './calls.ts'
import { testShortForm } from './short-form.ts'

testShortForm(scenario)
