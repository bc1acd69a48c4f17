/** What the first words in a call say about who speaks them, in English and German. */
export type Speaker = 'voicemail' | 'screened' | 'menu' | 'person'

const number = 'one|two|three|four|five|six|seven|eight|nine|zero|star|pound|hash|\\d'
const zahl = 'eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|null|stern|raute|\\d'
const tone = 'tones?|beep|signal|signalton|ton|piepton|piep|piepen'
const the = '(?:(?:the|a|dem|den|einen) )(?:\\S+ )?'

/** Phrases of people who answer for somebody else: they say "leave a message" too. */
const person = anyOf(
  '(?:may|can|could|shall|should) (?:i|we) (?:take|give|help|ask|tell|direct)',
  '(?<!if )(?:would|do) you (?:like|want|care) to leave',
  "(?:he|she)(?:'s| is) (?:\\S+ )?(?:not|out|away|busy|on another)",
  'how (?:can|may|could) (?:i|we) (?:help|direct|assist)|direct your call|(?:help|assist) you(?: today)?$',
  "what (?:can|could) (?:i|we) do for you|who(?:'s| is) (?:this|there|that|speaking)|speaking how",
  'was kann ich|wie kann ich|kann ich (?:etwas|was) ausrichten|wer ist (?:da|dran|am apparat)|(?:möchten|wollen) sie eine',
)

const announced_tone = anyOf(`(?:after|at|on|for|hear|nach|auf) ${the}(?:${tone})`)

const voicemail = anyOf(
  'leave (?:me |us |him |her |them )?(?:(?:a|an|the|your) (?:\\S+ ){0,4})?(?:messages?|name|number)(?! (?:please )?(?:press|dial|push))',
  'record (?:a|your) (?:\\S+ )?message',
  announced_tone.source,
  'voice ?mail|mail ?box|answering (?:machine|service)|voice messag\\S+ (?:system|service)',
  "(?:can't|cannot|can not|unable to|not able to) (?:come to|get to|answer|take|pick up) (?:the |your |my |this )?(?:\\S+ )?(?:phone|call)s?",
  "(?:i'm|i am|we're|we are) (?:currently |temporarily |away |either )*(?:not available|unavailable|not (?:here|in|home|at home)|away|closed)",
  "you(?:'re| are|'ve| have|) (?:\\S+ ){0,3}(?:calling|called|dial(?:ed|led|ing)|reach(?:ed|ing)?) (?:\\S+ ){0,5}(?:not available|unavailable|not in service|cannot)",
  '(?:return your call|call you back|get back to you|be back) (?:as soon|when|later|shortly|at )',
  '(?:nachricht|namen|nummer|mitteilung) (?:\\S+ ){0,3}(?:hinterlassen|sprechen|aufsprechen)|(?:hinterlassen|hinterlasse|sprechen) (?:\\S+ ){0,4}(?:nachricht|mitteilung|namen|nummer)',
  'anrufbeantworter|sprachbox|(?:zurzeit|zur zeit|momentan|gerade|vorübergehend|derzeit) (?:leider )?nicht (?:erreichbar|zu erreichen|da|ans telefon)',
  'rufe? (?:sie |dich |euch )?(?:\\S+ )?(?:schnellstmöglich|so schnell|so bald|sobald) (?:\\S+ )*zurück',
)

const screened = anyOf(
  '(?:say|state|record|give|tell (?:me|us)) (?:me |us )?your (?:full )?name',
  '(?:say|state|tell (?:me|us)) (?:\\S+ )?(?:who you are|who is calling|why you|the reason|what (?:you are|this|it))',
  "who(?:'s| is) calling (?:\\S+ ){0,2}(?:and|why)|screen(?:ed|ing)|reason for (?:your |the )?call(?:ing)?|see if (?:\\S+ ){1,4}(?:is )?available",
  '(?:nennen|sagen) sie (?:\\S+ ){0,3}(?:namen|wer sie|wer (?:da )?anruft|warum)|grund (?:ihres|des) anrufs|wer ruft (?:\\S+ )?an und',
)
/** Questions that a person asks soon after the beginning, and an assistant after a sentence or two. */
const asks_who = anyOf("who(?:'s| is) calling|wer (?:ruft (?:\\S+ )?an|spricht|ist am apparat)")

const menu = anyOf(
  `(?:press|dial|push|enter|select) (?:the )?(?:number )?(?:${number})(?: key)?`,
  'press any (?:key|digit|button)|(?:main|following) (?:menu|options)|menu options|options have changed|party.s extension|extension number',
  `(?:drücken|wählen) sie (?:bitte )?(?:die |jetzt die |jetzt )?(?:${zahl}|taste)|(?:die|eine) taste`,
)

/** Words that people say to a line on which nobody speaks. */
const calling_out = new Set(
  (
    "hello hi hey hallo yes yeah ja anybody anyone somebody someone jemand there here da hier who who's wer is this it that ist " +
    "dran am apparat are you still noch sind sie can hear me i'm bin ich denn"
  ).split(' '),
)
const calls_out = anyOf("hello|hallo|hey|anybody|anyone|somebody|someone|jemand|wer|who|who's|are you (?:still )?there")
const calling_out_words_max = 10

/** Returns who speaks, if the words tell. `is_long`: they took longer than a person takes to say hello. */
export function speakerOf(text: string, { is_long }: { is_long: boolean }): Speaker | undefined {
  const words = plain(text)
  const is_person = person.test(words) || (is_long && text.trimEnd().endsWith('?'))
  if (announced_tone.test(words) || (!is_person && voicemail.test(words))) return 'voicemail'
  if (menu.test(words)) return 'menu'
  if (screened.test(words) || (is_long && asks_who.test(words))) return 'screened'
  return is_person ? 'person' : undefined
}

/** Whether the words announce a beep. */
export const announcesTone = (text: string): boolean => announced_tone.test(plain(text))

/** Returns how often someone asks, with these words, whether anybody is there. */
export function countCallingOut(text: string): number {
  const words = plain(text).split(' ')
  if (words.length > calling_out_words_max || !words.every((word) => calling_out.has(word))) return 0
  return words.join(' ').match(new RegExp(calls_out.source, 'gu'))?.length ?? 0
}

const plain = (text: string): string =>
  (
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{N}']+/gu) ?? []
  ).join(' ')

/** Matches any of these phrases as whole words. */
function anyOf(...phrases: string[]): RegExp {
  return new RegExp(`(?<![^ ])(?:${phrases.join('|')})(?![^ ])`, 'u')
}
