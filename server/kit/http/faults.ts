import { type Fault, faults_max } from '../problem.ts'

/** Returns undefined, to stand for the invalid value. */
export function addFault(faults: Fault[], path: string, code: string, message: string): undefined {
  if (faults.length < faults_max) faults.push({ path, code, message })
}
