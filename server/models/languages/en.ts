import { type Language, numbered, phrases, spellings } from './language.ts'

const tens = { twenty: 20, thirty: 30, forty: 40, fifty: 50, sixty: 60, seventy: 70, eighty: 80, ninety: 90 }

const title = '[mr/mrs/ms/miss/dr/doctor]'
const a = '[a/an/the/your/some/any/one/another] [of/real/live/actual/human/other] [your/the]'
const somebody =
  'someone/somebody/anyone/anybody/person/persons/people/human/humans/agent/agents/operator/representative/rep/manager/supervisor/' +
  'colleague/colleagues/receptionist/advisor/adviser/employee/staff/team'
const service = '[your/the] customer service/support/care'
const moment = 'now/today/tomorrow/later'
const day = 'monday/tuesday/wednesday/thursday/friday/saturday/sunday'

export const en: Language = {
  intents: {
    yes: {
      anywhere: phrases(
        '=do it, ^yes/yeah/yep/yup, yes/yeah/yep/yup$, ^why not$, ^no problem, no problem$, ^of course, of course$, please do, ^by all means',
      ),
      in_statements: phrases(
        '^sure/ok/okay/alright/certainly/absolutely/definitely/correct/exactly/fine/perfect/great, ' +
          'sure/ok/okay/alright/certainly/absolutely/definitely/correct/exactly/fine/perfect/great$, ^all right, all right$, ' +
          'thats/that is/was right/correct/fine/okay/ok/great/perfect/good, thats right/correct/fine/okay/ok/great/perfect/good, ' +
          'that works, works for me/us, sounds good/great/perfect/fine/lovely, ^go ahead, can/may/should/please go ahead, ' +
          '^i do$, =right, =y, i agree, id like/love that, would like/love that, lets do it/that/this, fine by/with me',
      ),
      but: phrases(
        'fine print, make/making/made/be/for sure, how that works, whether that works, if that works, im ok/okay/fine/alright, ' +
          'i am ok/okay/fine/alright, great deal/many',
      ),
    },
    no: {
      anywhere: phrases(
        '^no/nope/nah, no/nope/nah$, no thanks, no thank you, not really, not at all, not interested, no interest, not possible, ' +
          'not right/correct, i/we dont want/need/agree, i/we do not want/need/agree, dont think so, do not think so, rather not, ' +
          'i/we cant/cannot$, i/we cant/cannot on/at, cant/cannot make/do/come/accept/agree/attend, no way, of course not, ' +
          'absolutely/certainly/definitely not, not for me, by no means, ' +
          `that/this/it/${day} doesnt/wont work/suit/fit, that/this/it/${day} does/will not work/suit/fit, doesnt work/suit for/me/us, ` +
          'not work/suit for/me/us, ^wrong$, ^incorrect, incorrect$, thats wrong/incorrect, that/this/it is wrong/incorrect, ' +
          'its wrong/incorrect, ^never, never$, would/will/ill/id never',
      ),
      but: phrases(
        'no problem/worries/rush/hurry/idea/doubt/matter/one/longer, never mind, never been/had/seen/heard/used/tried/received/got, ' +
          'wrong number/person, yes or no, or no',
      ),
    },
    repeat: {
      anywhere: phrases(
        '^repeat$, repeat that/it/this/yourself, repeat the/your question/sentence/number/answer, ' +
          'repeat what you said, repeat the last, you repeat$, =again, say/tell [that/it/this] again, say/tell me [that/it] again, ' +
          '^pardon, pardon [me]$, ^come again$, what did you [just] say, what you [just] said, what were you saying, ' +
          'didnt/couldnt/cant hear/catch/understand you/that/it/what/a, did/could/can not hear/catch/understand you/that/it/what, ' +
          'didnt quite hear/catch/understand/get, didnt hear/catch/understand$, didnt get that/it, cannot hear/understand you, ' +
          'what was that [again]$, =excuse me, sorry what$, =what, once more$, one more time$',
      ),
      but: phrases('book/come/call/try/meet/visit/see/go/pay/order … once/one more, thanks again, thank you again'),
    },
    human: {
      anywhere: phrases(
        `=[a/an/the] ${somebody}, =[a] real/live/actual/human ${somebody}, =customer service/support, ` +
          `speak/talk/chat/speaking/talking ${a} ${somebody}, speak/talk/chat/speaking/talking to/with ${a} ${somebody}, ` +
          `speak/talk to/with ${service}, speak/talk customer service/support, ` +
          `put/pass/hand/send me [through/over/on] to ${a} ${somebody}, put me through$, put me through to ${service}, ` +
          `connect/transfer me [through/over] to/with ${a} ${somebody}, connect/transfer me to/with ${service}, ` +
          `get/give me ${a} ${somebody}, i/id want/need/prefer/like ${a} human/operator/representative/agent/receptionist/manager$, ` +
          'i would prefer/like [a/an/the] human/operator/representative/agent/receptionist/manager$, ' +
          'i/id/would want/need/prefer/like [a] real/live/actual/human person/human/agent/being, ' +
          'real/live/actual person/human please, real/live/actual person/human$, human being$, live agent, ' +
          'is [there] someone/somebody/anyone/anybody [real/human/else] … speak/talk, is there [a] real/human/live person/someone/agent, ' +
          'not/dont/rather … talk/speak to/with [a] bot/robot/machine/computer, no/not [a] bot/robot/machine/computer please',
      ),
      by_name: phrases(
        `speak/talk/chat/speaking/talking to/with ${title} @, ` +
          `put/pass/hand/send/connect/transfer me [through/over/on] to/with ${title} @, get/give me ${title} @, ` +
          `is ${title} @ there/available/in/around/free, i want/need ${title} @$`,
      ),
      but: phrases(
        'are you [really] [a/an] [real/actual/live] person/human/agent/bot, is this [a] real/actual/live person/human, ' +
          'am i speaking/talking, speak/talk to/with people about, to one person',
      ),
    },
    stop: {
      anywhere: phrases(
        '=stop [stop], ^stop$, ^stop all$, said stop, ^stop it/that/this$, stop calling/texting/contacting/messaging/writing/bothering/emailing/phoning, ' +
          'stop sending me/us/this/these/it/messages/texts, ' +
          'stop the/these/this/your/all [the/these/your/of] calls/texts/messages, unsubscribe, ' +
          'dont/never [ever] call/text/contact/message/phone/write me/us/here/this/again/anymore, ' +
          'not [ever] call/text/contact/message/phone/write me/us/here/this/again/anymore, dont call/text$, not call/text$, ' +
          'no more calls/texts/messages, remove me, remove/delete my number/name/phone, take me/us off, ' +
          'take my number/name off, opt out, opt me out, leave me/us alone',
      ),
      but: phrases(
        'call/text/contact/message/phone me/us before/after/until/at/on/between/today/tonight/tomorrow/during, ' +
          'why/if/they/she/he/you/i did/do/does not/never call [me], did you not call, have no more calls/texts/messages, opt out of',
      ),
    },
    wrong_person: {
      anywhere: phrases(
        'wrong person/number, not me$, isnt me, that/this/it is not me, thats not me, its not me, im not him/her/that, ' +
          'not him$, not her$, not the person/one you, nobody/noone named/called/by, no one [here] named/called/by/with, ' +
          'no person/man/woman/mr/mrs/ms … here, doesnt/dont live/work here, does/do not live/work here, ' +
          'dont know him/her, dont know that/this/any person/man/woman/name, do not know him/her, you have the wrong, you have got the wrong, you got the wrong, ' +
          'you must have the wrong',
      ),
      but: phrases(
        'do i have the wrong number, have i … wrong number, did i … wrong number, is this/that/it the wrong number, ' +
          'gave/given/wrote/told/typed/entered/left … wrong number, my number … wrong, dont know that/this [yet/for/is/was/one/either]',
      ),
    },
    busy: {
      anywhere: phrases(
        `call/ring/phone/try me/us/again/back later, call/ring/phone me/us [back/again] later/${moment}/another, ` +
          'call/ring/phone me/us back, call/ring back, ill/will call/ring you back/later, call/try [me] again/back later/tomorrow/another, call later, ^later, ' +
          'maybe/perhaps/bit/little later$, bad time, not [a/the] good time, not now, not right now, in [a/the/another] meeting, ' +
          'im/am driving, im/am … busy, ^busy, busy right now, busy at the moment, no time, ' +
          'dont/not have [the/any/much] time, another time$, some other time$, cant/cannot/not talk [right] now, cant/cannot talk$, ' +
          'cant/cannot talk at',
      ),
      but: phrases(
        'see you later, talk to you later, sooner or later, later appointment/date/time/slot/on, driving to/licence/license/directions, ' +
          'bad time of, is now [not] [a] good, am i [not] calling at, is this/it/now a bad time, no time limit, not now but, ' +
          'did you call, you did not call/ring/phone me back, didnt call/ring/phone me back, never called me back',
      ),
    },
    goodbye: {
      in_statements: phrases(
        '^goodbye, goodbye$, ^good bye, good bye$, ^bye, bye$, ^bye bye, ^farewell$, ' +
          `^see you/ya$, ^see you/ya later/soon/then/around/there/${moment}/${day}$, ^see you on/next ${day}/week/time$, ` +
          '^[i] [will] talk/speak to you later/soon$, thats all/everything$, that/this is/was/will all$, that/this will/would be all$, ' +
          'thats all/everything i wanted/needed/want/need [to/from] [know/ask/you]$, that is/was all/everything i wanted/needed/want/need [to/from] [know/ask/you]$, ' +
          'thats/thatll be all$, thats/is/was all thanks/thank, have a/an [very] [nice/good/great/lovely/wonderful] day/evening/weekend/afternoon/night/one, ' +
          '^nice day$, ^take care$, take care of yourself$, ill/will/going/to/must hang up, ^hang up, ' +
          '^[i] have/got to go$, ^gotta go$, ^i must/should go$',
      ),
      but: phrases(
        'say/saying/said goodbye/bye to, dont hang up, not hang up, please have a day, not bye, goodbye party/gift/present/letter',
      ),
    },
  },
  negations: phrases(
    'no, not, nope, nah, never, dont, doesnt, didnt, isnt, arent, wasnt, wont, cant, cannot, couldnt, wouldnt',
  ),
  openers: phrases(
    'um, uh, er, erm, ah, oh, hm, hmm, well, so, and, but, then, ok, okay, alright, right, yes, yeah, no, nope, hi, hello, hey, sorry, ' +
      'please, thanks, thank, you, great, perfect, good, fine, sure, just, because, look, listen, actually, maybe',
  ),
  closers: phrases(
    'please, thanks, thank, you, very, much, so, a, lot, for, now, today, then, sir, maam, really, indeed, everyone, guys, bye, goodbye, maybe',
  ),
  fillers: phrases(
    'um, uh, er, erm, ah, hm, hmm, please, just, actually, really, maybe, perhaps, possibly, kindly, currently, also, quite',
  ),
  question:
    /^(?:what|whats|how|hows|why|which|whos|wheres|whens|(?:who|when|where) (?:is|are|do|does|did|can|could|will|would|should|was|were|shall)|(?:is|are|was|were|do|does|did|can|could|will|would|should|shall|may|might|has|have) (?:i|you|he|she|it|we|they|that|this|there|the|these|those|your|my|our|anyone|someone|anybody|somebody))(?![^ ])/,
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
  weak_not_names: phrases(
    'absolutely, again, agent, ahead, all, alone, alright, another, back, bad, busy, bye, call, cannot, cant, ' +
      'care, catch, certainly, colleague, come, contact, correct, course, customer, day, definitely, did, didnt, ' +
      'do, doesnt, dont, driving, exactly, excuse, farewell, fine, go, good, goodbye, great, hang, hear, her, him, ' +
      'human, incorrect, isnt, know, later, leave, live, manager, me, meeting, more, nah, named, never, nice, no, ' +
      'nobody, nope, not, now, number, of, off, ok, okay, once, operator, opt, out, pardon, perfect, person, ' +
      'possible, problem, rather, real, really, receptionist, remove, repeat, representative, right, say, see, ' +
      'service, somebody, someone, sorry, sounds, speak, stop, suit, sure, take, talk, text, texting, thank, ' +
      'thanks, that, thats, time, unsubscribe, up, was, way, why, work, works, wrong, yeah, yep, yes, yup',
  ),
}
