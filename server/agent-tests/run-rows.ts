import type { At } from '../kit/at.ts'
import type * as page from '../kit/postgres/page.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import type { TestRun, TestRunResult } from './schema.ts'

/** The columns of runs and of their results, as they are shown. */

export const table = 'test_runs'

export const run_columns =
  raw(`id, agent_id, kind, version_id, version_label, status, repeat, passes_min, tests, done, passed, failed, errors, input_tokens,
  output_tokens, created_by, created_at, started_at, ended_at`)

export interface RunRow extends Omit<TestRun, 'agent_version' | 'usage'> {
  version_id: string | null
  version_label: string
  input_tokens: number
  output_tokens: number
}

/** Converts a row. The name of the author is not stored. */
export const toRun = ({ version_id, version_label, input_tokens, output_tokens, ...run }: RunRow): TestRun => ({
  ...run,
  agent_version: { id: version_id, version_label },
  usage: { input_tokens, output_tokens },
})

/** Selects the columns of a result. A test that was deleted is not named. */
export function resultColumns({ workspace }: Pick<At, 'workspace'>): Sql {
  const ofTest = sql`from agent_tests as test where test.workspace_id = ${workspace} and test.id = test_run_results.test_id`
  return sql`id, (select test.id ${ofTest}) as test_id, source_conversation_id, name, kind, status, passes, runs, is_repeatable,
    failures, differences, error, conversation_id, conversation_ids,
    jsonb_build_object('input_tokens', input_tokens, 'output_tokens', output_tokens) as usage, position,
    exists (select ${ofTest} and test.content_hash <> test_run_results.content_hash) as has_test_changed`
}

export type ResultRow = TestRunResult & { position: number }

export const by_position: page.Sort = {
  name: 'position',
  column: 'position',
  is_descending: false,
  is_nullable: false,
  is_ordinal: true,
}
