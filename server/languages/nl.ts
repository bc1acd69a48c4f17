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

const not = 'niet|neit|nt|nie|ni|nooit|noit'
const none = 'niets|niks|nix'
const more = 'meer|mee|mer|mier|langer|nog|ooit|weer|opnieuw|verder|nogmaals'
const no_more = `(?:${not}|${none}) (?:${more})(?: (?:${more}))?`
const you = 'u|jullie|julie|je|jij|ge|gij|gijle|gulle|gullie|uw (?:bedrijf|firma)|men|iemand'

const phone =
  '(?:(?:mijn|mn|m n|ons|onze|dit|deze|het|t|zijn|haar) )?(?:(?:gsm|telefoon|mobiele?) ?)?(?:nummers?|numer|nr|' +
  'telefoon|gsm|lijn|toestel)'
const number = `${phone}|(?:al )?(?:mijn|mn|onze|zijn|haar) (?:persoonlijke )?(?:contact)?(?:gegevens|data)`
const our_number = `${number}|(?:ons|mijn) (?:gezin|bedrijf|familie)|mij|me|m|ons|(?:mijn|mn|onze) naam`
/** What may stand between the words of a demand. */
const some =
  `mij|me|m|ons|(?:op |naar )?(?:${phone})|(?:naar )?hier|hier ?naar(?: ?toe)?|hierheen|ook|voortaan|nou|nu|maar|eens|even|nog|verder|zomaar|` +
  'steeds|altijd|constant|' +
  'continu|telefonisch|ongevraagd|allebei|verdere|meer|per [^ ,]+|via [^ ,]+|vanaf (?:nu|vandaag)|' +
  '(?:van|door) (?:u|jullie|je|ulder|uw [^ ,]+|jullie [^ ,]+)|in de toekomst|lastig|op|aan|contact met|contact'
const somehow = `(?: (?:${some})){0,3}`

const call =
  'telefoo?ntjes?|telefoons|oproep(?:en)?|belletjes?|bericht(?:en?|jes?|n)?|sms(?:[jk]?es?|en)?|app(?:s|jes?|kes?)|' +
  'whatsapp(?:s|jes|kes?)?|reclame|publiciteit|spam|nieuwsbrief|nieuwsbrieven|aanbiedingen|' +
  'advertenties|promot?i?e?s?|' +
  'contact(?:en|poging(?:en)?|opnames?|momenten)?|herinneringen|notificaties|mededelingen|marketing|ge(?:bel|app|spam|zeur)|toezending|' +
  'info|informatie|communicatie'
const calls = `[^ ,]*(?:${call})`
/** This stands at the beginning of a pattern, where it must be quick. */
const some_calls = `(?:(?:reclame|marketing|spam|bel|nieuws|sms) ?)?(?:${call})`
/** "Die eeuwige". */
const such = '(?:(?!(?:een|geen|mijn|mij|me|ons|onze|mn|ik|we|wij|niet)(?![^ ]))[^ ,]+ ){0,2}'
const no = 'geen|gene|genen|gen|geeen|gn'
const no_calls = `(?:${no}) ${such}${calls}`
const no_all_calls = `${no_calls}(?:(?: en| of)(?: ook| (?:${no}))* [^ ,]+| , (?:${no}) [^ ,]+){0,2}`

const reach =
  'bel|telefoneer|contacteer|app|sms|whatsapp|schrijf|stoor|benader|spam|draai|val|stalk|text|bericht|kontakteer'
/** The verb of what the agent does, as the last word. */
const to_reach =
  '(?:te )?(?:(?:op|aan)?(?:bellen?|belt|bel|bellne|belen?|be[ln]le)|(?:op|aan|lastig|terug|(?:hier ?)?naar(?: ?toe)?|hierheen) te (?:bellen|vallen|' +
  'schrijven)|telefoneren|' +
  'telefoneert|[ck]ontact(?:eren|eert)|appen|appt|smsen|smse|smst|whatsappen|schrijven|schrijft|' +
  'aanschrijven|storen|stoort|' +
  'benaderen|benadert|lastigvallen|lastigvalt|vallen|valt|spammen|spamen|spamt|draaien|draait|opnemen|neemt|' +
  'opneemt|zoeken|zoekt)'
const to_send = '(?:te |toe te |op te )?(?:(?:toe|op)?(?:sturen|stuurt|zenden|zendt)|sture)'
const reached =
  '(?:op)?gebel[dt]|gecontacteerd|lastig ?gevallen|benaderd|gestoord|gespamd|aangeschreven|geappt|getelefoneerd'
const to_do = `${to_reach}|${to_send}`

const wish = 'wil|willen|wou|wilde|wens|wensen|hoef|hoeven|verlang|verzoek|zou willen|zouden willen|moet|moeten'
const third = 'hij|zij|ze|ie|die|dat|mijn|mn|onze|ons|de|het|een|niemand|iemand|wie'
const i_wish =
  `(?:ik|wij|we|k)(?: (?!(?:${third})(?![^ ]))[^ ,]+){0,3} (?:${wish}|zou|zouden)|(?:${wish}) (?:ik|wij|we)|kwil|` +
  `(?:^|, |en |maar )(?:${wish})`
const few = '(?: [^ ,]+){0,6}'

const list_of =
  '(?:van|uit|af van|in) (?:(?:de|het|uw|jullie|die|deze|al|alle|je|ulder) ){0,3}' +
  '(?!wacht|boodschappen|gasten|deelnemers)[^ ,]*(?:lijst|lijsten|lijstje|bestand|bestanden|systeem|' +
  'systemen|database|databank|' +
  'computer|administratie|nieuwsbrief|groep|groepsapp|mailing|register|boek)'
const sms_list =
  '(?:van|uit) (?:(?:de|het|uw|jullie) ){0,2}(?:sms|bel|mailing|verzend|klanten|contact) (?:lijst|bestand)'
const list = `${list_of}|${sms_list}`
const to_delete =
  '(?:(?:te|willen|laten) )?(?:verwijderen|verwijdert|schrappen|schrapt|wissen|wist|halen|haalt|gooien|' +
  'afhalen|weghalen|af te halen|weg te halen|afvoeren|smijten|deleten|blokkeren|doorstrepen|' +
  'nemen|uitschrijven|doen|zetten)|(?:wordt|worden) (?:verwijderd|geschrapt|gewist)|eruit|er uit|eraf|weg|wegdoen|uit|af|verwijderd|geschrapt|gewist'
const told_to_delete =
  '(?:verwijder|schrap|wis|haal|gooi|smijt|neem|zet|doe|streep|delete|blokkeer|wist|vergeet|' + 'gum)t?'
const to_end =
  '(?:te )?(?:stoppen|staken|beeindigen|stopzetten|opzeggen|uitzetten|afzeggen|annuleren|afmelden)|' +
  'stop te zetten|stop|af te melden|op te zeggen|nee (?:dank|bedankt)|stopt|niet (?:meer )?gewenst|ongewenst'

/** "Ik heb nooit gezegd dat". */
const negated: Judgement = [contains`(?:nooit|niet) (?:gezegd|gevraagd|bedoeld|gewild)|vergeet`, undefined]
/** "Ik heb mijn ex gezegd dat hij". */
const told_others: Judgement = [
  contains`(?:hij|ie|zij|ze|die) (?:moet|moest|mag|mocht)|(?:mijn|mn|hem|haar)(?: [^ ,]+){0,2} (?:gezegd|gevraagd)`,
  undefined,
]
const demanded: Judgement = [
  contains`${[
    '(?:heb|hebben|had)(?: [^ ,]+){0,7} (?:gezegd|gevraagd|verzocht|laten weten)|ik ze[ig]|zoals gezegd|zei ik',
    '(?:aller)?laatste (?:keer|maal|waarschuwing)(?! dat)|zoveelste keer',
    'hoe vaak (?:moet|moeten) (?:ik|wij|we)(?: [^ ,]+){0,3} (?:zeggen|vragen|herhalen)',
  ].join('|')}`,
  'opt_out',
]
/** "Mijn vrouw zegt". */
const reported: Judgement = [
  contains`zegt|zei|gezegd|vindt|(?:mijn|mn|onze|ons|de|hij|zij|ze) (?:[^ ,]+ )?(?:wilt?|wenst)(?! (?:ik|we|wij))`,
  'unclear',
]
const how_to: Judgement = [
  contains`hoe|waar|wat|wie|of|(?:kan|mag|moet|kunnen|mogen|moeten|zal) (?:ik|we|wij|men)|misschien`,
  'unclear',
]
const why: Judgement = [contains`waarom|sinds|helaas|(?:moet|zal|zullen|moeten) (?:ik|we|wij)`, undefined]
const until = 'zolang|totdat|voordat|tenzij|behalve|terwijl|zodra'
const has_condition: Judgement = [
  contains`als(?! (?:het|t) (?:kan|mogelijk)| (?:${you}) niet)|indien|wanneer|${until}`,
  undefined,
]
const time =
  '(?<!vanaf )(?:vandaag|morgen|gisteren)|vanavond|vanmiddag|overdag|weekend|(?:maan|dins|woens|donder|' +
  'vrij|zater|zon)dag|' +
  'avonds|nachts|ochtends|middags|week|maand|uur|werk|vakantie|moment|(?:na|tussen|tijdens|' +
  'onder) [^ ,]+|voor (?!mij|ons|altijd)[^ ,]+'
const at_time: Judgement = [endsWith`(?:${time})${few}`, undefined]
const first =
  'en|maar|of|dus|want|nee|neen|nee dank u|,|[^ ,]*inte?ress?e|belangstelling|nummer|verbonden|persoon|keer|' +
  'verhuisd|gesloten|gestopt|overleden|gestorven|dood|geinteresseerd|daarom|liever|liefst|duidelijk|jongens|' +
  'jong|allez|genoeg|klaar|luister|anders|he|man|niet meer|stop|rust|hoeft niet meer|zeg|joh'
const at_beginning: Judgement = [endsWith`(?:^|(?:${first})(?: |$))(?:(?:${some})(?: |$)){0,4}`, 'opt_out']
const kind = 'fijn|prettig|prijs stellen|dankbaar|waarderen|blij|leuk|goed|lief|vriendelijk|liever|liefst'
/** "It would be nice if you didn't". */
const if_kind: Judgement = [
  endsWith`(?:${kind})(?: zijn| vinden)?(?: ,)? (?:als|dat|indien|wanneer) (?:${you}|ik)${few}`,
  'opt_out',
]
const ensured: Judgement = [
  endsWith`(?:zorg(?:t|en)?(?: u| jullie)?(?: er)?(?: ?voor)?|bevestig(?:t|en)?)(?: mij| me)?(?: ,)? dat${few}`,
  'opt_out',
]
const common = [negated, told_others, demanded, reported]

/** Judges the words before an imperative. */
const told: Judgement[] = [
  ...common,
  why,
  has_condition,
  at_time,
  at_beginning,
  [endsWith`(?:ik|hij|zij|ze|ie|wij|we|wie|die|dat|er|niemand|iemand|het)`, undefined],
  [endsWith`(?:^|, |en )(?:(?:mijn|mn|onze|ons|de|het|een) )?(?:[^ ,]+ )?[^ ,]+`, undefined],
  [anything, 'unclear'],
]
const you_should =
  '(?:kan|kunt|kunnen|kun|kon|wil|wilt|willen|wilde|zou|zoudt|zouden|mag|moogt|mogen|moet|moeten|moe|' +
  'moest|gaat|gaan|dient|dienen|zult)'
const by_you = `${you_should} (?:${you})|(?:${you}) ${you_should}`
/** Judges the words before an infinitive, because only these say whose act it is. */
const told_by_infinitive: Judgement[] = [
  [endsWith`(?:hij|ie|men|niemand)${few}`, undefined],
  negated,
  told_others,
  if_kind,
  ensured,
  [contains`liever niet`, 'unclear'],
  demanded,
  reported,
  [
    endsWith`(?:${wish}|hebben|liefst|vraag|eis|vragen)(?: [^ ,]+){0,3}(?: ,)? dat? (?:${you}|mij|me|ons)${few}`,
    'opt_out',
  ],
  [endsWith`als (?:${you})`, 'opt_out'],
  [contains`(?:ik|wij|we) (?:[^ ,]+ )?(?:vraag|verzoek|eis|vragen|verzoeken|wens|sommeer)`, 'opt_out'],
  [contains`vriendelijk`, 'opt_out'],
  how_to,
  why,
  has_condition,
  at_time,
  at_beginning,
  [endsWith`(?:hoef|hoeft|hoeven) (?:${you})${few}|(?:${you}) (?:hoef|hoeft|hoeven)${few}`, 'unclear'],
  [endsWith`(?:${by_you})${few}`, 'opt_out'],
  [endsWith`(?:ik|wij|we|die|dat|zij|ze|er|het)(?: [^ ,]+){0,8}`, undefined],
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
  [endsWith`(?:${not}|waarom)${few}`, undefined],
  how_to,
  [has_condition[0], 'unclear'],
  [endsWith`(?:ik|wij|we) (?:kan|kunnen|heb|hebben|had|moet|ga|zal|wou|wilde)${few}|(?:hij|ze|er)${few}`, undefined],
  [anything, 'opt_out'],
]

const limits =
  'vandaag|morgen|vanavond|straks|nu even|voor(?! altijd| mij)|na|tot|om|in het|tijdens|als|wanneer|tussen|overdag|s|' +
  `op(?! dit| mijn| deze| mn)|zo (?:vroeg|laat|vaak)|wakker|onder|terug|deze (?:week|maand)|bij|${until}`
const limited = startsWith`${limits}`
const condition = startsWith`, (?:als|zolang|tenzij|behalve|indien|wanneer|terwijl|tot|zodra)`
const whatever: Judgement[] = [
  [limited, undefined],
  [condition, 'unclear'],
  [anything, 'opt_out'],
]
/** Judges the words after a phrase that is clear if nothing or little follows. */
const closed: Judgement[] = [
  [limited, undefined],
  [condition, 'unclear'],
  [nothing, 'opt_out'],
  [startsWith`, (?:ik|wij|we) (?:bel|app|kom|schrijf|neem)[^ ]*`, undefined],
  [startsWith`,|en|of|want|anders|ik|wij|hoor|he`, 'opt_out'],
  [anything, 'unclear'],
]
/** Judges the words after "calls". */
const about_calls: Judgement[] = [
  [
    startsWith`(?:te )?(?:mis|gemist|verlies|achterlat|binnen|gekregen|gehad|krijg|heb|door|dat|beantwoord)[^ ]*`,
    undefined,
  ],
  ...whatever,
]

const always: Judgement[] = [[anything, 'opt_out']]
const stop =
  'stop|stopt|(?:te )?stoppen|schei(?: eens| nou)? uit|rot|flikker|donder|sodemieter|lazer|hoepel|oprotten|' +
  'laat (?:me|mij|ons)(?: (?:nu|nou|eens|dan)){0,2} (?:met rust|gerust)|hou|houd|houdt|houden|ophouden|' +
  'kap|kapt|kappen|gedaan|klaar|genoeg|' +
  'op te houden|weg|' +
  '(?:verlos|bespaar) (?:me|mij|ons)'
const threat = contains`${[
  'politie|aangifte|advoca(?:at|ten)|klacht|acm|aangeven|geef (?:jullie|u|je) aan|rechter|rechtbank|juridisch[^ ]*',
  'autoriteit|blokkeer|melding|meld|consumentenbond|ombudsman|aanklacht|aanklagen',
].join('|')}`
const threatened: Judgement[] = [
  [threat, 'opt_out'],
  [anything, undefined],
]
const called_again = saysAny(
  `nog (?:een|1|eentje)(?: (?:enkel|keer|maal|zo n))? (?:${calls}|bellen|smsen|appen)`,
  `(?:als|wanneer|indien|zodra) (?:${you})(?: (?:mij|me|ons|hier))? (?:nog|weer|opnieuw)(?: (?:eens|` +
    `(?:een|1) (?:keer|maal)))?(?: (?:mij|me|ons|hier))? (?:${to_reach}|${to_send})`,
  `(?:als|wanneer|indien|zolang) (?:${you}) (?:blijft|blijven|blijf) (?:${to_reach}|${to_send})`,
  `(?:bel|app|sms|bellen|appen|smsen|belt)(?: (?:${you})) (?:(?:mij|me|ons|hier) )?(?:nog|weer|opnieuw)(?: (?:eens|een keer|1 keer))?`,
  'als (?:dit|dat|het|jullie|u|je) niet (?:stopt|stoppen|ophoudt|ophouden)',
  `bij (?:het|een|elk|elke|ieder|de) (?:volgende?|nieuwe?|verdere?) ${calls}|(?:het |een |de )?volgende ${some_calls}`,
)
const enough: Judgement[] = [
  [demanded[0], 'unclear'],
  [
    endsWith`al|(?:twee|drie|vier|tien) keer|net|(?:(?:ik|k) )?(?:sta|zit) (?:al )?(?:in|op) (?:het|de)|(?:ik|en|k)`,
    'unclear',
  ],
  [endsWith`(?:waarom|wanneer|als|dat|niet)(?: [^ ,]+)?`, undefined],
  [endsWith`^|,|en|maar|nee|nou|ja`, 'unclear'],
  [anything, undefined],
]

const phrases: Phrase[] = [
  { says: called_again, before: [[anything, 'opt_out']], after: threatened },
  { says: called_again, before: threatened, after: [[anything, 'opt_out']] },
  {
    says: saysAny(
      'stopt? (?:(?:dat|dit|het|al dat|met dat) )?(?:bellen|sturen|appen|smsen|spammen|smsjes|ge(?:bel|app|spam|sms|zeur))',
      '(?:opzeggen|opzegging|afmelding|stopzetten|stopzetting|uitschrijving)(?: (?:van|voor|' +
        'uit))?(?: (?:de|uw|alle|jullie))? (?:sms|app|whatsapp|berichten|reclame|nieuwsbrief)(?: ?dienst| ?service)?',
      'zeg(?: ik)? (?:de|mijn|deze|jullie) (?:sms|app|whatsapp) ?(?:dienst|service|abonnement)?(?: ik)? op',
    ),
    before: [...common, has_condition, [endsWith`${not}|hoe|waar`, undefined], [anything, 'opt_out']],
    after: whatever,
  },
  {
    says: saysAny(
      `(?:die|dat|deze|dit|het|de|al die|uw|jullie) (?:[^ ,]+ )?(?:${some_calls}|bellen|smsen|` +
        'appen) (?:moet|moeten|mag|mogen) (?:nu |eens )?(?:stoppen|ophouden|afgelopen zijn)',
      `(?:${by_you}) (?:daarmee|daar mee|hiermee|hier mee|ermee) (?:stoppen|ophouden|kappen)`,
    ),
    before: [
      ...common,
      [contains`${calls}|bel[lt]?[^ ]*|app[^ ]*`, 'opt_out'],
      [contains`waarom|hoe|wanneer`, undefined],
      [anything, 'opt_out'],
    ],
    after: whatever,
  },
  {
    says: saysAny('recht (?:van|op) (?:verzet|vergetelheid|verwijdering|wissing|bezwaar)', '(?:mijn|het) verzetsrecht'),
    before: [...common, [contains`gebruik|maak|beroep|oefen|mijn`, 'opt_out'], [anything, 'unclear']],
    after: always,
  },
  {
    says: says`(?:bel|stuur|app|contacteer|schrijf)t? (?:hem|haar)(?: (?:${some}))? (?:${no_all_calls}(?: meer)?|${no_more})`,
    before: [
      [contains`overleden|dood|gestorven|overlijden|heengegaan`, 'opt_out'],
      ...common,
      [endsWith`^|,|en|dus`, 'unclear'],
      [anything, undefined],
    ],
    after: whatever,
  },
  {
    says: says`${told_to_delete}(?: u)? (?:hem|haar|het) (?:${list})`,
    before: [...told.slice(0, 5), [endsWith`ik|hij|ze`, undefined], [anything, 'opt_out']],
    after: always,
  },
  {
    says: says`word liever (?:${not})(?: (?:${more}))? (?:${reached})`,
    before: wished.slice(0, -2).concat([[endsWith`ik|wij`, 'opt_out']]),
    after: whatever,
  },
  {
    says: says`(?:mij|me|ons) te (?:verwijderen|schrappen|wissen)`,
    before: [
      ...common,
      [endsWith`(?:verzoek|vraag|vragen|verzoeken)(?: [^ ,]+){0,3}|^`, 'opt_out'],
      [anything, undefined],
    ],
    after: [
      [nothing, 'opt_out'],
      [startsWith`,|en|${list}`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: says`(?:te )?(?:verwijderen|schrappen|wissen)`,
    before: [
      [endsWith`(?:jullie|uw|hun) nummer`, undefined],
      [endsWith`(?:nummer|interesse|belangstelling|overleden|verhuisd|persoon|van [^ ,]+|spam)(?: ,)?`, 'opt_out'],
      [anything, undefined],
    ],
    after: [
      [nothing, 'opt_out'],
      [startsWith`${list}|uit (?:bestand|systeem)`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: says`(?:${not}) (?:moeten|moet|mogen|mag) (?:${to_reach})`,
    before: [demanded, [anything, undefined]],
    after: whatever,
  },
  {
    says: saysAny(
      `(?:${our_number}) (?:moet|mag) (?:nu )?(?:${list})`,
      `(?:mag|moet|kan) (?:${our_number}) (?:${list})`,
    ),
    before: [...common, has_condition, [endsWith`oude?|nieuwe?`, undefined], [anything, 'opt_out']],
    after: closed,
  },
  {
    says: says`(?:te|moet|moeten|moest|moesten) (?:stoppen|ophouden)`,
    before: [
      [
        contains`(?:heb|hebben)(?: [^ ,]+){0,5} (?:gevraagd|gezegd|verzocht)|hoe vaak (?:moet|moeten) (?:ik|we|wij)`,
        'stop',
      ],
      [anything, undefined],
    ],
    after: [
      [nothing, 'stop'],
      [anything, undefined],
    ],
  },
  {
    says: saysAny(
      '(?:dit|dat|het) (?:is|lijkt op) (?:(?:pure?|gewoon|echt|een vorm van) )?(?:spam|stalking|' +
        'stalken|intimidatie|pesterij|telefoonterreur|terreur|lastigvallen)',
      '(?:nu |het )is het (?:wel |nu )?(?:genoeg|mooi geweest)|het is (?:nu )?(?:wel )?genoeg(?: geweest)?',
      '(?:ik ben er |ben er )(?:helemaal )?klaar mee|klaar ermee|laat dat',
      `(?:${you}) (?:bel|stu+r|app|sms|schrijf|schrijv)[a-z]*(?: (?:mij|me|ons))?(?: (?:wel|` +
        'veel|echt|nogal))?(?: (?:te|zo|erg|heel|wel|behoorlijk))? (?:veel|vaak|steeds|constant|continu)',
      `waarom (?:bel|app|sms|stuur|stur)[a-z]* (?:${you}) (?:(?:mij|me|ons) )?(?:steeds|altijd|` +
        'telkens|constant|lastig|zo vaak|zo veel|elke dag|reclame)',
      '(?:hoe kom(?:t|en)? (?:jullie|u|je) aan|wie heeft (?:jullie|u|je)) (?:mijn|dit|ons) (?:[^ ,]*nummer|' +
        'gegevens)(?: gegeven)?',
      '(?:liever|beter) (?:appen|mailen|smsen|schrijven) dan (?:op)?bellen|(?:niet|nooit)(?: meer)? bellen(?: ' +
        ',)? (?:maar |alleen |enkel |wel |liever )?(?:appen|mailen|smsen|schrijven)',
      '(?:ik )?(?:heb |wil )?liever (?:een )?(?:mail|mailtje|app|appje|sms|smsje|brief)|niet bellen',
      '(?:ik wil|mag ik|wil ik|we willen)(?: hier)? (?:eraf|er af|eruit)',
      'stop (?:gestuurd|geantwoord|gesmst|gezegd|geschreven)|(?:ga|zal|blokkeer) (?:ik )?(?:jullie|' +
        'u|je) (?:nu )?(?:blokkeren|blokkeer)|bel me niet (?:meer )?(?:register|lijst)(?: dus)?',
      `(?:krijg|ontvang)(?: ik)? nog (?:steeds|altijd) ${such}${calls}|waarom (?:zoveel|zo veel) ${calls}`,
      'verwijder alles (?:wat|van|over)[^,]{0,30}|(?:dat|nu|het) is genoeg',
    ),
    before: enough,
    after: [
      [nothing, 'unclear'],
      [startsWith`,|en|${calls}|graag|dan|via`, 'unclear'],
      [anything, undefined],
    ],
  },
  {
    says: saysAny(
      `(?:${reach})t?(?: (?:u|jullie|je|ge))?${somehow} (?:${no_more}|nooit)${somehow}(?: terug)?`,
      `(?:bellen|appen) jullie${somehow} (?:${no_more})`,
    ),
    before: told,
    after: whatever,
  },
  { says: says`(?:${reach})t?(?: u)? (?:${our_number}) (?:${not})(?: lastig| op)?`, before: told, after: closed },
  {
    says: saysAny(
      `(?:stuur|zend|schrijf|app|sms|bezorg)(?:t|en)?(?: u)?${somehow} ` +
        `(?:(?:${none})(?: meer)?|(?:${not}) (?:${more}) iets|${no_all_calls})`,
    ),
    before: told,
    after: about_calls,
  },
  {
    says: saysAny(
      `(?:${no_more})${somehow}(?: ${calls})?(?: (?:moet|mag|moeten|mogen|moest|moesten|mocht|` +
        `mochten|zou|wil|willen))? (?:${to_do})`,
      `(?:${none})${somehow} (?:${to_send})`,
    ),
    before: told_by_infinitive,
    after: whatever,
  },
  {
    says: saysAny(
      `(?:${wish}|kwil)(?: ik| we)?(?: (?:liever|ook|zeker|absoluut|verder)){0,2} (?:${not})(?: (?:${more}))?(?: ,)? dat? (?:${you})${somehow}` +
        `(?: (?!(?:laat|vroeg|vaak)(?![^ ]))[^ ,]+){0,2} (?:${to_do}|gebruikt|gebruiken|bewaart)`,
    ),
    before: [
      negated,
      reported,
      how_to,
      has_condition,
      [endsWith`hij|zij|ze|(?:mijn|mn|onze)(?: [^ ,]+)?`, 'unclear'],
      [anything, 'opt_out'],
    ],
    after: whatever,
  },
  {
    says: saysAny(
      `(?:${not})(?: (?:${more}|${some})){0,5} (?:${reached})(?: te| wil| wens| wens te)? word(?:en)?`,
      `(?:${not})(?: (?:${more}|${some})){0,4} (?:te )?worden (?:${reached})`,
    ),
    before: [
      [contains`zorg(?:en|t)?(?: ervoor)?(?: ,)? dat`, 'opt_out'],
      ...wished,
      at_beginning,
      [anything, undefined],
    ],
    after: whatever,
  },
  {
    says: saysAny(
      `${no_all_calls}(?: (?:${some})){0,2} (?:meer|mee|mier)`,
      `(?:${no}) (?:enkele? )?(?:verdere?|andere?) ${calls}|geen een meer`,
    ),
    before: [...wished, at_beginning, [endsWith`(?:${by_you})${few}`, 'opt_out'], [anything, undefined]],
    after: about_calls,
  },
  {
    says: saysAny(
      `(?:ik|wij|we) (?:van (?:u|jullie) )?${no_all_calls}(?: (?:${some})){0,2}` +
        `(?: (?:ontvangen|krijgen|hebben))? (?:${wish})`,
    ),
    before: [...common, how_to, has_condition, [anything, 'opt_out']],
    after: whatever,
  },
  {
    says: says`${no_calls}`,
    before: [...wished, at_beginning, [anything, undefined]],
    after: [
      [limited, undefined],
      [nothing, 'opt_out'],
      [startsWith`, (?:alleen|enkel|maar|wel)`, undefined],
      [startsWith`,|van (?:u|jullie)|meer|(?:te )?(?:ontvangen|krijgen|hebben)|via|per`, 'opt_out'],
      [startsWith`mis[^ ]+|achter[^ ]+`, undefined],
      [anything, 'unclear'],
    ],
  },
  {
    says: saysAny(
      `(?:${stop})(?: (?:${you}))?(?: (?:op|nou|nu|eens|is|maar|even|hier|er|mee|ermee|daarmee)){0,3} (?:daarmee|` +
        'hiermee|ermee|mee|met|van|om|mij|me) ' +
        '(?:(?:mij|me|ons|hier) )?(?:(?:steeds|altijd) )?' +
        `${such}(?:${calls}|telefoneren|mn telefoon|${to_do})`,
    ),
    before: [
      [endsWith`als (?:${you}) niet`, 'opt_out'],
      [endsWith`(?:${not}|ik ga|ga ik|ik|(?:ik|wij|we) wil(?:len)?)`, undefined],
      ...common,
      [
        endsWith`dus|,|behoefte aan|wachten|stalking|spam|overleden|zat|beu|moe|geweest|nee|blokkeer (?:jullie|je|u)`,
        'opt_out',
      ],
      ...told_by_infinitive,
    ],
    after: whatever,
  },
  {
    says: saysAny(
      '(?:(?:stop|stopt|staak|beeindig|annuleer)(?: u)?|(?:be)?spaar (?:me|mij|ons)) (?:(?:het |met ' +
        `)?(?:ver)?(?:sturen|zenden) van )?${such}${calls}`,
    ),
    before: [...common, has_condition, [endsWith`(?:ik|niet|de|een)`, undefined], [anything, 'opt_out']],
    after: whatever,
  },
  {
    says: saysAny(
      `(?:(?:uw|jullie|die|deze|al die|dit soort|zulke) )?${some_calls} (?:(?:wil|wens|hoef|` +
        'willen|hoeven) (?:ik|wij|we)|hoeft|hoeven|zijn) (?:hier )?(?:niet|nooit)(?: meer| langer)?(?: (?:welkom|' +
        'gewenst|nodig|hebben|ontvangen))?',
      `(?:${by_you}) (?:mij|me|ons) (?:daar|er|hier) ?(?:uit|af) ?(?:halen|schrijven|gooien)`,
    ),
    before: [...common, how_to, has_condition, [endsWith`^|,|en|nee|want|${by_you}`, 'opt_out'], [anything, undefined]],
    after: [
      [nothing, 'opt_out'],
      [startsWith`,|en|want|dus`, 'opt_out'],
      [anything, undefined],
    ],
  },
  { says: says`${some_calls}(?: [^ ,]+){0,2} (?:${to_end})`, before: decided, after: whatever },
  {
    says: saysAny(
      `(?:wil|wou|willen|hoef|hoeven|moet|moeten) (?:ik |we )?(?:jullie|uw|die|deze) ${calls} (?:${not})(?: ` +
        `(?:${more}))?`,
      `(?:wil|wou|willen|hoef|hoeven) (?:ik |we )?(?:jullie|dit|dat|u) (?:${not}) (?:${more})`,
    ),
    before: [
      ...common,
      how_to,
      has_condition,
      [endsWith`ik|wij|we|,`, 'opt_out'],
      [nothing, 'opt_out'],
      [anything, 'unclear'],
    ],
    after: [
      [nothing, 'opt_out'],
      [startsWith`,|zien|horen|hebben|ontvangen|krijgen|in`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: saysAny(
      `(?:stel|stellen)(?: [^ ,]+){0,2} ${calls} niet (?:meer )?op prijs`,
      `niet akkoord met ${such}${calls}`,
      '(?:geen (?:behoefte|zin|prijs|interesse|belangstelling)|niet gediend|klaar|genoeg)(?: meer)? (?:aan|' +
        `in|op|van|met) ${such}${calls}`,
      `(?:die|deze|jullie|uw|dat) ${calls} (?:[^ ,]+ )?(?:beu|zat)`,
    ),
    before: [...common, has_condition, [anything, 'opt_out']],
    after: always,
  },
  {
    says: saysAny(
      'uit ?schrijven|af ?melden|uitschrijving|uit te schrijven|af te melden',
      `(?:schrijf|meld)t? (?:(?:me|mij|ons|${our_number}) )?(?:(?!${not}|geen)[^ ,]+ ){0,3}(?:uit|af)`,
    ),
    before: [
      ...common,
      [endsWith`(?:${not}|geen)`, undefined],
      how_to,
      [contains`${time}`, 'unclear'],
      has_condition,
      [endsWith`(?:hij|ze|zij|(?:mijn|mn|onze) [^ ,]+)${few}`, undefined],
      [anything, 'opt_out'],
    ],
    after: [
      [nothing, 'opt_out'],
      [startsWith`,|en|want|a|he|nu|bij jullie`, 'opt_out'],
      [
        startsWith`(?:(?:voor|van|uit|bij) )?(?:[^ ,]+ ){0,3}(?:${calls}|[^ ,]*dienst|alles|dit|lijst|bestand)|${list}`,
        'opt_out',
      ],
      [anything, undefined],
    ],
  },
  {
    says: saysAny(
      '(?:uitgeschreven|afgemeld|verwijderd|geschrapt)(?: te)? worden|worden (?:uitgeschreven|' +
        'afgemeld|verwijderd|geschrapt)',
      `(?:${list}) (?:verwijderd|geschrapt|gehaald)(?: te)? worden`,
    ),
    before: [[endsWith`(?:zou|zouden) (?:ik|wij|we)(?: [^ ,]+){0,2}`, 'opt_out'], [nothing, 'unclear'], ...wished],
    after: [
      [nothing, 'opt_out'],
      [startsWith`,|en|${list}|(?:voor|van|uit) (?:[^ ,]+ ){0,2}(?:${calls}|alles)`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: saysAny(
      `${told_to_delete}(?: u)? (?:${our_number})(?: (?:maar|dan|er|nou|nu|direct)){0,2} (?:${list}|af ` +
        'van|door|weg|eraf|eruit|daar ?uit|er uit|daar ?af)',
    ),
    before: [...told.slice(0, 5), [endsWith`ik|hij|ze`, undefined], [anything, 'opt_out']],
    after: always,
  },
  {
    says: saysAny(
      '(?:verwijder|schrap|wis|blokkeer|vergeet|delete)t?(?: u)?(?: (?:direct|nu|maar|ook|dan|even)){0,2} ' +
        `(?:al )?(?:${our_number})`,
    ),
    before: [...told.slice(0, 5), [endsWith`ik|hij|ze`, undefined], [anything, 'opt_out']],
    after: [
      [nothing, 'opt_out'],
      [startsWith`(?:en|,) (?:neem|noteer|gebruik|zet|hier|mijn nieuwe)`, undefined],
      [startsWith`,|en|uit|van|maar`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: saysAny(
      '(?<!(?:jullie|uw|hun) )(?:(?:mijn|mn|m n|ons|dit|het) )?(?:telefoon|gsm|contact)?(?:nummer|numer|nr|gegevens) (?:[^ ,]+ ' +
        `){0,2}(?!uit|af)(?:${to_delete})`,
      `(?:${our_number}) (?:te )?(?:schrappen|verwijderen|wissen|halen|nemen|gooien) (?:${list})`,
      `(?:${our_number}) (?:[^ ,]+ ){0,2}(?:${list}) (?:${to_delete})`,
    ),
    before: [
      [endsWith`oude?|nieuwe?|ander|andere|juiste`, undefined],
      [contains`ongeluk|vergissing`, undefined],
      ...decided,
    ],
    after: [[startsWith`(?:, )?(?:dat|die)`, undefined], ...always],
  },
  {
    says: saysAny(
      '(?:trek|trekken|herroep|intrekken|intrekking) (?:[^ ,]+ ){0,4}(?:toestemming|akkoord|instemming)',
      'mijn toestemming niet (?:meer|langer)|(?:heeft|hebt|hebben) niet (?:meer|langer) mijn toestemming',
      `bezwaar(?: [^ ,]+){0,4} (?:art(?:ikel)? 21|avg|gdpr)`,
      `verwijdering (?:van (?:al )?(?:mijn|onze|dit|deze) (?:[^ ,]+ )?(?:gegevens|nummer|data)|${list})`,
      'laat (?:niks|niets|nooit) meer van (?:je|u|jullie) horen',
      `waagt? (?:u )?het niet(?: ,)?(?: om)?(?: (?:${some}|nog eens)){0,4} (?:${to_do})`,
      `hou(?:d|dt)? (?:je|uw|jullie) ${calls}`,
      `(?:uw|jullie|die|deze) ${calls} (?:niet|nooit) (?:meer|langer) nodig`,
      'toestemming(?: [^ ,]+){0,8} (?:in|ingetrokken|intrekken|in te trekken)',
      `(?:maak|bezwaar|verzet)(?: [^ ,]+){0,3} (?:bezwaar|tegen)(?: [^ ,]+){0,4} (?:gegevens|${calls})`,
      `(?:verbied|verbieden)(?: [^ ,]+){0,2} (?:om )?(?:[^ ,]+ )?(?:${to_do}|${calls})`,
      'geen toestemming (?:meer|om)',
    ),
    before: decided,
    after: always,
  },
  {
    says: saysAny(
      `(?:${none}|${not})(?: (?:${more}))?(?: iets)? van (?:u|jullie|je|ulder) (?:te )?(?:horen|hoort|` +
        'vernemen|ontvangen|zien|krijgen)',
      `van (?:u|jullie|je|ulder) (?:niets|niks|nooit)(?: (?:${more}|iets))* (?:horen|vernemen|zien|ontvangen)`,
      `(?:${none}) meer (?:ontvangen|krijgen)`,
    ),
    before: [...wished, [anything, undefined]],
    after: always,
  },
  {
    says: saysAny(
      `(?:${no_more}) op (?:de|uw|jullie|die) [^ ,]*(?:lijst|bestand) (?:te )?staan`,
      `(?:${no_more}) ${such}${calls} (?:te )?(?:ontvangen|krijgen)`,
    ),
    before: [...wished, [anything, undefined]],
    after: whatever,
  },
  {
    says: saysAny(
      `neemt?(?: u)? (?:(?:${some}) ){0,2}(?:${not}|geen)(?: (?:${more}))? contact(?: meer)?(?: met (?:mij|` +
        'me|ons))?(?: meer)?(?: op)?',
      '(?:geen|nooit meer) contact (?:meer )?(?:met (?:mij|me|ons) )?(?:opnemen|opneemt|op te nemen|opneem)',
    ),
    before: told_by_infinitive,
    after: [[startsWith`met (?!mij|me|ons)[^ ]+`, undefined], ...whatever],
  },
  {
    says: says`(?:af te zien|afzien|af ziet|afziet|ziet?(?: (?:u|${some})){0,3} af) van ${such}${calls}`,
    before: [
      ...common,
      why,
      has_condition,
      [endsWith`${not}|(?:ik|wij|we)(?: [^ ,]+)?`, 'unclear'],
      [anything, 'opt_out'],
    ],
    after: always,
  },
  {
    says: says`hoef (?:ik |we )(?:dit |dat |ze )?(?:${no_more})(?: te (?:krijgen|ontvangen|hebben))?`,
    before: [...common, has_condition, [endsWith`^|,|dit|dat|deze|die|ze|nee`, 'unclear'], [anything, undefined]],
    after: [
      [nothing, 'unclear'],
      [anything, undefined],
    ],
  },
  {
    says: says`(?:ik wil|wil ik|mag ik|wij willen|we willen) (?:ook )?(?:${list}|van ${such}${calls})`,
    before: [...common, has_condition, [anything, 'opt_out']],
    after: [
      [nothing, 'opt_out'],
      [startsWith`af|,|verwijderd|geschrapt|gehaald`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: saysAny(
      `(?:zet|plaats|registreer)t?(?: u)? (?:${our_number}) (?:maar )?(?:op|in) (?:[^ ,]+ ){0,2}(?:bel ` +
        'me niet|zwarte lijst|blacklist|bel mij niet|do not call|blokkeerlijst)',
      'nummer staat(?: [^ ,]+){1,6} , (?:verwijder|wis|schrap|haal)',
    ),
    before: [
      [endsWith`ik|niet`, undefined],
      [anything, 'opt_out'],
    ],
    after: always,
  },
  {
    says: saysAny(
      'laat (?:me|mij|ons)(?: (?:nu|nou|eens|dan)){0,2} (?:met rust|gerust)|stop (?:hier|daar|er) ?(?:nu |' +
        'nou )?mee|hou(?:d|dt)?(?: (?:nou|nu|eens|daar|er|mee|ermee|daarmee|hiermee)){0,3} op',
      'ik ben (?:het|dit) (?:beu|zat)|kap ermee|val me niet lastig|zwijg',
    ),
    before: [
      [contains`(?:${you}) (?:bel|app|stu+r|sms)[^ ]*|${calls}`, 'opt_out'],
      [nothing, 'stop'],
      [endsWith`,|en|nou|nu|of|wachten|[^ ,]*interesse|behoefte aan|stalking|spam`, 'stop'],
      [anything, undefined],
    ],
    after: [
      [nothing, 'opt_out'],
      [startsWith`,|en|nu|nou|ermee|daarmee`, 'stop'],
      [anything, undefined],
    ],
  },
  {
    says: saysAny(
      `waarom krijg ik (?:steeds|altijd|telkens|zoveel|deze|jullie|al) (?:die )?${such}${calls}`,
      `hoe (?:stop|kom|raak) ik (?:van )?${such}${calls}`,
      'hoe (?:kom|raak) ik hier ?van ?af|waarom krijg ik (?:dit|deze|die) (?:steeds|altijd|telkens|elke [^ ,]+)',
      '(?:kan|mag) (?:dit|dat|het) (?:stoppen|ophouden|weg)',
      'hoe kom(?:en)? (?:jullie|u|je) aan (?:mijn|dit|ons) (?:[^ ,]*nummer|gegevens)',
      'waarom (?:bel|app|sms|stuur)[a-z]* (?:jullie|u|je) (?:mij|me)(?: (?!niet|nooit)[^ ,]+){0,2} ' +
        '(?:steeds|altijd|telkens|constant|lastig|zo vaak|reclame)',
      'wat gebeurt er als ik stop|(?:jullie|u) (?:nummer|gegevens) vandaan',
    ),
    before: [[anything, 'unclear']],
    after: [[anything, 'unclear']],
  },
]

const not_to = '(?! (?:niet|nie|ni|nooit|geen|niks|niets))'
const only = '(?:alleen|enkel)(?: nog)? (?:per|via|schriftelijk|telefonisch|mailen|appen|bellen)'
const reach_me = '(?:stuur|app|sms|mail|bel) (?:me|mij|ons)(?=$| ,| gewoon| een| via| per)|stuur een'
const rather = '(?:,|maar|en) wel (?:op|via|per|naar|mailen|appen|smsen|schrijven)'
const another_way = contains`${rather}|liever${not_to}|in plaats daarvan|${only}|${reach_me}|maar een (?:appje|sms|bericht) is`

export const nl: Language = {
  tag: 'nl',
  opt_outs: {
    words: listed(
      'stop, stoppen, stopt, stop alles, stop alle sms, stop nou, afmeldne, afmleden, afmeden, afmelde, uitschijven, ' +
        'uitschrijve, ' +
        'stop sms, sms stop, stop nu, uitschrijven, uitschrijving, afmelden, ' +
        'afmelding, uit schrijven, schrijf uit, ' +
        'schrijf me uit, schrijf mij uit, meld me af, meld mij af, stop reclame, reclame stop',
    ),
    ordinary_words: listed(
      'annuleren, annuleer, annulering, opzeggen, einde, genoeg, genoeg nu, nu genoeg, ophouden, hou op, ' +
        'houd op, klaar, basta, kap, stop ermee, ' +
        'kappen, kap ermee, beeindigen, afzeggen, geen interesse, niet geinteresseerd, verwijderen, eruit, schrappen',
    ),
    phrases,
    another_way,
    at_once: ['onmiddellijk', 'meteen', 'per direct'],
    fillers: [
      ...(
        'alstublieft alsjeblieft ajb alsublieft asjeblieft astublieft aub svp gelieve gelive gelieven bedankt dankjewel dankuwel ' +
        'hoor toch gewoon gwn graag echt ' +
        'eindelijk verdomme godverdomme meneer mevrouw hierbij goedendag goedemorgen ' +
        'goedemiddag goedenavond'
      ).split(' '),
      ...['dank u', 'dank je'],
    ],
  },
  opt_in_words: [],
  help_words: ['hulp'],
  answers: {
    yes: listed(
      'ja, jawel, jazeker, zeker, klopt, dat klopt, ok, oke, okay, goed, prima, akkoord, inderdaad, ' +
        'natuurlijk, uiteraard, graag, ' +
        'in orde, is goed, doe maar, precies, juist, correct, ja graag, j',
    ),
    no_more: listed(
      'stop, niet meer, nooit meer, geen meer, geen berichten meer, geen oproepen meer, niets meer, ' +
        'niks meer, dat wil ik, ' +
        'wil ik, dat is juist, heel zeker, dat is correct',
    ),
    courtesies: listed('alstublieft, alsjeblieft, aub, bedankt, dank u, dank, u, je, wel, dankjewel, hoor, oh, eh, uh'),
  },
  sayings: {
    opt_out: 'U krijgt geen berichten meer van ons. Antwoord START om ze weer te krijgen.',
    no_more_messages: 'U krijgt geen berichten meer van ons.',
    no_more_calls: 'Ik begrijp het. Wij bellen u niet meer. Goedendag.',
    no_more_question: 'Wilt u geen oproepen en berichten meer?',
    press_key: 'Wilt u niet meer gebeld worden, toets dan {key}.',
    star: 'sterretje',
    hash: 'hekje',
  },
}
