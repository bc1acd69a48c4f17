import type { TestRun } from '../../../server/agent-tests/schema.ts'
import { Status } from '../kit/Status.tsx'
import { describeRun } from './test.ts'

export function RunStatus({ run }: { run: TestRun }) {
  const { tone, text } = describeRun(run)
  return <Status tone={tone}>{text}</Status>
}
