import type { At } from '../kit/at.ts'
import { insertRows, type Row } from './rows.ts'
import { type RunToSave, saveRuns } from './tool-runs.ts'
import { insertTurns, type TurnOf } from './turns.ts'

/** A conversation that nobody real has had: an agent was tested. It is a trial, and closed. */
export interface PlayedConversation {
  conversation: Row
  turns: TurnOf[]
  runs: RunToSave[]
}

/** Keeps conversations of tests as trials are kept. They are counted nowhere, and nobody is told of them. */
export async function insertPlayed(at: At, played: PlayedConversation[]): Promise<void> {
  if (played.length === 0) return
  await Promise.all([
    insertRows(
      at,
      played.map(({ conversation }) => conversation),
    ),
    insertTurns(
      at,
      played.flatMap(({ turns }) => turns),
    ),
    saveRuns(
      at,
      played.flatMap(({ runs }) => runs),
    ),
  ])
}
