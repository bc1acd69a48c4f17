import { type Language, listed } from './language.ts'
import { anything, type Judgement, nothing, type Phrase, spelledBy, wholeWord } from './wish.ts'

/** People write as they hear and leave out letters: "nn voglio ke mi kiamate +", "cancelatemi dala lista". */
const { says, endsWith, startsWith, contains } = spelledBy([
  [wholeWord('che'), '(?:che|ke|k)'],
  [wholeWord('non'), 'n[ou]?n'],
  [wholeWord('per'), '(?:per|x)'],
  [wholeWord('piu'), '(?:piu?|[+])'],
  // Without both letters these stems are words of other languages.
  ['mett', 'mett'],
  ['contatt', 'contatt'],
  ['ch', '(?:ch|k)'],
  ['gli', '(?:gli|li|j)'],
  ...Array.from('bcdfglmnprstvz', (letter): [string, string] => [letter + letter, `${letter}${letter}?`]),
])

const stem =
  '(?:ri)?(?:[ck]h?iamm?|telefon|cont?at+|mand|invi|scriv|cerch?)|messaggi|spamm|disturb|importun|molest|infastid|' +
  'tormet?n?t|stress|' +
  'insist|assill|romp|secc|perseguit|tempest|bombard|solleci?t|scocci|rintracci|inoltr|propon'
/** The imperative and the infinitive, which people and their dialects shorten. */
const call =
  `chiamma|(?:${stem})(?:a?t?e|are?|i|ere?|ete|ite|iate|asse|aste)(?:mi|ci|me|ce|melo|mene|l[oaei]|` +
  'gli)?|scriva|spedisca'
const calling = `(?:${stem})(?:ar|er|ir)(?:e|mi|ci|me|ce|mene|l[oaei]|gli)?`
const called = `(?:${stem}|inser|iscr)(?:at|it|t)[oaie]|scritt[oaie]`
const not = '(?:no|nn|non|nun|num|un|nin)'
const us = '(?:(?:mi|m|ci|me|ce|me ne|ce ne|me li|le|ne) )?'
const more =
  '(?:(?:mai )?(?:piu|cchiu|chiu)(?: mai)?|mai|ulteriormente|ancora|(?:di )?nuovo|nuovamente|un ?altra volta)'

const message =
  'chiamat[ae]|chiamte|telefonat[ae]|squilli|messagg[io]+|messaggini|msg|sms|whats ?app|wapp|spam|pub+l?i?cita|' +
  'promozion[ei]|promo|' +
  'offert[ae]|comunicazion[ei]|notific[ah]e?|avvis[io]|contatt[io]|newsletter|solleci?t[io]|sconti|auguri|inviti?|' +
  'invi[io]|mail pubblicitarie|' +
  'telemarketing|promemoria|informazioni commerciali|scocciature|rotture'
const of =
  '(?:(?:di|de|dei|degli|delle|della|del|con|co|i|gli|le|la|il|lo|l|a|ai|alle|agli|da|dai|dagli|dalle|' +
  'dalla|tutt[eio]|ste|sti|sta|' +
  'quest[eio]|' +
  'quelle|codest[ei]|vostr[eio]|tue|tuoi|sue|suoi|altr[eio]|ulterior[ei]|nessun[ao]?|alcun[ao]?|qualsiasi|' +
  'maledett[eio]|' +
  'ricevere|avere|vedere|fare|mandare|inviare|ogni|e|o|ne) |dell|all|quest|nessun|ulterior)'
const messages = `${of}{0,5}(?:${message})`
const list =
  '(?:(?:da|dal|dalla|dai|dalle|dagli|di|del|della|dei|delle|degli|nella|sulla|in|su|ogni|vostr[aeoi]|tu[ao]|tue|' +
  'su[ao]|quest[aeo]|sta|' +
  'codest[ao]|tutt[eio]|l|le|i|gli|il|la) |(?:dall|dell|da)(?=[aeiou])){1,4}(?:[^ ,]+ )?' +
  '(?:list[ae]|elenc(?:o|hi)|archivi[o]?|database|rubrica|sistem[ai]|contatti|banca dati|registr[oi]|mailing|' +
  'gruppo|broadcast|' +
  'newsletter|anagrafica|indirizzario|dati|agenda|db)(?! (?:d ?attesa|di attesa|(?:di )?nozze|degli invitati|della spesa))'
const our_number =
  '(?:(?:il|i|er|lo|la|l|tutti i|questo|sto|questa) )?(?:(?:mio|miei|nostro|nostri|mia) )?(?:numero|num|nr|cell|' +
  'cellulare|telefono|' +
  'contatto|contatti|recapito|nome|nominativo|dati|utenza|iscrizione)(?: personali| di (?:telefono|cellulare|cell))?'
const removing =
  '(?:cancell?|elimin|rimuov|blocc|togli|tolg|lev|depenn|estromett|stralci|escl?ud|disiscri?v|tog)' +
  '(?:i|a|ate|are?|ere?|ete|eranno|ano|ono|iate|iere|iete|ie|atemi|ete)?'
const want =
  'voglio|vojo|vogliamo|volemo|vorrei|vorremmo|desider(?:o|iamo)|intend(?:o|iamo)|gradi(?:sco|amo|remmo)|accetto|' +
  'sopporto|' +
  'tollero|(?:ho|abbiamo) (?:piu )?(?:intenzione|voglia|bisogno)(?: di)?|mi interessa(?:no)?'
const receive =
  '(?:ricev|av|ved|sent|sub|legg|ricever|trov)(?:ere?|er|ire?)(?:ne|li|le|vi|mi)?(?: (?:da|de) (?:voi|lei|te))?'
const unwanted =
  `(?:${receive} )?(?:piu )?(?:mai )?${messages}|ricever(?:e|ne|li|le)(?: piu)?(?: (?:nulla|niente))?|` +
  `(?:piu )?(?:mai )?(?:esse(?:re)?|venire?) (?:piu )?(?:mai )?(?:[^ ,]+ )?(?:${called}|disturbat[oaie])|` +
  '(?:avere|sapere|sentire?) (?:piu )?(?:piu )?(?:nulla|niente|nessuno|notizie|parlare di voi)|sentir(?:vi|la|ti)|' +
  'risentirvi|' +
  'avere (?:piu )?(?:nulla )?(?:a )?che fare con voi|(?:piu )?(?:nulla|niente) (?:piu )?da (?:voi|lei|' +
  `te)|(?:stare|restare|rimanere|essere|far(?:e)? parte) (?:piu )?${list}|(?:questa|vostra|` +
  'la) iscrizione'
const you_call =
  `(?:che (?:(?:voi|lei|tu|nessuno|qualcuno) )?)(?:(?:mi |ci )?(?:${call})|(?:usiate|utilizziate|` +
  `teniate|conserviate|usi|utilizzi) ${our_number})`
const stop =
  '(?:smett?|piant|cess|ferm|evit|interromp|sospend|blocc|metta)(?:i|a|ate|ere?|ete|are?|iate|este|ino|aste|asse|' +
  'esse|hi)?' +
  '(?:la|tela)?|fin(?:iscila|itela|irla|isca|ite|iamola)|(?:fate|falla|faccia|facciamo)(?:la)? finita|mettete fine|' +
  'dateci un taglio'

const day =
  '(?:(?:il|la|lo|di|nel|in|al|di|a|alla|l|questo|questa|sta|ogni|tutti i|il) )?(?:luned|marted|mercoled|gioved|' +
  'venerd)i|sabato|domenica|' +
  'oggi|domani|stasera|stamattina|stanotte|mattina|sera|pomeriggio|notte|fine settimana|weekend|week end|settimana|' +
  'pranzo|cena'

const has_condition = contains`se|quando|finche|fino a|mentre|qualora|appena|nel caso|in caso|durante`
const told_about: Judgement = [
  contains`perche|come mai|poiche|siccome|dato che|da quando|ho detto (?:al|alla|a mi[ao]) [^ ,]+`,
  undefined,
]
const telling =
  '(?:vi|ve|ti|te|le|gli) ?(?:l ?)?(?:ho|abbiamo|avevo|avevamo)(?: gia)? (?:[^ ,]+ )?(?:dett|chiest|ripetut|' +
  'pregat)[oi]|' +
  '(?:vi|ti|la|le) (?:sto )?(?:dico|chied(?:o|iamo)|ripeto|preg(?:o|hiamo)|diffid(?:o|iamo)|intimo|ordino|supplico|' +
  'invit(?:o|iamo))|' +
  '(?:ho|abbiamo) gia (?:detto|chiesto)'
/** "Vi ho detto di". */
const demanded: Judgement = [contains`${telling}`, 'opt_out']
const near = '(?:mi[ao]|nostr[ao]) [^ ,]+|lui|lei|mamma|papa|qualcuno'
const saying = 'dice|detto|chiede|chiesto|vuole|vorrebbe|pensa|preferisce|prega'
/** "Mia moglie dice che". */
const reported: Judgement = [contains`(?:${near})(?: (?:mi|ci))?(?: ha)? (?:${saying})`, 'unclear']
const beginning =
  ',|e|o|ma|allora|quindi|dunque|poi|qui|qua|no|si|signora|signore|signori|senta|guardi|guarda|senti|basta|stop|' +
  'interessa|' +
  'pace|adesso|ora|di|che|numero|interessat[oaie]|sbagliato|bene|dai|e se|voi|lei|davvero|pero|anche|ok|perfavore|' +
  'favore|oh|ao'
const at_beginning: Judgement[] = [
  [nothing, 'opt_out'],
  [endsWith`${beginning}`, 'opt_out'],
]

/** Judges the words before "non chiamate". */
const told: Judgement[] = [
  told_about,
  demanded,
  reported,
  [
    endsWith`(?:grat[oai]|obbligat[oa]|piacere) se|(?:vorrei|gradirei|chiedo|esigo|pretendo|prefer[^ ]+|prego) che`,
    'opt_out',
  ],
  [has_condition, undefined],
  [endsWith`(?:io|loro|lui|che|chi|qualcuno|ragazzi|amici|noi|bambini|mi hanno|ha detto)`, undefined],
  [anything, 'opt_out'],
]
const told_today: Judgement[] = [[contains`${day}|(?:questa|prossima) volta|adesso|ora`, undefined], ...told]
const wished: Judgement[] = [
  told_about,
  reported,
  [has_condition, undefined],
  [endsWith`(?:segn|scriv|annot|not|ripet|dico|detto|spieg)[^ ]*(?: (?:pure|nota))? che`, 'opt_out'],
  [endsWith`che|si|lui|lei|loro|chi|(?<!e )mi[oa] [^ ,]+`, 'unclear'],
  [anything, 'opt_out'],
]
const would = 'voglio|vogliamo|vorrei|intendo|devo|dovete|posso|chiedo di|ho chiesto di'
/** Judges the words before "smettete di" and "cancellatemi". */
const stopping: Judgement[] = [
  [
    endsWith`${
      '(?:non|ha|ho|hanno|mai|sta|stava|si|sono|e|era|vuole)(?: (?:mi|ti|ci|si|la|lo|' +
      `(?:${would})(?: che(?: (?:la|tu|voi))?)?))?`
    }`,
    undefined,
  ],
  [contains`perche|quando|ho detto (?:al|alla|a)`, undefined],
  demanded,
  reported,
  [contains`come (?:faccio|posso|si fa|fare|devo)|per|a chi|posso|possibile`, 'unclear'],
  [endsWith`se (?:non|lei|tu|voi)`, 'unclear'],
  [anything, 'opt_out'],
]
const removed: Judgement[] = [
  [endsWith`non(?: (?:mi|ci|vi|la|lo|(?:${would})(?: che)?))?(?: (?:mi|ci))?`, undefined],
  ...stopping.slice(1),
]

const shouted: Judgement[] = [
  [contains`ho ricevuto|ricevo|bambini`, undefined],
  [endsWith`interessat[oa]|palle|ora|mo|e|detto|adesso`, 'opt_out'],
  ...at_beginning,
]
const always: Judgement[] = [[anything, 'opt_out']]
const condition =
  'tardi|presto|spesso|prima|dopo|tra|fra|del|di (?:una|due|\\d+|quanto|sera|notte|mattina|pomeriggio|domenica)|' +
  'alle|dalle|' +
  `la sera|${day}|se|quando|mentre|finche|fino|durante|solo|troppo|cosi|adesso|ora|tanto|che (?:ho|sono|sto)`
const for_good: Judgement[] = [
  [startsWith`${condition}`, undefined],
  [startsWith`(?:al|in|a) (?:lavoro|ufficio)`, 'unclear'],
  ...always,
]
const busy: Judgement = [
  startsWith`${
    ',? ?(?:(?:io|ora) )?(?:sono|siamo|sto|stiamo) (?:in (?!lista|elenco)|al (?!registro)|alla guida|' +
    'impegnat|occupat|guidando|dormendo|lavorando)[^ ]*'
  }`,
  undefined,
]
const closed: Judgement[] = [
  [nothing, 'opt_out'],
  busy,
  [startsWith`mai(?! piu)|ancora`, 'unclear'],
  [startsWith`${condition}|per(?! (?:nessun|pubb|off|prom|ven|mai|favore))|nel|come|in(?! futuro)`, undefined],
  [startsWith`(?:il|lo|la|l|i|gli|le|una?)(?! (?:vostr[eio] )?(?:${message}))`, undefined],
  [startsWith`(?:,|ma)(?: [^ ,]+){0,6} (?:se|quando|prima|domani|piu tardi)`, undefined],
  [startsWith`,|e|qui|qua|a questo|su|sul|per|nessuno|nulla|niente|neanche|in futuro|${more}|${messages}`, 'opt_out'],
  [anything, 'unclear'],
]
const or_nobody: Judgement[] = [
  [nothing, 'unclear'],
  [startsWith`(?:le (?:palle|scatole|balle)|i (?:coglioni|maroni))(?: con ${messages})`, 'opt_out'],
  [startsWith`(?:le|i) (?:palle|scatole|balle|coglioni|maroni)`, 'unclear'],
  [startsWith`qui|qua|(?:a |su )?questo numero|nulla|niente`, 'opt_out'],
  [startsWith`altro(?= ,|$)`, 'unclear'],
  [anything, undefined],
]
const after_removal: Judgement[] = [
  [nothing, 'opt_out'],
  [startsWith`(?:dalla )?lista (?:d ?attesa|di attesa)`, undefined],
  [
    startsWith`${
      `,|e|o|ora|qui|tutto|${our_number}|${list}|da (?:tutt[oei]|quest[aeoi]|voi|quella)|vi|${messages}|` +
      'che|da(?:l|i) (?:(?:vostr[oi]|suo|tuo|suoi|tuoi) )?serviz(?:io|i)'
    }`,
    'opt_out',
  ],
  [anything, undefined],
]
const after_none: Judgement[] = [
  [nothing, 'opt_out'],
  [startsWith`,|da voi|piu|sul?|qui|e|(?:niente|nessun[ao]?|no) (?:${message}|niente)`, 'opt_out'],
  [anything, undefined],
]
const after_stop: Judgement[] = [[startsWith`mi[ao](?! (?:numero|cell|tel))`, 'unclear'], ...always]
const always_stop: Judgement[] = [
  [nothing, 'stop'],
  [startsWith`,|e|una buona volta|adesso|ora|con`, 'stop'],
  [anything, undefined],
]

const must_not =
  `${not} (?:(?:mi|ci|l[oaei]) )?(?:dovete|devi|deve|devono|potete|osate|azzardatevi a|(?:vi |` +
  'si )?permett[^ ]+ di|state a|' +
  'provate a)'
const do_not_reappear = `${not} (?:fatevi|farti|farvi|si faccia|fatti|fate) ${more} (?:sentir?e?|viv[oi])`
const named =
  `${not} (?:mi|ci|(?<!no )(?:me|ce)) (?:${call})|${must_not} (?:mi |ci )?(?:${call})|` +
  `${not} (?:${stem})(?:a?te|ar|er|ete|ir|ite)(?:mi|ci|mene|cene)`
const does_not_want =
  `${not} (?:ne )?vuol(?:e|ono) (?:${more} )?(?:(?:${receive} )?(?:${message})|che (?:(?:mi|ci|voi|la|` +
  `lo|gli|le) )?(?:${call}))|${not} l[ie] vorro piu`
const asking =
  'vorre[^ ]+|desider[^ ]+|chied[^ ]+|prefer[^ ]+|voglio|esig[^ ]+|pretend[^ ]+|preg[^ ]+|gradirei|piacerebbe|' +
  'grat[oa]|potrei'
const enough = 'basta|stop|niente piu|mai piu|nessun[ao]? altr[oa]'
const unsubscribe =
  '(?:cancell?|rimuov|elimin|togli|lev|disi?s?c?r?i?v|depenn|disabbon)(?:a|e|i|ate|ete|er|ar|iate|ino|ere)(?:mi|ci)|' +
  '(?:mi|ci) (?:cancell|elimin|rimuov|disiscriv|depenn|tolg)(?:i|a|hi|ate|ete|iate)|disiscri(?:zione|vi|vere|vo)'
const consent = '(?:[^ ,]+ ){0,2}l?(?:consens[oi]|autorizzazion[ei]|permesso|assenso|adesione)'
const oppose = 'm ?oppongo|mi oppongo|ci opponiamo|opporm[ie]|opposizione'
const forbid =
  'diffid(?:o|iamo)|viet[oa]|proibi(?:sco|to)|vietato|divieto|(?:il|alcun|nessun) permesso|' +
  'autorizz(?:o|ati)|diritto|autorizzazione|consenso'
const do_not_call_list =
  '(?:[^ ,]+ ){0,3}(?:da non (?:chiamare|contattare|disturbare)|(?:delle )?opposizioni|lista nera|black ?list)'
const in_peace =
  'lascia(?:te|re)?(?:mi|ci) (?:in pace|stare|perdere|tranquill[oaie])|(?:mi|ci) lasci(?:ate)? (?:in pace|stare)|' +
  `${not} (?:mi|ci) (?:romp|scocc|stress)[^ ]+|(?:levat|togliet)[^ ]+ (?:dai piedi|di torno|dalle palle)|` +
  'dimenticat[ei]mi'

/** "Non mi scrivete mai" is rather a complaint. */
const complaint = `${not} (?:mi|ci) [^ ]+(?:ate|ete|i) mai(?! piu)`
const again =
  `(?!${complaint})(?:${must_not}|${not}) ${us}(?:${more} )?(?:${call}) (?!ancora(?: |$))${more}|` +
  `${must_not} ${more} (?:${call})|${do_not_reappear}`
const unwanted_messages =
  `(?:${message})(?: [^ ,]+){0,3}(?: ,)? ${not} (?:(?:ne|li|le|la|lo) )?(?:${want})(?: ${more})?` +
  '(?: (?:riceve|ave|vede|senti)r(?:e|ne|li|le))?'
const your_messages = `(?:vostr[ei]|tue|tuoi|quest[ei]|ste|sti) (?:${message})(?: [^ ,]+){0,3}(?: ,)?`
const goes_on = '(?:(?:ri)?(?:chiam|scriv|telefon|contatt)|continu|insist|smett|disturb)[^ ,]+'
const accuse =
  '(?:vi|ti|la) (?:denunci|segnal|blocc|querel)[^ ,]+|(?:mi rivolg|mi rivolger|vad|andr|chiam|contatt|avvis|sporg|facci|' +
  'far|present)[^ ,]+(?: [^ ,]+){0,3} (?:l ?avvocato|avvocato|polizia|carabinieri|garante|denuncia|questura|querela)|parl[^ ]+ (?:col|con (?:il|l|un)) ?(?:mio )?avvocato'
const threat =
  '(?:se|la prossima volta che)(?: (?:mi|ci|la|lo|voi|' +
  `non(?= (?:la )?smett))){0,3} ${goes_on}(?: [^ ,]+){0,5}?(?: ,)? (?:${accuse})|` +
  `(?:un ?altr[oa]|ancora una?|(?:al)?la prossima|al prossimo)(?: (?:${message}))?(?: ,)?(?: e)? (?:${accuse})|` +
  `(?:${accuse})(?: [^ ,]+){0,4}? se (?:(?:mi|ci|la|voi|non(?= (?:la )?smett)) ){0,3}${goes_on}|` +
  `${not} (?:us|utilizz)(?:ate|are|i) piu ${our_number}|ne (?:${message}) ne (?:${message})$|${not} (?:autorizzo|permetto|acconsento) (?:[^ ,]+ ){0,3}(?:uso|luso|usare|trattamento|utilizzo|lutilizzo)`
const less =
  '(?:rispond[^ ]+|scriv[^ ]+|invi[^ ]+) stop|rice(?:vere|verne) (?:di )?meno|' +
  `(?:uscire|cancellarsi|disiscriversi) ${list}|non (?:mi|ci) interessa(?:no)?(?: (?:grazie|niente|nulla))?$|` +
  'non (?:sono|siamo) interessat[aeio]$|(?:(?:mi|ci) )?(?:chiamate|scrivete|telefonate|mandate) (?:troppo|sempre|' +
  'tutti i giorni|ogni giorno)|(?:chi|dove|come) (?:(?:vi|ti|le) (?:ha|hanno)|avete|ha|hai) (?:dato|preso|avuto|trovato) ' +
  '(?:il )?mio numero|(?:sono|numero e|siamo) (?:iscritt[oiae] )?(?:nel|al) (?:registro )?(?:delle |' +
  'pubblico delle )?opposizioni|' +
  `(?:vi|ti|la) blocco|${not} insist(?:a|ete|ere|i|iate)$|${not} do (?:il|alcun) (?:mio )?consenso|` +
  `(?:esigo|chiedo|richiedo|pretendo|sollecito) (?:la |l ?)?(?:rimozione|cancellazione|eliminazione)(?: immediata)?$|` +
  `${not} (?:mi|ci) (?:chiam|scriv|telefon)(?:ate|ete|i) mai`

const phrases: Phrase[] = [
  {
    says: says`${again}`,
    before: told,
    after: for_good,
  },
  { says: says`${named}`, before: told_today, after: closed },
  { says: says`(?:non|nn)(?:mi)?(?:chiama|scrive|telefona|manda)te(?:mi)?`, before: told_today, after: closed },
  { says: says`${not} (?:${stem})(?:a|e|i)t?[ei](?:l[oaei]|gli)`, before: told_today, after: or_nobody },
  { says: says`${not} (?:${stem})(?:at?e|are|i|ete|ere)`, before: told_today, after: or_nobody },
  {
    says: says`${
      '(?:sbagliat[^ ]+ numero|numero sbagliato|interessat[aeio]|interessa|abita piu|lavora piu qui|' +
      'e (?:mort|decedut)[oa]|(?:quante|mille|' +
      `cento) volte)(?: [^ ,]+){0,4}?(?: ,)?(?: [^ ,]+)? ${not} (?:${call})`
    }`,
    before: told_today,
    after: closed,
  },
  {
    says: says`${not} (?:(?:ne|vi|ve|ti|te|la|li|le) )?(?:${more} )?(?:${want}) (?:${more} )?(?:${unwanted}|senti)`,
    before: wished,
    after: for_good,
  },
  { says: says`${not} (?:${want}) (?:${more} )?${you_call}`, before: wished, after: closed },
  {
    says: says`${unwanted_messages}`,
    before: wished,
    after: for_good,
  },
  { says: says`${does_not_want}`, before: [[anything, 'unclear']], after: always },
  {
    says: says`${not} (?:${more} )?(?:ricevere|esse(?:re)?|venire) (?:${more} )?(?:${called}|${messages})`,
    before: [
      [has_condition, undefined],
      reported,
      [contains`come|possibile`, 'unclear'],
      [contains`${asking}`, 'opt_out'],
      ...at_beginning,
    ],
    after: for_good,
  },
  {
    says: says`${not} (?:mi |ci )?(?:facesse|faceste|facciate|fate|faccia) ${more} (?:pervenire|arrivare|avere)`,
    before: told,
    after: for_good,
  },
  {
    says: says`(?:${stop}) (?:(?:di|de|d|con|a) )?(?:l ?)?(?:${us}(?:${calling})|${messages})`,
    before: stopping,
    after: after_stop,
  },
  {
    says: says`(?:${enough}) (?:${more} )?(?:(?:${stem})(?:ar|er)(?:mi|ci)|${messages})`,
    before: shouted,
    after: for_good,
  },
  { says: says`(?:niente|nessun[ao]?|zero|no) ${messages}`, before: shouted, after: after_none },
  {
    says: says`basta (?:chiamare|telefonare|scrivere|rompere)`,
    before: shouted,
    after: [[startsWith`(?:con )?${messages}`, 'opt_out'], ...or_nobody],
  },
  {
    says: says`(?:stuf[oa]|stanc[oa]|non ne posso piu|rotto|pien[oae]) ${messages}`,
    before: always,
    after: [
      [contains`basta|smettetela|stop`, 'opt_out'],
      [anything, 'unclear'],
    ],
  },
  {
    says: says`${your_messages} (?:basta|stop|cessate|smettetela)`,
    before: always,
    after: always,
  },
  {
    says: says`${
      `(?:${removing})(?:m[ie]|ci)(?: [^ ,]+){0,3} ${list}|(?:${removing}|(?:cancell|togli|elimin|` +
      `rimuov)[^ ,]*re(?:st|bb)[^ ,]+)(?: (?:${our_number})(?: [^ ,]+){0,2})? ${list}|mi (?:cancello|` +
      `disiscrivo) ${list}|(?:esco|uscire|essere (?:[^ ,]+)) ${list}`
    }`,
    before: removed,
    after: always,
  },
  {
    says: says`(?:${removing})(?: [^ ,]+){1,3} ${list}`,
    before: [...removed.slice(0, -1), [anything, 'unclear']],
    after: always,
  },
  {
    says: says`(?:${removing}|dimenticat?[ei]|scordat?[ei]|perdete|buttate)(?:me|te|vi|ti)? (?:er )?${our_number}`,
    before: removed,
    after: after_removal,
  },
  {
    says: says`(?:${removing}) (?:il suo|i suoi|il loro|la sua) (?:numero|nome|nominativo|contatto|dati)`,
    before: [
      [endsWith`non`, undefined],
      [contains`mort[oa]|decedut[oa]|mancat[oa]|scompars[oa]`, 'opt_out'],
      [anything, 'unclear'],
    ],
    after: after_removal,
  },
  {
    says: says`${
      `essere (?:cancellat|rimoss|eliminat|tolt|disiscritt|depennat)[oaie]|(?:${our_number}) (?:venga|` +
      'venisse|vengano|sia|fosse|siano) (?:cancellat|rimoss|eliminat|tolt)[oaie]'
    }`,
    before: [
      [endsWith`non(?: [^ ,]+){0,3}`, undefined],
      reported,
      [contains`${asking}|(?:ho|abbiamo|avevo)(?: [^ ,]+)? chiesto`, 'opt_out'],
      [anything, undefined],
    ],
    after: after_removal,
  },
  {
    says: says`${not} (?:autorizzo|autorizziamo|acconsento) (?:a |alle |ai )?${messages}`,
    before: wished,
    after: always,
  },
  { says: says`numero(?: e)?(?: [^ ,]+)?(?: ,)?(?: [^ ,]+)? (?:${removing})lo`, before: always, after: after_removal },
  {
    says: says`numero ${not} e (?:[^ ,]+ ){1,5}(?:, |e )(?:${removing})lo`,
    before: [[has_condition, undefined], ...always],
    after: after_removal,
  },
  {
    says: says`${
      `l?(?:cancellazione|rimozione|eliminazione)(?: [^ ,]+)? (?:(?:di |del |dei |della )?${our_number}|` +
      `${list}|${messages})`
    }`,
    before: removed,
    after: always,
  },
  { says: says`${threat}`, before: always, after: always },
  { says: says`${unsubscribe}`, before: removed, after: after_removal },
  {
    says: says`(?:annull|disd|cancell)(?:ate|are?|i|ire|ite|o|a) (?:[^ ,]+ ){0,2}l?(?:iscrizione|abbonamento|adesione)`,
    before: removed,
    after: [
      [startsWith`(?:[^ ,]+ )?(?:${messages}|${list})`, 'opt_out'],
      [nothing, 'unclear'],
      [startsWith`,`, 'unclear'],
      [anything, undefined],
    ],
  },
  {
    says: says`${
      '(?:disattiv|disabilit|annull|disd|cancell)(?:ate|are?|i|ire|ite|o|a) (?:[^ ,]+ ){0,2}(?:notifiche|' +
      'avvisi|sms|messaggi)'
    }`,
    before: removed,
    after: after_removal,
  },
  {
    says: says`(?:ritir|revoc|revoch|neg|annull|tolg)(?:o|iamo|are|ando) ${consent}`,
    before: removed,
    after: [[startsWith`per (?:la gita|l ?uscita)|parental[ei]|di soggiorno`, undefined], ...always],
  },
  {
    says: says`(?:${oppose}) (?:[^ ,]+ ){0,3}(?:${message}|trattamento|utilizzo|uso|marketing|dati|contatto)`,
    before: removed,
    after: always,
  },
  {
    says: says`${
      `(?:${forbid})(?: [^ ,]+)? (?:dal|di|a|da)(?: continuare a)? (?:(?:piu )?${us}(?:${calling})|` +
      `(?:usare|utilizzare) ${our_number})`
    }`,
    before: [[endsWith`ho|(?:la|vi|ti) autorizzo`, undefined], told_about, reported, ...always],
    after: closed,
  },
  { says: says`diritto (?:di opposizione|alla cancellazione|all ?oblio)`, before: removed, after: always },
  { says: says`(?:mett|inseri|segn|iscriv|aggiung)[^ ]+ ${do_not_call_list}`, before: removed, after: always },
  {
    says: says`${less}`,
    before: [[anything, 'unclear']],
    after: always,
  },
  {
    says: says`che la smettiate|vole(?:te|va) smetterla|la vole(?:te|va) smettere`,
    before: [
      [contains`non`, undefined],
      [anything, 'stop'],
    ],
    after: always_stop,
  },
  { says: says`${in_peace}`, before: [[endsWith`se|di|ha detto`, undefined], ...always], after: always_stop },
  {
    says: says`(?:anche )?basta(?: (?:cosi|adesso|ora|eh))?|smett(?:ila|etela)|piant(?:ala|atela)|finitela`,
    before: [[/(?:^|(?<![^ ])(?:,|no|ora|adesso|mo|allora))$/, 'stop']],
    after: [
      [nothing, 'stop'],
      [startsWith`,(?: (?:basta|stop|eh|,))*$`, 'stop'],
    ],
  },
]

const reach = '(?:scriv|mand|chiam|invi|telefon)[aei](?:te)?(?:mi|ci)(?! (?:ancora|piu|di nuovo))'
const another_way = contains`piuttosto|invece|(?<!(?:non|nn|nun|mai) )${reach}`

export const it: Language = {
  tag: 'it',
  opt_outs: {
    words: listed(
      'stop, stop sms, disdetta sms, stop tutto, stop a tutto, basta spam, basta sms, basta messaggi, cancellami, cancellatemi, cancellarmi, mi cancelli, ' +
        'disiscrivimi, ' +
        'disiscrivetemi, disiscrizione, disiscrivi, disiscrivermi, disiscriviti, rimuovimi, rimuovetemi, opt out, ' +
        'disattiva sms',
    ),
    ordinary_words: listed(
      'annulla, annullare, annullate, annulli, basta, basta così, adesso basta, ora basta, cancella, cancellare, ' +
        'cancellate, ' +
        'cancellazione, disattiva, disdire, disdetta, disdici, finito, smettere, smettila, smettetela, esci, ' +
        'uscire, rimuovi, ' +
        'rimozione, elimina, togli, termina, interrompi, ferma, fermati, fermatevi, smettete, la smetta, smetta, mai più, canc, ' +
        'disattivare, sparite, sparisci, non voglio, non voglio più',
    ),
    phrases,
    another_way,
    at_once: ['immediatamente', 'subito'],
    fillers: [
      'xfavore',
      ...(
        'grazie ciao salve buongiorno buonasera cortesemente gentilmente assolutamente ' +
        'davvero veramente ' +
        'sinceramente definitivamente semplicemente cazzo cavolo maledizione perfavore pls ehm signora ' +
        'signor signore signori ' +
        'dottore dottoressa cordialmente scusate scusi'
      ).split(' '),
      ...[
        'per favore',
        'per cortesia',
        'per piacere',
        'per carità',
        'x favore',
        'grazie mille',
        'tante grazie',
        'cordiali saluti',
      ],
    ],
  },
  opt_in_words: [],
  help_words: ['aiuto'],
  answers: {
    yes: listed(
      'sì, si, certo, certamente, sicuro, esatto, esattamente, ok, okay, va bene, daccordo, giusto, perfetto, ' +
        'volentieri, ' +
        'assolutamente sì, sì certo, proprio così, ovvio, è così, confermo, corretto, benissimo, come no',
    ),
    no_more: listed(
      'niente più, mai più, basta, non più, niente più chiamate, niente più messaggi, nessuno, non chiamatemi più, ' +
        'stop, ' +
        'è quello che voglio, voglio questo, lo voglio, sono sicuro, sono sicura, è giusto',
    ),
    courtesies: listed(
      'per, favore, cortesia, grazie, prego, signora, signore, arrivederci, ah, eh, ehm, beh, bene, guardi',
    ),
  },
  sayings: {
    opt_out: 'Non riceverà più messaggi da noi. Risponda START per riceverli di nuovo.',
    no_more_messages: 'Non riceverà più messaggi da noi.',
    no_more_calls: 'Ho capito. Non la chiameremo più. Arrivederci.',
    no_more_question: 'Desidera non ricevere più chiamate né messaggi?',
    press_key: 'Per non ricevere più chiamate, prema il tasto {key}.',
    star: 'asterisco',
    hash: 'cancelletto',
  },
}
