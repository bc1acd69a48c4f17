import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { readConfig } from '../../server/config.ts'
import { candidatesFor } from '../../server/documents/search.ts'
import { atWall } from '../../server/kit/at.ts'
import { openService } from '../../server/service.ts'
import { alternate, type Comparison, formatRow, headerLine, timed } from '../comparison.ts'
import { openDatabase } from '../database.ts'
import { addTenant } from '../fill.ts'
import { startServer } from '../processes.ts'
import { openClient } from '../scale/client.ts'
import { fillDocuments, passages, questions } from './documents.ts'

const samples = 200
const search_max_ms = 50

const method = `On this machine, from one run. Parley is one process with the API and the worker.
  search     A workspace with ${passages.toLocaleString('en')} passages in 1,000 documents, made of the sentences of 200 READMEs. Asks the 100 questions about these READMEs,
             one request at a time, without embeddings. Plain SQL ranks the same candidates by ts_rank_cd alone, with the driver alone:
             the words and the candidates are given. Median of ${samples}; they take turns.
The target follows each figure.
`

/** Measures how fast documents are searched. */
export async function asking(stack: AsyncDisposableStack, signal: AbortSignal): Promise<{ table: Comparison[] }> {
  console.log(method)
  const database = await openDatabase(stack)
  const tenant = await addTenant(database.pool, 'Knowledge')
  const server = await startServer(stack, 'bin/parley.mjs', ['serve'], {
    DATABASE_URL: database.url,
    PORT: '0',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_SECOND: '0',
  })
  const filled_ms = await timed(() => fillDocuments(database, tenant.workspace_id, signal))
  console.log(`filled in ${Math.round(filled_ms / 1000)} s\n`)
  const client = openClient(stack, server.port, tenant.token)
  const plain = new pg.Pool({ connectionString: database.url, max: 1, idleTimeoutMillis: 0 })
  stack.defer(() => plain.end())
  const at = atWall(
    openService(database.pool, readConfig({}), () => ''),
    tenant.workspace_id,
  )
  const known: Awaited<ReturnType<typeof candidatesFor>>[] = []
  for (const query of questions) known.push(await candidatesFor(at, { query, scope: {} }))
  let number = 0
  const next = (): number => {
    signal.throwIfAborted()
    number += 1
    return number % questions.length
  }
  let plain_number = 0
  const [ours, beside] = await alternate(
    samples,
    () => {
      const query = encodeURIComponent(questions[next()] ?? '')
      return timed(async () => {
        const { data } = await client.get(`/api/v1/documents/search?query=${query}`)
        if (!Array.isArray(Object(data).passages)) throw new Error('nothing was found')
      })
    },
    () => {
      plain_number += 1
      const { all = '', candidates = '' } = known[plain_number % questions.length] ?? {}
      const text = `select id, document_id, heading, text, ts_rank_cd('{0.1, 0.2, 0.4, 1.0}', words, $3::tsquery) as rank
        from (select * from document_passages where workspace_id = $1 and words @@ $2::tsquery limit 2000) as candidate
        order by rank desc, id limit 5`
      return timed(() => plain.query({ name: 'plain', text, values: [tenant.workspace_id, candidates, all] }))
    },
  )
  const row = {
    name: 'GET /documents/search in ms, beside plain SQL',
    ours: ours ?? 0,
    beside: beside ?? 0,
    ratio: (ours ?? 0) / (beside ?? 1),
    target: `below ${search_max_ms} ms`,
    is_met: (ours ?? 0) < search_max_ms,
  }
  console.log(headerLine())
  console.log(formatRow(row))
  return { table: [row] }
}
