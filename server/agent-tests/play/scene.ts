import type { Configuration } from '../../agents/configuration.ts'
import type { Contact } from '../../contacts/schema.ts'
import { timeZoneOf } from '../../contacts/zones.ts'
import type { Row } from '../../conversations/rows.ts'
import type { RunToSave } from '../../conversations/tool-runs.ts'
import type { TurnOf } from '../../conversations/turns.ts'
import type { AtOutside } from '../../kit/at.ts'
import { inParallel } from '../../kit/limits/in-parallel.ts'
import type { Log } from '../../kit/log.ts'
import type { Usage } from '../../talk/state.ts'
import type { OfferedTool } from '../../tools/mcp-tools.ts'
import type { Settings } from '../../workspaces/schema.ts'
import type { ends, TestContent } from '../schema.ts'
import { contactFields } from '../test-faults.ts'

/** The facts that the tests of a run have in common. */
export interface Scene {
  at: AtOutside
  agent: { id: string; name: string }
  version: { id: string | null; version_label: string }
  configuration: Configuration
  /** The tools that the configuration names. */
  tools: OfferedTool[]
  settings: Settings
  /** Whether a model is asked when documents are searched. */
  has_embedder: boolean
  /** Whether nothing outside of the test is asked: a tool or a model that would be fails, and `has_called` tells it. */
  calls_nothing?: boolean
  /** When the run was created. The agent sees this time, unless a test says another one. */
  created_at: number
  /** Aborts the play when the run is canceled, or the process stops. */
  signal: AbortSignal
  /** Is called each time that a model was used, so that what is spent counts also when the play is aborted. */
  spend: (usage: Usage) => void
  log: Log
}

/** The content of a test that a play needs. */
export type PlayedTest = Omit<TestContent, 'name' | 'is_enabled'>

/** The content of a test that a talk needs. */
export type Part = Pick<TestContent, 'variables' | 'contact' | 'now' | 'uses_tools' | 'tool_answers'>

/** What has happened in one play of a test, before anything is checked. */
export interface PlayRecord {
  /** The conversation, which is closed. */
  conversation: Row
  turns: TurnOf[]
  runs: RunToSave[]
  /** How the conversation ended. It is null if it did not end by itself. */
  how: (typeof ends)[number] | null
  /** Why the call ended. It is null if there was none. */
  end_reason: string | null
  duration_ms: number | null
  /** The steps of a `conversation`, and the state before each. */
  marks: Mark[]
  /** The faults that were found, whatever the test expects. */
  faults: { sentence: string; step: number | null; seq: number | null }[]
  /** Why the test could not be played to its end: a model has failed. */
  error: string | null
  /** Whether something outside of the test was really asked: a tool, or a model that ranks documents. */
  has_called: boolean
}

/** The place of a line of the contact: the number of its turn, and the results after the answer. */
export interface Mark {
  seq: number
  results: Record<string, unknown>
  how: PlayRecord['how']
}

/** Says that the test can't be played to its end. The message is a sentence for the people of the workspace. */
export class PlayError extends Error {}

/** Says that the play was aborted, because its result isn't wanted any more. */
export class AbortedError extends Error {}

export function assertNotAborted({ signal }: Pick<Scene, 'signal'>): void {
  if (signal.aborted) throw new AbortedError('the play was aborted')
}

/** Plays some at the same time. An error that one of them throws is thrown when all have ended. */
export async function playAtOnce<T>(
  { signal }: Pick<Scene, 'signal'>,
  all: T[],
  { at_once }: { at_once: number },
  playOne: (one: T) => Promise<unknown>,
): Promise<void> {
  try {
    await inParallel(all, { at_once }, playOne)
  } catch (error) {
    if (signal.aborted) throw new AbortedError('the run was stopped')
    throw error instanceof Error && error.cause ? error.cause : error
  }
}

export const isScripted = ({ configuration }: Pick<Scene, 'configuration'>): boolean => configuration.script !== null

const no_contact = {
  first_name: null,
  last_name: null,
  display_name: null,
  email: null,
  company: null,
  time_zone: null,
  notes: null,
  tags: [],
  custom_fields: {},
  source: 'api' as const,
  first_contact_at: null,
  last_contact_at: null,
}
/** The number belongs to nobody. */
const made_up_number = '+14155550100'
/** The id is in no row. */
const made_up_id = '00000000-0000-7000-8000-000000000000'

/** Makes the contact of a test, which is never stored. A call has one in any case. */
export function contactOf({ contact }: Part, created_at: string, { is_needed = false } = {}): Contact | undefined {
  if (contact === null && !is_needed) return undefined
  const times = { created_at, updated_at: created_at }
  const known = { id: made_up_id, phone_number: made_up_number, ...no_contact, ...times }
  // `testFaults` has checked the fields. A field that is null stays null.
  const given = contactFields(contact ?? {}) as Partial<Contact>
  return { ...known, ...given, tags: given.tags ?? [], custom_fields: given.custom_fields ?? {} }
}

export const zoneFor = (contact: Contact | undefined, { settings }: Scene, now: number): string =>
  timeZoneOf(contact, { now, workspace_time_zone: settings.time_zone })
