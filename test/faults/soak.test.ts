import { testShortForm } from './short-form.ts'
import { scenario } from './soak.ts'

testShortForm(scenario)
