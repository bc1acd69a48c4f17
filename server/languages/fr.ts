import { type Language, listed } from './language.ts'
import { anything, type Judgement, nothing, type Phrase, spelledBy, wholeWord } from './wish.ts'

/** People write as they hear and leave out letters: "me contactez +", "suprimez mon numero". */
const { says, endsWith, startsWith, contains } = spelledBy([
  [wholeWord('que'), '(?:que|[qk]e?)'],
  [wholeWord('de'), 'de?'],
  [wholeWord('plus'), '(?:plus?|[+])'],
  [wholeWord('pas'), 'pas?'],
  ['qu', '(?:qu|[qk])'],
  ...Array.from('cflmnprst', (letter): [string, string] => [letter + letter, `${letter}${letter}?`]),
])

const stem =
  'r?ap?pell?|(?:re)?cont?act|(?:re)?telephon|derang|embet|importun|harcell?|soll?icit|relanc|spamm?|demarch|ennuy|' +
  'saoul|' +
  'soul|emmerd|gav|bombard|inond|achal|ecoeur|text|notifi|prospect|r?envo[iy]|adress|bassin|gonfl|incommod|tann|insist'
/** People spell the imperative like the infinitive and the participle. */
const call = `(?:${stem})(?:ez|er|iez)|(?:re)?ecri(?:vez|viez)|joi(?:gnez|gniez)|faites chier`
const call_informally = `(?:${stem})es?|(?:re)?ecri(?:s|ves?)|joi(?:ns|gnes?)`
/** Verbs that are clear without an object. With other verbs, whom they call must be named. */
const to_call_any =
  '(?:r?app?ell?|(?:re)?contact|(?:re)?telephon|spamm?|harcel|r?envoy|d?insist|derang|sollicit)(?:er|' +
  'ez|e)|(?:re)?ecrire|joindre'
const to_call =
  `(?:${stem}|sonn|laiss|parl)(?:er|ez|e)|(?:re)?ecrire|joindre|poursuivre|prendre la tete|` +
  'casser l[ea]s? [^ ,]+|faire (?:chier|suer|parvenir)'
const called = `(?:${stem})(?:ee?s?|er|ez)|jointe?s?|inscrite?s?|abonnee?s?`
const not = '(?:(?:ne|n|nen) |n)?'
const us = '(?:(?:me|nous|m|men|nous en) |m)'
/** A person for whom the contact speaks. */
const them = '(?:(?:l|la|le|les|lui|leur) |l)'
const never = 'jamais(?: (?:plus|rien))?|(?:plus|plu|pus?|[+])(?: (?:jamais|rien|du tout|personne))?(?: rien)?|rien'

const message =
  'appels?|coups? de (?:fil|telephone)|me?ss?ages?|msgs?|sms|texto?s?|whats ?apps?|pubs?|publicites?|promos?|' +
  'promotions?|' +
  'spams?|offres?|notifs?|notifications?|alertes?|rappels?|newsletters?|demarchages?|prospection|soll?icitations?|' +
  'relances?|contacts?|communications?|envois?|annonces?|harcelements?|dsms|dappels?'
const of =
  '(?:(?:de|des|d|les|la|l|le|ce|ces|cet|cette|vos|votre|tes|ton|ta|aux|au|a|aucune?|avec|tout|tous|toutes?|' +
  'autres?|nouveaux?|conneries|saletes?|par|' +
  'ni|et|ou|' +
  'l ?envoi|foutus|maudits|moindre) |[dl](?=[aeo])){0,4}'
const messages = `${of}(?:${message})`
const list =
  '(?:(?:de|du|des|d|vos|votre|ta|tes|ce|cette|ces|la|le|les|l|toutes?|tous|parmi|hors) |[dl](?=[aeiou])){1,4}' +
  '(?:[^ ,]+ )?(?:listes?|listings?|fichiers?|bases?|banques? de donnees|repertoires?|systemes?|contacts|registres?|carnet|annuaire|' +
  'groupe|' +
  'diffusion|mailings?)'
const our_number =
  '(?:mon|mes|nos|notre|ce|cette|tout(?:es)? mes|le) (?:numeros?(?: de (?:telephone|portable|tel))?|num|06|07|nom|' +
  'portable|gsm|' +
  'telephone|tel|contact|coordonnees|donnees(?: personnelles)?|infos|informations)'
const removing =
  'sors|(?:ray|retir|tir|supp?rim|d?enlev|d?effac|radi|barr|vir|ot|elimin|biff|sort|degag|eject|exclu)(?:[ei][zr]|es?|iez)'
const removed_from =
  'quitter?|sor[st]|(?:me )?sortir|(?:etre|soit|soient) (?:retire|raye|supprime|enleve|efface|radie)e?s?'
const unsubscribe = 'desabonn?(?:e[zrs]?|ement|iez)|des?ins?cri(?:re|vez|viez|s|ve|ption)'
const stop =
  '[dt]? ?arr?et(?:e[szr]?|iez)|cess(?:e[szr]?|iez)|stopp?(?:e[szr]?|iez)?|finissez|evite[szr]?|bloque[zr]|' +
  'abstenez vous|' +
  'mett(?:ez|re|ons) (?:fin|un terme)|inutile de continuer|pas la peine de continuer'
const want =
  'j?v[eu]+[xs]?|veut|voulons|j?souhait(?:e|ons|ais)|j?desir(?:e|ons)|voudrai[st]|voudrions|tiens|tenons|' +
  'n?accept(?:e|ons)'
const want_no_more = `(?:(?:${want}) (?:${never}|pas|aucune?)|(?:plus|pas|aucune) (?:envie|besoin)|refus(?:e|ons))`
/** What one is no longer willing to let happen. */
const receiving =
  `(?:(?:de|d|rien|en) ){0,2}(?:recevoir|avoir|voir|lire|subir|entendre) ${messages}|(?:de )?(?:rien |en )recevoir|` +
  '(?:de )?recevoir(?: (?:rien|ca|cela|quoi|de vous|de votre part)|$| ,)|(?:avoir )?affaire a (?:vous|' +
  'votre)|(?:de vous|de votre part)(?= ,|$)|entendre parler de (?:vous|votre)|' +
  `(?:de |d ?)?etre (?:[^ ,]+ )?(?:${called})|(?:avoir )?de (?:vos )?nouvelles de (?:vous|votre)|` +
  '(?:etre|figurer|rester|apparaitre) (?:sur|dans) (?:[^ ,]+ ){0,2}(?:listes?|' +
  'fichiers?)(?! (?:d ?attente|de (?:mariage|naissance)))|savoir (?:rien )?de (?:vous|votre)'
const you_call =
  '(?:que (?:vous|tu|lon|quiconque|personne|quelquun)|quon) (?:(?:ne|n) )?' +
  `(?:${us}?(?:${call}|${call_informally})|(?:me|nous) (?:teniez|tienne) (?:au courant|informee?s?))`
const day =
  '(?:(?:ce|le|cette|la|cet|les|du|au) )?(?:(?:lun|mar|mercre|jeu|vendre|same)dis?|dimanches?|matins?|midi|soirs?|' +
  'nuit|' +
  'apres midi|week ?ends?|fin de semaine|semaine|journee)|aujourdhui|demain|ce moment|(?:pour )?l ?instant'

const has_condition = contains`si|quand|lorsque|sil(?! (?:vous|te) plait)|tant que|des que|en cas|pendant|sauf`
const told_about: Judgement = [
  contains`pourquoi|comment ca se fait|depuis|puisque|parce que|comme si|avant vous|j ?ai dit a`,
  undefined,
]
const telling =
  '(?:je|j|on|nous) ?(?:vous|te|t)(?: ?(?:ai|a|avais|avons))?(?: (?:deja|bien))? ' +
  '(?:dit|dis|demand[^ ]+|repete|prie|prions|supplie|somme|interdis|saurais gre|serais)'
/** "Je vous ai dit de". */
const demanded: Judgement = [contains`${telling}`, 'opt_out']
const saying = 'dit|disent|demande|charge|veut|veulent|voudrait|souhaite|pense|trouve|prefere'
/** "Ma femme dit que". */
const reported: Judgement = [
  contains`(?:(?:mon|ma|mes) [^ ]+|quil|il|quelle|elle|ils|elles)(?: (?:me|m|nous|ma|mont|a|ont|ne))? (?:${saying})`,
  'unclear',
]
const how_to: Judgement = [
  contains`comment|faire pour|a qui|que dois je|(?:puis|peux) je|peut on|est ce que je peux`,
  'unclear',
]
const at_beginning: Judgement[] = [
  [nothing, 'opt_out'],
  [
    endsWith`${
      ',|et|ou|mais|donc|cest|alors|puis|pis|ici|la|plait|non|oui|bon|ecoute[zs]?|stop|tu|interessee?s?|' +
      'paix|tranquille'
    }`,
    'opt_out',
  ],
  [
    endsWith`car|de|d|maintenant|desormais|numero|ok|nous|moi|tout|jen ai(?: plus qu| vraiment| bien)?|filles`,
    'opt_out',
  ],
]

/** Judges the words before what "vous" is not to do. */
const told: Judgement[] = [
  told_about,
  demanded,
  reported,
  [has_condition, undefined],
  [endsWith`(?:ne|que|qui|ou) vous|(?:je|j)(?: ne)?(?: vous)?|ne se|se`, undefined],
  [/^vous(?: ne| n)?(?: me| nous)?$/, 'unclear'],
  [anything, 'opt_out'],
]
const told_informally: Judgement[] = [
  [endsWith`tu(?: ne| n)?(?: me| nous)?`, 'unclear'],
  told_about,
  reported,
  [has_condition, undefined],
  ...at_beginning,
]
const told_today: Judgement[] = [
  [contains`${day}|on`, undefined],
  [endsWith`(?:vous|ca|cela|sa|il|elle|rien|tu|je)(?: (?:ne|n))?`, undefined],
  ...told,
]
const asking =
  'veuillez|priere|prie|vous|tu|j ?aimerais|(?:je |j ?)voudrais|jveux|je veux|j?souhait[^ ]+|' +
  'j?desir[^ ]+|j?prefere[^ ]*|demande|' +
  'demandons|exige|' +
  'tiens|faut|serait il|gentillesse|soyez|entends|compte'
/** Judges the words before an infinitive, because only these say whose act it is. */
const told_by_infinitive: Judgement[] = [
  [endsWith`${telling} (?:de|d)`, 'opt_out'],
  [contains`pourquoi|(?:j?ai|il|elle|ils|elles) (?:dit|decide|promis|choisi|prefere|essaye)|peur`, undefined],
  demanded,
  reported,
  [endsWith`(?:est il|est ce|cest) possible (?:de|d)|pas la peine (?:de|d)`, 'unclear'],
  how_to,
  [has_condition, undefined],
  [contains`${asking}`, 'opt_out'],
  ...at_beginning,
]
const wished: Judgement[] = [
  told_about,
  reported,
  [has_condition, undefined],
  [/(?:^|(?<![^ ])(?:je|j|jen|on|nous|,|et|mais)(?: (?:ne|n|nen))?|^ne|(?<![^ ])n?ai)$/, 'opt_out'],
  [endsWith`(?:(?:mon|ma|mes) [^ ]+)(?: (?:ne|n))?`, 'unclear'],
]
const wished_of_all: Judgement[] = [
  ...told_informally,
  [endsWith`(?:je|on|nous) ${want}`, 'opt_out'],
  [anything, undefined],
]
const stopping: Judgement[] = [
  [endsWith`n|ne|pas|j?ai|a|ont|ma|ils?|elles?|on|je|qui|sans|avez|as|vont|va|vais|avai[st]|sest|est`, undefined],
  [contains`pourquoi|j ?ai dit a|jamais|fau(?:t|drait) pas|quand`, undefined],
  demanded,
  reported,
  how_to,
  [endsWith`si (?:vous|tu)`, 'unclear'],
  [anything, 'opt_out'],
]
const removed: Judgement[] = [
  [endsWith`(?:n|ne|pas|j?ai|ma|ont|sest|suis|il|elle|on)(?: (?:me|m|se|etre))?`, undefined],
  [contains`pourquoi|quand`, undefined],
  [endsWith`si (?:vous|je|tu|on)(?: (?:me|m))?`, undefined],
  reported,
  how_to,
  [contains`possible|si (?:cela|ca) continue`, 'unclear'],
  [anything, 'opt_out'],
]
const always: Judgement[] = [[anything, 'opt_out']]
const forbidden: Judgement[] = [
  [endsWith`n?(?:etes|es|avez|as)(?: (?:plus|pas))?(?: (?:le|ma|mon|notre|aucune?))?`, 'opt_out'],
  [endsWith`ai|avais|avait|pas|(?:je|nous) (?:vous )?(?:permets|autorise)`, undefined],
  told_about,
  reported,
  [anything, 'opt_out'],
]

const other_time =
  '(?:direct|precis|particulier|special|facil|rapid|specifiqu|longu|ampl|regulier)ement|frequemment|' +
  `tot|tard|souvent|vite|longtemps|que|loin|de \\d+|avant|apres|entre|quand|tant|a \\d+|${day}`
const paper = 'factures?|courriers?|colis|catalogues?|releves?|documents?|devis|lettres?|papiers?|photos?|liens?'
const for_good: Judgement[] = [
  [startsWith`(?:de |d|des |la |les |vos )(?:${paper})`, 'unclear'],
  [startsWith`${other_time}`, undefined],
  [startsWith`(?:au|a mon|sur mon lieu de) (?:travail|bureau|boulot)|si|sauf|pendant`, 'unclear'],
  [anything, 'opt_out'],
]
const limited =
  'pendant|jusqu[^ ]*|si|sil(?! vous)|lorsque|sauf|trop|aussi|tout de suite|maintenant|pour|encore|en|comme'
/** Judges the words after "ne m'appelez pas". */
const busy: Judgement = [
  startsWith`${
    ',? ?(?:je suis|on est|jsuis) (?:en (?!colere)|au (?!chomage)|occupee?|pas dispo|pris)[^ ]*|' +
    ',? ?je (?:dors|conduis|travaille)'
  }`,
  undefined,
]
const closed: Judgement[] = [
  [nothing, 'opt_out'],
  busy,
  [startsWith`(?:la|le|les|une?|l|mon|ma|a cette)(?! (?:${message}))`, undefined],
  [startsWith`${other_time}|${limited}|(?:,|mais)(?: [^ ,]+){0,6} (?:si|quand|avant|demain|plus tard)`, undefined],
  [startsWith`,|et|sil|ici|a (?:ce|la|lavenir)|sur|je|non|chez|ce numero|(?:de |des |d)(?:${message})`, 'opt_out'],
  [anything, 'unclear'],
]
const wished_for_good: Judgement[] = [...closed.slice(0, -1), [anything, 'opt_out']]
/** Judges the words after a phrase that names nobody. */
const here: Judgement[] = [
  [nothing, 'opt_out'],
  busy,
  [
    startsWith`,|ici|chez (?:moi|nous|elle|lui)|et|a (?:ce|lavenir|cette)|sur|sinon|car|cest|je|on|ce numero`,
    'opt_out',
  ],
  [startsWith`(?:ma|mon|mes|notre|nos) (?:ancien|portable|fixe|travail|bureau|poste)`, 'unclear'],
  [startsWith`ma|mon|mes|notre|nos|pour|pis|puis|icitte|please|jamais`, 'opt_out'],
  [startsWith`sil|rien|la|avec vos|vos|${messages}|d ?accord|compris|desormais|dorenavant`, 'opt_out'],
  [anything, undefined],
]
const or_nobody: Judgement[] = [
  [nothing, 'unclear'],
  [startsWith`ici|(?:a|sur)? ?ce numero|de (?:${message})|chez moi`, 'opt_out'],
  [anything, undefined],
]
const after_stop: Judgement[] = [
  [startsWith`(?:la|le|les|une?|l|mon|ma)(?! (?:numero|portable|maison))`, 'unclear'],
  [anything, 'opt_out'],
]
const after_removal: Judgement[] = [
  [nothing, 'opt_out'],
  [
    startsWith`,|et|pis|puis|ou|sil|tout de suite|moi|nous|partout|${our_number}|${list}|${messages}|car|je|sinon`,
    'opt_out',
  ],
  [
    startsWith`(?:de|a|du|d) ?(?:la(?= ,|$)|ici|tout|toutes?|tous|vos|votre|ces|cette|ce|l|chez vous|tes)|maintenant`,
    'opt_out',
  ],
  [anything, undefined],
]
const after_none: Judgement[] = [
  [nothing, 'opt_out'],
  [startsWith`sil|, (?:ni|pas|aucune?|rien)|ni|sur ce numero`, 'opt_out'],
  [anything, undefined],
]
const for_something_else: Judgement[] = [
  [startsWith`de prelevement|parentale|pour (?:l ?ecole|la sortie)`, undefined],
  [anything, 'opt_out'],
]
const always_stop: Judgement[] = [
  [nothing, 'stop'],
  [startsWith`,|et|sil|a la fin|maintenant|avec`, 'stop'],
  [anything, undefined],
]

const weary =
  'jen (?:peux|veux) plus|stop|basta|[cs]a suffit|cest (?:fini|termine|assez)|y en a marre|il faut que [cs]a'
const enough =
  'jamais plus|plus(?: jamais)?|plu|pu|finis?|termine|assez|marre|ras (?:le bol|la casquette)|basta|halte|[cs]a suffit'
const goes_on = '(?:continu|insist|persist|recommenc|persever)(?:ez|es?)'
const accuse =
  '(?:je|j|on|nous) ?(?:(?:vais|vous|te|t|allons) ){0,3}(?:port[^ ,]* plainte|depos|signal|saisi|' +
  'denonc|attaqu|poursui)[^ ,]*|(?:je|on) (?:vais|parle)(?: [^ ,]+){0,2} (?:la )?(?:police|gendarmerie|avocat)|' +
  '(?:mon|notre) avocate?|(?:je |j|on )?(?:app?ell?|contact|alert|previen)[^ ,]+ (?:la police|' +
  'les flics|la gendarmerie|(?:un|mon) avocat)'
const threat =
  `encore une?(?: seul)? (?:${message})(?: ,)?(?: et)? (?:${accuse}|(?:je|on) (?:vous |te )?(?:bloqu|` +
  'contact|appell)[^ ,]+)|' +
  `(?:si|la prochaine fois que) (?:vous|tu|ca) ${us}?(?:${call}|${call_informally}|${goes_on})(?! pas)(?: [^ ,]+){0,5}?` +
  `(?: ,)? (?:${accuse})|(?:${accuse})(?: [^ ,]+){0,4} si (?:vous|tu|ca) ${us}?(?:${call}|${goes_on})(?! pas)|` +
  `si (?:vous|tu) (?:ne |n ?)?(?:cess|arret|stopp)(?:ez|es?) pas (?:${messages}|(?:de |d)${us}?(?:${to_call}))`
const consent =
  '(?:(?:par la presente|mon|notre|le|tous?|toute|mes|l) |l){0,3}(?:consentement|autorisations?|accord|permission)'
const use = `${message}|traitement|utilisation|usage|exploitation|[dl]utilisation|ce que (?:vous|lon|mes)`
const forbid =
  'interdi[st]|interdisons|interdiction|defense|droit|autorisee?s?|autorisation|permission|permets|somme|enjoins|ordonne'
const do_not_call_list =
  '(?:sur|dans|a|parmi|en) (?:[^ ,]+ ){1,5}(?:d?opposition|rouge|noire|bloctel|exclus|repoussoir|ne (?:pas|plus))'
const less =
  '(?:repond(?:s|re)|reponde|envoie|envoyer|ecris|tape|taper) stop|(?:en )?recevoir (?:en )?moins|' +
  `moins (?:de |d)(?:${message})|(?:(?:plus|pas) la peine|inutile) de ${us}?(?:${to_call})|` +
  `jen peux plus ${messages}|ni (?:appels?|sms|messages?) ni (?:appels?|sms|messages?)|(?<!.)darr?eter$|` +
  'je suis sur bloctel$|(?:je|on) (?:vais|va) vous (?:signaler|denoncer)|' +
  '(?:pas|aucun|zero) (?:de |d ?)?(?:message|appel|rappel)$|(?:pas|plus|non) interesse(?:e|es|s)?|' +
  '(?:ca|cela|sa)(?: ne)? minteresse (?:pas|plus)|je (?:vous|te) bloque|' +
  `vous ${us}?(?:${call}) (?:tout le temps|trop|sans (?:arret|cesse)|tous les jours)|bloquez (?:mon|ce) numero|` +
  '(?:qui|dou|ou|comment)(?: (?:est ce que|est ce|cest))?(?: (?:que|qui))? (?:vous (?:a|ont|avez)|avez vous) ' +
  '(?:donne|eu|trouve|obtenu|recupere|file|mon)?(?: ?mon)? ?(?:numero|num)|' +
  'comment (?:je|on) (?:me |se |sen )?(?:desinscri|desabonn)[^ ]+|(?:puis je|' +
  'je peux) bloquer ce numero|je vous (?:ai dit|ai demande|avais dit|prie) ' +
  '(?:darreter|de cesser|stop)$|(?:donne|ai donne) (?:pas|jamais) (?:mon |d ?)(?:accord|consentement|autorisation)|' +
  `(?:que )?plus personne ne ${us}(?:${call_informally})$`
const in_peace =
  'laisse[zs]? (?:moi|nous) (?:tranquilles?|en paix)|(?:lache[sz]?|crisse[sz]?) (?:moi|nous) patience|' +
  '(?:fich|fout)[^ ]+ (?:moi|nous) la paix|' +
  '(?:lache[sz]?|oublie[sz]?) (?:moi|nous)(?: la grappe| les baskets)?'

const phrases: Phrase[] = [
  { says: says`${not}${us}(?:${call}) (?:${never})`, before: told, after: for_good },
  { says: says`${not}(?:${call})(?: (?:moi|nous))? (?:${never})`, before: told, after: here },
  {
    says: says`${not}${us}?(?:${call_informally})(?: (?:moi|nous))? (?:${never})`,
    before: told_informally,
    after: here,
  },
  {
    says: says`${not}${them}(?:${call}) (?:${never})`,
    before: [[endsWith`vous|nous|qui|que(?: ne| n)?`, undefined], ...told],
    after: for_good,
  },
  {
    says: says`(?:de )?ne (?:${never}) ${them}(?:${to_call})`,
    before: [
      [nothing, 'opt_out'],
      [endsWith`,|et|veuillez|priere|prie|prions|gre|aimable`, 'opt_out'],
    ],
    after: for_good,
  },
  { says: says`(?:${stop}) (?:de |d)${them}(?:${to_call})`, before: stopping, after: closed },
  { says: says`${not}${us}(?:${call}|${call_informally}) pas`, before: told_today, after: closed },
  { says: says`${not}(?:${call}) pas`, before: told_today, after: or_nobody },
  {
    says: says`${
      '(?:(?:mauvais|faux|erreur de|pas le bon) numero|pas interessee?s?|plus ici|est (?:mort|' +
      `decede)e?)(?: [^ ,]+){0,3}?(?: ,)?(?: et)? ${not}(?:${call}) (?:pas|plus)`
    }`,
    before: told,
    after: closed,
  },
  { says: says`(?:ne |n )?(?:${never}|pas) (?:de )?${us}(?:${to_call})`, before: told_by_infinitive, after: closed },
  { says: says`(?:ne |n )?(?:${never}) (?:${to_call_any})`, before: told_by_infinitive, after: here },
  {
    says: says`(?:ne |n )?(?:${never}|pas) (?:${receiving}|faire partie ${list})`,
    before: [[endsWith`j?ai|a`, undefined], ...told_by_infinitive],
    after: for_good,
  },
  { says: says`${want_no_more} (?:(?:de )?${messages}|${receiving})`, before: wished, after: for_good },
  { says: says`${want_no_more} ${you_call}`, before: wished, after: wished_for_good },
  {
    says: says`n ?e? ?(?:cherch|essay|tent|continu)(?:ez|e|es) (?:plus|pas) (?:a|de|d) ${us}(?:${to_call})`,
    before: told,
    after: closed,
  },
  {
    says: says`(?:marre|assez) (?:que|de ce que) (?:vous|tu) ${us}(?:${call}|${call_informally})`,
    before: always,
    after: closed,
  },
  {
    says: says`(?:${stop})(?: ,)?(?: [^ ,]+)? (?:(?:de|a|d|toujours) |d)(?:[^ ,]+ )?${us}(?:${to_call})`,
    before: stopping,
    after: always,
  },
  { says: says`(?:${stop}) (?:(?:de|a|d) |d)(?:${to_call_any})`, before: stopping, after: after_stop },
  { says: says`(?:${stop}) ${messages}`, before: stopping, after: always },
  { says: says`(?:${enough}) ${messages}`, before: at_beginning, after: [[startsWith`dans`, undefined], ...for_good] },
  {
    says: says`${
      '(?:pas|aucune?|zero|non aux?) (?:de |d ?)?(?!(?:rappel|message|appel)$)(?:(?:autres?|nouveaux?|' +
      `nouvel|nouvelles?) )?(?:${message})`
    }`,
    before: at_beginning,
    after: after_none,
  },
  {
    says: says`(?:vos|tes|ces) (?:${message})(?: ,)?(?: (?:la|franchement))? (?:${weary})`,
    before: always,
    after: always,
  },
  { says: says`${threat}`, before: always, after: [[startsWith`reponds|rappelle|viens`, undefined], ...always] },
  {
    says: says`${us}?${removing}(?: [^ ,]+){0,3} ${list}|(?:${removed_from}) ${list}`,
    before: removed,
    after: always,
  },
  {
    says: says`${
      'l?(?:suppression|retrait|effacement)(?: (?:immediate?|definitive?|complete?|' +
      `totale?))? (?:de )?(?:${our_number}|${list})`
    }`,
    before: removed,
    after: always,
  },
  { says: says`(?:quon|que lon) (?:ne )?${us}(?:${call_informally}) plus`, before: wished_of_all, after: for_good },
  { says: says`${removing} (?:${our_number}|moi|nous)`, before: removed, after: after_removal },
  { says: says`numero(?: [^ ,]+)?(?: ,)? (?:vous )?${removing} le`, before: always, after: after_removal },
  { says: says`numero(?: [^ ,]+){2,5} , ${removing} le`, before: [[anything, 'unclear']], after: after_removal },
  { says: says`(?:me |m |nous )?(?:${unsubscribe})(?: (?:moi|nous))?`, before: removed, after: after_removal },
  {
    says: says`(?:resili|annul)e[szr]? (?:mon |l ?)(?:abonnement|inscription) (?:aux?|a) ${messages}`,
    before: removed,
    after: always,
  },
  { says: says`annule[rz] mon inscription`, before: [[nothing, 'unclear']], after: [[nothing, 'unclear']] },
  { says: says`(?:retir|revoqu|annul)(?:er?|ons) ${consent}`, before: removed, after: for_something_else },
  {
    says: says`(?:m ?oppose|nous opposons|m ?opposer|opposition) (?:[^ ,]+ ){0,3}(?:${use})`,
    before: removed,
    after: always,
  },
  { says: says`droit (?:a l ?|d ?)(?:effacement|oubli|opposition)`, before: removed, after: always },
  {
    says: says`${
      `(?:${forbid})(?: [^ ,]+)? (?:(?:de|d|a) (?:ne plus )?${us}(?:${to_call})|(?:dutiliser|de garder|` +
      `de conserver) ${our_number})`
    }`,
    before: forbidden,
    after: closed,
  },
  { says: says`personne (?:ne )?(?:doit|devra|devrait|peut) ${us}(?:${to_call})`, before: told, after: always },
  {
    says: says`(?:met|inscri|ajout|plac|not)[^ ]+ (?:moi|nous|${our_number}) ${do_not_call_list}`,
    before: removed,
    after: always,
  },
  {
    says: says`(?:oubli|perd|jet)(?:e[szr]?|s) (?:mon|notre|ce) (?:numero|num|nom)`,
    before: removed,
    after: after_removal,
  },
  {
    says: says`(?:ne |n ?)?laisse[szr]? plus (?:${messages}|de message)`,
    before: told,
    after: for_good,
  },
  {
    says: says`${
      `n?e? ?(?:utilis|gard|conserv|partag|stock)(?:ez|e|er) (?:plus|pas) ${our_number}|` +
      `ne plus (?:utiliser|garder|conserver) ${our_number}`
    }`,
    before: told,
    after: after_removal.with(-1, [anything, 'unclear']),
  },
  {
    says: says`(?:etre|soit|soient) (?:desinscrit|desabonne|desincrit|retire|raye|radie|supprime|efface|enleve)e?s?`,
    before: [
      [endsWith`(?:pas|plus|jamais)(?: [^ ,]+){0,2}`, undefined],
      reported,
      [endsWith`(?:a|etre|j?aimerais|voudrais|souhaite|veux|demande)`, 'opt_out'],
      [contains`(?:demande|souhaite|veux|voudrais|aimerais|exige)(?: [^ ,]+)? que ${our_number}`, 'opt_out'],
      [anything, undefined],
    ],
    after: [
      [nothing, 'opt_out'],
      [startsWith`,|de (?:vos|votre|tes|ces|cette)|${list}|et`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: says`(?:que )?je ne recoive plus (?:${messages}|rien)`,
    before: [[contains`pourquoi|comment ca`, undefined], ...always],
    after: for_good,
  },
  {
    says: says`${removing} (?:son|leur|sa) (?:numero|nom|contact|fiche|portable)`,
    before: [
      [endsWith`ne|pas|ai|avez`, undefined],
      [contains`decedee?|morte?|disparue?`, 'opt_out'],
      [anything, 'unclear'],
    ],
    after: after_removal,
  },
  {
    says: says`(?:n ?)?autorise (?:pas|plus) ${messages}`,
    before: [[endsWith`(?:je|j)(?: n| ne)?|nous|n|ne`, 'opt_out']],
    after: always,
  },
  {
    says: says`arrete[szr]?|stop|cessez`,
    before: [
      [contains`pourquoi|quand|pas|jamais`, undefined],
      [
        contains`${
          `(?:vos|tes|ces) ${messages}|vous (?:me |m)?(?:harcel|emmerd|saoul|gonfl|ennuy|app?ell?|telephon|` +
          'spamm)(?:ez|es)'
        }`,
        'opt_out',
      ],
    ],
    after: [[nothing, 'opt_out']],
  },
  {
    says: says`${less}`,
    before: [[anything, 'unclear']],
    after: always,
  },
  { says: says`${in_peace}`, before: [[endsWith`dit|si`, undefined], ...always], after: always_stop },
  {
    says: says`${
      '(?:arrete[szr]?|cessez|[cs]a suffit)(?: (?:ca|tout(?: ca)?|maintenant|cela|la|comme ca))?|' +
      'stop (?:ca|tout|maintenant|la)'
    }`,
    before: [[/(?:^|(?<![^ ])(?:,|bon|non|maintenant|la|vous))$/, 'stop']],
    after: always_stop,
  },
]

const reach = '(?:ecrivez|envoyez|appelez)(?: (?:moi|nous|juste|un)){1,2}(?! (?:plus|pu|pas|jamais))'
const another_way = contains`plutot|a la place|au lieu|${reach}|laissez (?:moi )?un`

export const fr: Language = {
  tag: 'fr',
  opt_outs: {
    words: listed(
      'annuler abonnement sms, annuler abonnement, stop, stop sms, stop mms, arrêt sms, arrêt pub, stop pub, stop tout, stop appels, stop messages, stoppez, arrêt, désabonner, désabonnement, ' +
        'désabonnez moi, désinscription, désinscrire, désinscrivez moi, me désabonner, me désinscrire, ' +
        'se désabonner, se désinscrire, désactiver sms',
    ),
    ordinary_words: listed(
      'annuler, annule, annulez, annulation, résilier, résiliez, résiliation, fin, finir, fini, terminé, terminer, ' +
        'assez, arrête, ' +
        'arrêtez, arrêter, laissez moi, j ai dit stop, y en a marre, j en ai marre, c est bon là, cest bon la, quitter, désactiver, supprimer, suppression, retirer, sortir',
    ),
    phrases,
    another_way,
    at_once: ['immédiatement'],
    fillers: [
      ...(
        'merci svp stp euh heu bah bonjour bonsoir monsieur madame mademoiselle messieurs mesdames ' +
        'vraiment franchement ' +
        'définitivement simplement gentiment surtout absolument strictement formellement carrément ' +
        'sérieusement putain merde bordel tabarnak criss osti crisse câlisse cordialement coucou'
      ).split(' '),
      ...['au revoir', 'bien vouloir', 'bonne journée', 'bonne soirée', 'bien cordialement'],
    ],
  },
  opt_in_words: [],
  help_words: ['aide'],
  answers: {
    yes: listed(
      'oui, ouais, ouaip, oui oui, mais oui, bien sûr, oui bien sûr, daccord, ok, okay, cest ça, exactement, tout ' +
        'à fait, exact, ' +
        'absolument, parfait, certainement, cest exact, très bien, ça marche, cest bon, volontiers, entendu, ' +
        'carrément, correct',
    ),
    no_more: listed(
      'plus rien, plus jamais, plus du tout, plus dappels, plus de messages, plus aucun, ne mappelez plus, stop, ' +
        'arrêtez, je veux ça, ' +
        'cest ce que je veux, je confirme, jen suis sûr, jen suis sûre, cest bien ça',
    ),
    courtesies: listed('sil, vous, te, plaît, merci, svp, stp, monsieur, madame, au, revoir, ah, euh, ben, bien'),
  },
  sayings: {
    opt_out: 'Vous ne recevrez plus de messages de notre part. Répondez START pour en recevoir à nouveau.',
    no_more_messages: 'Vous ne recevrez plus de messages de notre part.',
    no_more_calls: "C'est entendu. Nous ne vous appellerons plus. Au revoir.",
    no_more_question: "Souhaitez-vous ne plus recevoir d'appels ni de messages ?",
    press_key: "Pour ne plus recevoir d'appels, appuyez sur la touche {key}.",
    star: 'étoile',
    hash: 'dièse',
  },
}
