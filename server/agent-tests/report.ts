import type { At } from '../kit/at.ts'
import { resourceInPieces } from '../kit/http/envelope.ts'
import type { PiecedContent } from '../kit/http/file-content.ts'
import { toJunit } from './junit.ts'
import { getWithResults, readForReport } from './runs.ts'
import { TestRunResult, TestRunWithResults } from './schema.ts'

const toJson = resourceInPieces(TestRunWithResults, 'results', TestRunResult)

/** A run with its results, or as a file. */
export async function toContent(
  at: At,
  { id, format }: { id: string; format: 'json' | 'junit' },
): Promise<PiecedContent> {
  if (format === 'junit') {
    const file = { content_type: 'application/xml; charset=utf-8', name: 'tests.xml' }
    return { file, pieces: toJunit(await readForReport(at, id)) }
  }
  const run = await getWithResults(at, id)
  return { file: null, pieces: toJson(run, run.results) }
}
