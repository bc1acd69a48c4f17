import { readSpoken } from '../conversations/turns.ts'
import type { At } from '../kit/at.ts'
import { normalizeText } from '../kit/text.ts'
import * as workspaces from '../workspaces/store.ts'
import { costOf } from './cost.ts'
import type { Call } from './schema.ts'

const search_text_max = 100_000

interface Ending {
  after: Call
  search_text: string | null
}

/** Adds to calls what is known when they have ended. */
export async function addTotals(at: At, ending: Ending[]): Promise<void> {
  if (ending.length === 0) return
  const ids = ending.flatMap(({ after }) => after.conversation_id ?? [])
  const [{ prices }, spoken] = await Promise.all([workspaces.readSettings(at), readSpoken(at, ids)])
  for (const change of ending) {
    const { after } = change
    const turns = spoken.get(after.conversation_id ?? '') ?? []
    const times = turns.flatMap(({ turn_ms }) => turn_ms ?? []).sort((left, right) => left - right)
    after.latency = { turn_p50_ms: percentile(times, 0.5), turn_p95_ms: percentile(times, 0.95) }
    after.cost_micros = costOf(after, prices)
    const words = turns.map(({ heard }) => heard).join(' ')
    if (after.redacted_at === null && words !== '') change.search_text = normalizeText(words).slice(0, search_text_max)
  }
}

/** The nearest rank. */
const percentile = (sorted: number[], share: number): number | null =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null
