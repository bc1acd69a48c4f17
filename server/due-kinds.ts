import { runs_at_once_max } from './agent-tests/schema.ts'
import { work as test_runs } from './agent-tests/work.ts'
import { due_calls } from './calls/claim.ts'
import { recording_files } from './calls/work.ts'
import { work as enrollings } from './campaigns/enrolling-work.ts'
import { work as deleted_campaigns } from './campaigns/removal.ts'
import { table as campaigns } from './campaigns/rows.ts'
import * as clocks from './clocks/store.ts'
import { due_conversations } from './conversations/claim.ts'
import { work as deleted_documents } from './documents/removal.ts'
import { work as documents } from './documents/work.ts'
import { work as erasures } from './erasures/work.ts'
import { work as imports } from './imports/run.ts'
import type { DueKind } from './kit/work/due.ts'
import { dueRows, rowWork } from './kit/work/rows.ts'
import { work as simulated_messages } from './lines/simulator/message-work.ts'
import { due_messages } from './messages/claims.ts'
import { due_deliveries } from './webhooks/claims.ts'
import { work as recoveries } from './webhooks/recoveries.ts'

/** The kinds of background work that is found by its due time. */

/** This many workspaces simulate messages at once. */
const simulated_messages_max = 10

/** This many tests run at once. A workspace can run five, so one whose models hang leaves most of these to others. */
const test_runs_max = 40
/** Files of recordings are removed in this many workspaces at once. */
const removals_max = 4

/**
 * Documents of this many workspaces are worked on at once. Two are read at a time; others wait, are fetched or written
 * meanwhile.
 */
const documents_max = 4

/** Work that may change the contacts of a campaign, or what may be done with them. */
const contact_work = [
  rowWork(imports),
  rowWork(enrollings),
  rowWork(simulated_messages, { at_once: simulated_messages_max }),
]
const other_row_work = [rowWork(recoveries), rowWork(deleted_campaigns), rowWork(deleted_documents)]
/** Work that test clocks don't wait for, because a bucket may be out of reach for long. */
const file_work = [
  rowWork(recording_files, { at_once: removals_max }),
  // A page that a document is fetched from may be out of reach for long, too.
  rowWork(documents, { at_once: documents_max }),
  // Erasures wait for the removal of files.
  rowWork(erasures),
]
/** Runs of agent tests, which test clocks don't wait for. They are played in memory, and mostly wait for models. */
const test_run_work = rowWork(test_runs, { at_once: test_runs_max, of_workspace: runs_at_once_max })
export const row_work = [...contact_work, ...other_row_work, ...file_work, test_run_work]
export const contact_kinds: DueKind[] = [
  ...contact_work.map(({ due }) => due),
  due_conversations,
  due_calls,
  due_messages,
]
/** The kinds of work that test clocks wait for. */
export const work_kinds: DueKind[] = [
  ...contact_kinds,
  ...other_row_work.map(({ due }) => due),
  dueRows(campaigns.name),
  due_deliveries,
]
/** The kinds of work that live workspaces have. */
export const live_kinds: DueKind[] = [...work_kinds, ...file_work.map(({ due }) => due), test_run_work.due]
/** The kinds of work that `due_workspaces` has rows for. */
export const due_kinds: DueKind[] = [...live_kinds, { ...dueRows(clocks.table), is_local: true }]

export const background_kinds: string[] = due_kinds.map(({ kind }) => kind)
