import { scenario } from './hostile.ts'
import { testShortForm } from './short-form.ts'

testShortForm(scenario)
