import { type Language, numbered, phrases, spellings } from './language.ts'

const tens = { twenty: 20, thirty: 30, forty: 40, fifty: 50, sixty: 60, seventy: 70, eighty: 80, ninety: 90 }

export const en: Language = {
  intents: {
    yes: phrases(
      'yes, yeah, yep, yup, sure, ok, okay, alright, all right, of course, certainly, absolutely, definitely, correct, ' +
        'exactly, thats right, that works, works for me, sounds good, go ahead, please do, fine, perfect, great, ' +
        'i do, why not, no problem',
    ),
    no: phrases(
      'no, nope, nah, no thanks, no thank you, not really, not at all, never, dont want, not want, not interested, ' +
        'that doesnt work, not work, doesnt suit, not suit, cant, cannot, not possible, wrong, incorrect, not right, ' +
        'rather not, no way',
    ),
    repeat: phrases(
      'repeat, again, pardon, come again, say that again, what did you say, didnt hear, not hear, didnt catch, ' +
        'not catch, what was that, excuse me, sorry what, once more',
    ),
    human: phrases(
      'human, person, real person, speak someone, talk someone, speak somebody, talk somebody, operator, ' +
        'representative, live agent, receptionist, your manager, your colleague, customer service',
    ),
    stop: phrases(
      'stop, stop calling, stop texting, unsubscribe, not call, dont call, not contact, dont contact, dont text, ' +
        'remove me, take me off, opt out, leave me alone, never call',
    ),
    wrong_person: phrases(
      'wrong person, wrong number, not me, not him, not her, isnt me, nobody named, doesnt live, not live, ' +
        'dont know him, dont know her',
    ),
    busy: phrases(
      'busy, call later, call back, bad time, not now, in meeting, driving, no time, another time, later, cant talk',
    ),
    goodbye: phrases('goodbye, good bye, bye, bye bye, see you, farewell, thats all, nice day, take care, hang up'),
  },
  negations: phrases(
    'no, not, nope, nah, never, dont, doesnt, didnt, isnt, arent, wasnt, wont, cant, cannot, couldnt, wouldnt',
  ),
  answers: {
    no_more: phrases(
      'no more, no more calls and messages, no more messages, never again, stop, im sure, i am sure, i want that, ' +
        'thats correct, that is right, that is correct, thats what i want, that is what i want',
    ),
    courtesies: phrases('please, thanks, thank, you, sir, maam, bye, goodbye, um, uh, er, oh, well'),
  },
  numbers: {
    ...numbered('zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen', 0),
    ...numbered('sixteen seventeen eighteen nineteen', 16),
    ...tens,
  },
  multipliers: [
    ['thousand', 1000],
    ['hundred', 100],
  ],
  and: 'and',
  repetitions: { double: 2, triple: 3 },
  zero_names: ['oh', 'o'],
  plus: 'plus',
  ordinals: {
    ...numbered('first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth', 1),
    ...numbered('fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth', 14),
    thirtieth: 30,
  },
  before_ordinal: ['the', 'on'],
  weekdays: spellings(
    'monday mon, tuesday tue tues, wednesday wed weds, thursday thu thur thurs, friday fri, saturday, sunday',
  ),
  months: spellings(
    'january jan, february feb, march mar, april apr, may, june jun, july jul, august aug, september sep sept, ' +
      'october oct, november nov, december dec',
  ),
  days: [
    ['day after tomorrow', 2],
    ['tomorrow', 1],
    ['today', 0],
    ['tonight', 0],
    ['yesterday', -1],
  ],
  greetings: [],
  units: { day: 1, days: 1, week: 7, weeks: 7 },
  next: ['next'],
  week: 'week',
  is_month_first: true,
  times: [
    {
      pattern: /\b(\d{1,2})(?: ([0-5]\d))? ?a ?m\b/,
      minutes: (hour, minute) => (hour % 12) * 60 + minute,
      is_exact: true,
    },
    {
      pattern: /\b(\d{1,2})(?: ([0-5]\d))? ?p ?m\b/,
      minutes: (hour, minute) => ((hour % 12) + 12) * 60 + minute,
      is_exact: true,
    },
    { pattern: /\bhalf past (\d{1,2})\b/, minutes: (hour) => hour * 60 + 30 },
    { pattern: /\bquarter past (\d{1,2})\b/, minutes: (hour) => hour * 60 + 15 },
    { pattern: /\bquarter to (\d{1,2})\b/, minutes: (hour) => hour * 60 - 15 },
    { pattern: /\b(\d{1,2}) (?:minutes )?past (\d{1,2})\b/, minutes: (minute, hour) => hour * 60 + minute },
    { pattern: /\b(\d{1,2}) (?:minutes )?to (\d{1,2})\b/, minutes: (minute, hour) => hour * 60 - minute },
    { pattern: /\b(?:noon|midday)\b/, minutes: () => 12 * 60, is_exact: true },
    { pattern: /\bmidnight\b/, minutes: () => 0, is_exact: true },
    { pattern: /\b(\d{1,2}) oclock\b/, minutes: (hour) => hour * 60 },
    { pattern: /\b(?:at|around|about|by) (\d{1,2})(?: ([0-5]\d))?\b/, minutes: (hour, minute) => hour * 60 + minute },
  ],
  morning: /\bmorning\b/,
  afternoon: /\b(?:afternoon|evening|tonight|night)\b/,
  at: 'at',
  dot: 'dot',
  name: /\bmy name(?: is|['’]s)\s/i,
  weak_name: /\b(?:i am|i['’]m|this is|it['’]s|it is|call me|name is)\s/i,
  not_names: phrases(
    'a, an, and, are, as, at, but, calling, can, could, for, from, going, have, hello, here, hey, hi, how, i, im, in, ' +
      'interested, is, it, looking, maybe, my, need, on, or, please, speaking, the, there, this, to, trying, want, we, ' +
      'what, when, where, who, with, would, you, your, today, tomorrow',
  ),
}
