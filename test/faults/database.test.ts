import { scenario } from './database.ts'
import { testShortForm } from './short-form.ts'

testShortForm(scenario)
