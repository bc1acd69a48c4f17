import type { Configuration } from '../agents/configuration.ts'
import { type At, newHook } from '../kit/at.ts'
import { mayAskByName } from '../models/intents.ts'
import { languageOf, listen } from '../models/matching.ts'
import { namesIn } from '../models/names.ts'

/** Collects the names of people in the workspace, which each reaction returns. */
export const naming_people = newHook<undefined, string[]>('drivers.naming_people')

/** Returns who a contact may ask for by name: members, transfers, and who is named in the hand-over. Reads nothing if the words name nobody. */
export async function namesToAskFor(
  at: At,
  texts: string[],
  { language, transfers, hand_over }: Configuration,
): Promise<string[]> {
  const spoken = languageOf(language)
  if (!texts.some((text) => mayAskByName(listen(text, spoken)))) return []
  const people = await at.hooks.run(at, naming_people, undefined)
  return [...people.flat(), ...transfers.map(({ name }) => name), ...namesIn(hand_over.message ?? '')]
}
