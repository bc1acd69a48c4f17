import { anything, contains, endsWith, type Judgement, nothing, type Phrase, says, startsWith } from './wish.ts'

const call = 'call|phone|ring|contact|text|message|dial|write to'
/** Without "ringing": alarms do that too. */
const calling = 'calling|phoning|contacting|texting|messaging|spamming'
const called = 'called|phoned|rung|contacted|texted|messaged'
/** Whom the agent calls. */
const us =
  '(?:me|us)(?: here)?|here|this (?:number|phone|line|house)|' +
  '(?:my|our) (?:(?:cell|mobile|home|work) )?(?:phone|number|cell|mobile|house|home|office|line|landline)(?: number)?'
const call_us = `(?:${call})(?: (?:or|and) (?:${call})){0,2} (?:${us})`
/** "All of these phone calls". */
const calls =
  '(?:(?:any|more|further|all|of|the|these|those|this|your|such|no|sales|marketing|unwanted|and|or) ){0,5}' +
  '(?:(?:phone )?calls|(?:text )?messages|texts|sms|contact|communications?|spam)'

const our_number = 'me|us|(?:my|our|this) (?:phone |cell )?number|my name|my details|my data|my information'
const list =
  '(?:(?:of|your|the|this|that|these|any|all|calls?|calling|contact|phone|mailing|marketing|sms|text|customer|internal) ){1,5}' +
  '(?:lists?|databases?|systems?|records|files)'
const do_not_call_list =
  '(?:(?:the|your|a|any|internal|national|company) ){0,3}do not (?:call|contact|disturb|text) (?:list|registry|register)'

const you = 'you(?: people| guys| folks| all)?'
const modal =
  'will|would|can|could|should|shall|must|may|might|had|have|has|am|is|are|was|were|going|gonna|want|wanted|need|like|try|' +
  'tried|trying|to|better|did|do|does|decided'
const wanting =
  'want|wanted|wish|need|like|have|mean|ask|asking|asked|tell|telling|told|say|saying|said|going|trying|think|allowed'
const demanding =
  'said|say|saying|repeat|(?:told|tell|telling|asked|ask|asking|beg|begging|want|wanted|need|like|expect|urge) you'

const not_wanting = '(?:do not|does not|no longer|never) (?:want|wish)'
const that_you_should = '(?: (?:to|that|it|twice|you|should|must|need|have))*(?: ,)?'

/** "Don't", "I am not asking you to". */
const negated: Judgement = [
  endsWith`(?:not|never|without|nobody|no one|no (?:need|reason|plans?|intention) to)(?: you)?(?: ${wanting}(?: (?:you|them|anyone|anybody) to| to| that you)?){0,2}`,
  undefined,
]
/** "I said", "I have told you to". */
const demanded: Judgement = [endsWith`(?:i|we)(?: ${modal})* ${demanding}${that_you_should}`, 'opt_out']
const saying = 'said|says|say|saying|told|tells|asked|asks|wants'
/** "My wife said". */
const reported: Judgement[] = [
  [endsWith`(?:${saying})(?: (?:you|me|us|them|him|her))?${that_you_should}`, 'unclear'],
  [contains`(?:my \S+|our \S+|he|she|they|someone|somebody) ${saying}`, 'unclear'],
]
const how_to: Judgement = [
  endsWith`(?:how|way|possible|able|option|tried|trying) to|(?:(?:how|where|when) )?(?:do|can|could|would|may) (?:i|we)`,
  'unclear',
]
const has_condition = contains`if|when|while|once|until|unless|whether`
const at_beginning: Judgement = [/(?:^|(?<![^ ])(?:and|but|so|or|because|then|interested|no|again|now|,))$/, 'opt_out']

/** Before what the agent is to do. */
const told: Judgement[] = [
  [endsWith`if ${you} (?:do|can|will|would|could) not|unless ${you}`, 'opt_out'],
  [
    endsWith`why not|why (?:do|will|can|would|could) not ${you}|appreciate (?:it )?if ${you}(?: would| could)?`,
    'opt_out',
  ],
  [endsWith`${you} (?:do not|did not|never|will not|would not|can not|could not)`, 'unclear'],
  negated,
  demanded,
  ...reported,
  how_to,
  [endsWith`(?:i|we)(?: ${modal})*|(?:did|have|had) ${you}`, undefined],
  [endsWith`(?:when|how|do|are|where)(?: \S+)? ${you}(?: ${modal})*`, 'unclear'],
  [has_condition, 'unclear'],
  [endsWith`${you}(?: ${modal})*`, 'opt_out'],
  [endsWith`he|she|it|they|who|people|${modal}`, 'unclear'],
  at_beginning,
  [/^(?:how|what|who|where|why|does|do|did|is|was|can|could|will|would|should) /, 'unclear'],
]
/** Before what the agent is not to do. */
const forbidden: Judgement[] = [
  [endsWith`why`, undefined],
  negated,
  demanded,
  ...reported,
  [has_condition, undefined],
  [endsWith`(?:i|we|${you}|they|he|she|it|who|people|kids|children|friends)(?: ${modal})*`, undefined],
  at_beginning,
  [anything, 'unclear'],
]
/** Before "don't want". */
const wished: Judgement[] = [
  ...reported,
  [has_condition, undefined],
  [endsWith`${you}|they|why`, undefined],
  [endsWith`i|we`, 'opt_out'],
  at_beginning,
  [anything, 'unclear'],
]
/** Before what the contact does, or lets the agent do: "I want to opt out". */
const decided: Judgement[] = [
  [endsWith`(?:can|could) not`, 'unclear'],
  negated,
  ...reported,
  how_to,
  [endsWith`(?:should|shall|do|did|must|would|will) (?:i|we)(?: ${modal})*`, 'unclear'],
  [endsWith`(?:can|could|will|would) ${you}|${you} (?:must|should|have to|need to|to)`, 'opt_out'],
  [endsWith`(?:he|she|it|they|who|people|${you})(?: ${modal})*`, 'unclear'],
  [has_condition, 'unclear'],
  [anything, 'opt_out'],
]

const time =
  'today|tonight|tomorrow|now|right now|until|till|before|after|in the(?! future)|during|while|when|if|unless|every|about|(?:so|too) (?:often|much|late|early)'
const place = String.raw`(?:this|on|at) (?!(?:(?:this|my|our|the|any) )?(?:number|phone|line|time|all)(?![^ ]))\S+`
/** After a wish for a time or a place only. */
const limited = startsWith`(?:(?:again|any ?more) )?(?:(?:for )?${time}|${place})`
const for_good: Judgement = [
  startsWith`(?:back )?again|any ?more|any further|no more|at all|in the future|by you|from (?:you|your)|forever`,
  'opt_out',
]
const nothing_more: Judgement = [/^(?: (?:,|and|or|but|because|so|on|at|i|we|you)(?: |$)|$)/, 'opt_out']
const condition: Judgement = [startsWith`(?:again |any ?more )?, (?:if|when|while|until|till|unless|except)`, 'unclear']
/** Such as a name: "Don't call me Bob." */
const one_word = /^ [^ ,]+$/

/** After what is clear if nothing or little follows. */
const closed: Judgement[] = [
  [limited, undefined],
  condition,
  for_good,
  nothing_more,
  [startsWith`back`, 'unclear'],
  [one_word, undefined],
  [anything, 'unclear'],
]
const whatever: Judgement[] = [[anything, 'opt_out']]

export const phrases: Phrase[] = [
  {
    says: says`(?:stop|quit|cease) (?:${calling}|ringing)(?: (?:or|and) ${calling}){0,2} ${us}`,
    before: [...told, [anything, 'opt_out']],
    after: [
      [startsWith`now|right now`, 'opt_out'],
      [limited, 'unclear'],
      condition,
      for_good,
      nothing_more,
      [one_word, 'unclear'],
      [anything, 'opt_out'],
    ],
  },
  {
    says: says`(?:stop|quit|cease) ${calling}(?: (?:or|and) ${calling}){0,2}`,
    before: [...told, [anything, undefined]],
    after: [
      [startsWith`(?:you|him|her|them)(?! (?:people|guys|idiots))`, undefined],
      [startsWith`my|our|the`, 'unclear'],
      [startsWith`now|right now`, 'opt_out'],
      [limited, 'unclear'],
      condition,
      for_good,
      nothing_more,
      [anything, undefined],
    ],
  },
  {
    says: says`stop ringing`,
    before: [
      [nothing, 'opt_out'],
      [anything, undefined],
    ],
    after: [for_good, [nothing, 'opt_out'], [anything, undefined]],
  },
  {
    says: says`(?:stop|cease) (?:with |making |sending )?(?:me |us )?${calls}`,
    before: [...told, [anything, 'unclear']],
    after: [[limited, 'unclear'], ...whatever],
  },
  {
    says: says`stop (?:receiving|getting) ${calls}`,
    before: decided,
    after: [[limited, 'unclear'], ...whatever],
  },
  {
    says: says`(?:do not|never)(?: you)?(?: dare)? (?:${call_us}|send (?:me|us) (?:${calls}|anything))`,
    before: forbidden,
    after: closed,
  },
  {
    says: says`(?:do not|never) ${call}(?: (?:or|and) ${call}){0,2}`,
    before: forbidden,
    after: [[limited, undefined], for_good, [nothing, 'unclear'], [anything, undefined]],
  },
  {
    says: says`(?:${you} (?:must|should|may|can|shall|better) not|(?:can|could|will|would) ${you} not) ${call_us}`,
    before: [[endsWith`why`, undefined], [has_condition, undefined], ...whatever],
    after: [[limited, undefined], for_good, [anything, 'unclear']],
  },
  {
    says: says`${not_wanting} (?:to (?:get|receive|have) )?${calls}`,
    before: wished,
    after: closed,
  },
  {
    says: says`${not_wanting} (?:to (?:be|get) ${called}|to hear from ${you})`,
    before: wished,
    after: closed,
  },
  {
    says: says`${not_wanting} (?:${you}|anyone) (?:(?:to )?${call_us}|(?:keep )?(?:${calling}|ringing) ${us})`,
    before: wished,
    after: closed,
  },
  {
    says: says`no (?:more|further) ${calls}`,
    before: [
      demanded,
      ...reported,
      [has_condition, undefined],
      [endsWith`(?:i|we)(?: ${modal})* (?:want|like|wish|prefer|need)`, 'opt_out'],
      at_beginning,
      [anything, undefined],
    ],
    after: [[limited, undefined], ...whatever],
  },
  {
    says: says`un ?subscribe|optout|opt (?:${our_number} )?out`,
    before: decided,
    after: [
      [
        startsWith`(?:me |us )?(?:of|from) (?:${list}|(?:receiving |getting )?${calls}|(?:all )?(?:this|it|you|calling|texting|everything))`,
        'opt_out',
      ],
      [startsWith`(?:me |us )?(?:of|from)`, undefined],
      [startsWith`form|link|option|button|page|clause|mean|means|work`, 'unclear'],
      ...whatever,
    ],
  },
  {
    says: says`unsubscribed|opted out|(?:revoke|withdraw) (?:my|our) (?:consent|permission)`,
    before: [negated, [anything, 'unclear']],
    after: whatever,
  },
  {
    says: says`(?:take|taking|get|remove|removing|delete|erase|strike|scratch|cross|drop) ${our_number} (?:off|from|out) ${list}`,
    before: [...told, [anything, 'opt_out']],
    after: [[startsWith`for`, 'unclear'], ...whatever],
  },
  {
    says: says`(?:be|(?:want|like|have|need|get) ${our_number}) (?:removed|taken|deleted) (?:off|from) ${list}`,
    before: decided,
    after: whatever,
  },
  {
    says: says`(?:remove|delete|erase|lose|forget) (?:my|our|this) (?:phone |cell )?number`,
    before: [...told, [anything, 'unclear']],
    after: [[nothing, 'opt_out'], [startsWith`,|or`, 'opt_out'], for_good, [anything, undefined]],
  },
  {
    says: says`(?:put|add|place|register) ${our_number} (?:on|to|onto|in) ${do_not_call_list}`,
    before: [...told, [anything, 'opt_out']],
    after: whatever,
  },
  {
    says: says`be (?:put|placed|added) (?:on|to) ${do_not_call_list}`,
    before: decided,
    after: whatever,
  },
  {
    says: says`(?:on|in) ${do_not_call_list}`,
    before: [
      [contains`not|never`, undefined],
      [anything, 'unclear'],
    ],
    after: whatever,
  },
  {
    says: says`leave (?:me|us) alone|(?:stop|quit) (?:bothering|disturbing|harassing|pestering) (?:me|us)|do not (?:bother|disturb|harass) (?:me|us)|(?:remove|take) (?:me|us)(?: off)?`,
    before: [negated, [endsWith`i|we|they|he|she|did ${you}`, undefined], [anything, 'stop']],
    after: [
      [nothing, 'stop'],
      [startsWith`,|and|or|now|again|any ?more`, 'stop'],
      [anything, undefined],
    ],
  },
]

const reach = 'call|ring|phone|text|email|message|write to|write|send'
/** Wishes for another way to be reached: "Don't call me, text me." */
export const another_way = contains`instead|(?:i|we) will ${reach} you|rather (?:you )?${reach}|(?<=^|(?:,|and|only|but|then|can you|could you) )${reach} (?:me|us)`
