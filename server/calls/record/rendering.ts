import { setTimeout as sleep } from 'node:timers/promises'
import { findConfiguration } from '../../agents/find-version.ts'
import { listSpoken, type SpokenTurn } from '../../conversations/turns.ts'
import type { AtOutside } from '../../kit/at.ts'
import { sql } from '../../kit/postgres/sql.ts'
import { notFound, Problem } from '../../kit/problem.ts'
import type { SpeechPart } from '../../talk/state.ts'
import { renderer } from '../carrier.ts'
import { select } from '../rows.ts'
import type { Call } from '../schema.ts'
import { store } from './files.ts'

/** Clients don't wait longer than this for a response. */
const wait_max_ms = 20_000
const retry_after_seconds = 10

/** Renders the audio of a simulated call and keeps it. Rejects when it takes long, and continues in the background. */
export async function renderRecording(at: AtOutside, call: Call): Promise<void> {
  const { db, workspace } = at
  const { conversation_id, id, agent_id, agent_version } = call
  const [{ contact_voice, line }, turns, configuration] = await Promise.all([
    select(['contact_voice', 'line']).one(db, sql`from calls where workspace_id = ${workspace} and id = ${id}`),
    conversation_id === null ? [] : listSpoken(at, conversation_id),
    agent_version.id === null ? undefined : findConfiguration(at, { agent_id, version_id: agent_version.id }),
  ])
  // What someone has really said can't be made again.
  if (line !== null) throw notFound()
  const audio = {
    id,
    workspace,
    duration_ms: call.duration_ms ?? 0,
    contact: { voice: contact_voice, parts: partsOf(turns, ['contact']) },
    agent: { voice: configuration?.voice ?? null, parts: partsOf(turns, ['agent', 'human']) },
  }
  const rendered = renderer.of(at).render(audio, (wav) => store(at, call, wav))
  const stop = new AbortController()
  const too_long = sleep(wait_max_ms, undefined, { ref: false, signal: stop.signal }).then(() => {
    throw stillRendering()
  })
  await Promise.race([rendered, too_long]).finally(() => stop.abort())
}

const partsOf = (turns: SpokenTurn[], roles: SpokenTurn['role'][]): SpeechPart[] =>
  turns.flatMap(({ role, speech }) => (roles.includes(role) ? speech : []))

export const stillRendering = () =>
  new Problem(
    'INVALID_STATE',
    'The recording is being rendered. Try again in ten seconds.',
    { reason: 'rendering' },
    { 'retry-after': String(retry_after_seconds) },
  )
