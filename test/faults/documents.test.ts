import { scenario } from './documents.ts'
import { testShortForm } from './short-form.ts'

testShortForm(scenario)
