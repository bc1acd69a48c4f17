import { type Language, listed } from './language.ts'
import { anything, contains, endsWith, type Judgement, nothing, type Phrase, says, startsWith } from './wish.ts'

/** Some letters are often left out, or written twice. */
const call =
  'call|cal|phone|telephone|ring|contact|conact|cotact|contac|text|txt|message|msg|dial|write to|' +
  'write|ping|dm|spam|whatsapp|hit|hit up|cold call|' +
  'reach out to|get in touch with|get hold of|harass|pester|hound|solicit|bombard'
/** "Ringing" is missing here, because alarms do that too. */
const calling =
  '(?:(?:cold|robo) ?)?cal+i?ng?|cal+in|(?:tele)?phonin?g?|cont[act]{1,3}ing?|te?xti?n?g|te?xtin|' +
  'mess[ae]ge?ing?|msgi?ng?|' +
  'spamm?ing?|dial+ing|pinging|whatsapping|soliciting'
/** These verbs say what is meant only with "me" or "my phone". */
const calling_someone =
  `${calling}|testing|ringing?|writing(?: to)?|hitting?(?: up)?|reaching out to|getting in touch with|` +
  'blowi?ng?(?: up)?|har+ass?ing?|' +
  'pestering|hassling|hounding|badgering|bombarding|bombing|flooding|filling(?: up)?|clogging(?: up)?|marketing to|' +
  'advertising to|trying(?: to (?:call|reach|contact))?'
const called =
  'called|phoned|telephoned|rung|rang|contacted|texted|messaged|spammed|bothered|disturbed|harassed|pestered|approached'
const bother = 'bother|disturb|annoy|bug|trouble|hassle|harass'
const bothering = 'bothering?|disturbing?|annoying?|bugging?|troubling'

/** Names what the agent calls, such as a number or a household. */
const phone =
  '(?:phone|n[umb]{2,3}e?r|num|no|nr|cell|mobile|house|home|office|line|landline|telephone|household|business|inbox)'
const us =
  `(?:me+|us)(?: (?:here|up|at all))?|here|(?:(?:on|to) )?(?:this (?:[^ ]+ )?${phone}|` +
  `(?:my|our|her|his|(?:my|our) [^ ]+s) (?:(?:cell|mobile|home|work|house|business) )?${phone}(?: number)?)`
const call_us = `(?:${call})(?: (?:or|and) (?:${call})){0,4} (?:${us})`
const some =
  '(?:any|more|any ?more|further|all|of|the|these|those|this|your|ur|such|no|some|other|and|' +
  'or|with|stupid|annoying|silly|dam|da|' +
  'endless|constant|daily|weekly|automated|automatic|promotional|promo|marketing|advertising|' +
  'sales|spam|junk|unwanted|' +
  'unsolicited|cold|robo|scam|nuisance|future|additional|direct|text|txt|phone|telephone|sms|whatsapp|group|bulk|' +
  'political|insurance|loan|appointment|service|survey)'
const one = 'call|te?xt|message|msg|sms|ad'
const messages =
  'calls|cals|phone ?calls|robo ?calls|te?xts|mess?age?s|messges|msgs|sms|contact|communications?|' +
  'correspondence|spam|whats ?apps|dms|ads|' +
  'adverts|advertisements|adverti[sz]ing|promos|promotions|offers|deals|marketing|alerts|notifications|' +
  'reminders|updates|' +
  'solicitations?|voice ?mails|surveys|newsletters'
/** "All of these phone calls". */
const calls = `(?:${some} ){0,5}(?:${messages})|another (?:single )?(?:${one})`
const rubbish = 'rubbish|crap|shite?|bullshit|garbage|junk|nonsense|stuff|trash|things|bollocks'
const these = `(?:${some} ){0,5}(?:${rubbish})|anything|nothing|any more|this|these|that|those|them|it`

const number = '(?:phone |cell |mobile |telephone )?(?:n[umb]{2,3}e?rs?|num|nr|no|cell|mobile|landline)'
const details = '(?:(?:personal|contact) )?(?:data|details|information|info|contacts?)'
const our_number =
  '(?:me|us)(?: both)?|this cell|' +
  '(?:(?:both|all|all of) )?(?:my|our|this|his|her) (?:(?:e ?mail|name|address) (?:address )?and (?:my )?)?' +
  `(?:${number}|names?|${details})`
const family =
  '(?:my|our|the) (?:(?:late|elderly|deceased) )?' +
  `(?:mother|mum|mom|father|dad|husband|wife|sons?|daughter|parents|brother|sister|company|business)s?(?: ${number})?`
const list =
  '(?:(?:of|your|ur|the|this|that|these|any|all|and|calls?|calling|contact|phone|mailing|marketing|' +
  'sms|text|texting|txt|' +
  'customer|internal|message|messaging|promo|spam|stupid|dam|whatever|distribution) ){0,5}' +
  '(?:lists?|databases?|systems?|records|files?|books|contacts|computers?|phones?|servers?|register|' +
  'directory|sheets?)|' +
  'your (?!wait|guest|party|e ?mail|[^ ]+day|class)[^ ]+ lists?|' +
  '(?:this|your|ur) (?:[^ ]+ )?(?:services?|subscription|campaign|thread|thing|group|channel|broadcast)'
const do_not_call_list =
  '(?:(?:the|your|ur|a|any|internal|national|company|dnc) ){0,3}' +
  '(?:(?:do not|no) (?:call|contact|disturb|text) (?:list|registry|register)|dnc(?: list)?)'
const consent = '(?:(?:my|our|any|all|the|prior|previous) ){0,3}(?:consent|permission|authori[sz]ation|right)'

const you = '(?:you|u|ya|ye|yall)(?: people| guys| folks| all| lot)?'
const your_company = `${you}|any(?:one)? of you|(?:your|ur|this|that) (?:[^ ]+ )?[^ ]+|anyone (?:there|else)`
const modal =
  'will|would|can|could|should|shall|must|may|might|had|have|has|am|is|are|was|were|going|gonna|' +
  'want|wanted|need|like|try|' +
  'tried|trying|to|better|did|do|does|decided|got|gotta|wish'
const wanting =
  'want|wanted|wish|need|like|have|mean|ask|asking|asked|tell|telling|told|say|saying|said|going|trying|think|allowed'
const demanding =
  'said|say|saying|repeat|demand|request|require|insist|ask|asked|(?:told|tell|telling|asked|' +
  'ask|asking|beg|begging|want|' +
  `wanted|need|like|expect|urge|instruct|warned|order|advise) (?:${you}|your (?:[^ ]+ )?[^ ]+)`

const do_not = 'do not|dnt|donot|do nt|do nto|do noy|dont|never(?: again)?|nvr|no longer'
const not_wanting =
  '(?:(?:do|would|does) not|dnt|no longer|never) (?:be )?(?:want(?:ing)?|wish|need(?:ing)?|' +
  'like|care)|am not wanting|(?:prefer|like|want|wish) to (?:no longer|never again)|(?:rather|prefer|wish|want|like) not|' +
  'have no (?:wish|desire|interest|need)|(?:not|no longer) interested'
const that_you_should =
  '(?: (?:to|that|it|twice|once|you|u|people|guys|should|must|need|have|before|times?|many|' +
  'several|three|again|now|and|' +
  'last|week|month|year|nicely|yesterday))*(?: ,)?'

/** Insults, which often stand at the end. */
const insults = 'asshole|arsehole|a hole|bitch|bastards?|creeps?|scammers?|idiots?|losers?|wankers?|morons?'

/** Joins alternatives that are too long for a line. */
const any = (...alternatives: string[]): string => alternatives.join('|')
const said = (...alternatives: string[]): RegExp => says`${any(...alternatives)}`
const ending = (...alternatives: string[]): RegExp => endsWith`${any(...alternatives)}`
const starting = (...alternatives: string[]): RegExp => startsWith`${any(...alternatives)}`

const or_none: Judgement = [anything, undefined]
/** "Don't", "I am not asking you to". */
const negated: Judgement = [
  ending(
    '(?:not|dnt|never|without|nobody|no one|no (?:need|reason|plans?|intention) to)(?: you)?' +
      `(?: (?:${wanting})(?: (?:you|them|anyone|anybody) to| to| that you)?(?: (?:i|we|that i))?){0,3}`,
  ),
  undefined,
]
/** "I said", "I have told you to". */
const demanded: Judgement = [
  ending(
    `(?:i|we)(?: (?:${modal}))* (?:${demanding})${that_you_should}`,
    `did not (?:i|we) (?:say|ask|tell)(?: you)?${that_you_should}`,
  ),
  'opt_out',
]
/** "I told my ex". */
const told_others: Judgement = [
  contains`(?:i|we)(?: have| had)? (?:told|asked|tell|ask) (?:my|our|him|her|the (?!last|other))`,
  undefined,
]
const saying = 'said|says|say|saying|told|tells|asked|asks|wants'
/** "My wife said". */
const reported: Judgement[] = [
  [contains`(?:i|we)(?: have)? (?:told|asked|spoke) (?:to )?(?:the (?:last|other)|your|one of your)`, 'opt_out'],
  [endsWith`(?:${saying})(?: (?:you|me|us|them|him|her))?${that_you_should}`, 'unclear'],
  [contains`(?:my [^ ]+|our [^ ]+|he|she|they|someone|somebody) ${saying}`, 'unclear'],
]
const how_to: Judgement = [
  ending(
    '(?:how|way|possible|able|option|tried|trying) to|who (?:do|can|should|must) (?:i|we)(?: [^ ]+){0,4}',
    '(?:(?:how|where|when) )?(?:do|can|could|would|may) (?:i|we)',
  ),
  'unclear',
]
const has_condition = contains`if|in case|when|while|(?<!for )once|until|unless|whether`
const if_none: Judgement = [has_condition, undefined]
const at_beginning: Judgement = [
  ending(
    '(?<![^]*[^ ])',
    'and|but|so|or|because|then|as|interested|no|again|now|,|number|line|person|enough|stop|' +
      'means|time|warning|this|god|sake|alone|peace|off|lost|away',
    'any ?more|texts|messages|calls|spam|intrested|at all|all set|want any|(?<=^|no) thanks|stalking|scam',
  ),
  'opt_out',
]

/** Judges the words before what the agent is to do. */
const told: Judgement[] = [
  [endsWith`if ${you} (?:do|can|will|would|could) not|unless ${you}`, 'opt_out'],
  [
    ending(
      `why not|why (?:do|will|can|would|could) not ${you}|how (?:about|bout)(?: ${you})?|kind (?:enough|as) to`,
      '(?:appreciate|grateful|great|nice|good|thankful|obliged|pleased|like|love)(?: it)? ' +
        `if (?:${you}(?: would| could)?|youd)`,
    ),
    'opt_out',
  ],
  [endsWith`${you} (?:do not|did not|never|will not|would not|can not|could not)`, 'unclear'],
  negated,
  demanded,
  told_others,
  [endsWith`(?:notice|request|warning|chance) to|${you} (?:have|were) (?:been )?(?:asked|told|warned) to`, 'opt_out'],
  [endsWith`(?:told|asked|asks|tells|telling|wants) (?:me|us|him|them) to`, undefined],
  ...reported,
  how_to,
  [endsWith`(?:i|we)(?: ${modal})*|(?:did|have|had) ${you}`, undefined],
  [endsWith`(?:when|how|do|are|where)(?: [^ ]+)? ${you}(?: ${modal})*`, 'unclear'],
  [endsWith`(?:make|making) (?:sure|certain)(?: that)?(?: ${you})?|time(?: for)?(?: ${you})? to`, 'opt_out'],
  [has_condition, 'unclear'],
  [endsWith`${you}(?: ${modal})*`, 'opt_out'],
  [endsWith`he|she|it|they|who|people|${modal}`, 'unclear'],
  at_beginning,
  [/^(?:how|what|who|where|why|does|do(?! not)|did|is|was|can|could|will|would|should) /, 'unclear'],
  [anything, 'opt_out'],
]
const told_or_unclear: Judgement[] = [...told.slice(0, -1), [anything, 'unclear']]
/** Judges the words before what the agent is not to do. */
const forbidden: Judgement[] = [
  [endsWith`why`, undefined],
  negated,
  demanded,
  told_others,
  ...reported,
  if_none,
  [endsWith`(?:make|be|making) (?:sure|certain)(?: that)?(?: ${you})?|ensure(?: that)?(?: ${you})?`, 'opt_out'],
  [endsWith`(?:i|we|${you}|they|he|she|it|who|people|kids|children|friends)(?: ${modal})*`, undefined],
  at_beginning,
  // "On Sundays" and "in the morning" are conditions, and plural words may name who does not call.
  [
    endsWith`[^ ]+s|family|staff|police|today|tomorrow|(?:in|on|at|for(?! (?:me|us))|during|before|after)(?: [^ ,]+){1,2}`,
    'unclear',
  ],
  [anything, 'opt_out'],
]
/** Judges the words before "don't want". */
const wished: Judgement[] = [
  told_others,
  ...reported,
  if_none,
  [endsWith`${you}|they|why`, undefined],
  [endsWith`(?:(?:i|we)(?: ${modal})*|would)(?: (?:both|all|also|still|definitely|certainly))?`, 'opt_out'],
  at_beginning,
  [anything, 'unclear'],
]
/** Judges the words before what the contact does, or lets the agent do: "I want to opt out". */
const decided: Judgement[] = [
  // These are articles of other languages, which have borrowed the words.
  [endsWith`de|het|een|der|die|das|den|dem|ein|eine|el|la|le|les|un|une|una|il|lo|os|en|ett|det`, 'unclear'],
  [endsWith`(?:can|could) not`, 'unclear'],
  negated,
  demanded,
  told_others,
  ...reported,
  how_to,
  [endsWith`(?:should|shall|do|did|must|would|will) (?:i|we)(?: ${modal})*`, 'unclear'],
  [endsWith`(?:can|could|will|would) ${you}|${you} (?:must|should|have to|need to|to)`, 'opt_out'],
  [
    endsWith`(?:(?:my|our) (?!rights?)[^ ]+|he|she|it|they|who|people|${you})(?: ${modal})*|an?|the|your|any`,
    'unclear',
  ],
  [has_condition, 'unclear'],
  [anything, 'opt_out'],
]

const time =
  'today|tonight|tomorrow|now|right now|until|till|before|after|in (?!(?:the )?future|my|our|' +
  'any|this)[^ ]+|during|while|when|if|unless|every|about|' +
  '(?:so|too) (?:often|much|late|early)'
const place =
  '(?:this|on|at) (?!(?:(?:this|my|our|the|any|your) )?(?:number|phone|line|time|all|end|leisure)(?![^ ]))[^ ]+'
/** These words after a wish limit it to a time or a place. */
const limited = startsWith`(?:(?:again|any ?more) )?(?:(?:for )?${time}|${place})`
const not_limited: Judgement = [limited, undefined]
const at_once: Judgement = [startsWith`now|right now`, 'opt_out']
const for_good: Judgement = [
  starting(
    '(?:back |up |about it |on it |(?:for|about|with) (?:that|this|it) )?' +
      '(?:ag[ai]+n|agn|agen|any ?mo?re?|any ?moar|nemore|(?:any )?further|any longer|no more|more|forever)',
    'at all|else|in (?:the )?future|by (?:you|u|your|this|anyone)|for good',
    'from (?:you|u|your|now on|this)|going forward|full stop|period|effective|under any|for any',
  ),
  'opt_out',
]
/** The channel by which the contact is written to. */
const on_whatsapp: Judgement = [
  startsWith`(?:on|via|through|over) (?:whats ?app|sms|text|here|this app)(?! ,)`,
  'opt_out',
]
/** "With your offers". */
const with_offers: Judgement = [
  starting(
    '(?:with|about|regarding|concerning|for|w) (?:(?:direct|any|your|ur|telling me|trying to) )*' +
      `(?:${calls}|sales|insurance|loans|products|services|purposes|reason|anything|your [^ ]+|this)`,
  ),
  'opt_out',
]
const nothing_more: Judgement = [
  /^(?: (?:,|and|or|but|because|so|as|on|at|i|we|you|u|ur|is|thank|right|do|will|got|wrong|here|stop|end of|thats|x|xx|xxx)(?: |$)|$)/,
  'opt_out',
]
const condition: Judgement = [startsWith`(?:again |any ?more )?, (?:if|when|while|until|till|unless|except)`, 'unclear']
const elsewhere: Judgement = [
  startsWith`(?:at all )?(?:, |and )?(?:use|try|call|ring|text|phone|contact) (?:my|the|her|his|this|our|on)`,
  undefined,
]
/** A single word, which may be a name: "Don't call me Bob." */
const one_word = /^ [^ ,]+$/

/** Judges the words after a phrase that is clear if nothing or little follows. */
const closed: Judgement[] = [
  with_offers,
  on_whatsapp,
  not_limited,
  condition,
  elsewhere,
  for_good,
  nothing_more,
  [startsWith`back`, 'unclear'],
  [one_word, undefined],
  [startsWith`the|an?|that|what|where|which|by (?:my|the|a)`, undefined],
  [anything, 'unclear'],
]
/** Judges the words after "stop calling me". */
const stopped: Judgement[] = [
  with_offers,
  on_whatsapp,
  at_once,
  [limited, 'unclear'],
  condition,
  elsewhere,
  for_good,
  nothing_more,
  [one_word, 'unclear'],
  [anything, 'opt_out'],
]
/** Judges the words after "stop the calls". */
const calls_stopped: Judgement[] = [
  with_offers,
  at_once,
  [limited, 'unclear'],
  condition,
  [startsWith`(?:about|for|to|of) (?:my|the|his|her|our) (?!phone|number|mobile|cell)`, 'unclear'],
  [anything, 'opt_out'],
]
/** "I don't want any more calls, dear", but not "don't call me dear". */
const closed_calls: Judgement[] = [
  [startsWith`(?:dear|love|luv|hun|darling|boss|guys|folks|lads|people|man|${insults})(?= ,|$)`, 'opt_out'],
  ...closed,
]
const whatever: Judgement[] = [[anything, 'opt_out']]
const unclear: Judgement[] = [[anything, 'unclear']]
const only_for_good: Judgement[] = [not_limited, for_good, or_none]
const if_nothing: Judgement = [nothing, 'opt_out']
const at_end: Judgement[] = [
  if_nothing,
  [startsWith`,|or|now|x|wrong|you|u|here|(?:will|would|can) ${you}|${insults}`, 'opt_out'],
  [startsWith`and (?!use|add|put|replace|save|try|update|change|enter|keep|take|call|book|give|send)[^ ]+`, 'opt_out'],
  for_good,
  or_none,
]
const at_end_or_unclear: Judgement[] = [[nothing, 'unclear'], [startsWith`,|or|and|so`, 'unclear'], or_none]

const stop =
  'stop|stopp{1,4}|stp|stahp|staph|sotp|stpo|stoo|quit|cease|halt|(?:desist|refrain|cease and desist|' +
  'abstain)(?: from)?|knock off|pack in|lay off|' +
  'give over|leave off|cut out'
const stop_with =
  `(?:${stop})(?: (?:with|w|making|sending|doing|giving|leaving))?|` +
  '(?:knock it off|cut it out|pack it in|give it a rest|enough is enough|enough|lay off|easy|' +
  'stop it|quit it) (?:with|of)'
const remove =
  'remove|remov|rmove|remvoe|rmv|delete|delet|delte|dlt|erase|block|drop|wipe|scrub|take|taking|' +
  'get|removing|deleting|strike|scratch|cross|purge|' +
  'pull|knock|clear|unlist|keep|scrap|withdraw|let'
const off = '(?:off|frm|from|form|out|of)(?: of)?'
const unsubscribe = 'un ?sub(?:scribed? me|scribing)?|un ?s[ubscri][ubscri][ubscri][ubscri]{1,5}[bep]{1,2}|usubscribe'
const gone = 'died|dead|deceased|passed(?: away)?|gone|no longer (?:with us|alive)'
const moved =
  'moved(?: out| away)?|(?:does not|did not|do not|no longer|never) (?:lives?|lived|works?) (?:here|there|at this)'
const threat = contains`${any(
  'block|blocking|blocked|report|reporting|reported|sue|suing|lawyers?|solicitors?|attorney|police|cops|legal|court',
  'authorities|trading standards|complain|complaining|complaints?|ico|ofcom|fcc|ftc|harassment|charges',
)}`
const threatened: Judgement[] = [[threat, 'opt_out'], or_none]
const called_again = said(
  '(?:if|next time) (?:i|we) (?:get|receive|see|hear) (?:so much as )?(?:one|another|any|a single)' +
    `(?: (?:more|single|other|of|from|these|your|you|phone|te?xt)){0,5} (?:${one}|word|calls|te?xts|messages)`,
  `(?:if|next time) ${you} (?:(?:so much as|dare to|dare|try to|keep|continue to) )?(?:${calling_someone}|` +
    `${call}) (?:${us})`,
  `if ${you} (?:${call}) again`,
  `if ${you} (?:keep(?: on)?|continue) (?:${calling})`,
  `next (?:${one})(?= (?:gets|is|will|means|and|i|goes))`,
  `next time ${you} (?:${call})`,
  `(?:any|one) (?:further|more|other|additional) (?:${one}|contact|communication)s?`,
  `(?:your|the) next (?:${one})`,
  `next (?:${one}) (?:${you}|from)`,
)

const phrases: Phrase[] = [
  {
    says: said(`(?:${stop}) (?:${calling_someone})(?: (?:or|and) (?:${calling_someone})){0,4} (?:${us})`),
    before: told,
    after: stopped,
  },
  {
    says: said(`(?:${stop}) (?:${calling})(?: (?:or|and) (?:${calling})){0,4}`),
    before: told_or_unclear,
    after: [
      [startsWith`you(?! (?:people|guys|idiots))`, undefined],
      [startsWith`my|our|the|him|her|them`, 'unclear'],
      at_once,
      [limited, 'unclear'],
      condition,
      for_good,
      nothing_more,
      or_none,
    ],
  },
  {
    says: said(
      `(?:${stop}) (?:(?:sending|giving|making) (?:her|him|them|my [^ ]+) (?:${calls})|(?:${calling}|` +
        'ringing) (?:for )?(?:her|him|my [^ ]+))',
    ),
    before: [
      negated,
      [contains`${gone}|${moved}`, 'opt_out'],
      told_others,
      ...reported,
      [endsWith`i|we|to`, undefined],
      ...unclear,
    ],
    after: [[limited, undefined], condition, [startsWith`phone|number|mobile|cell`, undefined], ...whatever],
  },
  {
    says: said(
      `(?:${do_not}) (?:(?:send|give) (?:her|him|them|my [^ ]+) (?:${calls})|(?:${call}) (?:her|him|them|my [^ ]+))`,
    ),
    before: [[contains`${gone}`, 'opt_out'], or_none],
    after: [[limited, undefined], condition, ...whatever],
  },
  {
    says: says`not to (?:${call})`,
    before: [told_others, demanded, or_none],
    after: [for_good, if_nothing, [startsWith`,`, 'opt_out'], or_none],
  },
  {
    says: says`(?:asked|told) you (?:[^ ,]+ ){0,3}to (?:remove|delete|unsubscribe|take off|take) (?:${our_number})`,
    before: [negated, if_none, [endsWith`(?:i|we)(?: ${modal})*`, 'opt_out'], or_none],
    after: [[startsWith`(?:off|from|to) (?!${list})[^ ]+ [^ ]+`, 'unclear'], ...whatever],
  },
  {
    says: says`(?:remove|delete|unsubscribe)(?: it| this)?`,
    before: [
      [endsWith`(?:interested|(?:wrong|not my|not his|not her) (?:number|person)|spam)(?: ,)?`, 'opt_out'],
      or_none,
    ],
    after: [if_nothing, or_none],
  },
  { says: says`stop ringing`, before: [...reported, at_beginning, or_none], after: [for_good, if_nothing, or_none] },
  {
    says: said(`(?:${stop_with}) (?:(?:to )?(?:me|us) (?:with )?)?(?:${calls})`),
    before: [[endsWith`not (?:had )?|there (?:is|are)`, undefined], ...told],
    after: calls_stopped,
  },
  {
    says: said(
      '(?:end|discontinue|deactivate|suspend|turn off|switch off|shut off|disable|kill|put an end to) (?:my ' +
        `)?(?:${calls})`,
      `(?:turn|switch|shut) (?:my )?(?:${calls}) off|stop (?:receiving|getting) (?:${calls}|these|this|them)`,
      '(?:cancel|end) (?:(?:my|the|these|all|your|any|of|further|future|more|promotional|marketing|' +
        'text|txt|sms) ){0,4}' +
        '(?:messages|msgs|texts|alerts|notifications|reminders|updates|offers|ads|(?:text|sms|message) subscription)',
      `cancel (?:my subscription to|receiving|getting) (?:${calls})`,
    ),
    before: decided,
    after: calls_stopped,
  },
  {
    says: says`(?:exercis(?:e|ing)|invok(?:e|ing)|request(?:ing)?|under) (?:my|our|the) right (?:to (?:be forgotten|erasure|deletion|object)|of erasure)`,
    before: [negated, if_none, ...whatever],
    after: whatever,
  },
  {
    says: says`(?:asked|ask|asking|request|requesting|requested|want|like) to be (?:removed|deleted|taken off|unsubscribed)`,
    before: [negated, if_none, [endsWith`(?:i|we)(?: (?:${modal}))*|^`, 'opt_out'], or_none],
    after: [[nothing, 'opt_out'], for_good, or_none],
  },
  { says: says`cease and desist`, before: [negated, ...reported, ...whatever], after: at_end },
  {
    says: says`stop(?: (?:it|this|that|now))?(?: ,)? or (?:i|we|ill)`,
    before: [at_beginning, or_none],
    after: [[threat, 'opt_out'], ...unclear],
  },
  {
    says: said(
      `(?:(?:appreciate(?: it)?|grateful|great|nice|obliged|love it|like it) if|(?:rather|wish)(?: that)?) ${you} ` +
        `(?:stopped (?:${calling_someone})(?: (?:${us}))?|(?:did|do|would) not (?:${call_us}|(?:${call})(?= again| any ?more|$)))`,
    ),
    before: wished,
    after: closed,
  },
  {
    says: said(`(?:${stop}) (?:sending|sendin|forwarding|texting)(?: (?:me|us|out))? (?:${these})`),
    before: told_or_unclear,
    after: [
      [startsWith`(?:out )?(?:to|at) (?:${us})`, 'opt_out'],
      [limited, 'unclear'],
      condition,
      for_good,
      nothing_more,
      or_none,
    ],
  },
  {
    says: said(
      `(?:stop|quit|cease|do not keep) (?:${bothering}) (?:me|us) (?:with|by) (?:${calls}|calling|texting|${these})`,
    ),
    before: told,
    after: calls_stopped,
  },
  {
    says: said(
      `(?:${do_not})(?: ${you})?(?: (?:dare|go|try|start|think of|bother))?(?: to)? ` +
        `(?:${call_us}|(?:keep|be) (?:${calling_someone}) (?:${us})|send (?:me|us) (?:anything|` +
        `(?:${some} ){0,5}(?:${rubbish}))|` +
        `send (?:(?:me|us) (?:${calls})|(?:${calls}) (?:to )?(?:${us})))`,
    ),
    before: forbidden,
    after: closed,
  },
  {
    says: said(`(?:${do_not}) send (?:(?:me|us) )?(?:${these})`),
    before: forbidden,
    after: [[startsWith`(?:to )?(?:${us})|again|any ?more`, 'opt_out'], [nothing, 'unclear'], or_none],
  },
  {
    says: said(
      `(?:${do_not}) (?:add|put|sign|keep|include|have) (?:${our_number}) (?:to|on|in|up for) (?:${list}|${calls})`,
      `(?:${do_not}) send (?:any ?more|more|further|any) (?:${calls})`,
    ),
    before: forbidden,
    after: [[startsWith`to|for|that|about`, undefined], ...closed],
  },
  {
    says: said(
      `(?:${do_not}) (?:keep|save|store|share|use|process|sell|have) (?:my|our|this) (?:${number}|${details})`,
    ),
    before: forbidden,
    after: [[startsWith`on file|for (?:${calls}|sales|direct)`, 'opt_out'], for_good, [nothing, 'unclear'], or_none],
  },
  {
    says: says`not (?:call|ring|text|message|contact|phone) (?:${us})`,
    before: [if_nothing, [endsWith`,|and|so|interested`, 'opt_out'], or_none],
    after: closed,
  },
  {
    says: said(`(?:${do_not}) (?:${call})(?: (?:or|and) (?:${call})){0,4}`),
    before: forbidden,
    after: [not_limited, for_good, [/^(?: back)?$/, 'unclear'], or_none],
  },
  {
    says: said(`(?:${do_not}) (?:bother|waste your time) (?:${calling_someone})(?: (?:${us}))?`),
    before: forbidden,
    after: [for_good, [nothing, 'unclear'], or_none],
  },
  {
    says: said(`(?:${do_not}) send (?:(?:me|us) )?(?:${one})`, `(?:${do_not}) (?:do|make) (?:sms|calls?|msgs?)`),
    before: forbidden,
    after: [for_good, [nothing, 'opt_out'], [startsWith`(?:on|to) (?:${us})`, 'opt_out'], or_none],
  },
  {
    says: said(`(?:${do_not}) (?:(?:${call}|use) (?:it|there|that number)|reach out|get in touch|be in touch)`),
    before: forbidden,
    after: only_for_good,
  },
  {
    says: said(`(?:${do_not}) (?:${call}) (?:it|(?:me |us )?back)`),
    before: [[contains`interested|number|line|phone`, 'opt_out'], or_none],
    after: [if_nothing, or_none],
  },
  {
    says: said(`no (?:need|reason)(?: for you)? to (?:${call})(?: (?:${us}))? (?:again|any ?more)`),
    before: [if_none, ...unclear],
    after: at_end_or_unclear,
  },
  {
    says: said(`(?:${do_not}) (?:${bother}) (?:me|us)`),
    before: forbidden,
    after: [not_limited, with_offers, ...only_for_good],
  },
  {
    says: said(
      `(?:${you} (?:must|should|may|can|shall|better|had better|are to) (?:not|never)|(?:can|` +
        `could|will|would) ${you} not) ` +
        `(?:${call_us}|send (?:me|us) (?:${calls}))`,
    ),
    before: [[endsWith`why`, undefined], if_none, ...whatever],
    after: [with_offers, not_limited, elsewhere, for_good, ...unclear],
  },
  {
    says: said(
      `${you} (?:are (?:not|no longer)(?: (?:allowed|permitted|authori[sz]ed|welcome|entitled))?|` +
        `(?:do not|no longer) have ${consent}|` +
        `have no (?:right|permission|consent|business|reason)) to (?:${call})(?: (?:${us}))?`,
    ),
    before: [[endsWith`if`, undefined], ...reported, ...whatever],
    after: closed,
  },
  {
    says: said(
      `(?:do not|no longer) (?:consent|agree|authori[sz]e you|(?:give|grant) (?:${you} )?${consent}) to ` +
        `(?:[^ ,]+ ){0,4}(?:${messages}|${called}|${calling}|${call})`,
    ),
    before: [[endsWith`if`, undefined], ...reported, ...whatever],
    after: [[startsWith`the|an?|my (?!phone|number)`, undefined], ...whatever],
  },
  {
    says: says`${you} (?:do not|no longer) have (?:my|our) (?:permission|consent)`,
    before: [if_none, ...whatever],
    after: [
      [startsWith`(?:to|for) (?:[^ ,]+ ){0,4}(?:${messages}|${call}|data|number)`, 'opt_out'],
      if_nothing,
      for_good,
      ...unclear,
    ],
  },
  {
    says: said(
      `(?:mind|appreciate|like|love)(?: (?:you|u))? not (?:(?:${calling_someone}) (?:${us})|` +
        `calling|texting|being (?:${called}))`,
    ),
    before: whatever,
    after: closed,
  },
  {
    says: said(`(?:not to|to not) (?:${call_us}|be (?:${called})|(?:receive|get) (?:${calls}))`),
    before: [
      [endsWith`try|trying|careful|so as|decided|agreed|promised`, undefined],
      demanded,
      told_others,
      ...reported,
      if_none,
      [
        ending(
          `(?:i|we|number|line|house|phone)(?: [^ ]+)? (?:am|are|is)|ask|asking|asked|request|prefer`,
          `(?:i|we)(?: (?:${modal}))*(?: ${you})?`,
        ),
        'opt_out',
      ],
      ...unclear,
    ],
    after: closed,
  },
  {
    says: said(
      '(?:(?:make|making|be) (?:sure|certain)|ensure|see to it)(?: [^ ,]+){0,4}? ' +
        '(?:nobody|no one|none|neither|not|never|no longer|nothing)(?: [^ ,]+){0,6}? ' +
        `(?:${called}|(?:${call}|calls|rings|texts|messages|contacts|phones) (?:${us}))`,
    ),
    before: [[endsWith`to|i|we`, 'unclear'], if_none, ...whatever],
    after: closed,
  },
  {
    says: said(
      `(?:${not_wanting})(?: (?:in|for|about))?(?: (?:to|2))? (?:(?:(?:get|getting|receive|` +
        'receiving|have|having|see|be sent|' +
        `be getting|be receiving|keep getting|keep receiving|continue receiving|be part of) )?(?:${calls})|` +
        `(?:be|get|being|getting) (?:${called}|on (?:${list}))|(?:hear|hearing) (?:anything )?(?:from|` +
        `of) (?:${your_company}))`,
      `(?:${not_wanting}) (?:${you}|anyone|anybody|nobody|no one|people|your [^ ]+)(?: (?:to|keep))? (?:(?:${call}|` +
        `${calling_someone}) (?:${us})|(?:${call}|${calling})(?= again| any ?more|$)|have (?:my|` +
        `our) (?:${number}|${details}))`,
      `(?:${not_wanting}) (?:my|our) (?:${number}|name|${details})(?: to be)?(?: kept| stored)? (?:in|on) (?:${list})`,
    ),
    before: wished,
    after: closed_calls,
  },
  {
    says: said(
      `confirm(?: that)? ${you} will (?:not|never|no longer) (?:${call_us})`,
      '(?:(?:make|making) (?:sure|certain)|ensure|see(?: to it)?)(?: that)? (?:i|we) (?:do not|' +
        'am not|are not|never|no longer) ' +
        `(?:(?:get|receive|hear) (?:${calls}|from you|anything)|${called})`,
      '(?:make (?:sure|certain)|ensure|see(?: to it)?|confirm)(?: that)? (?:my|our|this) ' +
        `(?:${number}|name|${details}) (?:has been|have been|is|are|gets|will be) (?:removed|` +
        'deleted|erased|taken off|off)',
    ),
    before: [negated, how_to, [endsWith`i|we`, 'unclear'], if_none, ...whatever],
    after: closed,
  },
  {
    says: says`(?:${not_wanting})(?: to (?:get|receive))? (?:these|those)`,
    before: wished,
    after: [[nothing, 'unclear'], [startsWith`(?:any ?more|at all)(?= ,|$)|,`, 'unclear'], or_none],
  },
  {
    says: said(
      '(?:how many (?:more )?times|how often) (?:do|must|will|did|have|should|am) (?:i|we)(?: (?:have|' +
        'need|got|going|gotta|had))?(?: to)? ' +
        `(?:told?|ask(?:ed)?|say|said|tell|repeat)(?: (?:${you}|it|this))?(?: ,)?(?: to| that)? (?:not|` +
        'stop|do not|remove|take|no)',
      `(?:what|which) part of (?:stop ${calling}|stop ${calling_someone}|(?:do not|never) (?:${call})|` +
        `no more (?:${calls}))`,
    ),
    before: [[endsWith`${saying}`, undefined], ...whatever],
    after: whatever,
  },
  {
    says: says`(?:what|which) part of (?:stop|no|not interested)`,
    before: whatever,
    after: unclear,
  },
  {
    says: said(
      '(?:requesting|request(?: for)?|demand|want|need)(?: the)?(?: immediate)? (?:removal|' +
        `deletion|erasure) (?:of (?:${our_number})|(?:from|off) (?:${list}))`,
    ),
    before: decided,
    after: whatever,
  },
  {
    says: says`(?:request|requesting) (?:removal|deletion|erasure)`,
    before: [at_beginning, [endsWith`i|we`, 'unclear'], or_none],
    after: [[nothing, 'unclear'], or_none],
  },
  {
    says: said(
      '(?:no|zero) (?:more )?(?:calls?|texts?|messages?|e ?mails?|contact|sms|spam)(?: ,)?(?: (?:or|' +
        'and|nor|no|more))+ ' +
        '(?:calls?|texts?|messages?|e ?mails?|contact|sms|spam|nothing)',
    ),
    before: [
      [endsWith`(?:got|get|had|have|were|was|received|receive|made|are|is|been|there|with)(?: [^ ]+)?`, undefined],
      told_others,
      ...reported,
      if_none,
      [anything, 'opt_out'],
    ],
    after: [not_limited, [startsWith`came|arrived|were|are|for|about`, undefined], ...whatever],
  },
  {
    says: said(
      '(?:(?:get|getting|receive|receiving|have|had|thats|is|still|send(?:ing)? (?:me|us)) (?:(?:way|' +
        'far) )?(?:too|so) (?:many|much)|' +
        `(?:keep(?: on)?|always|constantly|still) (?:getting|receiving|get|receive)) (?:${calls})`,
      `${you} (?:call|text|message|ring|phone|contact|write)(?: (?:me|us))? (?:(?:way|far) )?too (?:much|often)`,
      `${you} (?:keep(?: on)?|are (?:always|constantly)) (?:${calling_someone}) (?:${us})`,
      `why (?:do|are|is|does) ${you} (?:${calling_someone}|${call}) (?:${us}) (?:so|every|all the)(?: [^ ]+)?`,
    ),
    before: [[endsWith`(?:i|we|,|^)(?: ${modal}| just)*|(?:^|[^ ]* )(?:because|but|and)|^`, 'unclear'], or_none],
    after: [[startsWith`from (?!you)|about|for|by mistake`, undefined], ...unclear],
  },
  {
    says: said(
      '(?:text|e ?mail|message|whatsapp|write)(?: (?:to )?(?:me|us))?(?: ,)? (?:instead of|' +
        'rather than|not|do not|never) (?:phone ?)?(?:call|ring|phone)(?:s|ing)?',
      '(?:do not|no) (?:call|ring|phone)s?(?: (?:me|us))?(?: ,)? (?:just |only |but )?(?:text|' +
        'e ?mail|message|whatsapp|write)',
      'do not (?:call|ring|phone|text|contact) (?:me|us) at (?:work|(?:my|the) (?:work(?:place)?|office|job|shop))',
      '(?:prefer|rather have) (?:e ?mails?|texts?|text messages|whatsapp|sms|letters?)',
    ),
    before: [[endsWith`(?:^|and|but|,|i|we|would|can you|could you)`, 'unclear'], or_none],
    after: [[nothing, 'unclear'], [startsWith`,|over|to|than|me|us|instead|because|so|i`, 'unclear'], or_none],
  },
  {
    says: said(
      '(?:this is|thats|that is|its|it is|you are) (?:(?:pure|just|clearly|nothing but|now) )?' +
        '(?:harassment|harassing me|stalking|spam|spamming me)',
    ),
    before: [at_beginning, [contains`consider`, 'unclear'], or_none],
    after: [[nothing, 'unclear'], [startsWith`,|and|i`, 'unclear'], or_none],
  },
  {
    says: says`(?:that is it|thats it|right|ok) ,? ?(?:i am|we are) (?:done|out|finished)|i have had enough(?: of (?:this|you|it))?`,
    before: [[nothing, 'unclear'], or_none],
    after: [[nothing, 'unclear'], [startsWith`,`, 'unclear'], or_none],
  },
  {
    says: said(
      `(?:${not_wanting})(?: to)? (?:talk|speak|deal|do business) (?:to|with) ${you}`,
      `(?:${not_wanting}) (?:any )?more of (?:these|this|those|them)`,
    ),
    before: wished,
    after: [for_good, [nothing, 'unclear'], or_none],
  },
  {
    says: said(
      `no ?(?:more|further|additional) (?:${calls})|not (?:one more|another)(?: single)? (?:${one})`,
      'no more (?:txt|msg)|no more (?:text|message|call)(?= ,|$)',
      `enough (?:${calls})|no soliciting|no solicitations?`,
    ),
    before: [
      demanded,
      told_others,
      ...reported,
      if_none,
      [
        ending(
          `(?:i|we)(?: (?:${modal}))* (?:want|like|wish|prefer|need|demand|expect|appreciate|receive)`,
          'send(?: me| us)?|lets have|thats|(?<!if )that is',
        ),
        'opt_out',
      ],
      at_beginning,
      or_none,
    ],
    after: [
      not_limited,
      [
        starting(
          'than|were|was|are|is(?! desired| wanted| welcome)|came|left|for(?: my| the| [^ ]+day)|about (?:my|the)',
          `to (?!${us})[^ ]+`,
        ),
        undefined,
      ],
      ...whatever,
    ],
  },
  {
    says: said(
      '(?:no|zero) (?:(?:marketing|cold|sales|spam|promo|promotional|junk|advertising|unsolicited|robo) ){1,2}' +
        '(?:calls|texts|messages|msgs|sms|mails?)',
    ),
    before: [[endsWith`(?:i|we)(?: ${modal})* (?:want|need|like|prefer|wish)`, 'opt_out'], at_beginning, or_none],
    after: [not_limited, for_good, ...at_end],
  },
  {
    says: said(
      `(?:your|these|the|all|any|such) (?:${some} ){0,2}(?:${messages}) (?:are|is) (?:(?:not|` +
        'no longer) (?:welcome|wanted|desired)|unwanted|unwelcome)',
      `(?:nobody|no one|none of us)(?: here)? (?:wants|needs|likes) (?:${calls})`,
    ),
    before: [told_others, ...reported, if_none, ...whatever],
    after: [not_limited, ...whatever],
  },
  {
    says: says`stop(?: it| this| that)?`,
    before: [
      [
        contains`(?:asked for this|signed up|wrong number|scam|spam|(?:said|told you) no|police|${messages}|${calling}|${calling_someone}|harassment|harassing|scammers?|annoying)(?: [^ ,]+){0,4}(?: ,)?$`,
        'stop',
      ],
      or_none,
    ],
    after: [[nothing, 'stop'], or_none],
  },
  {
    says: says`no (?:calls|texts|messages|contact|spam|ads|adverts|marketing|cold calls|calling|texting)`,
    before: [
      [endsWith`(?:i|we)(?: ${modal})* (?:want|need|like|prefer|wish)`, 'opt_out'],
      [endsWith`(?<![^]*[^ ])|,|and|so|interested`, 'unclear'],
      or_none,
    ],
    after: [not_limited, for_good, ...at_end_or_unclear],
  },
  {
    says: says`send (?:(?:me|us) )?(?:no more|nothing more|nothing else)|(?:hear|receive|get) nothing (?:more|further|else)`,
    before: [negated, at_beginning, [endsWith`(?:i|we)(?: ${modal})*`, 'opt_out'], ...unclear],
    after: at_end,
  },
  {
    says: said(
      '(?:(?:had it|had enough|(?:sick|tired|fed up|done|finished)(?: [^ ]+ (?:sick|tired))?)(?: up to here)? ' +
        '(?:with|of|from|by|getting|' +
        `receiving)|why (?:do|am|are) (?:i|we)(?: (?:keep|still))?)(?: (?:get|getting|receiving))? (?:${calls})`,
      '(?:how|where) (?:do|can|could|to|would)(?: i| we)? (?:(?:make|get) (?:these|this|it|them)(?: to)? stop|stop (?:these|this|them)|get (?:removed|' +
        'off|out of this))(?= ,|$)',
      `(?:why|how come) (?:do|are|is|does) ${you} (?:keep on|keeps?|still|always|constantly) (?:${calling_someone})`,
      `(?:(?:how|where) (?:did|do|have|would) ${you} (?:get|got|have|find|obtain)|who gave ${you}) (?:my|this) ` +
        `(?:${number}|${details})`,
    ),
    before: [negated, ...unclear],
    after: whatever,
  },
  {
    says: said(
      `(?:want|need|would like|demand|make|get) (?:${calls}) (?:to )?(?:stop|stopped|end|ended|cease|gone|turned off)`,
    ),
    before: decided,
    after: calls_stopped,
  },
  {
    says: says`(?:want|need|like) (?:them|these|those|all of (?:it|this|them)) (?:all )?(?:to (?:stop|end|cease)|stopped|ended|gone)`,
    before: [
      negated,
      [contains`${messages}|calling|texting|phoning|ringing`, 'opt_out'],
      [endsWith`(?:i|we)(?: ${modal})*`, 'unclear'],
      or_none,
    ],
    after: at_end,
  },
  {
    says: said(
      `(?:${messages}) (?:must|have to|has to|need to|needs to|should|better|got to|going to) (?:stop|end|cease)`,
    ),
    before: [[contains`when|how|why`, 'unclear'], negated, told_others, ...reported, ...whatever],
    after: calls_stopped,
  },
  {
    says: said(
      'what (?:does|will|would|happens with) stop',
      '(?:reply|replied|replying|texted|texting|text|sent|send|sending|typed|type) (?:back )?(?:with )?(?:the word )?stop',
    ),
    before: [
      [contains`if|what|how|when|can|should|do|does|not`, 'unclear'],
      [endsWith`(?:i|we)(?: have| keep)?`, 'opt_out'],
      ...unclear,
    ],
    after: [[startsWith`by|at|in|to (?:him|her|them|my)`, undefined], ...whatever],
  },
  { says: called_again, before: threatened, after: whatever },
  { says: called_again, before: whatever, after: threatened },
  {
    says: said(
      `(?:${call})(?: (?:${us}))? (?:again|one more time|once more)(?: ,)? and`,
      `(?:one more|another|any more) (?:${one})s?(?: (?:from|of) [^ ]+)?(?: ,)? and`,
    ),
    before: [at_beginning, or_none],
    after: threatened,
  },
  {
    says: says`blocking (?:you|u|this number|your number)|reporting (?:you|this|as spam)`,
    before: [at_beginning, [endsWith`i am`, 'opt_out'], or_none],
    after: unclear,
  },
  {
    says: said(`(?:${unsubscribe})(?! link)|optout|opt(?:ing)? (?:(?:${our_number}) )?out`),
    before: decided,
    after: [
      [
        starting(
          `(?:(?:me|us)(?: both)? )?(?:of|from|frm|off|to) (?:${list}|(?:receiving |getting |` +
            `being )?(?:${calls}|${called}))`,
          '(?:(?:me|us)(?: both)? )?(?:of|from|frm|off) (?:all )?(?:of )?(?:this|it|you|calling|' +
            'texting|everything|all|here|these)',
        ),
        'opt_out',
      ],
      [startsWith`(?:me |us )?(?:of|from|frm) (?:[^ ]+ )?(?:e ?mails?|newsletters?|mailings?)`, 'unclear'],
      [startsWith`(?:me |us )?(?:of|from|off)`, undefined],
      [startsWith`${our_number}`, 'opt_out'],
      [startsWith`my|our|his|her|him|them|the`, undefined],
      [startsWith`form|link|option|button|page|clause|means?|works?`, 'unclear'],
      ...whatever,
    ],
  },
  {
    says: said(
      `(?:unsubscribed|opted out)(?! by| accident| (?:of|from) (?!(?:${list}|${calls}|all|this|everything)(?![^ ])))`,
      '(?:withdraw|withdrawing|rescind|retract) (?:(?:my|our|all|any) ){1,2}(?:consent|permission|authori[sz]ation)',
    ),
    before: [negated, ...unclear],
    after: whatever,
  },
  {
    says: says`(?:be|get) (?:unsubscribed|opted out)`,
    before: decided,
    after: [[startsWith`(?:from|of) (?!${list}|${calls}|all|this|everything)`, undefined], ...whatever],
  },
  {
    says: said(`(?:revoke|withdraw|rescind|retract|cancel|revoking|withdrawing|take back) ${consent}`),
    before: decided,
    after: [
      [
        startsWith`(?:to|for|from|regarding) (?:[^ ,]+ ){0,6}(?:${messages}|${called}|${call}|${calling}|data|number)`,
        'opt_out',
      ],
      [anything, 'unclear'],
    ],
  },
  { says: says`revoke (?:my|our|all|any) (?:consent|permission)`, before: decided, after: at_end },
  {
    says: said(`object to (?:[^ ,]+ ){0,5}(?:data|information|details|number|${messages}|${called}|${calling})`),
    before: decided,
    after: whatever,
  },
  {
    says: said(
      `(?:${remove}) (?:${our_number}|${family}|it|him|her|them|this) (?:${off}) ` +
        `(?:${list}|(?:receiving )?(?:${calls})|everything|all of (?:this|these|it))`,
      '(?:remove|rmv|delete|take) (?:me|us) (?:from|frm|off)(?: of)? this(?= ,|$)',
      `block (?:${our_number}) from (?:receiving|getting) (?:${calls}|these|this|anything)`,
    ),
    before: told,
    after: [
      [startsWith`for(?! good| ever)`, 'unclear'],
      [startsWith`(?:and|,) (?:put|add|move) (?:me|us) (?:on|in|to) (?!${do_not_call_list})`, undefined],
      [startsWith`(?:order|call|page|meeting|group|class|course|chat)`, undefined],
      ...whatever,
    ],
  },
  {
    says: said(`(?:${remove}) (?:(?:both|all|all of) )?(?:my|our|this) (?:${number}|names?) off`),
    before: told,
    after: at_end,
  },
  {
    says: said(
      '(?:remove|remov|rmv|delete|delet|delte|dlt|erase|delist|unlist|lose|loose|forget|block|' +
        'get rid of|forget you (?:ever )?(?:had|have|saw)|drop|ditch|bin|scrap|burn|wipe|scrub|' +
        'destroy|dump) ' +
        `(?:(?:both|all|all of) )?(?:my|our|this) (?:${number}|name|${details}|digits)|lose (?:the|that) number`,
    ),
    before: told_or_unclear,
    after: at_end,
  },
  {
    says: said(
      `(?:(?:be|get|getting|(?:want|like|have|need|get|see) (?:${our_number}))(?: (?:to be|` +
        'be))? (?:removed|taken|deleted|' +
        `erased|struck|gone|off|out)|(?:wants?|need|like)(?: to (?:be|get))? (?:out of|off|out)|get off)(?: ${off})? ` +
        `(?:${list}|(?:${some} ){1,4}(?:${messages}))`,
    ),
    before: decided,
    after: [[startsWith`for(?! good)`, 'unclear'], ...whatever],
  },
  {
    says: said(
      `(?:want|like|have|need|get|see) (?:my|our|this) (?:${number}|names?|${details})(?: to be)? (?:removed|` +
        'deleted|gone)',
    ),
    before: decided,
    after: at_end,
  },
  {
    says: says`(?:sign|count|opt) (?:me|us) (?:off|out)|(?:de|un|dis) ?(?:register|list|enroll?) (?:me|us)|withdraw (?:me|us)`,
    before: decided,
    after: [
      [startsWith`(?:(?:from|of) )?(?:${list}|${calls}|this|everything|all)`, 'opt_out'],
      [nothing, 'unclear'],
      or_none,
    ],
  },
  {
    says: said(
      `(?:put|add|place|register|include|get) (?:${our_number}) (?:on|to|onto|in|into|with) ${do_not_call_list}`,
    ),
    before: told,
    after: whatever,
  },
  {
    says: said(
      `(?:be|(?:want|like|have|need) (?:${our_number})) (?:put|placed|added|on) (?:(?:on|to|` +
        `onto) )?${do_not_call_list}`,
    ),
    before: decided,
    after: whatever,
  },
  {
    says: says`(?:on|in|with) ${do_not_call_list}`,
    before: [[contains`not|never`, undefined], ...unclear],
    after: whatever,
  },
  {
    says: said(
      '(?:never|did not) (?:sign(?:ed)? up|ask(?:ed)?|subscribed?|opt(?:ed)? in|consent(?:ed)?|' +
        'agreed?)(?: (?:for|to))? ' +
        `(?:(?:get|getting|receive|be sent) )?(?:this|these|it|${calls}|being (?:${called}))`,
    ),
    before: [[endsWith`i|we`, 'unclear'], or_none],
    after: at_end_or_unclear,
  },
  {
    says: says`(?:asked|told|asking|telling|begging) you(?: [^ ,]+){0,2} to stop`,
    before: [negated, [endsWith`(?:i|we)(?: ${modal})*`, 'stop'], or_none],
    after: [[nothing, 'stop'], or_none],
  },
  {
    says: says`(?:remove|take|delete) (?:me|us)(?: off)?`,
    before: [
      [
        endsWith`(?:spam|interested|number|person|died|customer|warning|(?:signed up|asked)(?: for (?:this|these|it|[^ ]+ [^ ]+))?)(?: ,| and)?`,
        'opt_out',
      ],
      [endsWith`^|,|and|or|so|want you to|need you to|(?:can|could|will|would) ${you}`, 'stop'],
      or_none,
    ],
    after: [[nothing, 'opt_out'], [startsWith`,|and|or|now|right now|again|any ?more|u|you`, 'stop'], or_none],
  },
  {
    says: says`remove(?: the)? (?:number|no|num)`,
    before: [at_beginning, or_none],
    after: [if_nothing, for_good, or_none],
  },
  { says: says`do not disturb`, before: [at_beginning], after: [[nothing, 'stop']] },
  {
    says: said(
      `leave (?:me|us) (?:(?:the )?(?:hell|fuck|heck|f) )?(?:alone|be|in peace)|(?:stop|quit) (?:${bothering}) ` +
        `(?:me|us)|do not (?:${bother}) (?:me|us)`,
    ),
    before: [
      negated,
      [
        endsWith`i|we|it|they|he|she|to|not|${messages}|(?:did|may|can|will|would|should|must|could)(?: [^ ]+)?`,
        undefined,
      ],
      [anything, 'stop'],
    ],
    after: [[nothing, 'stop'], [startsWith`,|and|or|now|right now|again|any ?more|u|you`, 'stop'], or_none],
  },
]

const reach = 'call|ring|phone|text|email|message|write to|write|send'
/** Wishes for another way to be reached: "Don't call me, text me." */
const another_way = contains`${any(
  `instead|(?:i|we) will (?:${reach}) you|rather (?:you )?(?:${reach})`,
  `(?<=^|(?:,|and|only|but|then|can you|could you) )(?:${reach}) (?:me|us)` +
    '(?! (?:no|nothing|(?:again|one more time) (?:and|,))(?![^ ]))',
  '(?:e ?mails?|texts?|sms|calls|whatsapp) (?:only|is fine|is better|is best|are fine)',
  'only (?:by|via|per|through|use) [^ ]+',
)}`

export const en: Language = {
  tag: 'en',
  opt_outs: {
    words: listed(
      'stop, sotp, stpo, stoppp, stop thank you, stop all, stopall, unsubscribe, opt out, optout, remove, unsub, ' +
        'stp, please stop, ' +
        'pls stop, stop please, stop pls, stop now, stop everything, stop sending, stop calls, stop text, stop texts, ' +
        'stop txt, stop messages, stop sms, remove me, please remove me, remove me please',
    ),
    sms_words: ['cancel', 'end', 'quit', 'revoke'],
    ordinary_words: listed(
      'enough, enough already, enough is enough, that s enough, thats enough, off, off please, go away, not interested, ' +
        'im not interested, i am not interested, no more, get lost, piss off, fuck off, bugger off, sod off, ' +
        'wrong number, ' +
        'leave me be, block me, blocked, reported, reported and blocked, blocked and reported, this is annoying, stop with this, delete, delete me, take me off, spam, finish, block',
    ),
    phrases,
    another_way,
    at_once: ['immediately', 'at once', 'right away', 'straight away'],
    fillers: [
      ...(
        'please pls plase pleas plese pleaase pleasee just really kindly simply ever even already finally seriously ' +
        'honestly actually um uh uhm erm hm mm ' +
        'oh ah hey hi hello well ok okay yes yeah yep alright look sir madam maam dude mate bro yo thanks sorry bye ' +
        'goodbye fucking fuckin freaking frickin effing damn goddamn bloody flipping plz plss thx cheers hereby ' +
        'ffs wtf omg lol bruh'
      ).split(' '),
      ...['thank you', 'excuse me', 'good bye'],
    ],
  },
  opt_in_words: ['start', 'unstop'],
  help_words: ['help'],
  answers: {
    yes: listed(
      'yes, yeah, yep, yup, sure, ok, okay, alright, all right, of course, certainly, absolutely, definitely, correct, ' +
        'exactly, right, thats right, that is right, that works, works for me, sounds good, go ahead, please ' +
        'do, please do it, do it, fine, ' +
        'perfect, great, i do, y',
    ),
    no_more: listed(
      'no more, no more calls and messages, no more messages, never again, stop, im sure, i am sure, i want that, ' +
        'thats correct, that is correct, thats what i want, that is what i want',
    ),
    courtesies: listed('please, thanks, thank, you, sir, maam, bye, goodbye, um, uh, er, oh, well'),
  },
  sayings: {
    opt_out: 'You will get no more messages from us. Reply START to get messages again.',
    no_more_messages: 'You will get no more messages from us.',
    no_more_calls: 'I understand. We will not call you again. Goodbye.',
    no_more_question: 'Do you want no more calls and messages?',
    press_key: 'To get no more calls, press {key}.',
    star: 'star',
    hash: 'hash',
  },
}
