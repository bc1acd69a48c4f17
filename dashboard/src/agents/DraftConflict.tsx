import { ConflictDialog } from '../kit/Conflict.tsx'
import { draft_labels } from './draft.ts'
import type { Draft } from './useDraft.ts'

/** Asks the person to choose when someone else has changed the same fields. */
export function DraftConflict({ draft: { conflict, resolve } }: { draft: Draft }) {
  if (!conflict) return null
  const { fields, mine, theirs } = conflict
  return (
    <ConflictDialog
      title="Someone else changed this draft"
      fields={fields.map((field) => ({ label: draft_labels[field], mine: mine[field], theirs: theirs[field] }))}
      onChoose={resolve}
    />
  )
}
