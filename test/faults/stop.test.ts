import { testShortForm } from './short-form.ts'
import { scenario } from './stop.ts'

testShortForm(scenario)
