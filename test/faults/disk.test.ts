import { scenario } from './disk.ts'
import { testShortForm } from './short-form.ts'

testShortForm(scenario)
