import type { Key } from '../agents/call-settings.ts'
import { en } from '../languages/en.ts'
import type { Sayings } from '../languages/language.ts'
import { findLanguage } from '../languages/languages.ts'
import type { Sentences as EngineSentences } from './state.ts'

/**
 * Adds to the engine's sentences the answers to words such as STOP, and to people who write by WhatsApp instead of SMS.
 */
export interface Sentences extends EngineSentences, Sayings {
  too_fast: string
  opt_in: string
  help: string
  text_instead: string
}

type OwnSentences = Omit<Sentences, keyof Sayings>

const english: OwnSentences = {
  failed: "I'm sorry, I can't answer right now. Please try again in a moment, or ask for a person.",
  goodbye: 'Goodbye.',
  limit: 'We have reached the end of what I can do in this conversation. Please start a new one. Goodbye.',
  handed_over: 'I am handing you over to a person. They will answer here.',
  nobody_yet: 'Nobody was free to answer so far. Someone will get back to you here.',
  still_there: 'Are you still there?',
  one_moment: 'One moment, please.',
  nobody_free: "I'm sorry, nobody is free right now. Can I help you with something else?",
  not_transferred: "I'm sorry, I could not reach them. Can I help you with something else?",
  cut_off: 'Sorry, we were cut off.',
  is_that_right: 'Is that right?',
  too_fast: 'You write faster than I can answer. I will answer in a minute.',
  opt_in: 'You will get messages from us again. Reply STOP to end them.',
  help: 'Reply STOP to get no more messages, or START to get them again.',
  text_instead: "We can't answer here. Please send a text message (SMS) to this number instead.",
}

const german: OwnSentences = {
  failed:
    'Es tut mir leid, ich kann gerade nicht antworten. Versuchen Sie es gleich noch einmal, oder fragen Sie nach einer Person.',
  goodbye: 'Auf Wiederhören.',
  limit: 'Mehr kann ich in diesem Gespräch nicht tun. Bitte beginnen Sie ein neues. Auf Wiederhören.',
  handed_over: 'Ich übergebe an eine Person. Sie antwortet Ihnen hier.',
  nobody_yet: 'Bisher war niemand frei. Es meldet sich jemand bei Ihnen.',
  still_there: 'Sind Sie noch da?',
  one_moment: 'Einen Moment, bitte.',
  nobody_free: 'Es ist gerade niemand frei. Kann ich Ihnen sonst helfen?',
  not_transferred: 'Ich konnte niemanden erreichen. Kann ich Ihnen sonst helfen?',
  cut_off: 'Entschuldigung, wir wurden unterbrochen.',
  is_that_right: 'Ist das richtig?',
  too_fast: 'Sie schreiben schneller, als ich antworten kann. Ich antworte in einer Minute.',
  opt_in: 'Sie bekommen wieder Nachrichten von uns. Mit STOP beenden Sie das.',
  help: 'Mit STOP bekommen Sie keine Nachrichten mehr, mit START wieder.',
  text_instead: 'Hier können wir nicht antworten. Bitte senden Sie stattdessen eine SMS an diese Nummer.',
}

/** Returns what agents say about the key that ends calls for good. */
export function pressKey(key: Key, language: string): string {
  const { press_key, star, hash } = sentencesIn(language)
  const name = key === '*' ? star : key === '#' ? hash : key
  return press_key.replace('{key}', name)
}

/** Returns what agents say when no model can. They are English where a language has none of its own. */
export const sentencesIn = (language: string): Sentences => ({
  ...(/^de\b/i.test(language) ? german : english),
  ...(findLanguage(language) ?? en).sayings,
})
