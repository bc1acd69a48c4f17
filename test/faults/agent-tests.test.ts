import { scenario } from './agent-tests.ts'
import { testShortForm } from './short-form.ts'

testShortForm(scenario)
