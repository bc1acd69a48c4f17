import { type Language, listed } from './language.ts'
import {
  anything,
  contains,
  endsWith,
  type Judgement,
  nothing,
  type Phrase,
  says,
  saysAny,
  startsWith,
} from './wish.ts'

// Where a vowel is followed by "e?", people also write the umlaut as two letters.

const not = 'nicht|nich|nciht|nihct|nict|niht|nit|net|ned|nid|nöd|nie|niemals'
const none = 'nichts|nix|nüt'
const more = 'mehr|merh|meh|mer|me|wieder|wider|noch|noch ?einmal|noch ?mals?|weiter|weiterhin|lae?nger|erneut|jemals'
const no_more = `(?:${not}|${none}) (?:${more})(?: (?:${more}))?|nimmer|nimmermehr|nimma|nümme|nümm|nüme|nüm`
const no = 'kein|keine[nmrs]?|keinerlei|kane|koane|koa|kei|keini'

const you = 'sie|ihr|du|se'
const phone = '(?:(?:meine|unsere|diese|die|ihre|seine|mei)[rnm]? )?(?:telefon|handy|mobil|ruf|festnetz)?nummern?'
const number =
  `(?:alle )?(?:${phone})|(?:alle )?(?:meine|unsere) (?:persoe?nlichen )?(?:kontakt)?daten|` +
  'meinen? (?:namen|kontakt|eintrag)'
const us = `mich|uns|mir|mi|ma|mer|eus|hier|(?:an|bei) (?:mir|uns)|(?:(?:auf|unter|an) )?(?:${phone})`
/** What may stand between the words of a demand. */
const some =
  `${us}|auch|da|dort|halt|hoid|in (?:der )?zukunft|ab jetzt|ab heute|ab|jetzt|nun|ue?berhaupt|stae?ndig|dauernd|immer|` +
  'weiter|weiterhin|gerne?|lieber|jede[nrs]? [^ ,]+|' +
  'telefonisch|schriftlich|unaufgefordert|per [^ ,]+|von (?:ihnen|euch|dir|eich)|sich|euch|eich|dich|' +
  'bei|beide|noch|so'
const somehow = `(?: (?:${some})){0,3}`

const call =
  'anruf[ens]*|aarüef|telefonate?n?|nachr?ich?te?n?|nochrichte|nachrchten|sms[en]*|whats ?apps?|' +
  'we?rbung(?:en)?|webung|' +
  'w[ea]rbig|reklame|spam|' +
  'newslett?ers?|angeboten?|angebote|infos?|informationen|(?:mitteil|benachrichtig|erinner|zusend|' +
  'belae?stig)ung(?:en)?|' +
  'kommunikation|kontakte?|kontakt(?:aufnahm|versuch|ierung)e?n?|promos?|promotions?|rundschreiben|' +
  'meldungen|zeug|mist|scheiss'
const calls = `[^ ,]*(?:${call})`
/** This stands at the beginning of a pattern, where it must be quick. */
const some_calls = `(?:(?:sms|werbe|whatsapp|spam|info|termin|text|marketing|push|telefon) ?)?(?:${call})`
/** "Diese ständigen". */
const such = '(?:(?!(?:(?:k?eine?|meine?|unsere?)[nmrs]?|mir|uns|ihnen|dir|ich|wir|nicht)(?![^ ]))[^ ,]+ ){0,2}'
const no_calls = `(?:${no}) ${such}${calls}`
const no_all_calls = `${no_calls}(?:(?: und| oder)(?: auch| (?:${no}))* [^ ,]+| , (?:${no}) [^ ,]+){0,2}`

/** What follows the verb of an order. */
const polite = 'e?[nd] s(?:ie?|e)'
const familiar = '(?:e|t|et|ts|ets|ed)?'
const order = `(?:${familiar}|${polite})`
const reach =
  'ruf|ruaf|kontaktier|contactier|schreib|schriib|belae?stig|stoe?r|nerv|meld|sims|text|spamm?|behellig|klingel|' +
  'telefonier|lüü?t'
const send = 'schick|send|schreib|schriib'
/** The verb of an order as the last word. */
const to_reach =
  '(?:aa?n?(?:ruf|schreib|klingel|text|telefonier|lüt|quatsch)|kontaktier|contactier|schreib|schriib|' +
  'belae?stig|stoe?r|' +
  'nerv|meld|sims|(?:zu|voll)?text|(?:zu|voll)?spamm|telefonier|behellig|bombardier|aufnehm)(?:e?n|t|' +
  'et|st|est|ed|e)|' +
  'anufen|anrfen|anruffen'
const to_send = '(?:zu)?(?:schick|send)(?:e?n|t|et|st|est)'
const annoying = 'zu (?:nerven|stoe?ren)'
const with_zu =
  'anzu(?:rufen|schreiben|texten|klingeln)|an zu rufen|aaz?lüte|(?:zu|voll)zu(?:spammen|texten|senden|' +
  'schicken|müllen)|' +
  '(?:zu|z) (?:kontaktieren|belae?stigen|schreiben|schriibe|texten|spammen|senden|schicken|simsen|' +
  'behelligen|bombardieren)'
const reached =
  'an ?gerufen|kontaktiert|belae?stigt|gestoe?rt|genervt|behelligt|an ?geschrieben|ange(?:textet|' +
  'quatscht|klingelt)|' +
  '(?:zu|voll)gespammt|bombardiert'

const wish =
  'will|wil|wollen|moe?chte|moe?cht|moe?chten|wue?nsche|wue?nschen|brauche?|brauchen|mag|mog|wett|wott|' +
  'wui|wue?|mecht|' +
  'verlange|verlangen|fordere|fordern|gestatte|erlaube|dulde|(?:wue?rden?|hae?tten?) (?:(?:ich|wir) )?(?:gerne?|lieber)'
const third = 'er|sie|man|meine?|unsere?|der|die|das|ein|eine|jemand|niemand|keiner|wer'
/** "Ich will", "dann will ich", and "will" at the beginning. */
const i_wish =
  `(?:ich|wir|i|mir)(?: (?!(?:${third})(?![^ ]))[^ ,]+){0,3} (?:${wish})|(?:${wish}) (?:ich|wir|i)|` +
  `(?:^|, |und |aber |nein )(?:${wish})`
const few = '(?: [^ ,]+){0,6}'

const list =
  '(?:aus|von|vom) (?:(?:ihre|eure|der|diese|alle|dem|den|deine)[rnm]? ){0,3}' +
  '(?:(?:whats ?app|sms|newsletter|werbe|info|telefon|anruf|kunden) )?' +
  '(?!warte|gae?ste|teilnehm|bestell|einkauf|preis|wunsch)[^ ,]*(?:listen?|verteilern?|datenbank|' +
  'datenbanken|systeme?n?|' +
  'kartei|datei|bestand|(?<=(?:sms|whatsapp|info|newsletter) ?)(?:dienst|service|abo|versand)|' +
  'stamm|adressbuch|kontakten|daten|unterlagen|newsletter|telefonbuch|register|speicher)'
const delete_verb = 'streich|nehm|nimm|entfern|loe?sch|trag|schmeiss|werf|wirf|hol|sperr|blockier|vergess|vergiss|tilg'
const told_to_delete = `(?:${delete_verb})${order}`
const to_delete =
  '(?:raus|heraus|aus)?(?:zu)?(?:streichen|nehmen|loe?schen|entfernen|tragen|werfen|holen|schmeissen|tilgen)|' +
  'zu (?:streichen|loe?schen|entfernen)|(?:geloe?scht|gestrichen|genommen|entfernt) werden|sperren|' +
  'blockieren|raus|runter|weg'
const to_end =
  '(?:zu )?(?:abbestellen|abbestelle|kue?ndigen|abmelden|beenden|unterlassen|stoppen|stornieren|' +
  'deaktivieren|ausschalten|' +
  'abschalten|unterbinden|lassen|verzichten|ablehnen)|(?:ein|ab)(?:zu)?stellen|abzubestellen|' +
  'abzumelden|abzusehen|absehen|' +
  'verschonen|stopp?|verzichte|e?r?sparen|(?:nicht (?:mehr )?|un)erwue?nscht'
const told_to_end =
  `(?:stopp|unterlass|beend|spar|verschon|stell|lass|bestell|kue?ndig)${order}|stop|schluss|unterlassung|` +
  'genug(?= von| mit)|ende(?= mit)|weg|sehen sie|seht|verzichten sie|verzichte|lehne'
const consent = '(?:werbe)?(?:einwilligung(?:en)?|einverst[^ ,]+|zustimmung(?:en)?|erlaubnis|genehmigung)'
const use = `(?:nutzung|verwendung|verarbeitung|speicherung|weitergabe|ansprache)|${calls}`

/** "Ich habe nicht gesagt, dass", "ich will nicht, dass". */
const negated: Judgement = [contains`(?:nicht|nie) (?:gesagt|gemeint|gebeten|verlangt)|nicht(?: ,)? dass`, undefined]
/** "Ich habe meinem Sohn gesagt, er soll". */
const told_others: Judgement = [
  contains`(?:er|sie|der|die) soll(?:te)?|(?:meine[mnr]|unsere[mnr]|ihm)(?: [^ ,]+){0,2} (?:gesagt|geschrieben)`,
  undefined,
]
const demanded: Judgement = [
  contains`${[
    'habe?n?(?: [^ ,]+){0,7} (?:gesagt|gebeten|geschrieben)|(?:ich|wir) sagt?en?|wie gesagt|das letzte',
    '(?:zum|ein) (?:aller)?letzte[ns](?: mal)?|letzte (?:warnung|aufforderung|mahnung)',
    'wie oft (?:soll|muss|mue?ssen|sollen|habe?n?) (?:ich|wir)(?: [^ ,]+){0,4} (?:sagen|gesagt|erklae?ren|bitten)',
  ].join('|')}`,
  'opt_out',
]
/** "Meine Frau sagt", "mein Mann will". */
const reported: Judgement = [
  contains`sagt|sagten?|gesagt|meinte?|(?:meine?|unsere?|er|der|die) (?:[^ ,]+ )?(?:will|moe?chte)(?! (?:ich|wir))`,
  'unclear',
]
const how_to: Judgement = [
  contains`wie(?! gesagt)|wo|an wen|was|ob|(?:kann|koe?nnte|darf|muss|mue?sste|koe?nnen) (?:ich|man|wir)|vielleicht`,
  'unclear',
]
const why: Judgement = [contains`warum|wieso|weshalb|wann|seit|leider|soll(?:te|en|ten)? (?:ich|wir)`, undefined]
const has_condition: Judgement = [
  contains`(?:wenn|falls)(?! (?:es )?(?:geht|moe?glich|ginge))|sobald|solange|bevor|wae?hrend|nachdem|ausser`,
  undefined,
]
const time =
  '(?<!ab )(?:heute|morgen|gestern)|gerade|grad|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|' +
  'wochenende|abends?|' +
  'nachts?|mittags?|vormittags?|nachmittags?|woche|monat|uhr|arbeit|bue?ro|urlaub|moment|(?:vor|nach|' +
  'um|zwischen) [^ ,]+'
const at_time: Judgement = [endsWith`(?:${time})${few}`, undefined]
const gone = 'geschlossen|umgezogen|weggezogen|verstorben|gestorben|tot|lebt nicht mehr'
const first =
  'und|aber|oder|dann|denn|nein|ne|nee|,|[^ ,]*interesse|interessiert|bedarf|daher|deshalb|darum|' +
  'deswegen|drum|' +
  'gehts noch|reichts|reicht|reicht es|langts|nervt|brauche? (?:das|es|sowas) nicht|genug|ruhe|ende|schluss|stopp?|leute|digga|servus|merci|sonst|hor|ey|wie gesagt|hiermit'
const at_beginning: Judgement = [endsWith`(?:^|(?:${first}|${gone})(?: |$))(?:(?:${some})(?: |$)){0,4}`, 'opt_out']
const kind = 'schoe?n|nett|lieb|dankbar|freuen|toll|gut|super|freundlich|begrue?ssen|verbunden|froh|angenehm'
/** "It would be nice if you didn't". */
const if_kind: Judgement = [endsWith`(?:${kind})(?: ,)? wenn (?:${you}|man)${few}`, 'opt_out']
const to_ensure =
  'sorg(?:e|en|t)(?: [^ ,]+)? dafue?r|sicher|sicherstellen|sicherzustellen|veranlass(?:en|t)(?: sie)?|darauf|' +
  'bestae?tigen sie(?: mir)?|gewae?hrleisten(?: sie)?'
const ensured: Judgement = [endsWith`(?:${to_ensure})(?: ,)? dass?${few}`, 'opt_out']
const common = [told_others, negated, demanded, reported]

/** Judges the words before what "Sie" is to do. */
const told: Judgement[] = [
  ...common,
  why,
  has_condition,
  at_time,
  [endsWith`ich|wir|sie|die|ihr|leute|kinder`, undefined],
  [anything, 'opt_out'],
]
/** Judges the words before what "ihr" or "du" is to do: the words may also say what others do. */
const told_familiarly: Judgement[] = [
  ...told.slice(0, -2),
  at_beginning,
  [endsWith`(?:^|, |und )(?:(?:meine?|unsere?|der|die|das|ein|eine) )?(?:[^ ,]+ )?[^ ,]+`, undefined],
  [endsWith`ich|er|sie|es|man|wer|niemand|keiner|jemand|die`, undefined],
  [anything, 'unclear'],
]
const should =
  'koe?nnen|koe?nnten?|koe?nntet|koe?nnt|kannst|wue?rden|wue?rdet|wue?rdest|sollen|sollten|' +
  'sollt|sollst|solltet|due?rfen|' +
  'due?rft|darfst|chönd|wollen|wollt'
const you_should: Judgement = [endsWith`(?:(?:${should}) (?:${you})|(?:${you}) (?:${should}))${few}`, 'opt_out']
const need = '(?:brauch|mue?ss)(?:en|t|st)?'
const you_need_not: Judgement = [endsWith`(?:${need} (?:${you})|(?:${you}) ${need})${few}`, 'unclear']
const asking = 'bitten|fordere|verlange|auffordern|ersuche|darum|wae?re es|dringend|erlaube ihnen'
/** Judges the words before an infinitive, because only these say whose act it is. */
const told_by_infinitive: Judgement[] = [
  [endsWith`(?:er|man|niemand|keiner)${few}`, undefined],
  negated,
  if_kind,
  ensured,
  [endsWith`(?:${wish})(?: [^ ,]+){0,2}(?: ,)? dass? (?:${you}|man|mich|mir|uns|das)${few}`, 'opt_out'],
  ...common,
  how_to,
  why,
  has_condition,
  at_time,
  // The words before were "ich bitte Sie".
  [endsWith`ich (?:sie|euch|dich) ,(?: (?:${some}))*`, 'unclear'],
  at_beginning,
  [endsWith`(?:${asking})${few}(?: ,)?${few}`, 'opt_out'],
  you_need_not,
  you_should,
  [endsWith`(?:ich|wir|es)${few}`, undefined],
  [anything, 'unclear'],
]
/** Judges the words before what the contact doesn't want. */
const wished: Judgement[] = [
  if_kind,
  ensured,
  ...common,
  how_to,
  why,
  has_condition,
  at_time,
  [endsWith`(?:${i_wish})${few}`, 'opt_out'],
  [endsWith`(?:${wish})${few}`, 'unclear'],
]
/** Judges the words before what the contact asks for. */
const decided: Judgement[] = [
  ...common,
  why,
  [endsWith`(?:nicht|nie)${few}`, undefined],
  how_to,
  [has_condition[0], 'unclear'],
  [endsWith`(?:${i_wish}|interesse|ich (?:lege|bitte|fordere|erklae?re))${few}`, 'opt_out'],
  [endsWith`(?:(?:ich|wir) [^ ,]+|er|man|hat)${few}`, undefined],
  [anything, 'opt_out'],
]

const hour = String.raw`(?:\d+|[a-z]+ uhr)`
const limits =
  'heute|morgen|jetzt|gerade|grad|vor|nach|bis|am|um|im(?! voraus)|diese[rnms]?(?! [^ ]*nummer)|' +
  'wae?hrend|wenn|ausser|' +
  `so (?:frue?h|spae?t|oft|viele)|ab ${hour}|zwischen|abends|nachts|in(?! (?:der )?zukunft| ruhe)|bei|` +
  'auf der arbeit|zur|' +
  'zu (?:dieser|spae?t|frue?h)|solange|sobald|falls'
const limited: Judgement = [startsWith`${limits}`, undefined]
const condition: Judgement = [startsWith`, (?:wenn|falls|sobald|solange|bevor|bis|wae?hrend|ausser)`, 'unclear']
const whatever: Judgement[] = [limited, condition, [anything, 'opt_out']]
const always: Judgement[] = [[anything, 'opt_out']]
/** Judges the words after a phrase that is clear if nothing or little follows. */
const closed: Judgement[] = [
  limited,
  condition,
  [nothing, 'opt_out'],
  [startsWith`, (?:ich|wir) (?:ruf|meld|komm|schreib)[^ ]*`, undefined],
  [startsWith`,|und|oder|sonst|mehr|ich|wir|weil|ihr|du`, 'opt_out'],
  [anything, 'unclear'],
]
const not_gladly = '(?:zu )?(?:verpass|versae?um|verlier|hinterlass|ue?berhoe?r|beantwort|annehm)[^ ]*'
const about_calls: Judgement[] = [
  [startsWith`${not_gladly}|(?:bekommen|erhalten) hab[^ ]*|hab[^ ]*|gibt?|da|bekomme?|angekommen|moe?glich`, undefined],
  [startsWith`zum|zur|ue?ber`, undefined],
  ...whatever,
]
const stopped: Judgement[] = [
  [nothing, 'stop'],
  [startsWith`,|und|ab|jetzt|damit`, 'stop'],
  [anything, undefined],
]
/** Judges the words after "sign me off". */
const off: Judgement[] = [
  [nothing, 'opt_out'],
  [startsWith`,|und|oder|${list}|(?:von|vom|aus|fue?r) (?:dem ganzen|all[^ ]*|${such}${calls})`, 'opt_out'],
  [anything, undefined],
]
const new_number: Judgement = [
  startsWith`(?:, |und )(?:hier|die neue|meine neue|[^ ,]+ (?:die|eine) neue|(?:nehm|nutz|verwend|speicher|schreib)[^ ]* (?:sie )?(?:diese|die))`,
  undefined,
]

const threat = contains`${[
  'anwalt[^ ]*|anwae?lt[^ ]*|anzeigen?|anzuzeigen|(?:zeige?|melde?) (?:ich )?(?:sie|euch|dich)|' +
    'polizei|bundesnetzagentur',
  'verbraucher(?:zentrale|schutz)|klagen?|verklag[^ ]*|gericht[^ ]*|blockier[^ ]*|sperre?|rechtliche[^ ]*|' +
    'abmahnung|datenschutz[^ ]*|beschwer[^ ]*',
].join('|')}`
const threatened: Judgement[] = [
  [threat, 'opt_out'],
  [anything, undefined],
]
const again = 'noch ?ein ?mal|noch ?mals?|wieder|weiter|weiterhin|erneut|noch'
const called_again = saysAny(
  `noch (?:ein|eine|einen|1) (?:einzige[rsn]? |weitere[rsn]? )?(?:${some_calls})`,
  `(?:beim?|jede[rsnm]?|die|der|den) (?:(?:nae?chste|weitere|erneute)[rsnm]? |jede[rsnm]? ){1,2}${some_calls}`,
  `(?:nae?chste|weitere|erneute)[rsnm]? ${some_calls}`,
  `(?:wenn|falls|sollten|sollte) (?:${you})(?: (?:mich|mir|uns|hier))? (?:${again})(?: (?:mich|` +
    `mir|uns|hier))? (?:ein )?(?:${to_reach})`,
  `wenn (?:${you}|das|dies) nicht (?:bald )?aufhoe?r(?:t|en|st)`,
  '(?:ruf|schreib|kontaktier|meld)(?:en sie|t ihr|st du) (?:(?:mich|mir|uns|hier|sich|euch|' +
    `dich) )?(?:${again})(?: (?:an|mich|bei mir))?`,
)
const nothing_sent = `(?:(?:${none})(?: mehr)?|${no_all_calls}|weder ${such}${calls} noch [^ ,]+)`
const ask_why = `(?:schreib|ruf|kontaktier|nerv|belae?stig|schick)(?:e?n sie|t ihr|st du)(?: (?:mich|mir|uns))?`
const no_interest = '(?:bock|lust|nerv)(?: mehr)? auf'

const phrases: Phrase[] = [
  {
    says: says`(?:${reach})${polite}${somehow} (?:${no_more})${somehow}(?: (?:an|aa))?`,
    before: told,
    after: whatever,
  },
  {
    says: says`(?:${reach})${familiar}${somehow} (?:${no_more})${somehow}(?: (?:an|aa))?`,
    before: told_familiarly,
    after: whatever,
  },
  {
    says: saysAny(
      `ruf${polite} (?:${us}) (?:${not})(?: hier)? an`,
      `(?:kontaktier|belae?stig|stoe?r)${polite} (?:${us}) (?:${not})`,
    ),
    before: told,
    after: closed,
  },
  {
    says: saysAny(
      `ruf${familiar} (?:${us}) (?:${not})(?: hier)? an`,
      `(?:schreib|kontaktier|belae?stig|nerv)${familiar} (?:${us}) (?:${not})`,
    ),
    before: told_familiarly,
    after: closed,
  },
  { says: says`(?:${send})${polite}${somehow} ${nothing_sent}`, before: told, after: about_calls },
  { says: says`(?:${send})${familiar}${somehow} ${nothing_sent}`, before: told_familiarly, after: about_calls },
  {
    says: says`(?:(?:${no_more})${somehow} (?:${to_reach}|${with_zu}|${to_send})|(?:${none})${somehow} (?:${to_send}))`,
    before: told_by_infinitive,
    after: whatever,
  },
  {
    says: saysAny(
      `(?:${wish})(?: ich| wir)? (?:${not})(?: (?:${more}))?(?: ,)? dass? (?:${you}|man|mich|mir|uns)` +
        `${somehow}(?: [^ ,]+){0,2} (?:${to_reach}|${to_send})`,
    ),
    before: [...common, how_to, [endsWith`er|sie|man|die|wenn`, 'unclear'], [anything, 'opt_out']],
    after: whatever,
  },
  {
    says: says`(?:${not}|nimmer)(?: (?:${more}|${some})){0,5} (?:${reached})(?: zu)? (?:werden|wern)`,
    before: [...wished, [endsWith`(?:${asking})(?: ,)?${few}`, 'opt_out'], at_beginning, [anything, undefined]],
    after: whatever,
  },
  {
    says: saysAny(
      `${no_all_calls}(?: (?:${some})){0,2} (?:mehr|meh|mer|me)|(?:${no}) (?:mehr|weiter[a-z]*) ${calls}`,
      `nie (?:wieder|mehr) (?:eine )?${calls}`,
    ),
    before: [
      ...wished,
      at_beginning,
      [endsWith`(?:hab|hatte|bekomm|krieg|erhalt|bekam|gib|gab|komm|sind|kam|war|es)[^ ]*${few}`, undefined],
      you_should,
      you_need_not,
      [anything, undefined],
    ],
    after: about_calls,
  },
  {
    says: saysAny(
      `(?:ich|wir) (?:von ihnen |von euch )?${no_all_calls}(?: (?:${some})){0,2}(?: mehr)?` +
        `(?: (?:erhalten|bekommen|haben))? (?:${wish})`,
    ),
    before: [...common, how_to, has_condition, [anything, 'opt_out']],
    after: whatever,
  },
  {
    says: says`weder (?:an ?rufen|schreiben|kontaktieren) noch (?:an ?rufen|schreiben|kontaktieren)`,
    before: told_by_infinitive,
    after: whatever,
  },
  {
    says: says`hoe?r(?:${order}) auf(?: ,)? (?:ihn|sie) (?:${with_zu})`,
    before: [
      [contains`${gone}|(?:wohnt|arbeitet)(?: [^ ,]+){0,2} nicht mehr`, 'opt_out'],
      [anything, undefined],
    ],
    after: whatever,
  },
  {
    says: says`weder ${such}${calls} noch ${such}${calls}`,
    before: [...wished, you_should, [anything, undefined]],
    after: about_calls,
  },
  {
    says: says`${no_calls}`,
    before: [...wished, [anything, undefined]],
    after: [
      limited,
      [nothing, 'opt_out'],
      condition,
      [startsWith`(?:mehr )?${not_gladly}`, undefined],
      [startsWith`, (?:nur|sondern|bloss)`, undefined],
      [startsWith`,|mehr|von (?:ihnen|euch)|bekommen|erhalten|haben|kriegen|kriagn|per|und`, 'opt_out'],
      [anything, 'unclear'],
    ],
  },
  {
    says: says`keine (?!sprach)[^ ,]*(?:werbung|reklame|spam|anrufe|sms|nachrichten|newsletter)|werbung nein`,
    before: [at_beginning, [anything, undefined]],
    after: [
      [nothing, 'opt_out'],
      [startsWith`an (?:mich|uns|diese nummer)|,`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: says`(?:diese|eure|ihre|die|deine) (?:[a-z]+e?n )?${some_calls}(?: [^ ,]+){0,3} (?:${not})(?: (?:${more}))?`,
    before: [...common, why, how_to, [endsWith`${i_wish}`, 'opt_out'], [anything, undefined]],
    after: [
      [nothing, 'opt_out'],
      [startsWith`,|bekommen|erhalten|haben|kriegen`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: saysAny(
      `(?:diese|eure|ihre|die|deine) ${some_calls} (?:will|wollen|moe?chten?|brauchen?) (?:ich|wir) ` +
        `(?:${not})(?: mehr)?`,
    ),
    before: [...common, has_condition, [anything, 'opt_out']],
    after: closed,
  },
  {
    says: saysAny(
      `hoe?r(?:${order}|t ihr) (?:a?uf(?: ,)?(?: damit)?(?: ,)?(?: ihm| ihr)?${somehow}(?: ${calls})? (?:${with_zu})|` +
        '(?:auf |uf )?mit ' +
        `${such}(?:${calls}|schreiben))`,
    ),
    before: told,
    after: whatever,
  },
  {
    says: saysAny(
      `(?:aufhoe?re?[nt]|aufhoe?rst|ufhöre)(?: ,)?(?:${somehow}(?: ${calls})? (?:${with_zu})| mit ` +
        `${such}(?:${calls}|schreiben))`,
      `mit ${such}(?:${calls}|schreiben) aufhoe?re?[nt]`,
    ),
    before: [
      [endsWith`wenn (?:${you}|das) nicht${few}`, 'opt_out'],
      [endsWith`${not}`, undefined],
      ...told_by_infinitive,
    ],
    after: whatever,
  },
  {
    says: saysAny(
      `(?:${told_to_end})${somehow}(?: (?:ich|mit|von|es|das|auf|mich|uns|sich|euch|dir)){0,2}` +
        `(?: (?:den|die|das) (?:versand|zusendung|verschicken|senden))? ${such}(?:${calls}|schreiben)`,
    ),
    before: [
      ...common,
      why,
      [endsWith`(?:wenn|nicht|kein)${few}`, undefined],
      [endsWith`wir|er|sie|war|ist`, 'unclear'],
      [anything, 'opt_out'],
    ],
    after: [[startsWith`nicht|an|auf|offen|liegen|da|durch|zurue?ck|zu|vor|bereit`, undefined], ...whatever],
  },
  {
    says: saysAny(
      '(?:unterlassen|unterlassen sie es|unterlasst es|lassen sie es|lasst es|(?:sehen sie|seht|sieh) davon ab|' +
        `davon abzusehen|davon absehen)(?: ,)?${somehow}(?: ${calls})? (?:${with_zu})`,
    ),
    before: [[nothing, 'opt_out'], ...told_by_infinitive.slice(1)],
    after: whatever,
  },
  {
    says: saysAny(
      `${some_calls}(?:(?: und| oder) ${calls})? (?:(?:${some}|an [^ ,]+|nerven|nervt|abos?|dienst|service|komplett|ganz|gae?nzlich|vollstae?ndig|,) ` +
        `){0,3}(?:${to_end})`,
      'in zukunft (?:zu )?unterlassen',
    ),
    before: decided,
    after: whatever,
  },
  {
    says: says`(?:ausgetragen|abgemeldet|rausgenommen|gestrichen|geloe?scht|entfernt) werden`,
    before: [
      ...common,
      why,
      [contains`nicht|nie|mein|meine`, undefined],
      [endsWith`(?:${i_wish})`, 'opt_out'],
      [anything, undefined],
    ],
    after: [
      [nothing, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: says`von ${such}${calls}(?: (?:ich|wir|${some})){0,3} (?:abzusehen|absehen|abstand (?:zu )?nehmen)`,
    before: [...common, [contains`nicht|kann`, 'unclear'], why, has_condition, [anything, 'opt_out']],
    after: always,
  },
  {
    says: says`(?:das|dies|diese|sowas)(?: hier)? (?:${no_more}) (?:bekommen|erhalten|kriegen|empfangen)`,
    before: [...common, why, has_condition, [endsWith`(?:${i_wish})`, 'unclear'], [anything, undefined]],
    after: [
      [nothing, 'unclear'],
      [startsWith`,|und`, 'unclear'],
      [anything, undefined],
    ],
  },
  {
    says: saysAny(
      '(?:opt ?out|raus|abmelden|austragen|abmeldung) (?:der|von|fue?r|vom|aus|bei) ' +
        `${such}(?:${calls}|liste|verteiler)`,
    ),
    before: decided,
    after: always,
  },
  {
    says: saysAny(
      `(?:(?:${no}) ${no_interest}|(?:schnauze|nase) voll von|(?:reicht|reichts) mit) ${such}${calls}`,
      `(?:eure|ihre|diese|die) ${some_calls} (?:[^ ,]+ )?satt`,
    ),
    before: [...common, how_to, [anything, 'opt_out']],
    after: always,
  },
  {
    says: says`loe?schung (?:meiner|unserer|aller|dieser) (?:[^ ,]+ )?[^ ,]*(?:daten|nummer)`,
    before: decided,
    after: always,
  },
  {
    says: says`(?:wag|trau)${order} (?:es|euch|dich|sich) nicht(?: ,)?(?: (?:${more}|${some})){0,4} (?:${with_zu})`,
    before: told,
    after: always,
  },
  { says: says`abmeldu?ng|abmelden|austragen`, before: [at_beginning, [anything, undefined]], after: off },
  {
    says: saysAny(
      `(?:meld|trag|nehm|nimm)${order}(?: ich)? (?:${us})${somehow} ` +
        `(?:(?:${list}|von ${such}${calls}) )?(?:ab|aus|raus|heraus|runter)`,
    ),
    before: [...common, how_to, why, [endsWith`er|sie`, undefined], [endsWith`ich`, 'unclear'], [anything, 'opt_out']],
    after: off,
  },
  {
    says: saysAny(
      `(?:mich|uns|mi)(?: (?:auch|jetzt|hier|gerne?))? (?:(?:${list}|von ${such}${calls}) )?` +
        '(?:abmelden|abzumelden|austragen|auszutragen|(?:zu )?loe?schen|zu (?:streichen|entfernen)|sperren)',
    ),
    before: [...common, why, [endsWith`nicht`, undefined], at_beginning, you_should, [anything, 'unclear']],
    after: off,
  },
  {
    says: saysAny(
      `hoe?r(?:${order}|t ihr) (?:auf(?: ,)?(?: (?:mich|uns))? (?:${annoying})|(?:bitte )?(?:damit )?auf(?: damit)?)`,
    ),
    before: [
      [contains`(?:warum|wann|wenn|ob|er|es|sie|die|das|nicht)$`, undefined],
      [contains`${calls}|belae?stig[^ ,]*|[^ ,]*terror|spam`, 'opt_out'],
      [endsWith`^|,|und|jetzt|aber|mehr|dann|nervt|nerven|reichts?|genug`, 'stop'],
      [anything, undefined],
    ],
    after: [
      [nothing, 'opt_out'],
      [
        startsWith`(?:,|und) (?:(?:ruf|schreib|schick|loe?sch|kontaktier|lass|streich|nehm)[^ ,]*|ich|wir|sonst|nicht|keine|es)`,
        'stop',
      ],
      [startsWith`mit ${such}${calls}`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: saysAny(
      `(?:schick|send|schreib|ruf|kontaktier)(?:${order}) (?:ihr |ihm |ihn |sie )?(?:${no_all_calls} (?:mehr|meh|mer)|(?:${no_more})(?: an)?)`,
    ),
    before: [
      [contains`${gone}`, 'opt_out'],
      [anything, undefined],
    ],
    after: whatever,
  },
  { says: called_again, before: [[anything, 'opt_out']], after: threatened },
  { says: called_again, before: threatened, after: [[anything, 'opt_out']] },
  {
    says: saysAny(
      '(?:(?:lassen sie|lasst|lass|lassts|verschont|bleibt|bleiben sie|geht|gehen sie) (?:mich|' +
        'mir|uns)(?: [^ ,]+){0,4}|verpisst? (?:euch|dich|sich)|haut? ab) ' +
        `mit (?:(?:euren|eurem|eurer|ihren|ihrem|ihrer|diesen|diesem|dieser|den|dem|der) )${such}${calls}`,
    ),
    before: told,
    after: always,
  },
  {
    says: saysAny(
      `kein interesse(?: mehr)? an ${such}[^ ,]*(?:nachrichten|anrufen|sms|werbung|newslettern?|` +
        'informationen|mitteilungen|whats ?apps?)',
      `${no_calls} (?:er|ge)wue?nscht`,
    ),
    before: [...common, how_to, has_condition, [anything, 'opt_out']],
    after: whatever,
  },
  {
    says: says`${no_calls} (?:${to_send}|schreiben|schriibe)`,
    before: [...common, has_condition, at_beginning, you_should, [anything, undefined]],
    after: whatever,
  },
  {
    says: saysAny('(?:widerspruchsrecht|recht auf (?:widerspruch|loe?schung|vergessenwerden)|widerspruchs ?recht)'),
    before: [
      [contains`(?:habe|hat|was|wie|wo|kein)(?: [^ ,]+){0,2}$`, 'unclear'],
      ...common,
      [contains`mache|machen|nutze|ue?be|berufe|nehme|mein|meinem`, 'opt_out'],
      [anything, 'unclear'],
    ],
    after: [
      [startsWith`gebrauch|aus|geltend|wahr|in anspruch|gemae?ss|nach|und|,`, 'opt_out'],
      [anything, 'unclear'],
    ],
  },
  {
    says: saysAny(
      `(?:${number})(?: (?:aus|von) [^ ,]+ [^ ,]+)? (?:geloe?scht|gestrichen|entfernt|gesperrt)` +
        '(?: aus [^ ,]+ [^ ,]+)? (?:wird|werden|haben|ist)',
    ),
    before: [
      if_kind,
      ensured,
      [endsWith`(?:${i_wish}|bitte)(?: ,)? dass?(?: auch)?`, 'opt_out'],
      [endsWith`(?:${i_wish})`, 'opt_out'],
      [anything, undefined],
    ],
    after: always,
  },
  {
    says: says`${told_to_delete}(?: (?:ihn|sie))? ${list}`,
    before: told,
    after: [
      [nothing, 'opt_out'],
      [startsWith`,|und`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: says`(?:niemand|keiner|nie jemand|nie wieder jemand)${somehow}(?: mehr)? (?:${to_reach})`,
    before: [ensured, [endsWith`(?:${i_wish})(?: ,)? dass?(?: mich| hier| mir)?`, 'opt_out'], [anything, undefined]],
    after: whatever,
  },
  {
    says: saysAny(
      '(?:das|dies|es|sowas) (?:ist|grenzt an) (?:(?:eine?|reine[rs]?|doch|langsam|schon|pure[rs]?|' +
        'ja|nur|echt) ){0,2}(?:[a-z]*terror|belae?stigung|stalking|noe?tigung|spam)',
      '(?:das|ihr|es) nervt|nerv(?:t|en sie)? (?:mich |uns )?nicht|nerven sie nicht|sie nerven mich|du nervst',
      '(?:schon|bereits|zweimal|dreimal|mehrmals|mehrfach|oft) stopp? (?:geschrieben|geschickt|' +
        'gesendet|geantwortet|gesagt)',
      `(?:bekomme?|kriege?|krieg|erhalte)(?: ich)? (?:immer|trotzdem) noch ${calls}`,
      '(?:blockiere?|sperre) (?:ich )?(?:sie|euch|dich|eure nummer|ihre nummer|diese nummer)',
      '(?:auf|in) (?:der )?robinson ?liste',
      `warum (?:so|dermassen) viele ${calls}`,
      'wer hat (?:ihnen|euch|dir|euch da|denn) (?:meine|diese|unsere) (?:[^ ]*nummer|daten)(?: gegeben)?',
      '(?:bekomme?|kriege?|erhalte)(?: ich)?(?: von (?:ihnen|euch))? (?:viel )?(?:zu|so|dermassen|' +
        'echt|ganz schoe?n) viele? ' +
        calls,
      `(?:${you}) (?:schick|schreib|ruf|sims|text|meld|send)(?:en|t|st)(?: (?:mich|mir|uns|` +
        'hier|euch|sich|dich)){0,2}(?: (?:ganz|echt|viel|wirklich|schon|immer))?(?: (?:zu|so|' +
        'sehr|ziemlich|schoe?n|recht|extrem))? (?:oft|hae?ufig|viele?|stae?ndig|dauernd)',
      `(?:${you}) ruf(?:en|t|st) (?:${us}) (?:nie|nicht) (?:wieder|mehr) an`,
      'ruf(?:en sie|t|)(?: mich| uns)? nicht (?:bei der|auf (?:der|die)|in der|im|am) (?:arbeit|' +
        'arbeitsplatz|bue?ro|geschae?ft) an',
    ),
    before: [
      [endsWith`(?:warum|wieso|weshalb|wenn|dass|ob|falls|nicht|seit|leider|schade)(?: ,)?(?: [^ ,]+)?`, undefined],
      [endsWith`^|,|und|aber|nein|jetzt|hallo|ich|zu|(?:ich|wir) (?:habe?n?|hab|bin|stehe?|sind)`, 'unclear'],
      [anything, undefined],
    ],
    after: [
      [nothing, 'unclear'],
      [startsWith`,|und|an|jetzt|nun|nachrichten|sms|werbung|${calls}|mit`, 'unclear'],
      [anything, undefined],
    ],
  },
  {
    says: saysAny(
      `${some_calls} (?:ist|sind|wird|werden) (?:mir |uns |hier )?(?:un|nicht (?:mehr |laenger )?)erwue?nscht`,
      `mit ${such}${calls} nicht(?: mehr)? einverstanden|(?:der|dem|den|ihrer|euren?) ${calls} nicht(?: mehr)? zu`,
      '(?:dsgvo|art(?:ikel)? 21)(?: [^ ,]+){0,4} widersprech(?:e|en)',
      `(?:loe?schung|streichung|entfernung|austragung) ${list}`,
      `wehe(?: ,)? (?:wenn )?(?:${you}) (?:(?:ruf|schreib|meld|kontaktier)(?:e?n|t|st)|(?:mich |` +
        `mir )?(?:noch ?mal|wieder) (?:${to_reach}))`,
    ),
    before: [...common, how_to, has_condition, [anything, 'opt_out']],
    after: always,
  },
  {
    // Both words of "bitte um" are left out.
    says: says`loe?schung|streichung|austragung`,
    before: [
      [nothing, 'unclear'],
      [anything, undefined],
    ],
    after: [
      [nothing, 'unclear'],
      [anything, undefined],
    ],
  },
  {
    says: says`(?:mich|uns) (?:[^ ,]+ )?(?:rausnehmen|herausnehmen|rausstreichen|rausloe?schen)`,
    before: [...common, why, you_should, [anything, 'unclear']],
    after: off,
  },
  {
    says: says`(?:hier |mich |mir )?nicht (?:an ?rufen|anschreiben|schreiben|kontaktieren|texten|simsen|anruffen|anrufn)`,
    before: [
      [endsWith`^(?:lieber (?:nur )?schreiben ,|[^ ,]*interesse(?: ,)?|nein ,)?`, 'unclear'],
      [anything, undefined],
    ],
    after: [
      [nothing, 'unclear'],
      [startsWith`(?:, )?(?:(?:nur|lieber) )?(?:schreiben|sms|mail)`, 'unclear'],
      [anything, undefined],
    ],
  },
  {
    says: saysAny(
      `(?:mich|uns) (?:${list}|von ${such}${calls}) (?:abmelden|abzumelden|austragen|auszutragen)`,
      `melde (?:ich )?(?:mich|uns) (?:${list}|von ${such}${calls}) ab`,
    ),
    before: decided,
    after: always,
  },
  {
    says: says`${told_to_delete}(?: auch)? (?:mich|uns|mi|namen|${number})(?: (?:raus|heraus|wieder))? ${list}`,
    before: told,
    after: whatever,
  },
  {
    says: saysAny(
      `(?!nehm|nimm|hol|trag|werf|wirf)${told_to_delete} (?:auch )?(?:${number})`,
      `(?:nehm|nimm|hol|trag|werf|wirf|schmeiss)${order} (?:auch )?(?:${number}) (?:raus|heraus|weg|runter|aus)`,
    ),
    before: told,
    after: [
      [nothing, 'opt_out'],
      new_number,
      [startsWith`,|und|aus|von|raus|fue?r ${calls}`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: saysAny(
      `(?:(?:mich|uns|${number}) (?:[^ ,]+ ){0,2})?${list} (?:${to_delete})`,
      `(?:${number}) (?:(?!nicht|nie)[^ ,]+ )?(?:${to_delete})`,
    ),
    before: [
      [endsWith`neuen?|alten?|oude|anderen?|richtigen?|(?:den|das|es|ihn)(?: [^ ,]+){0,3}`, undefined],
      ...decided,
    ],
    after: [[startsWith`nicht|, (?:die|der|welche)`, undefined], new_number, ...whatever],
  },
  {
    says: saysAny(
      `setz${order} (?:mich|uns|${number}) auf (?:[^ ,]+ ){0,2}(?:sperrliste|blacklist|schwarze liste|` +
        'robinsonliste)',
    ),
    before: told,
    after: always,
  },
  {
    says: saysAny(
      `(?:widerruf|entzieh|zieh)(?:e|en)?(?: [^ ,]+){0,5} ${consent}`,
      `${consent}(?: [^ ,]+){0,6} (?:widerruf|zurue?ck|entzieh|nicht mehr)[^ ,]*`,
    ),
    before: decided,
    after: always,
  },
  {
    says: saysAny(
      `(?:widersprech|widerspruch)(?:e|en)?(?: [^ ,]+){0,5} (?:${use}|art|dsgvo)`,
      `(?:nutzung|verwendung|verarbeitung|speicherung|weitergabe|${some_calls})(?: [^ ,]+){0,6} ` +
        'widersprech(?:e|en)',
    ),
    before: decided,
    after: always,
  },
  {
    says: saysAny(
      `(?:untersag|verbiet|verbitt)(?:e|en)(?: [^ ,]+){0,5}(?: ,)?(?: [^ ,]+){0,2} (?:${calls}|${with_zu})`,
      `erlauben? [^ ,]+ nicht(?: ,)?${somehow} (?:${with_zu})`,
    ),
    before: decided,
    after: whatever,
  },
  {
    says: says`(?:${no}) ${consent} (?:mehr|mich|mir|uns|zur|fue?r)`,
    before: [...common, how_to, [anything, 'opt_out']],
    after: always,
  },
  {
    says: saysAny(
      `(?:${none}|${not}) (?:(?:${more}) )?(?:was |etwas )?von (?:ihnen|euch|dir|eich) (?:hoe?ren|` +
        'hearn|lesen|wissen|haben)',
      `von (?:ihnen|euch|dir|eich) (?:${none}|nie) (?:${more})(?: etwas| was)? (?:hoe?ren|hearn|lesen|wissen|haben)`,
    ),
    before: [...wished, [anything, 'unclear']],
    after: whatever,
  },
  {
    says: saysAny(
      '(?:warum|wieso|weshalb) (?:bekomme?|kriege?|erhalte) ich (?:stae?ndig|dauernd|immer|so viele?|diese|eure)',
      `(?:warum|wieso|weshalb) ${ask_why}(?: (?!nicht|nie)[^ ,]+){0,2} (?:stae?ndig|dauernd|immer|so oft|` +
        'an|werbung)',
      'woher (?:haben sie|habt ihr|hast du) (?:[^ ,]+ )?(?:meine|diese|unsere) (?:[^ ]*nummer|daten)',
      'stopp? (?:schreibe?|sende|antworte)',
      `wie werde? ich ${such}${calls} los|was soll(?:en)? (?:das mit )?(?:den|diese|die|eure|ihre) ${such}${calls}`,
    ),
    before: [[anything, 'unclear']],
    after: [
      [startsWith`nicht|nie`, undefined],
      [anything, 'unclear'],
    ],
  },
  {
    says: says`abbestellen`,
    before: [
      ...common,
      [endsWith`nicht`, undefined],
      how_to,
      at_beginning,
      [endsWith`ich|wir|${wish}`, 'unclear'],
      [anything, undefined],
    ],
    after: [
      [nothing, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: says`ruf(?:t|en sie)? nicht an`,
    before: [at_beginning, [anything, undefined]],
    after: [[nothing, 'unclear'], condition, [startsWith`,`, 'unclear'], [anything, undefined]],
  },
  {
    says: saysAny(
      '(?:jetzt |mir )?(?:reichts|reicht es|langts)(?: aber| jetzt| mir| langsam){0,2}',
      'ihr nervt|jetzt ist(?: aber)? genug',
      'sie nerven|du nervst',
    ),
    before: [[nothing, 'unclear']],
    after: [[nothing, 'unclear']],
  },
  {
    says: saysAny(
      '(?:lassen sie|lasst|lass|lassts|losst|lossts|lönd) (?:mich|uns|mi) in (?:ruhe|ruah|rueh|frieden)',
      `(?:unterlass|lass|stopp)(?:t|en sie)? das|schluss damit|(?:streich|loe?sch|entfern|blockier)${order} (?:mich|uns)`,
    ),
    before: [
      [endsWith`nicht|sie|ich|er`, undefined],
      [anything, 'stop'],
    ],
    after: stopped,
  },
]

const not_to = '(?! (?:nicht|nich|nie|niemals|nimmer|kein|keine|keinen|nix|nichts|auch))'
const only = 'nur(?: noch)? (?:per|ue?ber|schriftlich|telefonisch)|(?:ruf|ruft) (?:mich|uns) (?:lieber|an)'
const write = `schreiben sie (?:mir|uns)${not_to}|(?:schreib|schick)t? (?:mir|uns) (?:ne|eine|einen|per|auf)`
const other_phone = '(?:,|aber|sondern) nur (?:auf|unter|per|ue?ber|am) [^ ]+'
const another_way = contains`${other_phone}|(?<=[^ ] )lieber${not_to}|stattdessen|sondern|${only}|${write}`

export const de: Language = {
  tag: 'de',
  opt_outs: {
    words: listed(
      'stop, stopp, stoppp, sms ende, ende sms, stopp alles, stop alles, stopp alle, stop alle, abmleden, abmeldne, abemlden, amelden, ' +
        'stopp sms, stop sms, sms stop, sms stopp, werbung stop, werbung stopp, stop werbung, ' +
        'stopp werbung, ' +
        'abmelden, abmeldung, abbestellen, abbestellung, austragen, deabonnieren',
    ),
    ordinary_words: listed(
      'ende, beenden, kündigen, kuendigen, kündigung, stornieren, storno, absagen, abbrechen, schluss, genug, aufhören, ' +
        'aufhoeren, basta, es reicht, reicht, kein interesse, kein bedarf, keinen bedarf, löschen, loeschen, ' +
        'raus, schluss jetzt, widerruf, widerspruch, ich widerrufe, ich widerspreche, ich bestelle ab, daten löschen, ' +
        'streichen, verschont mich, verschonen sie mich',
    ),
    phrases,
    another_way,
    at_once: ['sofort', 'umgehend', 'unverzüglich'],
    fillers: [
      ...(
        'bitte bite bittte biite danke äh ähm also doch mal ja endlich bloß hallo tschüss einfach gefälligst ' +
        'gefaelligst wirklich ' +
        'hiermit künftig kuenftig zukünftig zukuenftig eigentlich verdammt verdammte verdammten'
      ).split(' '),
      ...['vielen dank', 'auf wiederhören', 'guten tag'],
    ],
  },
  opt_in_words: [],
  help_words: ['hilfe'],
  answers: {
    yes: listed(
      'ja, jawohl, jo, genau, klar, sicher, gerne, gern, naturlich, auf jeden fall, ok, okay, in ordnung, richtig, ' +
        'stimmt, korrekt, passt, das passt, einverstanden, gut, sehr gut, perfekt',
    ),
    no_more: listed(
      'keine mehr, nicht mehr, nie mehr, nie wieder, keine nachrichten mehr, keine anrufe mehr, stopp, ' +
        'stop, das stimmt, ' +
        'das ist richtig, mochte ich, will ich, das mochte ich, das will ich, ganz sicher',
    ),
    courtesies: listed('bitte, danke, ah, ahm, oh, also'),
  },
  sayings: {
    opt_out: 'Sie bekommen keine Nachrichten mehr von uns. Mit START bekommen Sie sie wieder.',
    no_more_messages: 'Sie bekommen keine Nachrichten mehr von uns.',
    no_more_calls: 'Ich verstehe. Wir rufen Sie nicht mehr an. Auf Wiederhören.',
    no_more_question: 'Möchten Sie keine Anrufe und Nachrichten mehr?',
    press_key: 'Wenn Sie keine Anrufe mehr möchten, drücken Sie die Taste {key}.',
    star: 'Stern',
    hash: 'Raute',
  },
}
