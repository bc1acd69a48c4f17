import { type Language, listed } from './language.ts'
import { anything, type Judgement, nothing, type Phrase, phrasesOf, spelledBy } from './wish.ts'

/** People write as they hear: "nierzycze sobie", "wiencej smsuw", "usunonć". */
const { says, endsWith, startsWith, contains } = spelledBy([
  ['nie (?!(?:jest|bylo|zyj)[^a-z]?)', 'nie ?'],
  ['rz|ż', '(?:rz|z)'],
  ['[óu]', '[ou]'],
  ['ch|h', 'c?h'],
  ['ą', '(?:a|o[nm]?)'],
  ['ę', '(?:e|e[nm])'],
])

/** To call or write, as a command or an infinitive, with common typing errors. */
const to_call =
  '(?:(?:za)?dzwo[nm]|dzown|(?:na|wy)?pisz|wydzwaniaj|(?:telefon|sms|esemes|kontakt|spam)uj|odzywaj)(?:cie|' +
  'że|cież|ta)?(?: się)?|' +
  '(?:za)?dzwonić|dzw?on[ci]{2}|dzownić|zdwonić|(?:na)?pisać|wydzwaniać|odzywać(?: się)?|' +
  '(?:telefon|sms|esemes|kontakt|spam)ować(?: się)?'
const to_harass =
  '(?:nękaj|niepokój|napastuj|molestuj|nagabuj|dręcz|prześladuj|bombarduj|zasypuj|nachodź)(?:cie)?|' +
  'nękać|niepokoić|napastować|molestować|nagabywać|dręczyć|prześladować|bombardować|zasypywać|nachodzić'
const to_bother =
  '(?:męcz|przeszkadzaj|zawracaj|zaczepiaj|truj|naprzykrzaj)(?:cie)?|' +
  'męczyć|przeszkadzać|zawracać|zaczepiać|truć|naprzykrzać'
const to_send = '(?:(?:prze|przy|wy|pod|nad)syłaj|ślij|wyślij|przyślij)(?:cie)?|(?:prze|przy|wy|nad)?syłać|słać'
const to_reach = `${to_call}|${to_harass}|${to_bother}`
/** Verbs after "that": "żebyście nie dzwonili". */
const called =
  '(?:(?:za)?dzwoni|(?:na)?pisa|wydzwania|(?:telefon|sms|esemes|kontakt|spam)owa|odzywa|nęka|niepokoi|męczy|' +
  '(?:prze|przy|wy)?syła|zawraca|przeszkadza)ł[aiy]?|' +
  '(?:dzwonio|pisa|wydzwania|wysyła|przysyła|kontaktowa|nęka|niepokojo)no'
/** Verbs after "niech". */
const calls_me =
  '(?:dzwoni|pisze|wydzwania|(?:telefon|sms|esemes|kontakt|spam)uje|odzywa|nęka|niepokoi|męczy|(?:przy|wy)syła|' +
  'zawraca)' +
  '(?:ją|ą)?|piszą'
const calling =
  '(?:dzwon|wydzwani|pisa|telefonowa|kontaktowa|wysyła|przysyła|przesyła|nadsyła|nęka|niepokoj|spamowa|smsowa)' +
  '(?:i?e)?ni(?:e|a|u|em)'
/** The object of wishes, in any case. */
const calls =
  `${calling}|telefon(?:ów|y|ami|om)|połącze(?:ń|nia|niami|niom)|rozm(?:ów|owy|owami)|wiadomości(?:ami|om)?|treści|` +
  'sms(?: ?(?:y|ów|ami|om))?|(?:e?semes|es|smes)(?:y|ów|ami|om)|powiadomie(?:ń|nia|niami|niom)|newsletter\\S*|' +
  'reklam(?:y|ami|om|owe)?|ofert(?:ami|om)?|spam(?:u|em|owi)?|kontakt|kontakt(?:u|y|ów|em|ować|owania)?|korespondencji|' +
  '(?:tele)?marketing\\S*|promocj(?:i|e|ami)|promek|promk[ai]|przypomnie(?:ń|nia|niami)'
const kind =
  'już|więcej|żadn\\S+|te|tej|tym|ani|tyle|tak\\S+|od|was|pana|pani|państwa|panów|sobie|mi|mnie|nam|na|z|wasz\\S*|' +
  'jaki\\S*|' +
  'mieć|dostawać|otrzymywać|odbierać|dalsz\\S+|otrzymywanie|kolejne|nic|niczego|ciągłe|wszystkie|swoje|wysyłk[ięe]|' +
  '[^ ,]+(?:ych|ymi|ich|ego)'
const kinds = `(?:(?:${kind}) ){0,4}(?:${calls})`

const number = '(?:numer|nr|telefon|kontakt)(?:u|em|ie|ze)?(?: telefonu)?'
const us =
  'do (?:mnie|nas|domu|niej|niego|nich|(?:moj|nasz)\\S+ (?!drzwi)[^ ,]+)|mi|mnie|nam|nas|ze mną|z nami|' +
  'tu|tutaj|ode mnie|(?:na|pod) (?:ten|tym|moj\\S*|mój|nasz\\S*) ' +
  `${number}|` +
  'na whatsapp\\S*'
const more = 'więcej|już|nigdy|przenigdy|w ?ogóle|kiedykolwiek|w przyszłości|na przyszłość|dłużej|ponownie|znowu'
const us_or_more = `${us}|${more}`
/** Words that stand between the parts of a demand. */
const around = `(?:(?:${us_or_more}|się|też|tak|te|pan|pani|państwo|wy|tym|tymi|żadn\\S+|takich|tych) ){0,4}`

const relative =
  'żona|mąż|mama|mamie|tata|ojciec|matka|syn|córka|babcia|dziadek|brat|siostra|sąsiad|sąsiadka|szef|szefowa|kolega|' +
  'koleżanka|partner|partnerka|narzeczona|teściowa|rodzice|dzieci|chłopak|dziewczyna|wspólnik|on|ona|oni|ktoś'
const relative_says =
  'mówi\\S*|(?:po)?prosi\\S*|chc\\S+|każe|kaza\\S+|powiedzia\\S+|skarży\\S*|życzy|uważa|twierdzi|wolał\\S*'
/** "Moja żona mówi". */
const reported: Judgement[] = [
  [contains`(?:${relative})(?: [^ ,]+){0,4} ${relative_says}`, 'unclear'],
  [endsWith`${relative}(?: [^ ,]+){0,2}`, 'unclear'],
]
/** Names somebody else who was told. */
const others: Judgement = [contains`mu|jemu|jej|im|byłemu|byłej|synowi|córce|mężowi|żonie|eks|ex|koledze`, undefined]
const saying = 'chc\\S+|mówi\\S+|powiedzi\\S+|prosi\\S+|kaza\\S+|żąda\\S+|trzeba|musi\\S+|potrzeb\\S+|chodzi|znaczy'
const that = 'że|żeby|żebyście|żebyś|abyście|byście'
const negated: Judgement = [
  endsWith`nie(?: [^ ,]+)?(?: ${saying})?(?: (?:wam|panu|pani|państwu|o to|to))?(?:(?: ,)? ${that}| o)?`,
  undefined,
]
const when =
  '(?:jeśli|jeżeli|jak|o ile)(?! (?:już )?(?:mów|pros|powiedz|moż|mog|łask|wyżej))|gdy|gdyby\\S*|jakby\\S*|kiedy|' +
  'dopóki|póki|zanim'
const has_condition: Judgement = [contains`${when}`, undefined]
const day = 'poniedział\\S+|wtor\\S+|środ[ayę]|czwart\\S+|piąt\\S+|sobot\\S+|niedziel\\S+|weekend\\S*'
/** A time, or the bell of a door. */
const time =
  'dziś|dzisiaj|jutro|(?<!ani )teraz|chwilowo|na ?razie|póki co|rano|wieczor\\S+|nocą|popołudni\\S+|między|podczas|' +
  'codziennie|przed|po (?!raz|co|prostu|tym)\\S+|o (?:\\d+|\\S+ej)|(?:tak|za|zbyt) (?:wcześnie|późno|często|rano|' +
  'szybko)|' +
  `do (?:\\d+|(?!moj|nasz|niej|tej|star)\\S+ej|${day}|jutra|końca|odwołania|południa|świąt|rana|` +
  'wieczora|drzwi)|domofonem|dzwonkiem|na domofon|' +
  `w (?:${day}|nocy|pracy|święta|dni|dzień|ciągu|godzinach|trakcie|czasie|(?:tym )?tygodniu|tej chwili|południe)|` +
  'przez (?:najbliższ\\S+|tydzień|godzin\\S+|chwilę|kilka|parę)'
const busy =
  'jestem (?:teraz )?(?:na|w|zajęt[ay]|pod)|mam (?:zebrani\\S+|spotkani\\S+)|śpi|śpię|śpimy|prowadzę|zaraz będę|' +
  'nie mogę (?:teraz )?(?:rozmawiać|gadać|odebrać|odbierać)|już (?:schodzę|idę|jadę|jestem|wychodzę)|oddzwonię|' +
  '(?:sam|sama|ja) (?:(?:się|do was|do pana|do pani) )?(?:zadzwonię|odezwę|napiszę|przyjdę|przyjadę)'
/** These words after a wish limit it to a time. */
const at_door = 'paczk\\S*|pacz(?:ek|ce)|przesyłk\\S*|drzwi\\S*|portier\\S+|sąsiad\\S*'
const limited: Judgement[] = [
  [startsWith`(?:do (?:mnie|nas) )?(?:do|w) (?:pracy|pracę|biura)`, 'unclear'],
  [contains`${at_door}`, undefined],
  [startsWith`(?:[^ ,]+ ){0,3}${time}`, undefined],
  [startsWith`(?:[^ ,]+ ){0,4}(?:, )?(?:${when}|chyba że|aż)`, undefined],
  [contains`${busy}`, undefined],
]

const i_may = 'mam|mamy|mogę|możemy|będę|wolę|wolimy|zamierzam|lepiej|dlaczego|czemu|po co|muszę|może|można|proponuję'
/** Judges the words before what the agent is not to do. */
const forbidden: Judgement[] = [
  [endsWith`ile (?:jeszcze )?razy(?: [^ ,]+){0,5}`, 'opt_out'],
  [contains`${at_door}`, undefined],
  [endsWith`${i_may}(?: [^ ,]+){0,2}`, undefined],
  [endsWith`(?:postanowi|obiec|zdecydowa|stara|prób|kaza|mog)\S+(?: [^ ,]+){0,2}`, undefined],
  has_condition,
  [endsWith`${time}(?: [^ ,]+){0,3}`, undefined],
  others,
  ...reported,
  [anything, 'opt_out'],
]
const demanding =
  '(?:mówi|pros|powiedzi|powtarza|żąda|życz|wymag|oczekuj|apel|ostrzeg|zgłasza|pisa|zaznacza|wolał|chc[eęi])'
/** Judges the words before "that you don't call". */
const told_that: Judgement[] = [
  has_condition,
  others,
  negated,
  ...reported,
  [contains`${demanding}\S*`, 'opt_out'],
  [/(?:^|,)$/, 'opt_out'],
  [anything, 'unclear'],
]
const i_can = 'mogę|możemy|można|da się|mogłbym|mogłabym|idzie|umiem|potrafię'
const how = 'jak|gdzie|kiedy|którędy|sposób|co (?:mam|muszę|trzeba|należy|zrobić)|można|da się'
const how_to: Judgement = [contains`${how}|(?:czy|nie)(?: [^ ,]+){0,2} ${i_can}(?! (?:was |pana )?pro)`, 'unclear']
/** Judges the words before what the agent is to do, or the contact does. */
const told: Judgement[] = [
  [endsWith`nie`, undefined],
  how_to,
  has_condition,
  others,
  negated,
  ...reported,
  [endsWith`(?:muszę|musiałem|musiałam|mam|postanowi\S+)(?: [^ ,]+)?`, 'unclear'],
  [anything, 'opt_out'],
]
/** Judges the words before "I don't want". */
const wished: Judgement[] = [
  [endsWith`dlaczego|czemu|czy`, undefined],
  has_condition,
  others,
  ...reported,
  [anything, 'opt_out'],
]
const asked: Judgement[] = [how_to, [anything, undefined]]
const other_number = '(?:doda|now[yae]|zmie|wpis|poda|zamiast|star[yae]|popraw)'
/** Judges the words before and after "my number": it may only be changed. */
const not_other_number: Judgement = [contains`${other_number}\S*`, undefined]

const list =
  '(?:z|ze|od) (?:(?:tej|waszej|swojej|swoich|państwa|pańskiej|wszystkich|wszelkich|całej|tych|waszych|listy|waszego|' +
  'tego) ){0,2}' +
  '(?:(?:list|baz|system|ewidencj|rejestr|wysył)\\S*|kontaktów|subskrypcji|mailing\\S*|spisu|kartoteki|książki|' +
  `usługi|${calls})`

const whatever: Judgement[] = [...limited, [anything, 'opt_out']]
const closed: Judgement[] = [
  ...limited,
  [nothing, 'opt_out'],
  [startsWith`wcale`, 'unclear'],
  [startsWith`,|i|bo|ani|oraz|a|więc|że|z ${kinds}|w (?:sprawie|żadn\S+|jakiej\S+)`, 'opt_out'],
  [anything, undefined],
]
const little: Judgement[] = [
  not_other_number,
  [nothing, 'opt_out'],
  [startsWith`,|i|oraz|stąd|z (?:tego|tych)|już|bo|na (?:stałe|zawsze)|telefonu|od|osobow\S+|${list}`, 'opt_out'],
  [anything, undefined],
]
const only: Judgement[] = [
  [nothing, 'unclear'],
  [startsWith`,`, 'unclear'],
  [anything, undefined],
]
const alone: Judgement[] = [
  [nothing, 'stop'],
  [startsWith`,|i|z|raz|już|wreszcie|do|ode`, 'stop'],
  [anything, undefined],
]

const my =
  `mnie|nas|(?:mój|nasz|ten|mojego|naszego|tego) ${number}|(?:moje|moich|nasze|naszych)(?: [^ ,]+)? dan(?:e|ych)|` +
  'dane moje|' +
  'moje (?:imię|nazwisko)|(?:ten|mój) kontakt'
const remove =
  '(?:usu[ńn]|wykreśl|skreśl|skasuj|wykasuj|wywal|wyrzuć|wymaż|wyrejestruj|zdejmij|wypisz)(?:cie|że)?|' +
  '(?:usuną|wykreśli|skreśli|(?:wy|s)kasowa|wywali|wyrzuci|wymaza|wyrejestrowa|wypisa|zdją)ć|' +
  '(?:usunięci|wykreśleni|skreśleni|(?:wy|s)kasowani|wypisani|wyrejestrowani)[ea]'
const removes = 'usunie|wykreśli|skreśli|skasuje|wypisze|usuną|wykreślą'
const you = '(?:pan|pani|państwo)'
const end =
  '(?:prz?e?sta[nń]|przesa[nń]|zaprzesta[nń]|skończ|kończ|zakończ|poprzesta[nń])(?:cie|ce|ie|ci|że)?|przest?ać|' +
  '(?:odpuść|daruj)(?:cie)? sobie|(?:daj|dajcie|dajże|daj pan)(?: (?:już|mi|nam|święty)){0,3} (?:se |' +
  'sobie )?(?:siana|spokój|na luz) z|' +
  '(?:odwal|odczep|spadaj|spieprzaj|odpieprz|odpierdol)(?:cie)?(?: się)?(?: ode mnie| od nas)? z|' +
  'zaprzestać|zakończyć|wstrzymać|przestaniecie|przestaniesz|' +
  'skończyć|' +
  '(?:żeby|aby|by)(?:ście|ś) (?:[^ ,]+ )?(?:przesta|zaprzesta|skończy)(?:li|ły|ł|ła)|' +
  `niech ${you} (?:przestan|zaprzestan|skończ)[eyąa]|(?:żeby|aby) ${you} przestał(?:a|i)?`
const not_want =
  'nie (?:już )?(?:chc[eę]|chcemy|chciała?bym|życz[eęy]|życzymy|zgadzam|zgadzamy|godzę|wyrażam|wyrażamy|potrzebuję|' +
  'potrzebujemy|pozwalam|zezwalam|akceptuję|toleruję|zamierzam|mam (?:ochoty|czasu|zamiaru)|ma(?: mojej)? zgody|' +
  'interesują)' +
  '(?: (?:już|więcej|sobie|się|zgody|absolutnie)){0,3}'
const nobody = `niech ${around}(?:nikt (?:(?:od was|z firmy|z państwa) ){0,2})?`
const that_you = `żebyście|żebyś|abyście|abyś|byście|(?:żeby|aby)(?: (?:${you}|nikt))?`
const you_may = '(?:macie|ma pan|ma pani|mają państwo|wolno|możecie|możesz|powinniście|powinno)'
const forbid = 'zakazuj[eę]|zakazujemy|zabraniam|zabraniamy|zakaz|odmawiam'
const withdraw = 'wycofuj[eę]|wycofujemy|cofam|cofamy|odwołuj[eę]|wycofać|cofnąć|odwołać|wycofani[ea]|cofnięci[ea]'
const consent = '(?:przetwarza|kontakt|dan|marketing|przesył|wysył|dzwon|rodo)\\S*'
const harassed = '(?:nękan|niepokojon|kontaktowan|informowan|nagabywan|męczon|powiadamian|bombardowan)\\S+'
const no_more =
  'żadn(?:ych|ego|ej)|starczy(?: już)?(?= tych| waszych)|dość|dosyć|stop|precz z|basta|' +
  'koniec(?! rozm)(?: z)?|zero|nigdy więcej|w dupie'
const goes_on = '(?:(?:za)?dzwoni|przesta|(?:na)?pis|(?:wy|przy)śl|wysyła|będzie|nęka)\\S*'
const accuse =
  '(?:to )?(?:(?:was|pana|panią|to) )?(?:zgłas|zgłosz|złoż|zawiad|wezw|wzyw|id|pójd|dzwoni|powiad|' +
  'zadzwoni|skieruj|oddam)\\S+' +
  '(?: [^ ,]+){0,3} (?:policj|uodo|uokik|uke|prokuratur|adwokat|sąd|prawnik|skarg)\\S*|zgłoszę was|was zgłoszę|' +
  'spraw[aą] (?:zajmie|trafi|się)|(?:to )?zgłoszę to'
/** "Jak jeszcze raz zadzwonicie, to idę na policję." */
const threat =
  `(?:jeśli|jeżeli|jak|gdy)(?: (?!${goes_on} |` +
  `nie )[^ ,]+){0,5}(?: nie(?= przesta))? ${goes_on}(?: [^ ,]+){0,3}?(?: ,)? (?:${accuse})|` +
  `(?:jeszcze|kolejny) (?:jeden |jedna |raz )?[^ ,]+(?: ,)? (?:i|a) (?:${accuse})|następnym razem (?:${accuse})|` +
  `(?:${accuse})(?: [^ ,]+){0,3}?(?: ,)? (?:jeśli|jeżeli|jak) (?:nie(?= przesta) |jeszcze |raz |do |mnie |dalej |wciąż |znowu ){0,4}${goes_on}`
const sign_off = 'wypisać|wyrejestrować|odsubskrybować|wyrejestrowuję|wypisuję|wypisujemy'

const phrases: Phrase[] = [
  ...phrasesOf(
    forbidden,
    whatever,
    says`${us_or_more} ${around}nie ${around}${to_reach}`,
    says`nie ${around}${to_reach} ${around}${more}`,
    says`nie (?:dzwonisz|dzwonicie|piszesz|piszecie) (?:${us} )?(?:więcej|już$)`,
    says`nie ${to_harass}`,
    says`nie ${around}${to_send} ${around}(?:${kinds}|nic|niczego|więcej)`,
    says`(?:nic|niczego|więcej|nigdy|${calls}) ${around}nie ${around}${to_send}`,
    says`${nobody}${around}nie ${calls_me} ${around}${us_or_more}`,
    says`${nobody}${us_or_more} (?:nikt )?(?:od was )?${around}nie ${calls_me}`,
    says`więcej nie dzwoni|(?:pod|na) (?:ten|mój|nasz) ${number} ${around}nie (?:dzwoni|pisze|wysyła)`,
  ),
  ...phrasesOf(
    forbidden,
    [[startsWith`na (?:faktur|paragon|paczce|rachunku)\S*|o (?:tym|nim|niej)|takich`, undefined], ...whatever],
    says`nie ${to_call} ${us}`,
  ),
  ...phrasesOf(
    forbidden,
    closed,
    says`nie ${around}${to_call}|nie(?:dzwo[nń]|pisz)(?:cie)?|niedzwonić`,
    says`${nobody}${around}nie ${calls_me}`,
    says`niech ${you} (?:[^ ,]+ ){1,6}i (?:[^ ,]+ )?nie ${calls_me}`,
  ),
  ...phrasesOf(
    forbidden,
    [
      [nothing, 'opt_out'],
      [startsWith`,|bo|i|na`, 'unclear'],
      [anything, undefined],
    ],
    says`nie ${to_send}(?: (?:mi|nam|już|więcej|tego|takich|rzeczy)){1,4}|(?:już|mi|nam) ${around}nie ${to_send}`,
  ),
  ...phrasesOf(forbidden, only, says`nie ${to_send}`),
  ...phrasesOf(
    forbidden,
    alone,
    says`nie ${to_bother} (?:mnie|nas|mi|nam)(?: (?:głowy|dupy|gitary))?|nie przeszkadzaj(?:cie)?`,
  ),
  ...phrasesOf(
    told_that,
    whatever,
    says`nie (?:będziecie|będziesz|będzie pan|będzie pani) ${around}${more} ${around}${to_call}`,
    says`${that_you} ${around}nie (?:${called}|${to_call}|${to_send})`,
  ),
  ...phrasesOf(
    wished,
    closed,
    says`nie ${you_may} ${around}(?:(?:prawa|wam|ci|zgody) ){0,2}${around}${to_call}(?: ${us_or_more})?`,
    says`${not_want} ${around}(?:nic |niczego )?(?:od was|od państwa)(?: (?:nic|niczego))`,
  ),
  ...phrasesOf(
    wished,
    whatever,
    says`${not_want} ${kinds}`,
    says`${
      `${not_want}(?: na to)?(?: ,)? (?:żeby|aby|by)\\S*(?: (?!przesta|zaprzesta|` +
      `skończ)[^ ,]+){0,7} (?:${called}|${to_call}|dostawać|otrzymywać)`
    }`,
    says`${not_want} (?:być|zostać) ${around}${harassed}`,
    says`${not_want} być (?:już |dłużej )?(?:na|w) (?:[^ ,]+ )?(?:liście|bazie)(?! (?:rezerw|oczekuj|gości))`,
    says`${not_want} ${around}(?:od )?(?:was|pana|pani|państwa) (?:(?:więcej|już|nic|nigdy) ){0,2}słyszeć`,
    says`${not_want} ${around}(?:nic|niczego) ${around}od (?:was|państwa) (?:więcej|już|słyszeć|dostawać|otrzymywać)`,
  ),
  ...phrasesOf(
    told,
    [[startsWith`(?:faktur|rachunk|paczk|aplikacji|w aplikacji|dźwięk)\S*`, undefined], ...whatever],
    says`${end} (?:(?:${us_or_more}|się|te|z|tak|ciągle|w kółko|${you}) ){0,4}(?:${to_reach}|${to_send}|${kinds})`,
    says`(?:wyłącz|zablokuj|wstrzymaj|anuluj|odwołaj|skasuj|zakończ)(?:cie|że)? ${kinds}`,
    says`${
      '(?:(?:wyłącz|zablokuj|wstrzymaj|anuluj)(?:cie|że)?|anuluję|anulować) (?:mi |tę |waszą )?(?:wysyłk|' +
      'subskrypcj)[eęi]'
    }`,
    says`(?:wyłączyć|wstrzymać|zablokować) (?:${kinds}|wysyłkę)`,
  ),
  ...phrasesOf(
    told,
    whatever,
    says`(?:zaprzestani|zaniechani|wstrzymani|zakończeni)[eau] ${around}${kinds}|o ich (?:\S+ )?zaprzestanie`,
    says`o nie ?(?:dzwonienie|kontaktowanie|niepokojenie|nękanie|pisanie|(?:wy|przy|prze)syłanie ${around}${kinds})`,
    says`${forbid} (?:(?:wam|ci|panu|pani|państwu|sobie|[^ ,]+ego) ){0,2}${around}(?:${to_call}|${to_send}|${calls})`,
    says`${list} (?:[^ ,]+ ){0,2}?${my} (?:[^ ,]+ ){0,2}?${remove}|${list} ${remove} ${my}`,
    says`(?:zapomnij|zostaw|zablokuj)(?:cie)? (?:o )?(?:mój|moim|nasz|naszym) ${number}`,
    says`(?:wara|precz|won|wynocha) (?:od|z) (?:mojego|naszego) ${number}`,
    says`(?:z?rezygnuj[eę]|rezygnujemy|zrezygnować|rezygnacj[eęa])(?: już)? ze? (?:${kinds}|subskrypcji|otrzymywania)`,
    says`sprzeciw\S*(?: [^ ,]+){0,3} (?:(?:przetwarzani|wykorzyst|używani|kontakt|marketing)\S*|${calls})`,
    says`nie (?:zgadzam się|wyrażam(?: już)? zgody)(?: [^ ,]+)? na (?:przetwarzanie|wykorzystywanie|używanie)`,
    says`(?:list|rejestr)\S* (?:[^ ,]+ )?(?:, )?(?:do )?któr\S+ ${around}nie (?:dzwoni\S*|należy|wolno|można)`,
    says`(?:usunięci|wykreśleni|skreśleni|wypisani)[ea] ${list}|zaprzestani[ea] przetwarzania|o brak (?:${calls})`,
    says`praw\S+ do (?:bycia zapomnian\S+|sprzeciwu|usunięcia)`,
    says`(?:nie )?ani jedn\S+ (?:wiadomości|telefonu|smsa|sms|esemesa|reklamy|połączenia|maila) więcej`,
    says`nie (?:pozwalam|zezwalam) ${around}(?:${to_call})`,
    says`nie (?:macie|ma pan|ma pani|mają państwo) (?:mojej )?zgody (?:na )?${kinds}`,
    says`nie ${to_send} (?:na|pod) (?:ten|mój|nasz) ${number}`,
    says`(?:${forbid}) (?:wykorzystywani|używani|przetwarzani)[aeu] ${my}|${forbid} (?:wykorzystywać|używać) ${my}`,
    says`${not_want} ${around}mieć (?:z (?:wami|państwem) )?nic (?:więcej )?wspólnego`,
    says`nie wybiera(?:j|jcie|ć) (?:(?:tego|mojego|go) ){1,2}(?:numeru|ponownie|więcej)`,
    says`${end} ${around}(?:do (?:mnie|nas) )?wypisywać|nie ${around}wypisuj(?:cie)? (?:już |więcej )?do (?:mnie|nas)`,
  ),
  ...phrasesOf(
    [[endsWith`(?:nie (?:było|ma|mam|dosta\S+|otrzyma\S+|widz\S+|przysz\S+)|bez)(?: [^ ,]+){0,3}`, undefined], ...told],
    [
      [startsWith`nie (?:dosta|mam|otrzym|widz|przysz|był)\S*`, undefined],
      [contains`co się dzieje|dlaczego|czemu|od (?:wczoraj|tygodnia|miesiąca|rana|dawna)`, undefined],
      ...whatever,
    ],
    says`(?:mam |mamy )?${no_more} (?:mam |mamy )?${kinds}`,
  ),
  ...phrasesOf(
    [not_other_number, ...told],
    [not_other_number, [anything, 'opt_out']],
    says`${remove} (?:[^ ,]+ ){0,2}?${my}(?: [^ ,]+){0,3}? ${list}|${my} (?:[^ ,]+ ){0,3}?${remove} ${list}`,
  ),
  ...phrasesOf(
    [not_other_number, ...told],
    little,
    says`${remove} (?:[^ ,]+ )?(?:mój|nasz|ten|mojego|moich|moje|nasze|naszego) (?:${number}|(?:[^ ,]+ )?dan(?:e|ych))`,
    says`(?:(?:mój|nasz|ten|moje|nasze) )?(?:${number}|dane) (?:[^ ,]+ )?${remove}`,
    says`(?:usuń|wykreśl|skreśl|skasuj|wypisz|wyrejestruj)(?:cie)? (?:mnie|nas)`,
    says`(?:usunąć|wykreślić|skreślić|wypisać) (?:mnie|nas)`,
    says`(?:mnie|nas) (?:usunąć|wykreślić|skreślić|wypisać|usuńcie|wypiszcie|wykreślcie|skreślcie)`,
    says`niech (?:[^ ,]+ )?(?:mnie|nas) (?:[^ ,]+ )?${removes}`,
  ),
  ...phrasesOf(
    told,
    [
      [startsWith`${list}|z tego`, 'opt_out'],
      [startsWith`z|ze|na|do`, undefined],
      [anything, 'opt_out'],
    ],
    says`się ${around}${sign_off}|${sign_off} się`,
    says`(?:niech|może|może by|mógłby|mogłaby) ${you} (?:[^ ,]+ )?${my} (?:[^ ,]+ )?${removes}(?= z)`,
  ),
  ...phrasesOf(
    told,
    [
      [startsWith`(?:dotycząc\S+|na) (?:[^ ,]+ ){0,3}?(?:${consent}|${calls})`, 'opt_out'],
      [startsWith`na`, undefined],
      [anything, 'opt_out'],
    ],
    says`${withdraw} (?:[^ ,]+ ){0,3}?(?:zgod\S*|zgód)`,
  ),
  ...phrasesOf(
    [[endsWith`wol(?:ę|imy|ał\S+)`, 'opt_out'], [nothing, 'unclear'], ...asked],
    whatever,
    says`nie (?:dostawać|otrzymywać) ${kinds}`,
    says`nie być ${around}${harassed}`,
  ),
  ...phrasesOf([[anything, 'opt_out']], [[anything, 'opt_out']], says`${threat}`),
  ...phrasesOf(forbidden, whatever, says`nie ${to_bother} (?:(?:mi|nam|mnie|nas|głowy|dupy) ){0,2}${kinds}`),
  ...phrasesOf(
    [
      [
        contains`${
          'dzwoni\\S*|pisz\\S*|sms\\S*|telefon\\S*|wysyła\\S*|zgod\\S*|zmarł\\S*|żyje|pomyłk\\S*|' +
          'zainteresowan\\S*|numeru|dzwonienia'
        }`,
        'opt_out',
      ],
      [nothing, 'unclear'],
      [anything, undefined],
    ],
    [
      [nothing, 'opt_out'],
      [startsWith`,`, 'opt_out'],
      [anything, undefined],
    ],
    says`(?:skończ|przesta[nń]|kończ)(?:cie)? (?:już )?z tym`,
    says`(?:skasuj|usuń|wykreśl|wypisz)(?:cie)?|przestańcie`,
    says`${remove} (?:jego|jej) ${number}`,
    says`${remove} (?:numer|nr)(?: telefonu)?`,
  ),
  ...phrasesOf(
    [
      [endsWith`nie`, undefined],
      [anything, 'unclear'],
    ],
    [[anything, 'unclear']],
    says`(?:za)?blokuję (?:was|ten numer)|jest(?:em|eśmy) na liście robinsona|bez ${calls}$|za dużo (?:tych )?(?:${calls})`,
    says`skąd (?:[^ ,]+ ){1,3}mój ${number}|kto (?:wam|ci|panu|pani|państwu) (?:po)?dał mój ${number}`,
    says`(?:dlaczego|czemu|po co) tak często (?:do \S+ )?(?:dzwonicie|piszecie|wysyłacie)|zablokować (?:mój|ten) ${number}`,
    says`(?:mój|ten) ${number} zablokować|(?:ciągle|wciąż|stale) (?:do \S+ )?(?:dzwonicie|piszecie|wysyłacie)`,
  ),
  ...phrasesOf(
    told,
    little,
    says`(?:usunięci|wykreśleni|skreśleni|skasowani|wypisani)[ea] (?:(?:wszystkich|moich) )?(?:danych|numeru|mnie|nas)`,
  ),
  ...phrasesOf(
    [[contains`nie`, undefined], ...reported, [contains`${demanding}\S*`, 'opt_out'], [anything, undefined]],
    little,
    says`(?:być|zostać) (?:usunięt|wykreślon|skreślon|wypisan)[ya](?= (?:z|ze|stąd)|$)`,
    says`(?:żeby|aby)\S* (?:[^ ,]+ )?(?:usunę|wykreśli|skasowa|wypisa|skreśli)\S+ ${my}`,
  ),
  ...phrasesOf(asked, only, says`to (?:jakoś )?wyłączyć|się (?:tego|tych \S+) pozbyć`),
  ...phrasesOf(
    [[endsWith`nie`, undefined], has_condition, [anything, 'unclear']],
    only,
    says`(?:za|zbyt) często (?:do \S+ )?(?:piszecie|dzwonicie|wysyłacie)`,
    says`(?:piszecie|dzwonicie|wysyłacie) (?:do \S+ )?(?:za|zbyt) często`,
    says`(?:wystarczy|starczy|dość|dosyć|koniec) (?:już )?(?:tego|z tym)`,
  ),
  ...phrasesOf(
    [[endsWith`nie`, undefined], others, [anything, 'stop']],
    alone,
    says`(?:daj|dajcie|dajże|dajcież)(?: (?:mi|nam|pan|pani|już|święty)){0,3} spokój`,
    says`zostaw(?:cie)? (?:mnie|nas) w spokoju`,
    says`(?:odczep|odwal|odpieprz|odpierdol)(?:cie)? się|(?:spadaj|spierdalaj|wynocha|wypad)(?:cie)?|zejdź(?:cie)? ze mnie`,
  ),
]

const by_message = '(?:na)?pisać|(?:na)?pisz(?:cie)?|sms\\S*|e? ?mail\\S*|zadzwonić|dzwonić|dzwońcie|telefon\\S*'
const rather = `(?:tylko|lepiej|wystarczy) (?:${by_message}|przez|na|wiadomość)`
const another_way = contains`zamiast|wol(?:ę|ał|imy)\S*(?: [^ ,]+)? (?:${by_message}|kontakt|list\S*|wiadomo\S*)|${rather}`

export const pl: Language = {
  tag: 'pl',
  opt_outs: {
    words: listed(
      'stop, rezygnacja sms, stop sms, stop reklamom, stop marketing, wypisz, wypisz mnie, wypisz się, wypisuję się, wyrejestruj, ' +
        'wyrejestruj mnie, odsubskrybuj, nie dzwonić, nie pisać',
    ),
    ordinary_words: listed(
      'rezygnuję, rezygnacja, wypis, nigdy więcej, nie przeszkadzać, nie wyrażam zgody, koniec, dość, dosyć, dość tego, wystarczy, starczy, wystarczy już, już wystarczy, ' +
        'odpuść, odpuśćcie, wypisać, usunąć, nie chcę już, ' +
        'basta, anuluj, anuluję, zakończ, usuń, usuń mnie, odwołaj, wyłącz, przestań, przestańcie, przestać, spadaj, ' +
        'spadajcie, ' +
        'wypad, wynocha, nie chcę, nie jestem zainteresowany, nie jestem zainteresowana, niezainteresowany, ' +
        'niezainteresowana, ' +
        'nie zainteresowany, nie zainteresowana, nie interesuje mnie, nie interesuje mnie to',
    ),
    phrases,
    another_way,
    at_once: ['natychmiast', 'natychmiastowe'],
    fillers: [
      ...(
        'proszę prosimy poproszę dziękuję dziękujemy dzięki uprzejmie grzecznie serdecznie ' +
        'wreszcie ' +
        'naprawdę bardzo stanowczo kategorycznie cholera cholerę kurwa kurwy kurde halo witam słuchaj słuchajcie ' +
        'przepraszam ' +
        'pliska plis błagam'
      ).split(' '),
      ...listed('dzień dobry, do widzenia, do cholery, do jasnej, po prostu, w końcu, do diabła'),
    ],
  },
  opt_in_words: [],
  help_words: ['pomoc'],
  answers: {
    yes: listed(
      'tak, no tak, jasne, oczywiście, pewnie, dobrze, dobra, zgoda, zgadza się, zgadzam się, dokładnie, racja, ' +
        'okej, ok, ' +
        'w porządku, pasuje, może być, owszem, słusznie, świetnie',
    ),
    no_more: listed(
      'nie chcę więcej, żadnych więcej, nigdy więcej, koniec, stop, tak chcę, właśnie tak, rezygnuję, to prawda, na ' +
        'pewno, ' +
        'nie dzwońcie, nie dzwonić, nie piszcie, przestańcie, żadnych wiadomości',
    ),
    courtesies: listed('proszę, dziękuję, dzięki, bardzo, pan, pani, panie, yyy, eee, do widzenia'),
  },
  sayings: {
    opt_out: 'Nie będziemy już wysyłać wiadomości. Aby znów je otrzymywać, proszę odpisać START.',
    no_more_messages: 'Nie będziemy już wysyłać wiadomości.',
    no_more_calls: 'Rozumiem. Nie będziemy więcej dzwonić. Do widzenia.',
    no_more_question: 'Czy mamy przestać dzwonić i wysyłać wiadomości?',
    press_key: 'Aby nie otrzymywać więcej połączeń, proszę nacisnąć {key}.',
    star: 'gwiazdkę',
    hash: 'krzyżyk',
  },
}
