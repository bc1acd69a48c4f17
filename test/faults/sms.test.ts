import { testShortForm } from './short-form.ts'
import { scenario } from './sms.ts'

testShortForm(scenario)
