import { findVersion } from '../agents/find-version.ts'
import type { AtOutside } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { Problem } from '../kit/problem.ts'
import { findOffered } from '../tools/mcp-tools.ts'
import { own_errors } from './own-errors.ts'
import { asksNoModel } from './play/play.ts'
import { failedReplay, type ReplayScenes, replay } from './play/replay.ts'
import { playAtOnce, type Scene } from './play/scene.ts'
import { readRecorded } from './recorded.ts'
import type { ReplayContent, ReplayResult } from './replays.ts'
import { ofRun } from './runs.ts'
import { openPace, testSlots } from './test-slots.ts'

/** This many conversations are read at a time. */
const read_max = 20
/** This many replays wait for models at a time. Each is said twice, one after the other. */
const at_once_max = 4
/** Scripts wait for nothing: they are replayed for about this long, and then written together. */
const batch_ms = 250

interface QueuedReplay extends Pick<ReplayResult, 'id' | 'source_conversation_id' | 'source_contact_id'> {
  content: ReplayContent
}

interface ReplayBatch {
  run: { id: string; agent_id: string }
  scene: Scene
  isStopping: () => boolean
  /** Returns why models are not asked, if they are not. */
  knownError: () => Promise<string | undefined>
}

/** Says again some of the conversations that are left of a run. Returns nothing when none are left. */
export async function replayBatch(at: AtOutside, batch: ReplayBatch): Promise<ReplayResult[]> {
  const { run, scene, isStopping, knownError } = batch
  const queued = await at.db.many<QueuedReplay>(
    sql`select id, source_conversation_id, source_contact_id, content from test_run_results
      where ${ofRun(at, run.id)} and status = 'queued' order by position limit ${raw(String(read_max))}`,
  )
  const [first] = queued
  if (!first) return []
  const deployed = await openDeployed(at, batch, first.content)
  if (!deployed) return queued.map((one) => failed(one, 'The deployed version does not exist any more.'))
  const scenes = { tested: scene, deployed }
  if (asksNoModel(scene) && asksNoModel(deployed))
    return testSlots.of(at).run(at.workspace, scene.signal, async () => {
      const results: ReplayResult[] = []
      const pace = openPace()
      const until = clock.ticks() + batch_ms
      for (const one of queued) {
        if (results.length > 0 && (clock.ticks() > until || isStopping())) break
        results.push(await sayAgain(at, scenes, one, run.id))
        await pace.yield()
      }
      await pace.pause()
      return results
    })
  const known = await knownError()
  const results = queued.slice(0, at_once_max).map((one) => ({ one, said: failed(one, known ?? '') }))
  if (known !== undefined) return results.map(({ said }) => said)
  await playAtOnce(scene, results, { at_once: at_once_max }, async (result) => {
    result.said = await sayAgain(at, scenes, result.one, run.id)
  })
  return results.map(({ said }) => said)
}

async function openDeployed(
  at: AtOutside,
  { run, scene }: ReplayBatch,
  { deployed_version_id: version_id }: ReplayContent,
): Promise<Scene | undefined> {
  const version = await findVersion(at, { agent_id: run.agent_id, version_id })
  if (!version) return undefined
  const { configuration, id, version_label } = version
  const tools = await findOffered(at, configuration.tools, version.mcp_tools)
  return { ...scene, version: { id, version_label }, configuration, tools }
}

async function sayAgain(at: AtOutside, scenes: ReplayScenes, one: QueuedReplay, run_id: string): Promise<ReplayResult> {
  const { content: _, ...ids } = one
  const { source_conversation_id } = one
  const recorded = await readRecorded(at, source_conversation_id).catch((error: unknown) => {
    if (error instanceof Problem) return undefined
    throw error
  })
  if (!recorded) return failed(one, own_errors.gone)
  const result = await replay(scenes, recorded, { test_run_id: run_id, source_conversation_id })
  return { ...ids, contact_id: recorded.conversation.contact_id, ...result }
}

const failed = ({ content: _, ...ids }: QueuedReplay, error: string): ReplayResult => ({
  ...ids,
  contact_id: null,
  ...failedReplay(error),
})
