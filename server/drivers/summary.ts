import type { Configuration } from '../agents/configuration.ts'
import type { ClaimedConversation } from '../conversations/claim.ts'
import type { Timers } from '../conversations/rows.ts'
import { isOverLimit } from '../conversations/store.ts'
import { conversationWatch } from '../conversations/stream.ts'
import * as turns from '../conversations/turns.ts'
import type { AtOutside } from '../kit/at.ts'
import { truncate } from '../kit/text.ts'
import { openModel } from '../models/language-model.ts'
import { no_usage } from '../talk/state.ts'
import { toUsage } from './ask.ts'
import { emptySave } from './plan-save.ts'
import { summaryPromptFor } from './prompt.ts'
import type { openConversationSaves } from './save.ts'

const timeout_ms = 20_000
const summary_length_max = 2_000
/** A summary covers at most this many turns. The rest is part of the next one. */
const turns_max = 200

interface Summary {
  claimed: ClaimedConversation
  configuration: Configuration
  timers: Timers
  save: ReturnType<typeof openConversationSaves>
}

/** Writes what was said in a few sentences, by one request to the agent's model. Without an answer there is no summary. */
export async function summarize(at: AtOutside, { claimed, configuration, timers, save }: Summary): Promise<void> {
  const { id, status, turn_count, summarized_until } = claimed
  const said = await turns.list(at, { conversation_id: id, after: summarized_until, limit: turns_max })
  const has_words = said.some(({ role }) => role === 'contact')
  const may_ask = has_words && !(await isOverLimit(at, claimed))
  // The request is aborted when someone says something meanwhile, who is answered first.
  const changed = new AbortController()
  const stopWatching = conversationWatch.of(at).open(at, id, (snapshot) => {
    if (snapshot?.turn_count !== turn_count || snapshot.status !== status) changed.abort()
  })
  const asked = may_ask ? ask(at, { claimed, configuration, said, signal: changed.signal }) : undefined
  const written = await Promise.resolve(asked).finally(stopWatching)
  await save(at, {
    ...emptySave(claimed),
    usage: written?.usage ?? no_usage,
    changes: written ? { summary: written.text, summarized_until: said.at(-1)?.seq ?? 0 } : {},
    release: { timers, idle_ms: configuration.limits.idle_seconds * 1_000, needs_summary: false },
  })
}

interface Question extends Pick<Summary, 'claimed' | 'configuration'> {
  said: { role: string; text: string }[]
  signal: AbortSignal
}

async function ask(at: AtOutside, { claimed, configuration, said, signal }: Question) {
  try {
    const model = await openModel(at, configuration.model ?? {})
    const { content, usage } = await model.doGenerate({
      prompt: summaryPromptFor(claimed.summary, said),
      abortSignal: AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)]),
    })
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
    if (text.trim() === '') return undefined
    return {
      text: truncate(text.trim(), summary_length_max),
      usage: toUsage(usage),
    }
  } catch {
    // Without a summary, whatever the reason, the conversation goes on.
    return undefined
  }
}
