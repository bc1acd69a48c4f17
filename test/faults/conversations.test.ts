import { scenario } from './conversations.ts'
import { testShortForm } from './short-form.ts'

testShortForm(scenario)
