import { scenario } from './campaigns.ts'
import { testShortForm } from './short-form.ts'

testShortForm(scenario)
