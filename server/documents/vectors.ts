import type { AtOutside } from '../kit/at.ts'
import { letOthersRun } from '../kit/let-others-run.ts'
import { OutboundError } from '../kit/outbound/request.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { assertHeld, isHeld, type Lease } from '../kit/work/rows.ts'
import type { Embedder } from '../models/embedding.ts'
import { ModelError } from '../models/language-model.ts'

/** A batch is this small, because a server may answer with 2 MB for it. */
const batch_passages = 16
const timeout_ms = 30_000
/** Limits the wait from the beginning of a search, because a person may be waiting. */
const query_timeout_ms = 3_000
/** The embedding model is not asked when less time is left. */
const query_timeout_min_ms = 1_000

interface PassageWithoutVector {
  id: string
  heading: string
  text: string
}

/** Adds the vectors of a batch of passages. Returns whether there were some without. */
export async function addVectors(
  at: AtOutside,
  { lease, edition_id, embedder }: { lease: Lease; edition_id: string; embedder: Embedder },
): Promise<boolean> {
  const { db, workspace } = at
  const missing = await db.many<PassageWithoutVector>(
    sql`select id, heading, text from document_passages
      where workspace_id = ${workspace} and document_id = ${lease.id} and edition_id = ${edition_id}
        and vector_model is distinct from ${embedder.name}
      order by position limit ${batch_passages}`,
  )
  if (missing.length === 0) return false
  const vectors = await embedder.embed(
    missing.map(({ heading, text }) => `${heading}\n\n${text}`),
    timeout_ms,
  )
  await letOthersRun({ is_urgent: true })
  await db.tx(async (tx) => {
    assertHeld(await tx.run(sql`select from documents where ${isHeld(lease)} for key share`))
    // All vectors have one length. In an update, Citus neither makes an array of a text nor takes a part of an array.
    const length = vectors[0]?.length ?? 1
    await tx.run(
      sql`update document_passages as passage set vector = made.vector, vector_model = ${embedder.name}
        from unnest(${missing.map(({ id }) => id)}::uuid[]) with ordinality as row (id, position)
        join (
          select (place - 1) / ${length}::integer + 1 as position, array_agg(value order by place) as vector
          from unnest(${toArrayLiteral(vectors.flat())}::real[]) with ordinality as each (value, place) group by 1
        ) as made on made.position = row.position
        where passage.workspace_id = ${workspace} and passage.id = row.id`,
    )
  })
  return true
}

/**
 * Returns the vector of a question. Returns nothing if there is no embedding model, or if it doesn't answer in time:
 * words alone do, too.
 */
export async function vectorOf(
  query: string,
  { embedder, waited_ms }: { embedder: Embedder | undefined; waited_ms: number },
): Promise<number[] | undefined> {
  const time_left_ms = query_timeout_ms - waited_ms
  if (time_left_ms < query_timeout_min_ms) return undefined
  try {
    return (await embedder?.embed([query], time_left_ms))?.[0]
  } catch (error) {
    if (error instanceof OutboundError || error instanceof ModelError) return undefined
    throw error
  }
}
