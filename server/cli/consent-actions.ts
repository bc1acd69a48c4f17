import type { Verification } from '../consent/schema.ts'
import { verify } from '../consent/verify.ts'
import { atWorkspace, type Service } from '../kit/at.ts'
import { findWorkspace } from './choose-workspace.ts'
import type { Answer } from './run.ts'

export async function verifyLedger(service: Service, workspace: string): Promise<Answer> {
  const { id } = await findWorkspace(service, workspace)
  const verification = await verify(await atWorkspace(service, id))
  return { data: { verification }, text: summarize(verification), has_failed: !verification.is_valid }
}

function summarize({ is_valid, rows, first_broken_id }: Verification): string {
  if (is_valid) return `The ledger is valid: ${rows} entries.`
  if (first_broken_id === null) return `The ledger is broken: entries after the first ${rows} were removed.`
  return `The ledger is broken: entry ${first_broken_id} was changed, or entries before it were removed.`
}
