import type { At } from '../kit/at.ts'
import { resourceInPieces } from '../kit/http/envelope.ts'
import type { PiecedContent } from '../kit/http/file-content.ts'
import { toJunit } from './junit.ts'
import { getWithResults, readForReport } from './runs.ts'
import { TestRunResult, TestRunWithResults } from './schema.ts'

const toJson = resourceInPieces(TestRunWithResults, 'results', TestRunResult)

/** Returns a run with its results, or as a file. */
export async function toContent(
  at: At,
  { id, format, hides_words }: { id: string; format: 'json' | 'junit'; hides_words: boolean },
): Promise<PiecedContent> {
  if (format === 'junit') {
    const file = { content_type: 'application/xml; charset=utf-8', name: 'tests.xml' }
    return { file, pieces: toJunit(await readForReport(at, id)) }
  }
  const run = await getWithResults(at, id)
  return { file: null, pieces: toJson(run, hides_words ? run.results.map(withoutWords) : run.results) }
}

/** Leaves out words, for callers who may not read conversations. They get what kinds of things differ. */
export const withoutWords = (result: TestRunResult): TestRunResult => ({
  ...result,
  differences: result.differences.map((one) => ({ ...one, recorded: null, replayed: null, deployed: null })),
})
