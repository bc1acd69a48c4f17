import { scenario } from './races.ts'
import { testShortForm } from './short-form.ts'

testShortForm(scenario)
