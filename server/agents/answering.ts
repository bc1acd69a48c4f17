import { type At, newTool } from '../kit/at.ts'
import { setBounded } from '../kit/limits/bounded-map.ts'
import { sql } from '../kit/postgres/sql.ts'
import { whyNot } from '../models/language-model.ts'
import * as models from '../models/store.ts'
import type { Configuration, Model } from './configuration.ts'
import type { Answering } from './schema.ts'

/** The settings by which a version answers. */
interface AnswersBy {
  has_script: boolean
  /** The model. With null it is the default model of the default provider. */
  model: Model | null
  fallback_model: Model | null
}

type AnswerSettings = Partial<Pick<Configuration, 'script' | 'model' | 'fallback_model'>>

const answersBy = ({ script, model = null, fallback_model = null }: AnswerSettings): AnswersBy => ({
  has_script: Boolean(script),
  model,
  fallback_model,
})

/**
 * Returns whether each of these agents has what it needs to answer. Asks no model, and reads the providers at most
 * once.
 */
async function openAnswering(at: At, agents: AnswersBy[]): Promise<(agent: AnswersBy) => Answering> {
  const needs_model = agents.some(({ has_script }) => !has_script)
  const findAccount = needs_model ? await models.readAccounts(at) : () => undefined
  const reasonFor = (model: Model | null): string | null =>
    model || findAccount({})
      ? whyNot(at, findAccount, model ?? {})
      : 'The agent has no script and no model, and there is no default provider.'
  return ({ has_script, model, fallback_model }) => {
    const reason = has_script ? null : reasonFor(model)
    const can_answer = reason === null || (fallback_model !== null && reasonFor(fallback_model) === null)
    return { can_answer, cannot_answer_reason: can_answer ? null : reason }
  }
}

const known_max = 10_000

/**
 * The settings by workspace and version. A version never changes, and PostgreSQL parses all of its configuration to
 * find a member.
 */
const knownAnswers = newTool(() => new Map<string, AnswersBy>())

/** Returns what these versions answer by, by their ids. A deleted version is left out. */
async function readAnswersBy(at: At, version_ids: string[]): Promise<Map<string, AnswersBy>> {
  const { db, workspace } = at
  const known = knownAnswers.of(at)
  const found = new Map<string, AnswersBy>()
  for (const id of version_ids) {
    const by = known.get(`${workspace} ${id}`)
    if (by) found.set(id, by)
  }
  const unknown = version_ids.filter((id) => !found.has(id))
  if (unknown.length === 0) return found
  const rows = await db.many<AnswersBy & { id: string }>(
    sql`select id, coalesce(json_typeof(script), 'null') <> 'null' as has_script, model, fallback_model
      from agent_versions
        cross join lateral json_to_record(configuration) as configured (script json, model json, fallback_model json)
      where workspace_id = ${workspace} and id = any(${unknown}::uuid[])`,
  )
  for (const { id, ...by } of rows) {
    found.set(id, by)
    setBounded(known, `${workspace} ${id}`, by, known_max)
  }
  return found
}

/** Returns whether these versions can answer, by their ids. This takes two round trips at most. */
export async function openAnsweringOf(at: At, version_ids: string[]): Promise<(version_id: string) => Answering> {
  const versions = await readAnswersBy(at, version_ids)
  const answering = await openAnswering(at, [...versions.values()])
  // An agent that is deleted meanwhile has no version left.
  return (id) => answering(versions.get(id) ?? answersBy({}))
}

export async function answeringOf(at: At, configured: AnswerSettings): Promise<Answering> {
  const agent = answersBy(configured)
  return (await openAnswering(at, [agent]))(agent)
}
