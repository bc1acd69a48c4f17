import type { Sentences } from './state.ts'

const english: Sentences = {
  failed: "I'm sorry, I can't answer right now. Please try again in a moment, or ask for a person.",
  goodbye: 'Goodbye.',
  limit: 'We have reached the end of what I can do in this conversation. Please start a new one. Goodbye.',
  handed_over: 'I am handing you over to a person. They will answer here.',
  nobody_yet: 'Nobody was free to answer so far. Someone will get back to you here.',
}

const german: Sentences = {
  failed:
    'Es tut mir leid, ich kann gerade nicht antworten. Versuchen Sie es gleich noch einmal, oder fragen Sie nach einer Person.',
  goodbye: 'Auf Wiederhören.',
  limit: 'Mehr kann ich in diesem Gespräch nicht tun. Bitte beginnen Sie ein neues. Auf Wiederhören.',
  handed_over: 'Ich übergebe an eine Person. Sie antwortet Ihnen hier.',
  nobody_yet: 'Bisher war niemand frei. Es meldet sich jemand bei Ihnen.',
}

/** What agents say when no model can, by language. English where a language has no sentences of its own. */
export const sentencesIn = (language: string): Sentences => (/^de\b/i.test(language) ? german : english)
