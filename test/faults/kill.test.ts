import { scenario } from './kill.ts'
import { testShortForm } from './short-form.ts'

testShortForm(scenario)
