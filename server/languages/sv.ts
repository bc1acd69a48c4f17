import { type Language, listed } from './language.ts'
import {
  anything,
  contains,
  endsWith,
  type Judgement,
  nothing,
  type Phrase,
  phrasesOf,
  says,
  startsWith,
} from './wish.ts'

const me =
  'mig|mej|oss|mitt nummer|vårt nummer|det här numret|detta nummer|hit|hem|hem till (?:mig|oss)|till (?:mig|mej|oss)|' +
  'här'
/** "To call" or "to write" as an infinitive. Some of these are commands, too. */
const to_call =
  'ringa|ringa upp|rinag|rinng|rinnga|ringga|rigna|riga|rina|rnga|ringaa|ringar|skriva|kontakta|telefonera|messa|sms ?a|texta|spamma|' +
  'störa|trakassera|besvära|tjata|terrorisera|antasta|bombardera|' +
  'plåga|höra av (?:er|dig|sig)|kontakta på|mess|ta kontakt|påringa|jaga|förfölja|ringa runt|kontaktas'
const call =
  'rinn?gg?|rng|rign|skriv|kontakta|telefonera|messa|sms ?a|texta|spamma|stör|trakassera|besvära|' +
  'tjata|terrorisera|bombardera|' +
  'hör av (?:er|dig)|' +
  'ta kontakt|plåga|jaga'
const calls_you =
  'ringer|ringde|skriver|skickade|kontaktade|kontaktar|telefonerar|messar|sms ?ar|textar|spammar|' +
  'stör|trakasserar|besvärar|hör av (?:er|dig)|' +
  'skickar|tar kontakt'
const called =
  'uppringd|uppringda|kontaktad|kontaktade|besvärad|ringd|bli ringd|kontaktat|kontaktas|trakasserad|' +
  'spammad|uppsökt'
const to_send = 'skicka|skika|sända|mejla|messa|sms ?a'
const calls =
  'samtal(?:en|et)?|telefonsamtal(?:en)?|säljsamtal(?:en)?|påringning(?:ar|arna)?|sms(?: ?(?:en|et))?|mess(?:en)?|' +
  '(?:text)?medd?ela?nde(?:n|na)?|' +
  'reklam(?:en|utskick\\S*|sms)?|erbjudande(?:n|na)?|utskick(?:en|et)?|notis(?:er|erna)?|spam(?:met)?|kontakt(?:en|' +
  'er|försök)?|' +
  'nyhetsbrev(?:en|et)?|påminnelser(?:na)?|aviseringar(?:na)?|marknadsföring(?:en)?|kampanjer(?:na)?|' +
  'telefonförsäljning|ringande(?:t)?|' +
  'tjat(?:et|ande)?|smsande(?:t)?|skrivande(?:t)?|whatsapp|whatsappmeddelanden|push ?notiser|direktreklam|' +
  'information|kommunikation(?:en)?|sms ?tjänst(?:en)?|skräp(?:et)?|telefonreklam'
const kind =
  'fler|flera|mer|några|nåra|någon|nån|något|nåt|era|er|ert|alla|all|såna|sådana|här|där|de|dom|den|det|dessa|denna|' +
  'detta|mera|vidare|fortsatta|' +
  'fortsatt|ytterligare|framtida|få|ha|ta emot|och|eller|av|från|mina|dina|din|ditt|sån|sådan|jävla|tjatiga|dumma|' +
  'med|så|' +
  '[^ ,]+(?:iga|iska|ade)'
const kinds = `(?:(?:${kind}) ){0,6}(?:${calls})`
const more =
  'mer|mera|igen|nå ?mer[ae]?|nåt mer|något mer|nånsin|någonsin|längre|fler gånger|nån mer gång|någon mer gång|en ' +
  'gång till|nåt|aldrig|framöver|' +
  'i framtiden|hädanefter|vidare|överhuvudtaget|alls|över huvud taget|fortsättningsvis|i fortsättningen|nån gång|' +
  'någon gång'
const me_or_more = `${me}|${more}`
const not = 'inte|int|inge|inet|itne|ine|aldrig|ej|icke'
/** Words that stand between the parts of a demand. */
const around = `(?:(?:${me_or_more}|nu|ens|väl|för|guds skull|fan|bara|på|om|till|telefon|via|per|sms|med|er|dig|av|ju|ni|du) ){0,4}`

const relative =
  'man|fru|frun|mamma|pappa|mor|son|dotter|sambo|sambon|bror|syster|mormor|farmor|farfar|morfar|kollega|chef|granne|' +
  'föräldrar|barn|' +
  'kille|tjej|svärmor|make|maka|pojkvän|flickvän|kompis|hon|han|någon|nån'
const saying = 'säger|sa|sade|vill|önskar|tycker|undrar|ber|bad|klagar|menar|har sagt|hälsar'
/** "Min fru säger". The word for "man" is a filler of another language. */
const reported: Judgement[] = [
  [contains`min (?:[^ ,]+ )?(?:säger|vill|tycker|ber|bad|klagar)|(?:${relative}) (?:${saying})`, 'unclear'],
  [endsWith`min|${relative}`, 'unclear'],
]
const demanding =
  'sa|sade|sagt|bett|bad|ber|säger|vill|kräver|krävt|önskar|upprepar|insisterar|begär|hoppas|skulle vilja|uppskattar|' +
  'föredrar'
const not_to_others = '(?!(?:åt|till|dem|honom|henne|min|mitt)(?![^ ]))[^ ,]+'
const that_you = 'åt|till|er|dig|att|så|ni|du|nu'
const demanded: Judgement = [
  endsWith`(?:jag|vi|har|hade) (?:(?:har|ju|redan|hade|bara) ){0,2}${demanding}(?: ${not_to_others}){0,4}(?: ,)?(?: ${that_you}){0,5}`,
  'opt_out',
]
const told_others = '(?:åt|till|bad|bett|får) (?!er|dig)[^ ,]+(?: [^ ,]+){0,2}|dem|honom|henne|han|hon|de|dom'
const others: Judgement = [endsWith`${told_others} (?:att|ska|skulle|får|har|kan)(?: [^ ,]+)?`, undefined]
const not_meant = 'sagt|bett|vill|menat|menade|ska|får|kan|om|att|er|ni|du|dig|behöver|jag|be'
const negated: Judgement = [endsWith`(?:inte|aldrig|ingen anledning)(?: ${not_meant}){0,4}`, undefined]
const if_polite = 'är (?:du|ni) snäll|ni kan|du kan|möjligt|jag får be|ni vill vara|det går'
const has_condition: Judgement = [
  contains`(?:om(?! (?:${if_polite}))|när|ifall|medan|innan|förrän|tills|såvida)`,
  undefined,
]
const is_it_possible = 'går det|är det möjligt|finns det|(?:jag|vi|man) (?:kan|lyckas|försöker)'
const how_to: Judgement = [
  contains`hur|var(?! (?:vänlig|god|snäll|så)\S*)|vart|(?:kan|får) (?:jag|vi|man)|${is_it_possible}|försökt`,
  'unclear',
]
/** The word for "man" was left out as a filler of another language. */
const whether: Judgement = [/^kan$/u, 'unclear']
const time =
  'idag|i ?(?:dag|morgon|kväll|natt|eftermiddag|helgen|veckan|förväg)|imorgon|ikväll|inatt|just nu|före|innan|efter|' +
  'under|mellan|på (?:\\S+dag|\\S+dagar|' +
  '\\S+dagen|kvällen|kvällar|kvällarna|natten|nätterna|helgen|helger|helgerna|morgonen|mornarna|jobbet|arbetstid|en ' +
  'stund|lunchen|semestern)|klockan|kl|' +
  'när|om(?! (?:det här|detta|erbjud\\S+|något|nåt|någonting))|medan|förrän|tills|till (?:\\d+|\\S+dag|klockan|' +
  'kvällen)|så (?:tidigt|sent|ofta|här dags)|' +
  'för (?:tidigt|sent|ofta)|i onödan|på dörren|på dörrklockan|på klockan'
const busy =
  'jag (?:är (?:på|i|upptagen)|sover|jobbar|ringer|hör av mig|kommer|sitter|skriver|hämtar)|vi (?:ringer|hör av|' +
  'kommer)|(?:barn\\S*|bebis\\S*|han|hon) sover|' +
  'kan inte (?:prata|svara)|ringer (?:upp|tillbaka|er|dig)|är på (?:möte|jobb\\S*|väg)|sitter i möte'
const kindly = 'tacksam|uppskattar|uppskattas|bra|skönt|trevligt|snällt|glad|fint|hoppas|önskar|föredrar'
/** "It would be nice if you didn't". */
const if_kind: Judgement = [
  endsWith`(?:${kindly})(?: det)? (?:om|att|ifall|ifall att)(?: (?:ni|du))?(?: ,)?`,
  'opt_out',
]
const limited_before: Judgement = [endsWith`(?:${time}|nu)(?: [^ ,]+){0,3}`, undefined]
/** These words after a wish limit it to a time or a place. */
const at_time: Judgement = [startsWith`(?:[^ ,]+ ){0,3}(?:${time})|utan`, undefined]
const limited: Judgement[] = [
  at_time,
  [startsWith`nu(?! (?:mer|längre))`, undefined],
  [startsWith`(?:[^ ,]+ ){0,4}, (?:om|när|medan|ifall|utan|såvida|förrän)`, undefined],
  [contains`${busy}`, undefined],
]
const whatever: Judgement[] = [...limited, [anything, 'opt_out']]
const closed: Judgement[] = [
  ...limited,
  [nothing, 'opt_out'],
  [startsWith`,|och|eller|för|så|på (?:det|mitt|den)|med|igen|mer|till mig`, 'opt_out'],
  [anything, undefined],
]

/** Judges the words before what the agent is not to do. */
const forbidden: Judgement[] = [
  [endsWith`(?:varför|vem|vilka|som)(?: [^ ,]+)?`, undefined],
  negated,
  demanded,
  others,
  has_condition,
  ...reported,
  [anything, 'opt_out'],
]
const modal =
  'ska|skall|kan|vill|får|skulle|kommer|kommer att|vågar|orkar|tänker|hinner|kunde|har|har lovat att|lovar att|' +
  'försöker|bör|' +
  'väljer att|måste|hade|borde'
/** Judges the words before an infinitive, because only these say whose act it is. */
const forbidden_to: Judgement[] = [
  negated,
  has_condition,
  [contains`behöver`, 'unclear'],
  [endsWith`(?:jag|vi) (?:vill|önskar|föredrar)`, undefined],
  [endsWith`(?:varför|vem|om|behövde|måste|sluta|slutar|glöm|missa)(?: [^ ,]+){0,2}`, undefined],
  demanded,
  ...reported,
  [endsWith`(?:jag|vi|han|hon|de|dom|det|den|man|som)(?: (?:${modal}))?(?: [^ ,]+)?`, undefined],
  has_condition,
  [endsWith`(?:ni|du|ingen|er|dig)(?: [^ ,]+)?(?: ${modal})?(?: [^ ,]+)?|att|och|,`, 'opt_out'],
  [endsWith`(?:kan|kunde|skulle|vill|får|ska|skall) (?:ni|du)(?: [^ ,]+){0,4}`, 'opt_out'],
  [nothing, 'opt_out'],
  [anything, 'unclear'],
]
const not_you = '(?!(?:åt|till|er|dig|att|ju|redan|ni|du|,)(?![^ ]))[^ ,]+'
/** Judges the words before what the agent is to do, or the contact does. */
const told: Judgement[] = [
  if_kind,
  [endsWith`nej|räcker det(?: nu)?|det räcker(?: nu)?|nog nu|nu är det nog`, 'opt_out'],
  [endsWith`slutar (?:ni|du) inte`, 'opt_out'],
  [endsWith`(?:när|hur|varför)(?: [^ ,]+){0,4}`, 'unclear'],
  how_to,
  whether,
  negated,
  [endsWith`(?:kan|kunde|skulle|vill|ska|får|måste|bör) (?:ni|du)(?: [^ ,]+){0,4}`, 'opt_out'],
  [endsWith`så (?:ni|du) (?:kan|får|ska|måste)(?: (?:nu|gärna|lika gärna|väl))?`, 'opt_out'],
  [endsWith`(?:sa|sade|bad|bett|sagt) (?:åt |till )?${not_you}(?: [^ ,]+){0,3}`, undefined],
  demanded,
  ...reported,
  has_condition,
  [endsWith`(?:han|hon|de|dom|det|den|som)(?: [^ ,]+)?`, undefined],
  [endsWith`(?:jag|vi) (?!vill)${modal}(?: (?:inte|ju|redan))?(?: [^ ,]+)?`, undefined],
  [anything, 'opt_out'],
]
/** Judges the words before what the contact wants or does. */
const decided: Judgement[] = [
  [endsWith`(?:${demanding}|vore tacksam om|se till)(?: [^ ,]+)?(?: att)? (?:ni|du)(?: nu)?`, 'opt_out'],
  [endsWith`(?:varför|ni|du|han|hon|de|dom)`, undefined],
  negated,
  ...reported,
  has_condition,
  how_to,
  whether,
  [anything, 'opt_out'],
]
const told_or_decided: Judgement[] = [
  [contains`(?:kan|kunde|skulle|vill) (?:ni|du)|(?:ni|du) kan|(?:ska|skall|måste) (?:ni|du)`, 'opt_out'],
  ...decided,
]
const told_number: Judgement[] = [
  [endsWith`råkade|råkat`, undefined],

  [contains`(?:gamla|gammalt|nya|nytt|ändra|byt|byta|uppdatera|lägg till)`, undefined],
  ...told_or_decided,
]
const little: Judgement[] = [
  [startsWith`(?:och|,) (?:lägg|skriv|byt|ersätt|använd)`, undefined],
  [nothing, 'opt_out'],
  [startsWith`,|och|hos er|helt|nu|för gott|permanent|ur|genast|direkt|härifrån|från (?:er|ert|era)`, 'opt_out'],
  [anything, undefined],
]
const asked_alone: Judgement[] = [
  [nothing, 'unclear'],
  [startsWith`,`, 'unclear'],
  [anything, undefined],
]
const alone: Judgement[] = [
  [nothing, 'stop'],
  [startsWith`,|och|nu|för|härifrån`, 'stop'],
  [anything, undefined],
]

const number = '(?:(?:(?:mobil|tele?fon|tel)?(?:numm?er|numret|nr))|tele?fon)'
const data = '(?:person|kontakt)?uppgifter|data|info|information'
const my = `mig|mej|oss|(?:mitt|vårt|det här|detta|hans|hennes) ${number}|numret|mitt namn|(?:mina|min|hans|hennes) (?:[^ ,]+ )?(?:${data})`
const list =
  '(?:(?:er|era|ert|eran|din|den|det|där|här|alla|denna|dessa|samtliga|de|dom) ){0,3}' +
  '(?:(?!vänte|inköps|gäst|deltagar|beställ|kö)\\S*list(?:a|an|or|orna)|\\S*register|\\S*registret|' +
  '\\S*databas(?:en)?|\\S*system(?:et)?|kontakter(?:na)?|' +
  `kundregist\\S+|sändlist\\S+|adressbok|telefonbok|${calls})`
const remove =
  'ta ?bort|tar bort|tar (?:jag|man|ni) bort|bort med|stryk|stryka|stryker|radd?era|radd?erar|plocka bort|plockar ' +
  'bort|släng|kasta|ta ut|lyft bort|avlägsna|avregistrera|utesluta|rensa|sudda|tag bort|avanmäl|avanmäla|koppla bort'
const stop =
  's(?:lu|ul|luu)ta{1,3}(?: upp)?|slut(?= (?:ringa|skicka|skriva|kontakta|messa|sms))|(?<!.)slut(?= (?:ring|skriv|skicka) (?:till )?(?:mig|mej|oss|hit))|avstå(?: från)?|slutar(?: upp)?|slutade(?: upp)?|upphör|upphöra|stoppa|lägg av|' +
  'lägg ner|lägga av|lägger av|dra åt|far åt|(?:lämna|låt) (?:mig|oss) (?:i ?fred|vara)|låt bli|låta bli|' +
  'låter bli|ge fan i|skit i|släpp|strunta i|skippa|undvik'
const wants = 'vill|önskar|orkar|skulle|behöver|pallar|accepterar|godkänner|samtycker|tillåter'
const not_want =
  `(?:(?:${wants})(?: (?:jag|vi|verkligen|absolut|definitivt|helst|nog|liksom|typ|ju|bara)){0,3} (?:${not})|(?:${not}) (?:(?:längre|mer|` +
  `vidare) )?(?:${wants}))(?: (?:vilja|längre|mer|ha|få|till|att|av)){0,3}`

const shall = '(?:ska|skall|får|bör)'
const any_more = 'mer|något|nåt|någonting|nånting|fler'
const decline = 'undanber|undanbeder|avböjer|avsäger|betackar|motsätter|frånsäger|tackar nej till|tacka nej till'
const permission = '(?:samtycke|medgivande|godkännande|tillåtelse|tillstånd|rätt)\\S*'
const use_of_data = '\\S*(?:behandling|användning|personuppgift|uppgifter|marknadsföring)\\S*'
const enough_of = 'nog med|nog av|trött på|slut på|slut med|less på|stopp för|stopp på'
const someone_else = '(?:honom|henne|dem|dom(?! här)|varandra|min(?!a)|mitt ex|på dörren|faktur\\S*|pengar|bilder)'
const stop_words = 'med|me|att|för fan|fan|genast|nu|direkt|omedelbart|då|ni|du|jag'
const switch_off =
  'avbryt|avsluta|säger upp|säga upp|säg upp|stäng av|stänga av|spärra|blockera|avbeställ|avbeställa|inställ|dra in|' +
  'avprenumerera|få slut på|ta bort|skrota|bespara|skona|nog'
const removed = 'borttagen|borttaget|struken|raderad|avregistrerad|avanmäld'
const sign_off =
  'avregistrerar?|anmäl av|avregistrering|avanmälan|avanmäl(?:a|er)?|avprenumererar?|anmäla? (?:mig|mej|oss) ur|gå ur|skriva? ' +
  'ut mig|' +
  'kliva av'

const gone = 'dog|död|döda|gått bort|gick bort|avlid\\S*|bortgång\\S*'
const threat = contains`\S*anmäl\S*|advokat\S*|jurist\S*|polis\S*|konsumentverket|domstol|stämmer|stämma|blocker\S*|spärrar|juridisk\S*|imy|datainspektionen`
const threatened: Judgement[] = [
  [threat, 'opt_out'],
  [anything, undefined],
]
const again = 'igen|en gång till|en enda gång|någon mer gång|mer|fortsätter'
const called_again = [
  says`(?:ett|en)(?: enda)? (?:${calls}) till`,
  says`(?:om|ifall|när) (?:ni|du) (?:(?:${calls_you})(?: [^ ,]+){0,2}? (?:${again})|fortsätter (?:att )?(?:${to_call}|skicka))`,
  says`(?:${calls_you}) (?:ni|du)(?: [^ ,]+){0,2}? (?:${again})`,
  says`om (?:det här|detta|ni|det) inte slutar`,
  says`ring (?:(?:mig|oss|hit) )?(?:igen|en gång till) (?:och|så)`,
  says`nästa (?:gång (?:ni|du) (?:${calls_you})|(?:${calls}))`,
]

const too = 'alldeles|väldigt|så|för|rätt|ganska|jätte|på tok'

const phrases: Phrase[] = [
  ...phrasesOf([[anything, 'opt_out']], threatened, ...called_again),
  ...phrasesOf(threatened, [[anything, 'opt_out']], ...called_again),
  ...phrasesOf(
    [[contains`${gone}`, 'opt_out'], ...forbidden, [anything, 'unclear']],
    whatever,
    says`(?:ring|skriv|kontakta|sms ?a) (?:till )?(?:honom|henne|dem) ${not} ${more}`,
    says`(?:skicka|sänd) ${not} ${around}${kinds} till (?:honom|henne|dem)`,
  ),
  ...phrasesOf(
    [
      [contains`${gone}`, 'opt_out'],
      negated,
      ...reported,
      [endsWith`att|jag|vi|han|hon|de`, undefined],
      [anything, 'unclear'],
    ],
    [
      [nothing, 'opt_out'],
      [startsWith`,|och`, 'opt_out'],
      [anything, undefined],
    ],
    says`${stop}(?: upp)?(?: (?:med|att|och|bara|nu)){0,2} (?:${to_call}|skicka|${call})(?: ${kinds})?(?: till)? (?:honom|henne)`,
    says`${remove} (?:honom|henne)(?: (?:från|ur|i|på) ${list})?`,
  ),
  ...phrasesOf(
    [...reported, [anything, 'opt_out']],
    whatever,
    says`(?:om (?:ni|du) inte slutar|slutar (?:ni|du) inte) (?:upp )?(?:med )?(?:att )?(?:${to_call}|${to_send}|${kinds})`,
    says`om (?:ni|du) inte (?:tar bort|raderar|stryker) ${my}`,
    says`(?:att|har) (?:(?:ni|du) )?(?:har )?(?:tagit bort|raderat|strukit) (?:mitt|vårt|detta) ${number}`,
  ),
  ...phrasesOf(
    [[endsWith`(?:ni|du|de|dom|han|hon|man|vi|jag|som)(?: (?:kan|kommer|ska))?`, undefined], ...forbidden],
    whatever,
    says`(?:hör|ta|tag) ${around}${not} (?:av (?:er|dig|sig)|kontakt)`,
  ),
  ...phrasesOf(
    [...reported, has_condition, how_to, [anything, 'opt_out']],
    whatever,
    says`(?:fått|få|vara|får) (?:mer än )?(?:nog|tillräckligt) (?:av|med) ${kinds}`,
    says`(?:inte|ej) (?:(?:alls|längre) )?intressera(?:d|de|t) av (?:(?:era|er|fler|några|mer|dessa|såna|att få) )${kinds}`,
    says`(?:era|all|alla|dessa|såna) (?:${calls}) är (?:inte (?:önskade?|välkom\S*)|oönskade?|oönskat)`,
    says`(?:era|dina|såna|dessa|de här) (?:${calls}) (?:behöver|vill|önskar) (?:jag|vi) (?:inte|aldrig)(?: ha| få)?`,
    says`(?:ni|du) (?:har|har ju) inte (?:längre )?(?:min|mitt|vår|vårt) ${permission}`,
    says`${remove} allt (?:ni|du) har`,
    says`rätt (?:att bli|till) (?:bort)?(?:glömd|raderad|radering)`,
    says`(?:kräver|begär|önskar)(?: (?:jag|vi|härmed|omedelbar))? radering(?: av (?:min|mina|mitt|alla) \S+| enligt \S+)?`,
    says`(?:spärra|blockera) (?:mig|oss|(?:mitt|vårt|detta) ${number})(?: (?:för|från|mot) (?:att få )?${kinds})?`,
    says`ta (?:mig|oss|mitt ${number}) (?:av|från) ${list}`,
    says`(?:vill|önskar) bort från ${list}`,
    says`(?:mina|alla mina|mitt|vårt) (?:${data}|${number}) (?:raderas|tas bort|raderade|borttagna|borttaget|raderat|ska bort|bort)`,
    says`${not_want} (?:vara|stå|finnas|ligga)(?: med| kvar)? (?:på|i|med i) ${list}`,
    says`(?:vill|önskar) aldrig (?:mer |mera )?(?:ha|få) (?:ett|en|något|nåt|några) (?:enda )?(?:${calls})`,
  ),
  ...phrasesOf(
    [
      [endsWith`(?:om|när|att|inte|som|hur)(?: [^ ,]+)?`, undefined],
      [endsWith`^|,|och|men|nej|nu|varför|hej|jag|redan|två gånger`, 'unclear'],
      [anything, undefined],
    ],
    [
      [nothing, 'unclear'],
      [startsWith`,|och|från|ifrån|längre|av er|två|tre|flera|förstått|hör du`, 'unclear'],
      [anything, undefined],
    ],
    says`(?:det här|detta|det) är (?:(?:rena|ju|bara|rent|ren) )?(?:trakasserier|spam|(?:telefon)?terror|förföljelse|stalking|ofredande)`,
    says`(?:var|hur|varifrån|vart) (?:har|fick|hittade) (?:ni|du)(?: fått)? (?:tag (?:på|i) )?(?:mitt|detta|vårt) ${number}`,
    says`(?:skickat|svarat|skrivit|sagt) stopp?`,
    says`får fortfarande (?:era )?(?:${calls})`,
    says`varför så många (?:${calls})|varför får jag (?:dessa|de här|era|såna|sådana) (?:${calls})`,
    says`(?:ska|kommer att|kommer|tänker) blockera (?:er|dig)`,
    says`vem (?:gav|har gett) (?:er|dig) (?:mitt|detta|vårt) ${number}`,
    says`(?:har |jag har )?aldrig (?:bett om|godkänt|anmält mig till|samtyckt till|sagt ja till) (?:${kinds}|det här|detta)`,
    says`(?:ni|du) (?:${calls_you})(?: (?:mig|oss|hit))?(?: (?:${too}))+ (?:ofta|många|mycket)(?: ${calls})?`,
    says`(?:${calls_you}) (?:ni|du)(?: (?:mig|oss|hit))? (?:så (?:ofta|mycket|många)|hela tiden|jämt|varje dag)(?: ${calls})?`,
    says`(?:jag )?får (?:jag )?(?:alldeles |väldigt )?(?:så|för) många (?:${calls})`,
    says`(?:skriv|mejla|maila|sms ?a|messa) hellre(?: än (?:att )?ring\S*)?`,
    says`ring inte (?:, |och )?(?:skicka|skriv|sms ?a|mejla|messa) (?:ett )?(?:sms|mejl|mail|istället)`,
    says`ring (?:mig )?(?:inte|ej) (?:mig )?(?:på|till) (?:jobbet|arbetet|kontoret)`,
    says`(?:ni|du|och ni|och du) ringer (?:inte|aldrig) (?:upp )?(?:mig|oss|hit)(?: upp)? (?:mer|igen)`,
    says`(?<!(?:varför|när) )ringer (?:ni|du) (?:inte|aldrig)(?: upp)?(?: (?:mig|oss|hit))? (?:mer|igen|nåt mer)`,
    says`(?:finns|står|är|tillhör) (?:(?:med )?i )?nix\S*(?: registret)?`,
    says`(?:har )?blocker(?:ar|at) (?:er|dig|detta nummer)`,
  ),
  ...phrasesOf(
    [negated, ...reported, [endsWith`jag|vi|de|dom|han|hon|att`, undefined], [anything, 'stop']],
    [
      [startsWith`(?:med|av) (?:${kinds}|att (?:ringa|skicka|skriva|sms ?a))`, 'opt_out'],
      [nothing, 'stop'],
      [startsWith`,|och|nu|hela|jämt`, 'stop'],
      [anything, undefined],
    ],
    says`(?:sluta|slutar)(?: upp)?(?: med)?(?: att)? (?:störa|stör|plåga|tjata)(?: på)?(?: (?:mig|oss))?`,
  ),
  ...phrasesOf(
    [has_condition, ...reported, [anything, 'opt_out']],
    [
      [startsWith`av ${kinds}`, 'opt_out'],
      [nothing, 'unclear'],
      [anything, undefined],
    ],
    says`(?:vill|önskar) inte (?:bli|vara) (?:störd|störda)(?: (?:mer|längre))?`,
  ),
  ...phrasesOf(
    forbidden,
    whatever,
    says`${call} ${around}${not} ${around}${me_or_more}`,
    says`(?:skicka|sänd|sända|mejla) ${around}${not} ${around}(?:${kinds}|${any_more})`,
    says`(?:skicka|sänd|sända|mejla) ${around}(?:inget|ingenting|inga|ingen)(?: (?:${kinds}|mer|fler))?`,
  ),
  ...phrasesOf(
    [[endsWith`${calls}|ni|du|jag`, undefined], ...forbidden],
    closed,
    says`(?!stör|plåga|jaga)(?:${call}) (?:${me} ${around})?${not}`,
  ),
  ...phrasesOf(
    forbidden_to,
    whatever,
    says`${not} (?:(?:${shall}|längre) ){0,2}${around}${to_call} ${around}${more}`,
    says`${not} (?:${shall} )?${around}(?:skicka|sända) ${around}(?:${kinds}|${any_more})`,
  ),
  ...phrasesOf(
    [
      [endsWith`(?:kan|kunde|vill|ska|behöver) (?:ni|du)|(?:ni|du) behöver`, undefined],
      limited_before,
      ...forbidden_to,
    ],
    closed,
    says`${not} (?:${shall} )?${around}${to_call}(?: ${me})?`,
  ),
  ...phrasesOf(
    [
      ...reported,
      if_kind,
      [endsWith`(?:${demanding}|se till|ser till|noga med)(?: [^ ,]+)? att`, 'opt_out'],
      [anything, undefined],
    ],
    whatever,
    says`(?:ni|du) ${not} ${calls_you} ${around}${me_or_more}`,
  ),
  ...phrasesOf(
    decided,
    whatever,
    says`${not_want} (?:${kinds}|(?:bli|vara) (?:(?:mer|längre) )?${called})`,
    says`${not_want} (?:ni|du|nån|någon)(?: (?:mig|oss|längre|mer)){0,2} (?:${calls_you}|ska (?:${to_call}|skicka))`,
    says`${not_want} (?:höra (?:(?:mer|något|nåt|mera) )?(?:från|av) (?:er|dig)|(?:mer )?(?:från|med) er)`,
    says`${not_want} (?:något|nåt) (?:mer )?(?:från|av|med) er`,
    says`${decline}(?: (?:mig|oss|jag|vi|härmed)){0,3}(?: för)? (?:${kinds}|att)`,
    says`(?:inte (?:längre )?(?:min|mitt|vår)|inget|ingen) ${permission} (?:[^ ,]+ ){0,2}att (?:${to_call}|skicka)`,
    says`(?:motsätter|invänder|protesterar)(?: (?:mig|oss|mot|jag|vi|härmed)){0,3} (?:[^ ,]+ ){0,4}${use_of_data}`,
    says`(?:förbjuder|förbjudet) (?:(?:er|dig|härmed) ){0,2}(?:för er )?(?:att )?(?:${to_call}|skicka)`,
  ),
  ...phrasesOf(
    [[endsWith`(?:får|fick|fått|har|ser|såg|kommer|kom|hade|finns)(?: [^ ,]+){0,2}`, undefined], ...told_or_decided],
    [[startsWith`kommit|kom|kommer|när|har|, (?:bara|utan|endast)`, undefined], ...whatever],
    says`(?:inga|inget|ingen|ingenting|slipper|slippa|slipp|nej till|bort med|${enough_of}) ${kinds}`,
    says`(?:inget|ingenting|aldrig) mera? från er`,
  ),
  ...phrasesOf(
    [
      [endsWith`(?:se till|ordna|fixa)(?: så)? att (?:jag|vi)`, 'opt_out'],
      [anything, undefined],
    ],
    whatever,
    says`(?:får (?:${not}|inga)|${not} får|slipper|inte längre får) ${kinds}`,
  ),
  ...phrasesOf(
    [[endsWith`(?<!${demanding} )(?:jag|vi)`, undefined], ...told],
    [[startsWith`(?:(?:till|på) )?${someone_else}`, undefined], at_time, [anything, 'opt_out']],
    says`${stop}(?: (?:${stop_words}|bums|bara|jämt|hela tiden|ju)){0,4} (?!störa|stör|plåga|tjata)(?:${to_call}|${to_send}|${call}|kontakt)`,
  ),
  ...phrasesOf(
    told,
    [[startsWith`(?:(?:till|på) )?${someone_else}`, undefined], at_time, [anything, 'opt_out']],
    says`(?:${stop}|${switch_off})(?: (?:${stop_words}|upp|på|från|mig|oss)){0,4} (?:(?:min|mina) )?${kinds}`,
  ),
  ...phrasesOf(
    decided,
    [[startsWith`(?:på|av) ${kinds}`, 'opt_out'], ...asked_alone],
    says`(?:avsluta|avslutar|säga upp|säger upp|säg upp|avbryt|stoppa) (?:min |mina )?prenumeration(?:en)?`,
  ),
  ...phrasesOf(
    [has_condition, [anything, 'opt_out']],
    whatever,
    says`(?:${calls_you}|${calls})(?: [^ ,]+){0,5}(?: ,)? (?:får|måste|ska) (?:det )?(?:vara|bli|ta) (?:slut|nog|stopp)`,
  ),
  ...phrasesOf(
    told_number,
    whatever,
    says`${remove} (?:(?:bort|genast|nu|även|också|alla) )?${my}(?: [^ ,]+){0,2}? (?:från|ur|i|på) ${list}`,
    says`${remove} ${my} (?:härifrån|därifrån|hos er)|bli ${removed}`,
    says`(?:få|bli) (?:${my} )?(?:${removed}|bort) (?:från|ur) ${list}`,
    says`(?:blockera|glöm) (?:mitt|vårt) ${number}`,
  ),
  ...phrasesOf(
    [
      [endsWith`(?:nummer|längre|intresserad)(?: ,)?`, 'opt_out'],
      [anything, undefined],
    ],
    [
      [nothing, 'opt_out'],
      [startsWith`,|och`, 'opt_out'],
      [anything, undefined],
    ],
    says`(?:ta bort|radera|stryk) (?:det|numret)(?: (?:från|ur) ${list})?`,
  ),
  ...phrasesOf(
    told_number,
    little,
    says`${remove} (?:(?:nu|bort|även) )?(?:alla )?(?:mitt|vårt|detta|det här|mina|våra|all|all min|hans|hennes)(?: (?!gaml|gammalt|nya)[^ ,]+)? (?:${number}|${data})`,
    says`${remove} (?:${number}|${data}|mig|mej|oss)`,
  ),
  ...phrasesOf(
    [[endsWith`(?:råkade|råkat|har|hade|redan)(?: [^ ,]+)?`, undefined], ...told_or_decided],
    [
      [startsWith`(?:från|ur|på) (?:${list}|er|alla|allt|det här|detta|tjänsten)`, 'opt_out'],
      [startsWith`inte|ej|aldrig`, undefined],
      [startsWith`från|ur|(?:bil|fordon|kurs|länk|knapp|min)\S*`, undefined],
      [anything, 'opt_out'],
    ],
    says`${sign_off}(?: (?:mig|mej|oss|jag|vi|sig|mitt nummer|detta nummer)){0,2}`,
  ),
  ...phrasesOf(
    decided,
    [
      [startsWith`till (?:operation|behandling(?!en av)|vaccin|ingrepp)\S*`, undefined],
      [anything, 'opt_out'],
    ],
    says`(?:återkallar?|(?:drar?|tar?) tillbaka|häver)(?: (?:jag|vi|härmed)){0,2} (?:mitt|mina|vårt|allt|min) ${permission}`,
  ),
  ...phrasesOf(
    told_or_decided,
    whatever,
    says`(?:sätt|lägg|skriv|för) (?:upp )?(?:mig|mitt nummer|oss) på (?:[^ ,]+ ){0,3}(?:spärr|nix|blocklist)\S*`,
  ),
  ...phrasesOf(
    [how_to, whether, [anything, undefined]],
    [[anything, 'unclear']],
    says`(?:får|blir|slutar|stänger) (?:jag )?(?:bort|av|av med|slut på) (?:${kinds}|${my})`,
    says`(?:avsluta|stoppa|slippa) (?:det här|detta)`,
  ),
  ...phrasesOf(
    [
      [endsWith`ni|du`, 'unclear'],
      [anything, undefined],
    ],
    asked_alone,
    says`${calls_you}(?: [^ ,]+){0,3} (?:för ofta|för mycket|hela tiden|jämt)`,
  ),
  ...phrasesOf(
    [
      [nothing, 'unclear'],
      [endsWith`,|nej|men`, 'unclear'],
      [anything, undefined],
    ],
    asked_alone,
    says`nu räcker det|det räcker nu|nu får det räcka|nu är det nog|nog nu`,
  ),
  ...phrasesOf(
    [negated, [endsWith`jag|vi|de|dom|ska|han|hon|att`, undefined], [anything, 'stop']],
    alone,
    says`(?:lämna|låt) (?:mig|mej|oss) (?:vara )?(?:ifred|i fred|vara|i lugn och ro)`,
    says`lägg av|stick|försvinn|stör (?:mig|oss) inte`,
  ),
  ...phrasesOf(
    [
      [nothing, 'stop'],
      [anything, undefined],
    ],
    [
      [nothing, 'stop'],
      [anything, undefined],
    ],
    says`(?:dra|far) åt(?: helvete| skogen)?|dra|håll käften`,
  ),
]

const write_to_me =
  '(?:sms ?a|messa|mejla|maila|skriv|ring) (?:(?:bara|gärna|mig|oss|till mig|ett sms|ett mejl)(?! (?:inte|aldrig|ej|' +
  'mer))|på|via|i)|' +
  'skicka (?:ett )?(?:sms|mejl|mail|brev)|hör av er (?:på|via)'
const but = ',|och|men|utan|bara|så|då|ni|du'
const write_only = 'ring inte(?: ,)? (?:skriv|messa|sms ?a|mejla|maila)(?=$| ,)'
const another_way = contains`${write_only}|hellre|i ?stället|föredrar|(?:bara|endast) (?:via|per|på|genom)|(?<=^|${but} )${write_to_me}`

export const sv: Language = {
  tag: 'sv',
  opt_outs: {
    words: [
      ...[
        'stop',
        'stopp',
        'avanmäl',
        'avanmäl mig',
        'avregistrera',
        'avregistrera mig',
        'avprenumerera',
        'stoppa sms',
        'stopp sms',
        'sluta ringa',
        'stoppa',
        'reklam nej',
        'stopa',
        'stpp',
        'avreigstrera',
        'avregisterera',
        'avregistera',
        'avregisterera mig',
        'avanmla',
      ],
      ...['avanmälan', 'avregistrering', 'ring inte', 'sluta skicka'],
    ],
    ordinary_words: listed(
      'avbryt, sluta, sluta nu, slut, fel nummer, inget intresse, avsluta, avslut, avboka, avbeställ, säg upp, ' +
        'ta bort, radera, nog, det räcker, det ' +
        'räcker nu, nu räcker det, lägg av, lägg ner, jag vill inte mer, vill inte mer, ' +
        'inte intresserad, ej intresserad, inte intresserade, jag är inte intresserad, är inte intresserad, ' +
        'försvinn, stick, undanbedes, blocka mig, blockera mig',
    ),
    phrases,
    another_way,
    at_once: ['genast', 'omedelbart', 'snarast'],
    fillers: [
      ...(
        'tack snälla vänligen hallå hej asså alltså faktiskt ursäkta jävla jävlar jävlarna helvete ' +
        'herregud ' +
        'ärligt'
      ).split(' '),
      ...['var snäll', 'är snäll'],
    ],
  },
  opt_in_words: [],
  help_words: ['hjälp'],
  answers: {
    yes: listed(
      'ja, jo, japp, jajamän, javisst, visst, absolut, självklart, precis, just det, okej, ok, stämmer, det stämmer, ' +
        'gärna, ' +
        'korrekt, det är rätt, rätt, det går bra, det blir bra, såklart, givetvis',
    ),
    no_more: listed(
      'inga fler, inga fler samtal, inga fler meddelanden, inget mer, inte mer, aldrig mer, aldrig igen, sluta, ' +
        'stopp, stop, ' +
        'det vill jag, ja det vill jag, helt säker, jag är säker, det är riktigt, sluta ringa',
    ),
    courtesies: listed('tack, snälla, tack så mycket, hej då, öh, eh'),
  },
  sayings: {
    opt_out: 'Du får inga fler meddelanden från oss. Svara START för att få dem igen.',
    no_more_messages: 'Du får inga fler meddelanden från oss.',
    no_more_calls: 'Jag förstår. Vi ringer dig inte igen. Hej då.',
    no_more_question: 'Vill du slippa alla samtal och meddelanden från oss?',
    press_key: 'Tryck på {key} om du inte vill ha fler samtal.',
    star: 'stjärna',
    hash: 'fyrkant',
  },
}
