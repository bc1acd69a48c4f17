import { scenario } from './pressure.ts'
import { testShortForm } from './short-form.ts'

testShortForm(scenario)
