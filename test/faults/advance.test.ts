import { scenario } from './advance.ts'
import { testShortForm } from './short-form.ts'

testShortForm(scenario)
