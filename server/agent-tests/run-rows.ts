import type { NamedAuthor } from '../agents/schema.ts'
import type * as page from '../kit/postgres/page.ts'
import { raw } from '../kit/postgres/sql.ts'
import type { TestRun, TestRunResult } from './schema.ts'

/** The columns of runs and of their results, as they are shown. */

export const table = 'test_runs'

export const run_columns =
  raw(`id, agent_id, kind, jsonb_build_object('id', version_id, 'version_label', version_label) as agent_version, status, repeat,
  passes_min, tests, done, passed, failed, errors,
  jsonb_build_object('input_tokens', input_tokens, 'output_tokens', output_tokens) as usage, created_by, created_at, started_at,
  ended_at`)

/** The name of the author is not stored. */
export type RunRow = Omit<TestRun, 'created_by'> & { created_by: NamedAuthor | null }

export const result_columns =
  raw(`id, test_id, source_conversation_id, name, kind, status, passes, runs, is_repeatable, failures, differences, error,
  conversation_id, conversation_ids, jsonb_build_object('input_tokens', input_tokens, 'output_tokens', output_tokens) as usage,
  position`)

export type ResultRow = TestRunResult & { position: number }

export const by_position: page.Sort = {
  name: 'position',
  column: 'position',
  is_descending: false,
  is_nullable: false,
  is_ordinal: true,
}
