import { type Configuration, hearsLanguage } from '../agents/configuration.ts'
import { type Contact, customFieldPath } from '../contacts/schema.ts'
import * as clock from '../kit/clock.ts'
import { localIso } from '../kit/time-zone.ts'
import { fill, type Values } from '../models/template.ts'
import { pressKey, sentencesIn } from './sentences.ts'
import type { Settings } from './state.ts'

/** How a contact takes part in a conversation. */
export const kinds = ['api', 'web_chat', 'sms', 'voice'] as const
export type Kind = (typeof kinds)[number]

/** How long the parts of an answer may take. */
export type TimeLimits = Pick<Settings, 'first_piece_ms' | 'answer_ms' | 'tools_ms' | 'person_ms'>

export const time_limits: TimeLimits = {
  first_piece_ms: 10_000,
  answer_ms: 60_000,
  /** Every single tool has a shorter timeout. */
  tools_ms: 25_000,
  person_ms: 15 * 60_000,
}

/**
 * Limits of calls, which are shorter because people on the telephone don't wait as long. A hand-over that nobody takes
 * ends after a minute.
 */
export const voice_time_limits: TimeLimits = {
  first_piece_ms: 4_000,
  answer_ms: 20_000,
  tools_ms: 25_000,
  person_ms: 60_000,
}

/** Returns what placeholders in greetings and scripts stand for. */
export function valuesOf(
  { agent_name, variables }: { agent_name: string; variables: Values },
  { contact, time_zone, now }: { contact: Contact | undefined; time_zone: string; now: number },
): Values {
  return {
    ...variables,
    'contact.first_name': contact?.first_name ?? null,
    'contact.last_name': contact?.last_name ?? null,
    'contact.display_name': contact?.display_name ?? null,
    'contact.company': contact?.company ?? null,
    'contact.email': contact?.email ?? null,
    'contact.phone_number': contact?.phone_number ?? null,
    ...customFieldValues(contact),
    'agent.name': agent_name,
    now: localIso(time_zone, now),
  }
}

const customFieldValues = (contact: Contact | undefined): Values =>
  Object.fromEntries(
    Object.entries(contact?.custom_fields ?? {}).map(([name, value]) => [`contact.${customFieldPath(name)}`, value]),
  )

/** Carriers refuse longer text messages. */
export const sms_characters_max = 1_600
/** Nobody listens to a longer answer in a call. */
const voice_characters_max = 1_200
const characters_max: Partial<Record<Kind, number>> = {
  sms: sms_characters_max,
  voice: voice_characters_max,
}

export const settingsFor = (
  configuration: Configuration,
  {
    values,
    say_while,
    tool_rules,
    time_limits,
    kind,
  }: {
    values: Values
    say_while: Settings['say_while']
    tool_rules?: NonNullable<Settings['tool_rules']>
    time_limits: TimeLimits
    kind: Kind
  },
): Settings => {
  const { greeting, hand_over, limits, language } = configuration
  return {
    greeting: greeting === null ? null : fill(greeting, values),
    hand_over_message: hand_over.message === null ? null : fill(hand_over.message, values),
    say_while,
    ...(configuration.script === null && tool_rules && { tool_rules }),
    has_fallback: configuration.fallback_model !== null,
    can_hand_over: hand_over.is_allowed,
    hands_over_on_failure: hand_over.on_failure,
    has_last_words: configuration.script === null,
    obeys_stop_words: kind === 'voice',
    sentences: sentencesIn(language),
    language,
    turns_max: limits.turns_max,
    tokens_max: limits.tokens_max,
    reply_characters_max: Math.min(limits.reply_characters_max, characters_max[kind] ?? limits.reply_characters_max),
    idle_ms: limits.idle_seconds * 1_000,
    ...time_limits,
    voice: kind === 'voice' ? voiceSettings(configuration, values) : null,
  }
}

function voiceSettings(configuration: Configuration, values: Values): Settings['voice'] {
  const { recording, voicemail_message, opt_out_key, opt_out_notice, language, script, limits } = configuration
  const names_key = opt_out_notice || !hearsLanguage(configuration)
  const notices = [
    ...(recording.is_on && recording.notice !== null ? [fill(recording.notice, values)] : []),
    ...(names_key && opt_out_key !== null ? [pressKey(opt_out_key, language)] : []),
  ]
  return {
    notice: notices.length > 0 ? notices.join(' ') : null,
    voicemail_message: voicemail_message === null ? null : fill(voicemail_message, values),
    opt_out_key,
    asks_on_silence: script !== null,
    call_ms: limits.call_seconds_max * 1_000,
  }
}

/** Returns the day (UTC) for which tokens are counted. */
export const dayOf = (now: number): string => clock.iso(now).slice(0, 10)
