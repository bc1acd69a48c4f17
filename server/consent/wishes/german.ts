import { anything, contains, endsWith, type Judgement, nothing, type Phrase, says, startsWith } from './wish.ts'

const calls = 'anrufe|anrufen|nachrichten|sms'
const us = 'mich|uns|mir|hier|(?:diese|meine|unsere) nummer'
const no_more = '(?:nicht|nie|niemals)(?: (?:mehr|wieder|noch einmal|nochmal|weiter))?'
const no_more_ever = '(?:nicht|nie|niemals) (?:mehr|wieder|noch einmal|nochmal|weiter)'
const to_call = 'anrufen|kontaktieren|anschreiben|schreiben|belästigen|stören'
const want = 'will|wollen|möchte|möchten|wünsche|wünschen'
const list =
  '(?:ihrer|der|dieser|allen|ihren|den|dem|ihrem) (?:anrufliste|telefonliste|liste|listen|verteiler|datenbank|system|kartei)'

/** "Ich habe nicht gesagt, dass". */
const negated: Judgement = [contains`nicht (?:gesagt|gemeint|gebeten|verlangt|, dass|dass)`, undefined]
const demanded: Judgement = [
  contains`(?:ich|wir) (?:habe|haben|hab) (?:ihnen )?(?:\S+ )?(?:gesagt|gebeten)|(?:ich|wir) (?:sage|sagte|sagten)`,
  'opt_out',
]
/** "Meine Frau sagt". */
const reported: Judgement = [contains`sagt|sagte|sagten|gesagt|meint|meinte`, 'unclear']
const has_condition = contains`wenn|falls|sobald|solange|bevor|während`
const at_beginning: Judgement = [/(?:^|(?:^| )(?:und|aber|oder|also|dann|nein|,|interesse))$/, 'opt_out']

/** Before what "Sie" is to do. */
const told: Judgement[] = [
  negated,
  demanded,
  reported,
  [has_condition, undefined],
  [endsWith`warum|wieso|weshalb|wann|ich|wir|sie|die|ihr|leute|kinder`, undefined],
  [anything, 'opt_out'],
]
/** Before an infinitive: whose act it is, other words say. */
const told_by_infinitive: Judgement[] = [
  negated,
  demanded,
  [contains`(?:ich|wir) (?:${want})(?: ,)? dass sie`, 'opt_out'],
  reported,
  [has_condition, undefined],
  [/(?:^|(?:^| )(?:und|aber|oder|also|dann|nein|,|interesse))(?: (?:mich|uns|hier))?$/, 'opt_out'],
  [endsWith`(?:ich|wir|er|warum|wieso|weshalb|wann)(?: [^ ,]+)*`, undefined],
  [
    contains`(?:können|könnten|würden|sollen|sollten|müssen|dürfen) sie|sie (?:sollen|sollten|dürfen|müssen|können)`,
    'opt_out',
  ],
  [anything, 'unclear'],
]
const wished: Judgement[] = [
  reported,
  [has_condition, undefined],
  [endsWith`(?:(?:ich|wir) ${want}|(?:${want}) (?:ich|wir))(?: (?:von ihnen|hier))?`, 'opt_out'],
  [endsWith`(?:${want})(?: (?:von ihnen|hier))?`, 'unclear'],
]

const limited = startsWith`heute|morgen|jetzt|gerade|vor|nach|bis|am|um|im|diese|während|wenn|außer`
const condition = startsWith`, (?:wenn|falls|sobald|solange|bevor|bis|während|außer)`
const whatever: Judgement[] = [
  [limited, undefined],
  [condition, 'unclear'],
  [anything, 'opt_out'],
]
const always_stop: Judgement[] = [
  [nothing, 'stop'],
  [startsWith`,|und`, 'stop'],
  [anything, undefined],
]

export const phrases: Phrase[] = [
  { says: says`rufen sie(?: ${us}){0,2} ${no_more}(?: (?:hier|bei mir|bei uns))? an`, before: told, after: whatever },
  {
    says: says`(?:ruft|ruf|rufe)(?: ${us}){0,2} ${no_more}(?: (?:hier|bei mir|bei uns))? an`,
    before: [at_beginning, [anything, undefined]],
    after: whatever,
  },
  {
    says: says`(?:schreiben|kontaktieren|belästigen|melden|stören) sie(?: (?:${us}|sich|bei)){0,3} ${no_more_ever}`,
    before: told,
    after: whatever,
  },
  {
    says: says`(?:schicken|senden|schreiben) sie (?:mir|uns) keine (?:weiteren )?${calls}`,
    before: told,
    after: whatever,
  },
  { says: says`${no_more_ever} ${to_call}`, before: told_by_infinitive, after: whatever },
  {
    says: says`(?:ich|wir) ${want} nicht(?: ,)? dass sie(?: ${us})?(?: (?:noch einmal|nochmal|wieder|weiter|jemals))? ${to_call}`,
    before: [reported, [anything, 'opt_out']],
    after: whatever,
  },
  {
    says: says`nicht (?:(?:mehr|wieder|weiter|von ihnen) ){0,2}(?:angerufen|kontaktiert|belästigt|angeschrieben|gestört) werden`,
    before: [...wished, [anything, undefined]],
    after: whatever,
  },
  {
    says: says`(?:mich|uns)(?: hier)? ${no_more_ever} (?:anzurufen|zu kontaktieren|zu belästigen)`,
    before: [negated, demanded, reported, [has_condition, undefined], [anything, 'unclear']],
    after: whatever,
  },
  {
    says: says`keine (?:weiteren ${calls}|${calls}(?: (?:und|oder) ${calls})?(?: von ihnen)? mehr)`,
    before: [...wished, demanded, at_beginning, [anything, undefined]],
    after: whatever,
  },
  {
    says: says`keine (?:${calls})(?: (?:und|oder) ${calls})?`,
    before: [...wished, [anything, undefined]],
    after: [
      [limited, undefined],
      [nothing, 'opt_out'],
      [condition, 'unclear'],
      [startsWith`,|mehr|von ihnen|bekommen|erhalten`, 'opt_out'],
      [anything, 'unclear'],
    ],
  },
  {
    says: says`(?:hören sie|hört|hör) (?:auf(?: ,)?(?: (?:${us}|ständig|immer|dauernd)){0,3} (?:anzurufen|zu schreiben|zu belästigen|zu kontaktieren)|(?:auf )?mit (?:den|diesen|ihren|euren) (?:${calls}))`,
    before: told,
    after: whatever,
  },
  { says: says`(?:stoppen|unterlassen) sie (?:die|diese|weitere|ihre|alle) ${calls}`, before: told, after: whatever },
  {
    says: says`aufhören(?: ,)?(?: (?:${us}|ständig|immer)){0,3} anzurufen`,
    before: told_by_infinitive,
    after: whatever,
  },
  {
    says: says`(?:streichen|nehmen|entfernen|löschen|tragen) sie (?:mich|uns|meinen namen|meine \S*nummer) (?:von|aus) ${list}`,
    before: told,
    after: whatever,
  },
  {
    says: says`löschen sie (?:meine|unsere|diese) \S*nummer`,
    before: told,
    after: [
      [nothing, 'opt_out'],
      [startsWith`,|und|aus|von`, 'opt_out'],
      [anything, undefined],
    ],
  },
  { says: says`nichts mehr von ihnen hören`, before: [...wished, [anything, 'unclear']], after: whatever },
  { says: says`(?:lassen sie|lasst|lass) (?:mich|uns) in ruhe`, before: [[anything, 'stop']], after: always_stop },
  { says: says`(?:mich|uns) abmelden|melden sie (?:mich|uns) ab`, before: [[anything, 'unclear']], after: always_stop },
]

/** Wishes for another way to be reached. */
export const another_way = contains`lieber|stattdessen|nur(?: noch)? per|schreiben sie (?:mir|uns)(?! (?:nicht|nie|keine))`
