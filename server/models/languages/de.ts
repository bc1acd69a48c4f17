import { type Language, numbered, phrases, spellings } from './language.ts'

const units = numbered('ein zwei drei vier funf sechs sieben acht neun', 1)
const tens = { zwanzig: 20, dreissig: 30, vierzig: 40, funfzig: 50, sechzig: 60, siebzig: 70, achtzig: 80, neunzig: 90 }
const compounds = Object.entries(tens).flatMap(([ten, value]) =>
  Object.entries(units).map(([unit, ones]) => [`${unit}und${ten}`, value + ones] as const),
)
const numbers: Record<string, number> = {
  ...numbered('null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn', 0),
  ...numbered('sechzehn siebzehn achtzehn neunzehn', 16),
  ...units,
  zwo: 2,
  ...tens,
  ...Object.fromEntries(compounds),
}
const irregular_ordinals = { erste: 1, dritte: 3, siebte: 7, achte: 8 }
const regular_ordinals = Object.entries(numbers)
  .filter(([, value]) => value > 1 && value <= 31)
  .map(([word, value]) => [`${word}${value < 20 ? 'te' : 'ste'}`, value] as const)
const ordinals = [...regular_ordinals, ...Object.entries(irregular_ordinals)].flatMap(([word, value]) =>
  ['', 'n', 'r'].map((ending) => [word + ending, value] as const),
)

export const de: Language = {
  intents: {
    yes: phrases(
      'ja, jawohl, jo, genau, klar, sicher, gerne, gern, naturlich, auf jeden fall, ok, okay, in ordnung, richtig, ' +
        'stimmt, korrekt, passt, das passt, einverstanden, gut, sehr gut, perfekt, kein problem, warum nicht',
    ),
    no: phrases(
      'nein, ne, nee, no, nein danke, passt nicht, geht nicht, will nicht, mochte nicht, kann nicht, kein interesse, ' +
        'nicht interessiert, stimmt nicht, nicht richtig, falsch, lieber nicht, auf keinen fall, niemals, nicht moglich',
    ),
    repeat: phrases(
      'wiederholen sie, bitte wiederholen, das wiederholen, nochmal, noch mal, noch einmal, wie bitte, was sagten sie, was haben sie gesagt, ' +
        'nicht verstanden, nicht gehort, bitte was',
    ),
    human: phrases(
      'mensch, menschen, mitarbeiter, mitarbeiterin, person sprechen, jemand sprechen, jemandem sprechen, ' +
        'richtige person, echte person, kollegen, chef, kundendienst, zentrale',
    ),
    stop: phrases(
      'stopp, stop, aufhoren, abmelden, abbestellen, nicht anrufen, nicht mehr, keine anrufe, keine nachrichten, ' +
        'loschen sie, in ruhe',
    ),
    wrong_person: phrases(
      'falsche person, falsche nummer, verwahlt, falsch verbunden, nicht ich, bin nicht, kenne nicht, wohnt nicht',
    ),
    busy: phrases(
      'keine zeit, beschaftigt, spater, gerade schlecht, schlecht gerade, passt gerade, im termin, in besprechung, ' +
        'am steuer, anderes mal, ruckruf, zuruckrufen',
    ),
    goodbye: phrases(
      'auf wiedersehen, auf wiederhoren, wiedersehen, wiederhoren, tschuss, tschus, tschau, ciao, schonen tag, ' +
        'das wars, bis dann, bis bald, auflegen',
    ),
  },
  negations: phrases('nein, ne, nee, nicht, kein, keine, keinen, nie, niemals, no'),
  answers: {
    no_more: phrases(
      'keine mehr, nicht mehr, nie mehr, nie wieder, keine nachrichten mehr, stopp, stop, das stimmt, das ist richtig, ' +
        'mochte ich, will ich, das mochte ich, das will ich, ganz sicher',
    ),
    courtesies: phrases('bitte, danke, ah, ahm, oh, also'),
  },
  numbers,
  multipliers: [
    ['tausend', 1000],
    ['hundert', 100],
  ],
  and: 'und',
  repetitions: { doppel: 2, doppelt: 2 },
  zero_names: [],
  plus: 'plus',
  ordinals: Object.fromEntries(ordinals),
  before_ordinal: ['am', 'den', 'der', 'dem', 'zum'],
  weekdays: spellings('montag, dienstag, mittwoch, donnerstag, freitag, samstag sonnabend, sonntag'),
  months: spellings(
    'januar jan janner, februar feb, marz, april apr, mai, juni jun, juli jul, august aug, september sep sept, ' +
      'oktober okt, november nov, dezember dez',
  ),
  days: [
    ['ubermorgen', 2],
    ['uebermorgen', 2],
    ['morgen', 1],
    ['heute', 0],
    ['gestern', -1],
  ],
  greetings: ['guten morgen'],
  units: { tag: 1, tage: 1, tagen: 1, woche: 7, wochen: 7 },
  next: ['nachste', 'nachsten', 'nachster', 'nachstes', 'kommende', 'kommenden'],
  week: 'woche',
  is_month_first: false,
  times: [
    { pattern: /\b(\d{1,2}) ([0-5]\d) uhr\b/, minutes: (hour, minute) => hour * 60 + minute },
    { pattern: /\bhalb (\d{1,2})\b/, minutes: (hour) => hour * 60 - 30 },
    { pattern: /\bviertel nach (\d{1,2})\b/, minutes: (hour) => hour * 60 + 15 },
    { pattern: /\bviertel vor (\d{1,2})\b/, minutes: (hour) => hour * 60 - 15 },
    { pattern: /\bdreiviertel (\d{1,2})\b/, minutes: (hour) => hour * 60 - 15 },
    { pattern: /\b(\d{1,2}) (?:minuten )?nach (\d{1,2})\b/, minutes: (minute, hour) => hour * 60 + minute },
    { pattern: /\b(\d{1,2}) (?:minuten )?vor (\d{1,2})\b/, minutes: (minute, hour) => hour * 60 - minute },
    { pattern: /\b(?:mittag|mittags)\b/, minutes: () => 12 * 60, is_exact: true },
    { pattern: /\bmitternacht\b/, minutes: () => 0, is_exact: true },
    { pattern: /\b(\d{1,2}) uhr(?: ([0-5]?\d))?\b/, minutes: (hour, minute) => hour * 60 + minute },
    { pattern: /\b(?:um|gegen|ab) (\d{1,2})(?: ([0-5]\d))?\b/, minutes: (hour, minute) => hour * 60 + minute },
  ],
  morning: /\b(?:morgens|vormittag|vormittags|fruh|nachts)\b/,
  afternoon: /\b(?:nachmittag|nachmittags|abend|abends)\b/,
  at: 'at',
  dot: 'punkt',
  name: /\b(?:mein name ist|ich hei(?:ß|ss)e)\s/i,
  weak_name: /\b(?:ich bin|ich bin's|hier ist|hier spricht|name ist|das ist)\s/i,
  not_names: phrases(
    'aber, am, an, auch, auf, aus, bei, bin, bitte, das, der, die, ein, eine, einen, es, fur, guten, hallo, ich, im, in, ' +
      'interessiert, ist, kann, mein, mit, mochte, oder, sie, um, und, wann, was, wer, wie, wir, wo, zu, heute, ' +
      'morgen, tag',
  ),
}
