import { findConfiguration } from '../agents/find-version.ts'
import * as consent from '../consent/store.ts'
import { type Asking, answerLanguage, askingOf } from '../consent/written.ts'
import * as contacts from '../contacts/store.ts'
import { lockAll, type Row } from '../conversations/rows.ts'
import type { Conversation } from '../conversations/schema.ts'
import type { Said } from '../conversations/threads.ts'
import { newTurn } from '../conversations/turns.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { letOthersRun } from '../kit/let-others-run.ts'
import { sentencesIn } from '../talk/sentences.ts'
import { writeReceived } from './write-received.ts'

/**
 * Obeys contacts who write over the API, or in a web chat, that they want no more calls and messages. Their conversations end with
 * a confirmation, and are returned. Where it is not known who writes, there is nothing to obey.
 */
export async function obey(at: At, all: Said[]): Promise<Conversation[]> {
  const asking = new Map<string, Said & { asking: Asking }>()
  for (const said of all) {
    if (said.contact_id === null) continue
    await letOthersRun({ is_urgent: true })
    const found = askingOf(said.turn.text, { by_sms: false })
    if (found?.word === 'opt_out' && !asking.has(said.id)) asking.set(said.id, { ...said, asking: found })
  }
  if (asking.size === 0) return []
  const rows = await lockAll(at, [...asking.keys()])
  const people = await contacts.getMany(
    at,
    [...asking.values()].flatMap(({ contact_id }) => contact_id ?? []),
  )
  const closing = [...asking.values()].flatMap(({ contact_id, ...said }) => {
    const row = rows.get(said.id)
    const contact = people.get(contact_id ?? '')
    return row && contact ? { ...said, row, contact } : []
  })
  await consent.record(
    at,
    // Nobody real writes in a trial.
    closing
      .filter(({ row }) => !row.is_test)
      .map(({ id, contact, turn, asking }) => ({
        phone_number: contact.phone_number,
        contact_id: contact.id,
        kind: 'all' as const,
        status: 'revoked' as const,
        source: 'api' as const,
        evidence: { conversation_id: id, seq: turn.seq, ...asking.shown },
      })),
  )
  const received = await Promise.all(
    closing.map(async ({ id, row, contact, asking }) => {
      const { opt_out: text } = sentencesIn(answerLanguage(asking, await agentLanguage(at, row)))
      const created_at = clock.iso(at.now)
      const turn = newTurn({ seq: row.turn_count + 1, role: 'system', text, created_at })
      const turns = [{ id, contact_id: contact.id, turn }]
      return { before: row, turns, awaits_answer: false, closes: true }
    }),
  )
  return writeReceived(at, received)
}

/** English, if the version is gone or is a draft. */
export async function agentLanguage(at: At, { agent_id, agent_version }: Row): Promise<string> {
  const version_id = agent_version.id
  const configuration = version_id && (await findConfiguration(at, { agent_id, version_id }))
  return configuration ? configuration.language : 'en'
}
