import { scenario } from './retention.ts'
import { testShortForm } from './short-form.ts'

testShortForm(scenario)
