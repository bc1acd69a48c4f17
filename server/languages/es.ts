import { type Language, listed } from './language.ts'
import { anything, type Judgement, nothing, type Phrase, spelledBy, wholeWord } from './wish.ts'

/** The next letter, perhaps as the first of a group. */
const beforeEI = '(?=(?:\\(\\?:|\\[)?[ei])'
/** People write as they hear and leave out letters: "no kiero resivir mas", "no m yamen", "dejen d mandar mensages". */
const { says, endsWith, startsWith, contains } = spelledBy([
  [`${wholeWord('no')} (?=\\(\\?:me\\||me )`, 'no ?'],
  ['(?<=(?:^| |\\|)(?:no|ni|nunca|jamas|[)][?]?) )\\(\\?:me\\|nos\\) (?=\\()', '(?:me?|nos) ?'],
  [wholeWord('ya no'), '(?:y|ll)a ?no'],
  [wholeWord('ya'), '(?:y|ll)a'],
  [wholeWord('me'), 'me?'],
  [wholeWord('del\\?'), '(?:del?|d)'],
  [wholeWord('de'), 'de?'],
  [wholeWord('que'), '(?:que|[qk]e?)'],
  [wholeWord('por'), '(?:por|x)'],
  [wholeWord('mas'), '(?:ma[sz]|[+])'],
  [wholeWord('y'), '[yi]'],
  ['ch', 'ch'],
  ['h', 'h?'],
  ['qu', '(?:qu|[qk])'],
  ['ll', '(?:ll?|y)'],
  ['rr', 'rr?'],
  [`gu${beforeEI}`, 'gu?'],
  [`g${beforeEI}`, '[gj]'],
  ['j', '[jg]'],
  [`cc${beforeEI}`, 'c?[csz]'],
  [`[csz]${beforeEI}`, '[csz]'],
  ['[sz]', '[sz]'],
  ['c', '[ck]'],
  ['[bv]', '[bv]'],
  ['[mn](?=[pb])', '[mn]'],
])

const that = 'que|q|k|qe'
/** The person whom the agent reaches: the contact, or somebody for whom they speak. */
const whom = 'me|nos|les?|l[ao]s?'
const stems =
  '(?:ll|y|l)am|telefone|contact|contacte|timbr|molest|fastidi|acos|importun|incordi|texte|mensaje|spame|' +
  'whatsappe|wasape|atosig'
/** What the agent is not to do: "llame", "llames", "llamen", "llaméis", "escriba". */
const call =
  `(?:${stems}|marqu|hostigu|comuniqu|atosigu|llm)e(?:n|s|is)?|llaemn|llmaen|llamne|` +
  '(?:escrib|escriv|ecrib|escirb|esrib|insist|interrump)a(?:n|s|is)?|' +
  'pong(?:a|an|as|ais) en contacto|den (?:mas )?(?:la )?(?:lata|brasa|tabarra|vara)'
const to_call =
  `(?:(?:${stems}|marc|hostig|comunic|llm|habl|ching|chinch|hinch|contac|busc)ar|(?:escrib|escriv|insist)ir|` +
  `joder|romper)(?:${whom}|se)?(?: (?:l[ao]s )?(?:bolas|pelotas|huevos|cojones|paciencia))?|` +
  'dar(?:me|nos)? (?:la )?(?:lata|tabarra|brasa|vara)|ponerse en contacto'
const calling =
  `(?:(?:${stems}|marc|hostig|comunic|habl)ando|(?:escrib|escriv|insist|jod)iendo|chingando|hinchando|` +
  `rompiendo|dando la lata)(?:${whom})?`
const send = '(?:mand|envi|embi|enbi|remit|dej|llegu)[ea](?:n|s|is)?|ofrezc(?:a|an|as|ais)'
const to_send = '(?:mandar|enviar|embiar|enbiar|envir|mandr|hacer|remitir|ofrecer|pasar)(?:me|nos|les?)?'
const sending = '(?:mandando|enviando|enbiando|haciendo|ofreciendo)(?:me|nos|les?)?'
const call_noun =
  '(?:(?:ll|y)amad|(?:ll|y)amadit)[ao]s?|mensa[jg](?:es?|itos?)|me?nsjs?a?es|mesa[jg]es?|was+ap+s?|whats?(?:app)?s?|recordatorios?|' +
  'avisos?|sms|ms[jgm]s?|' +
  'notificaci(?:on|ones)|comunicaci(?:on|ones)|promociones|promos|ofertas|anuncios|publicidad|propagandas?|' +
  'spam|textos|' +
  'encuestas|alertas|audios|telefonazos|telefonemas|comunicados|mails ni sms'
/** "Todas sus malditas llamadas". */
const calls =
  '(?:(?:mas|sus?|tus?|vuestr[oa]s?|l[oa]s?|el|tant[oa]s?|est[aeo]s?|es[oae]s?|tod[oa]s?|otr[oa]s?|' +
  'ningun[oa]?|un[oa]?|ni|y|o|' +
  'de|tipo|clase|envios?|recepcion|que sea|maldit[oa]s?|put[oa]s|dichos[oa]s|molest[oa]s|absolutamente|' +
  'cualquier|servicio|correos|e?mails?|informacion|nuev[oa]s|futur[oa]s|demas|' +
  `${call_noun}) ){0,6}(?:${call_noun}|informacion comercial|contacto)`
const anything_sent =
  `${calls}|(?:(?:mas|sus|esas|tantas?) )?(?:nada|na|cosas|tonterias|mierdas?|basura)|mas informacion|` +
  'mas(?= (?:,|y|o|ni|pero|por|que|pues|al?|en|porque|nunca)(?![^ ])|$)'

const wanting =
  '[qk]?u?ier[oa]|qu?eremos|quero|queria|quisiera|quisieramos|deseo|deseamos|desearia|pretendo|necesito|' +
  'necesitamos|acepto|aceptamos|' +
  'me (?:interesa|hace falta|gustaria|apetece) (?:seguir )?recib\\S+|nos interesa recibir|vuelvo a querer|' +
  'voy a aceptar|est(?:oy|amos) interesad[oa]s? en (?:seguir )?recibir'
const demanding =
  `${wanting}|exijo|exigimos|solicito|solicitamos|pido|pedimos|ruego|rogamos|prefiero|preferimos|preferiria|` +
  'agradezco|' +
  'agradece|agradeceria|agradeceriamos|gustaria|digo|decimos|dije|dijimos|he dicho|he pedido|habia dicho|hemos dicho|' +
  'pedi|repito|' +
  'suplico|es|encantaria|pedir(?:les?|te|os)?'
const said_earlier = '(?:(?:se l[oa]s?|les?|os|te) )?(?:he|habia|hemos)? ?(?:dije|dijimos|pedi|pedimos|dicho|pedido)'
const i_would_like = `${said_earlier}|(?:agradecer|gustar|encantar|quer|preferir|pedir|agradezco)(?:r?ia)?(?:mos)?|quisiera(?:mos)?`
const again =
  '(?:(?:me|nos|les?|l[ao]s?) )?(?:[vb]uelv(?:a|an|as|ais)|[vb]olvais|sig(?:a|an|as|ais)|continu(?:e|en|es|eis)|est(?:e|' +
  'en|es|eis)|' +
  'and(?:e|en|es|eis)|[vb]uelban?)(?: h?a)?'
const called = '(?:llamad|contactad|molestad|importunad|hostigad)[oa]s?'
const you = 'ustedes|usted|vosotros|(?:su|esta|esa|vuestra|tu) (?:empresa|compañia|parte|marca|tienda|banco|clinica)'
const number =
  '(?:(?:informacion|numero|nunero|num|nombre|datos|telefono|tel|celular|cel|movil|fijo|contacto|linea)(?: de \\S+)?)'
const my_number = `(?:tod[oa]s? )?(?:mi|mis|este|nuestr[oa]s?|esta|el) ${number}(?: y (?:mi |mis )?${number})?`
const list =
  'ahi|todo|todas partes|(?:(?!espera|invitados)[^ ,]+ ){0,4}?(?:listas?|listados?|bases?|sistemas?|agenda|' +
  'registros?|ficheros?|envios|' +
  'archivos|directorio|contactos|grupo|difusion|cartera)(?! de (?:espera|invitados|boda|asistentes)|' +
  ' del? (?:sabado|domingo|viernes))'
const take_off =
  '(?:saqu|quit|borr|elimin|tach|retir|bloque|baj|anul|desvincul|depur|cancel|limpi)(?:e|en|es|eis|a|ad)|' +
  '(?:remuev|suprim|exclu[iy])(?:a|an|as|e|id)|' +
  '(?:sac|quit|borr|elimin|tach|remov|retir|suprim|exclu|anul|desvincul|cancel)[aei]r|sac(?:a|ad)|elimin'
const us = 'este|esta|mi|mis|nuestro|nuestra|casa|la casa|los|ningun'

/** "Si", unless it is rather "sí", a courtesy or a threat such as "si me llaman otra vez, los denuncio". */
const if_not_polite =
  'si (?!(?:,|mire|mira|oiga|oye|hola|bueno|claro|yo|señor|son|es|fueran?|puedes?|pueden|podeis|podrian?|' +
  'quieren?|no (?:les?|os|te)|' +
  '(?:(?:me|nos|os|se|te) )?(?:enter[^ ]+|siguen?|seguis|vuelven?|volveis|llaman|marcan|escriben|mandan|' +
  'insisten|hacen?))(?![^ ]))[^ ]+'
const condition_word =
  `${if_not_polite}|(?<!hasta )cuando|mientras|aunque|siempre que|antes de que|` +
  'a menos que|excepto|salvo|en caso de'
const has_condition = contains`${condition_word}`
const clock = 'las [^ ]+|la (?:una|hora)|es[ao]s? horas?|est[ao]s horas'
const this_day =
  'est[ea] (?:tarde|noche|semana|mañana|finde|fin de semana|lunes|martes|miercoles|jueves|viernes|sabado|domingo)'
const at_time: Judgement = [
  endsWith`${
    `(?<!de |desde )(?:hoy|ahora|ahorita|mañana|${this_day}|` +
    'por (?:las?|el) [^ ]+|' +
    `de noche|en el trabajo|(?:a|hasta) (?:${clock})|los (?:sabados|domingos|fines de semana)|` +
    'en domingo)(?: ,)?(?: (?:ya|mejor))?'
  }`,
  undefined,
]
const negated: Judgement[] = [
  [
    endsWith`${
      '(?:no|nunca|sin|tampoco)(?: (?:me|nos|les?|os|te|se))*(?: (?:dije|digo|pido|pedi|he pedido|he dicho|' +
      'quise|quiero|queria|queremos|solicite|hace falta|es|es necesario|necesito|' +
      'vaya[ns]? a))?(?: que)?(?: (?:me|nos|se|de))*'
    }`,
    undefined,
  ],
  [
    endsWith`${
      '(?:extraña|raro|preocupa|miedo|creo|entiendo|pena|lastima|importa|molesta|normal|puede|culpa|' +
      'posible|temo|dudo|hecho|parece|espero)(?: (?:de|a|ser))? que(?: (?:me|nos))?'
    }`,
    undefined,
  ],
  [contains`(?:les?|lo) (?:dije|pedi|digo|pido|he dicho) al? (?!usted|ustedes|vosotros)[^ ]+`, undefined],
]
/** "Dice mi marido que". */
const reported: Judgement = [
  contains`${
    '(?:dice|dicen|dijo|dijeron|pide|piden|pidio|pidieron|opina|quiere|quieren|prefiere|comenta|cree|' +
    'encargo|pensar|quizas?|tal vez|a lo mejor)(?! mucho)'
  }`,
  'unclear',
]
const demanded: Judgement = [
  endsWith`${
    `(?<!no )(?:(?:${demanding})(?: [^ ,]+){0,3}(?: ,)? (?:${that})|favor(?: de)?|por lo tanto|asi que|` +
    'apunt[^ ]* (?:ahi )?que|a ver si)(?: (?:ya|me|nos|se|os|les?|ustedes))*'
  }`,
  'opt_out',
]
/** "Para que no me llamen", "cómo me doy de baja". */
const how_to: Judgement = [
  endsWith`${
    '(?:para que|para|como|donde|quien|que (?:hago|pasos|tengo que|debo|necesito|hay que)|(?:forma|' +
    'manera|modo|posible|opcion|opciones)(?: de)?|se (?:puede|podria)|puedo|podemos)(?: (?:de|hago|' +
    'hacemos|hay|tengo|debo|puedo|podria|se|hacer|que|puede|pasa|para|me|nos|logro|ya|dejo|consigo|llamo|' +
    'hablo|hay que|es))*'
  }`,
  'unclear',
]
const at_beginning: Judgement = [
  /(?:^|(?<![^ ])(?:y|pero|asi que|,|ya|que|entonces|favor|favor de|por favor))$/,
  'opt_out',
]

/**
 * Judges the words before what the agent is not to do. The forms of the verb are clear, so the phrase begins anywhere.
 */
const forbidden: Judgement[] = [
  [/^(?:si|no|ya)(?: ,)?(?: ya)?$/, 'opt_out'],
  ...negated,
  [endsWith`por ?que|quienes?|hasta que|como|los que|las que`, undefined],
  [has_condition, undefined],
  [at_time[0], undefined],
  [endsWith`para que(?: ya)?`, 'unclear'],
  reported,
  [anything, 'opt_out'],
]
/** Some verbs are the same in Portuguese, which has its own rules. */
const is_portuguese: Judgement = [contains`nao|ele|ela|eles|voce|voces|meu|minha|pra`, undefined]
/** Judges the words before what the agent is to do. */
const told: Judgement[] = [
  is_portuguese,
  ...negated,
  demanded,
  how_to,
  [endsWith`por ?que|quienes?|hasta que|cuando|si|usted|se`, undefined],
  reported,
  [has_condition, 'unclear'],
  at_time,
  [anything, 'opt_out'],
]
/** Judges the words before "I don't want". */
const wished: Judgement[] = [
  [endsWith`por ?que|parece que|no es que`, undefined],
  ...negated.slice(2),
  demanded,
  reported,
  [contains`creo|pronto|${if_not_polite}`, 'unclear'],
  [endsWith`(?:si|cuando|aunque|hoy|por ahora)(?: ya)?`, 'unclear'],
  [anything, 'opt_out'],
]
/** Judges the words before an infinitive, because only these say whose act it is. */
const told_by_infinitive: Judgement[] = [
  [
    endsWith`${
      `(?<!no )(?:(?:${demanding})(?: (?:el favor|la gentileza|que|por favor|de))*|(?:podrian|pueden|puede|` +
      'podria|prohibido|favor)(?: (?:de|en|por favor))?)'
    }`,
    'opt_out',
  ],
  [endsWith`para|como|como hago para`, 'unclear'],
  [has_condition, undefined],
  at_time,
  at_beginning,
  [anything, undefined],
]

const time =
  'hoy|ahora|ahorita|mañana|esta (?:tarde|noche|semana|mañana)|este (?:mes|fin)|' +
  '(?:por|en|de|durante|toda) las? (?:mañanas?|tardes?|noches?|madrugada|siesta|reunion|hora|oficina)|' +
  'de (?:noche|madrugada|dia)|' +
  'a (?:las [^ ]+|la (?:una|hora|siesta)|esas? horas?|estas? horas?|mediodia)|al (?:trabajo|mediodia|trabajar)|' +
  'en (?:el trabajo|horario|mi trabajo|horas|domingo|fin|fines|vacaciones|agosto|un rato|unos|dos|ingles|' +
  'catalan)|antes|despues|' +
  'hasta|mientras|cuando|si|durante|tan|entre|los? (?:lunes|martes|miercoles|jueves|viernes|sabados?|' +
  'domingos?|fines|finde)|' +
  'todavia|aun|tarde|temprano|(?:de|que) (?:dos|tres|lo|voz)|de una vez (?:al|por (?:dia|semana))|que (?:voy|' +
  'estoy) (?!hart)|para (?:confirmar|avisar|decir)|' +
  'sin (?:avisar|antes|cita)|este (?:lunes|sabado|domingo)|el (?:lunes|martes|miercoles|jueves|viernes|' +
  'sabado|domingo|finde|fin)'
/** These words after a wish limit it to a time. */
const limited: Judgement = [startsWith`(?:mas )?(?:${time})`, undefined]
const condition: Judgement = [
  startsWith`${
    '(?:[^ ,]+ ){0,4}?(?:, )?(?:salvo|excepto|a menos que|a no ser|hasta que|solo si|cuando|mientras|' +
    'si (?:no|hay|esta)|lo voy a pensar|de momento|por ahora|antes de|despues de)'
  }`,
  'unclear',
]
const where =
  `a (?:${us})|al (?:celular|movil|numero|fijo|telefono|cel|cell)|aqui|aca|en este|` +
  'por (?:telefono|whatsapp|sms|ningun)|conmigo'
const for_good: Judgement = [
  startsWith`${
    `mas|ya|nunca|jamas|otra vez|de nuevo|nuevamente|(?:${where})|para (?:nada|ofrecer[^ ]*|vender[^ ]*)|` +
    'en (?:la vida|lo sucesivo|absoluto|ningun)|de ningun[^ ]*|bajo|ni'
  }`,
  'opt_out',
]
const nothing_more: Judgement = [
  /^(?: (?:,|y|o|pero|que|porque|pues|no|te|les?|ustedes|estoy|eh|vale|ti[oa]|ok|(?:suy|vuestr)[oa]s)(?: |$)|$)/,
  'opt_out',
]
/** "No quiero que me llamen, ¿entiende?" */
const said_at_end: Judgement = [
  /^ (?:enti\S+|entend\S+|hombre|mujer|joder|cono|okey|venga|adios|chao|atentamente|saludos|jamas)(?: |$)/,
  'opt_out',
]

const busy: Judgement = [
  startsWith`${
    ',? ?(?:que )?(?:ahora )?(?:estoy|estamos) (?:ocupad|reunid|trabaj|durm|conduc|manej|en (?!la lista|' +
    'lista|el registro|la robinson))[^ ,]*'
  }`,
  undefined,
]
/** "Ni una llamada en tres días." */
const nothing_came: Judgement = [
  startsWith`${
    'recib[^ ]+|(?:me |nos )?ha[ns]? (?:mand|envi|lleg|hech|dej)[^ ]+|en (?:un[oa]?|dos|tres|tod[oa]|' +
    'vari[oa]s) [^ ]+|desde'
  }`,
  undefined,
]
const elsewhere: Judgement = [
  startsWith`${
    '(?:[^ ,]+ ){0,3}, (?:mejor )?(?:llam|escrib|mand|envi|marqu|marc)(?:e|a|en|an|es|as|id|' +
    'ad)(?: (?:al?|en|por) [^ ,]+)?'
  }`,
  'unclear',
]
/**
 * Judges the words after a phrase that is clear if nothing or little follows. A mere word may be a name: "No me llames
 * Mara."
 */
const closed: Judgement[] = [
  busy,
  elsewhere,
  [startsWith`(?:al|en (?:el|mi)|a mi) (?:trabajo|laburo|curro|oficina|despacho|chamba)`, 'unclear'],
  limited,
  condition,
  for_good,
  nothing_more,
  said_at_end,
  [startsWith`de|del|al?|asi`, undefined],
  [/^ [^ ,]+(?: ,|$)/, undefined],
  [anything, 'unclear'],
]
const whatever: Judgement[] = [
  nothing_came,
  busy,
  elsewhere,
  limited,
  condition,
  [startsWith`al? (?!(?:${us}|celular|movil|telefono|cel|numero)(?![^ ]))[^ ]+`, undefined],
  [anything, 'opt_out'],
]
const always: Judgement[] = [[anything, 'opt_out']]
/** Judges the words after "dejen de llamar". */
const stopped: Judgement[] = [
  nothing_came,
  [startsWith`ahora(?: mismo)?|hoy mismo`, 'opt_out'],
  [limited[0], 'unclear'],
  [startsWith`tant[^ ]+|cada|a cada|mucho|a todas horas`, 'unclear'],
  condition,
  [startsWith`a (?!(?:${us}|su|cada)(?![^ ]))[^ ]+`, undefined],
  [startsWith`a mi (?!casa|numero|celular|movil|telefono|domicilio|cel|oficina|trabajo|negocio|fijo)`, undefined],
  [anything, 'opt_out'],
]
const at_end: Judgement[] = [
  [nothing, 'opt_out'],
  [
    startsWith`,|y|o|ya|ahora|inmediat[^ ]+|que|porque|para|por|pues|please|definitiv[^ ]+|saludos|de (?:ahi|una vez)`,
    'opt_out',
  ],
  [startsWith`(?:del?|en) (?:${list}|servicio|esto|(?:${calls}))`, 'opt_out'],
]
const mere_stop: Judgement[] = [
  [nothing, 'stop'],
  [startsWith`,|y|ya|de una vez|por|o|que`, 'stop'],
  [anything, undefined],
]

const stop_doing =
  '(?:(?:dej|par|ces)(?:e|en|a|ad|ar|eis|es|as)|dej[ae](?:n|d)?(?:se|te|me|nos)|pare(?:n)?le|basta|basta ya|' +
  'desist[ae]n?)' +
  '(?: (?:ya|con eso))? ?(?:de|d)(?: estar)?|evit(?:en?|ar|ad|e)|abst(?:engan?|engase|enganse|enerse|eneos)(?: de)?|' +
  'se abst(?:enga|engan) de'
const stop_calls =
  '(?:cort|termin|acab|par)(?:en|e|a|ar|ad)(?:la|le)?(?: ya)? con|(?:bajen?|paren?)le (?:a|con)|stop|paren?|' +
  'parad|parar|(?:ces|deteng|suspend|interrump|cancel|fren|' +
  'elimin|termin|detien)(?:a|an|e|en|ar|er|ir|ad)|basta(?: ya)? (?:de|con(?! una? ))|ya (?:basta|estuvo bueno|' +
  'esta bien|estuvo) (?:de|con)|' +
  'suficiente de|cero|nada de|dejense de|ya chole (?:con|de)|alto (?:a|con)'
const give = 'd(?:ar|en|es|eis|a|ad|e|an|ais)?(?:se|me|nos|les)?|dense|demen|den'

const asked: Judgement[] = [[anything, 'unclear']]
const accusing = 'denunci|demand|report|bloque'
const accuse =
  `(?:l[oa]s|les?|os|te|l[oa]) (?:(?:voy|vamos) a |pienso )?(?:${accusing})[^ ,]+|` +
  '(?:llam|voy|vamos|acud|pong|presentar?|interpon|habl|hare|dar)[^ ,]*(?: [^ ,]+){0,4} (?:policia|guardia civil|abogad[oa]|' +
  'denuncia|queja|profeco|condusef|aepd|consumo|juzgado)'
/** "Si me vuelven a llamar, los denuncio", "otra llamada y los denuncio". */
const goes_on =
  `(?:[bv]uelv|[bv]olv|sig|contin)[^ ,]+(?: h?a)? (?:(?:${to_call})|(?:${calling})|(?:${to_send})|(?:${sending})|asi|igual)|` +
  'no (?:dej|par)[ae]n|' +
  `no (?:dej|par)[^ ,]+ de (?:(?:${to_call})|(?:${to_send}))|` +
  '(?:insist|llam|marc|escrib|mand|envi|molest)(?:en|an|ais|eis|es|as|is)'
const threat =
  `(?:si|como|la proxima(?: vez)? que)(?: (?:me|nos|ustedes)){0,2} (?:${goes_on})(?: [^ ,]+){0,5}?(?: ,)? (?:${accuse})|` +
  `(?:otr[oa]|un[oa]|la proxima|el proximo) (?:${call_noun})(?: mas)?(?: ,)?(?: (?:y|o))? (?:${accuse})|` +
  `(?:(?:${accuse})|(?:${accusing})ar(?:l[oa]s|les|os|te))(?: (?:a|en|con|ante|por) [^ ,]+)?(?: ,)? (?:si|como) (?:(?:me|nos|no|ustedes) ){0,2}(?:${goes_on})`
const alone: Judgement[] = [
  [nothing, 'unclear'],
  [anything, undefined],
]
const only_so: Judgement[] = [...at_end, [anything, undefined]]
const phrases: Phrase[] = [
  {
    says: says`(?:no|ni|nadie|nunca mas|jamas|nunca)(?: se)? (?:me|nos) (?:${call})|nome (?:${call})`,
    before: forbidden,
    after: closed,
  },
  {
    says: says`no (?:${call})`,
    before: [
      ...forbidden.slice(0, -1),
      [
        contains`${
          'equivocad[oa]|fallecio|fallecid[oa]|murio|muri[oa]|muert[oa]|no (?:vive|trabaja|conozco|soy)|' +
          'no es (?:de|el|su|suyo)|interes[^ ]+|veces|hart[oa]s?'
        }`,
        'opt_out',
      ],
      [anything, undefined],
    ],
    after: [[nothing, 'opt_out']],
  },
  {
    says: says`(?:ya )?no (?:les?|l[ao]s?) (?:${call}) (?:mas|nunca|jamas|otra vez)|ya no (?:les?|l[ao]s?) (?:${call})`,
    before: forbidden,
    after: whatever,
  },
  {
    says: says`${
      `(?:no|nunca|jamas)(?: (?:mas|jamas|nunca|ni|se)){0,4} (?:${call})(?: (?:ni|y|o)(?: (?:me|` +
      `nos))? (?:(?:${call})|(?:${send})))?`
    }`,
    before: forbidden,
    after: [
      limited,
      condition,
      [startsWith`mas (?:${where}|,|por|y|que|ni|de|no|eh|pesad[oa]s?|fastidios[oa]s?|carajo)|mas$`, 'opt_out'],
      [startsWith`nunca|jamas|otra vez|de nuevo|conmigo|${where}`, 'opt_out'],
      [nothing, 'unclear'],
      [anything, undefined],
    ],
  },
  {
    says: says`${
      `(?:no|nunca|jamas|ni)(?: (?:mas|me|nos|se|les?|ya)){0,4} (?:${send})(?: (?:ni|y|` +
      `o) (?:${send}))? (?:${anything_sent})`
    }`,
    before: forbidden,
    after: whatever,
  },
  {
    says: says`${
      'no (?:me|nos) (?:habl|busqu|jod|chingu|hinch|toqu|friegu|envi|mand|ray|tortur|persig|agob|' +
      'romp)[ae](?:n|s|is)? (?:mas|' +
      'nunca|jamas|otra vez)|no (?:hinch|romp|jod|chingu|friegu)[ae](?:n|s|' +
      'is)?(?: mas)? (?:l[oa]s )?(?:bolas|pelotas|huevos|cojones|mas)(?: mas)?|' +
      'no (?:hinch|romp|jod|chingu|friegu)[ae](?:n|s|is)?(?: mas)? con (?:[^ ,]+ )?(?:mensajes|llamadas|publicidad)'
    }`,
    before: forbidden,
    after: whatever,
  },
  {
    says: says`${
      `(?:no|ni|nunca|jamas|ya no)(?: mas)? (?:${again}) (?:(?:(?:${to_call})|(?:${calling}))|(?:(?:${to_send})|` +
      `(?:${sending})) (?:${anything_sent}))`
    }`,
    before: forbidden,
    after: whatever,
  },
  {
    says: says`${
      `(?:no|nunca|jamas)(?: (?:mas|volver a|seguir|estar)){0,4} (?:(?:${to_call})|(?:${calling})|` +
      `(?:(?:${to_send})|(?:${sending})|recibir) (?:${anything_sent})|(?:mand|envi)ar(?:me|nos)?|` +
      `ser (?:${called}))`
    }`,
    before: told_by_infinitive,
    after: closed,
  },
  {
    says: says`${
      `(?:${stop_doing}) (?:(?:${to_call})|(?:${calling})|(?:(?:${to_send})|` +
      `(?:${sending})) (?:${anything_sent})|(?:mand|envi|embi)ar(?:me|nos))`
    }`,
    before: told,
    after: stopped,
  },
  {
    says: says`${
      `(?:${i_would_like})(?: mucho)?(?: (?:que|si))?(?: ya)? (?:no (?:(?:${whom}) )?(?:(?:volv|` +
      `sigu)ier[^ ]+ (?:a )?(?:(?:${to_call})|(?:${calling})|(?:${to_send})|(?:${sending}))|` +
      `(?:(?:${stems})|marc|busc|habl|mand|envi)a(?:ra|se)[^ ]*|escrib(?:ier|ies)[^ ]+)|` +
      `(?:dej|par)a[rs][^ ]+ de (?:(?:${to_call})|(?:${to_send}))|(?:(?:me|nos) )?(?:sac|quit|borr|elimin|` +
      `retir)a(?:ra|se)[^ ]* (?:${my_number})|(?:me|nos) (?:sac|quit|borr|elimin|` +
      'retir)a[rs][^ ]+|(?:me|nos) dier[^ ]+ de baja)'
    }`,
    before: [[endsWith`no|nunca|(?:mi|nuestr[oa]|el|la) [^ ]+`, undefined], ...wished],
    after: whatever,
  },
  {
    says: says`ya no (?:(?:me|nos|se) )?(?:${call}|${send}|habl(?:en|e|es)|busqu(?:en|e|es))`,
    before: forbidden,
    after: [limited, ...at_end.slice(0, 2), [anything, undefined]],
  },
  {
    says: says`no (?:me|nos) (?:${send})`,
    before: forbidden,
    after: alone,
  },
  {
    says: says`(?:dejar de|renuncio a) recibir (?:${calls}|nada|esto)`,
    before: told,
    after: whatever,
  },
  {
    says: says`(?:no|sin) (?:mas )?(?:${call_noun})`,
    before: alone,
    after: alone,
  },
  {
    says: says`(?:me|nos) (?:${take_off})`,
    before: [[endsWith`no (?:${demanding}) (?:${that})`, undefined], demanded, [anything, undefined]],
    after: [
      [nothing, 'opt_out'],
      [startsWith`,|y|ya|porque`, 'opt_out'],
      [anything, undefined],
    ],
  },
  { says: says`(?:${stop_calls}) (?:${calls})`, before: told, after: stopped },
  {
    says: says`(?:desactiv|deshabilit|inhabilit)(?:e|en|es|a|ad|ar) (?:${calls})`,
    before: told,
    after: [...at_end, [startsWith`(?:a|en|para) (?:${us}) ${number}|de (?:${you})`, 'opt_out'], [anything, undefined]],
  },
  {
    says: says`${
      `no (?:${wanting}) (?:(?:seguir|estar|aparecer|figurar|continuar|pertenecer|` +
      `formar parte)(?: estando)?) (?:en|de|a) (?:${list})`
    }`,
    before: wished,
    after: always,
  },
  {
    says: says`${
      'no (?:vuelv[^ ,]+ a (?:usar|utilizar)|(?:mas )?(?:us|utilic|guard|conserv|compart)(?:e|en|es|eis|' +
      `an))(?: mas)? (?:${my_number})`
    }`,
    before: forbidden,
    after: at_end.concat([[anything, 'unclear']]),
  },
  {
    says: says`nadie(?: mas)?(?: de [^ ,]+(?: [^ ,]+)?)? (?:me|nos) (?:(?:${call})|[bv]uelva a (?:${to_call}))`,
    before: forbidden,
    after: closed,
  },
  {
    says: says`(?:hart[oa]s?|cansad[oa]s?|podrid[oa]s?|hasta (?:l[ao]s|el|la) [^ ,]+) (?:de|con) (?:${calls})`,
    before: always,
    after: [[contains`basta|stop|no (?:llam|escrib|mand)[^ ]+`, 'opt_out'], ...asked],
  },
  {
    says: says`(?:${take_off})l[oa] del? (?:${list})`,
    before: [
      [endsWith`no`, undefined],
      [contains`numero|telefono|contacto|mur[^ ]+|fallec[^ ]+`, 'opt_out'],
      [anything, 'unclear'],
    ],
    after: always,
  },
  {
    says: says`${
      '(?:no|nunca|jamas) (?:doy|di|he dado|hemos dado|autorice|autorizamos|he autorizado) (?:mi |ningun |el )?' +
      '(?:consentimiento|permiso|autorizacion|(?:a )?que (?:me|nos))|no quiero mas nada$|quien (?:les?|os) autorizo'
    }`,
    before: asked,
    after: asked,
  },
  { says: says`prohibido (?:${to_call}) (?:mas|a (?:${us}) ${number})`, before: wished, after: whatever },
  { says: says`${threat}`, before: [[contains`no`, 'unclear'], ...always], after: always },
  {
    says: says`(?:l[oa]s|os|te) (?:voy|vamos) a (?:bloquear|denunciar|demandar|reportar)|no (?:me|nos) interesan? (?:${calls})|(?:voy|vamos) a (?:bloquear|denunciar|demandar|reportar)(?:l[oa]s|te|os)|dejad?(?:en|e)? en paz a`,
    before: asked,
    after: asked,
  },
  {
    says: says`${
      `no(?: (?:me|nos|les?|os))? (?:${wanting})(?: ya)? (?:(?:(?:seguir |volver a )?(?:recibir|recibiendo|tener|` +
      `viendo|ver)|(?:${that}) (?:me|nos) lleguen?)(?: mas)? )?(?:${calls})`
    }`,
    before: wished,
    after: whatever,
  },
  {
    says: says`${
      `no(?: (?:me|nos))? (?:${wanting}) (?:(?:(?:volver a )?recibir(?:l[ao]s)?|seguir recibiendo)(?: (?:mas informacion|` +
      `mas nada|nada mas|mas|nada))?(?: de (?:${you}))?|(?:(?:saber|oir(?: hablar)?|tener) )?(?:mas|` +
      'nada(?: (?:mas|que ver))?|' +
      `mas nada) (?:de|con) (?:${you})|ser (?:${called}))`
    }`,
    before: wished,
    after: [
      [startsWith`,|y|ni|por|en (?:mi|este|ningun)|mas|porque|que|nunca|nuevamente|de nuevo`, 'opt_out'],
      [nothing, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: says`${
      `no (?:${wanting}) (?:${that})(?: (?:ya|nadie|ustedes|mas))?(?: (?:me|nos|se)){0,4} (?:(?:(?:${call})|` +
      `habl(?:en|es|eis|e))|(?:${again}) (?:(?:${to_call})|(?:${calling})|(?:${to_send})|(?:${sending}))|` +
      `(?:${send}) (?:${anything_sent}))`
    }`,
    before: wished,
    after: closed,
  },
  {
    says: says`${
      `(?:ya )?(?:no(?: quiero)? mas|ni una?|ni(?= (?:${call_noun}) ni )|nunca mas|ni un(?:a sola|o solo|` +
      `solo)) (?:${calls})|` +
      `ningun[oa]? (?:${call_noun}) mas`
    }`,
    before: [
      [contains`no (?:recibi|recibo|hubo|hay|tengo|llego|lleg)[^ ]*|${if_not_polite}`, undefined],
      reported,
      [endsWith`por ?que`, undefined],
      [anything, 'opt_out'],
    ],
    after: whatever,
  },
  {
    says: says`(?:${give}) (?:me |nos )?(?:de|la) [bv]aja`,
    before: told,
    after: [
      ...at_end,
      [
        startsWith`est[ea]|mi|mis|el (?:numero|telefono|servicio)|l[ao]s (?:${call_noun})|a (?:este|mi) (?:${number})`,
        'opt_out',
      ],
      [startsWith`del (?:servicio|boletin|sistema|canal)|la suscripcion|todo`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: says`me doy de [bv]aja`,
    before: [how_to, [contains`${if_not_polite}`, 'unclear'], [anything, 'opt_out']],
    after: only_so,
  },
  {
    says: says`(?:quiero|solicito|pido|deseo|exijo|tramiten|gestionen|procesen|quisiera) (?:(?:la|mi|una) )?[bv]aja`,
    before: told,
    after: [...at_end, [startsWith`definitiva|inmediata`, 'opt_out'], [anything, undefined]],
  },
  {
    says: says`[bv]aja (?:definitiva|inmediata|total|(?:de )?(?:${calls})|(?:a |de )?este numero)`,
    before: [
      [nothing, 'opt_out'],
      [anything, undefined],
    ],
    after: only_so,
  },
  {
    says: says`${
      '(?:des?|dis|de) ?[sz]?(?:ubscri|uscri|ucri|inscri|incri)[bv](?:[aei]r?|[aei]n|id|i)(?:me|nos|lo|' +
      'se)?|desapunt(?:ar|en|e|a|ad)(?:me|nos)'
    }`,
    before: told,
    after: [
      [startsWith`a mi (?!numero)[^ ]+|del (?!servicio|boletin|sistema|canal|grupo)[^ ]+|la tarjeta`, undefined],
      ...always,
    ],
  },
  {
    says: says`${
      '(?:cancel|anul|elimin|borr)(?:ar|en|e|a|o|ad|es|acion)(?: de)?(?: (?:mi|la|esta|nuestra|el))? ' +
      '(?:su[bs]?scripcion|registro|servicio|alta|inscripcion)'
    }`,
    before: told,
    after: [
      [startsWith`(?:[^ ,]+ ){0,3}?(?:${call_noun}|listas?|boletin)`, 'opt_out'],
      [nothing, 'unclear'],
      [anything, undefined],
    ],
  },
  {
    says: says`${
      `(?:${take_off}) (?:${my_number}) (?:del?|en) (?:${list})|(?:(?:me|nos)(?: (?:pueden?|puedes|podeis|quiero|` +
      `podrian?|podrias|podriais|van a))? (?:${take_off})|(?:${take_off})(?:me|nos))(?: ya)? del? (?:${list})`
    }`,
    before: told,
    after: [
      [startsWith`del? (?:espera|invitados|hoy|mañana|[^ ]*es)`, undefined],
      [startsWith`para`, 'unclear'],
      ...always,
    ],
  },
  {
    says: says`(?:${take_off}|olvid(?:e|en|a|ad|ar)(?:se|nse|te)?(?: de)?|pierd(?:a|an)) (?:${my_number})`,
    before: told,
    after: [
      ...at_end,
      [startsWith`conforme|segun|en virtud|al amparo|personales|como|completamente|tambien|gracias`, 'opt_out'],
      [startsWith`antigu[oa]|viej[oa]|anterior|[^ ]* ?(?:pedido|reserva|cita|factura)`, undefined],
      [anything, undefined],
    ],
  },
  {
    says: says`(?:${take_off})(?:me|nos|lo)`,
    before: [
      [/^no ,$/, 'opt_out'],
      [endsWith`(?:favor|amabilidad|gentileza) de`, 'opt_out'],
      [endsWith`no|nunca|puedes?|pueden?|podria`, undefined],
      [
        contains`${
          `numero|telefono|datos|${call_noun}|llaman(?:do)?|escribiendo|mandan(?:do)?|(?:sus|in)crib[^ ]+|` +
          'apunt[^ ]+|autoric[^ ]+|interes[^ ]*'
        }`,
        'opt_out',
      ],
      [nothing, 'unclear'],
      [anything, undefined],
    ],
    after: [
      [nothing, 'opt_out'],
      [startsWith`ya|ahora|,|de una (?:vez|buena)`, 'opt_out'],
      [/^ de a(?:qu|k|c)[ia]$/, 'unclear'],
      [anything, undefined],
    ],
  },
  {
    says: says`${
      '(?:salir(?:me)?|ser (?:eliminad|borrad|excluid|retirad|sacad|removid|' +
      `dad)[oa](?: de baja)?) del? (?:${list})`
    }`,
    before: told,
    after: [[startsWith`de (?:espera|invitados)`, undefined], ...always],
  },
  {
    says: says`${
      '(?:pon|poner|pong|agregu|incluy|añad|anot|met|apunt|inscrib|agreg|inclu)[aei]?[ndsr]?(?:me|' +
      `nos)?(?: a mi| (?:${my_number}))? (?:en|a) (?:la |el |su |una )?(?:lista|` +
      'registro) (?:[^ ,]+ ){0,6}?no (?:[^ ,]+ ){0,3}?(?:llam|contact|molest)[^ ]+'
    }`,
    before: told,
    after: always,
  },
  {
    says: says`lista robinson|(?:registro|lista) (?:publico )?(?:de )?no (?:llame|molestar|llamar|llamen)`,
    before: [
      [
        endsWith`(?:estoy|estamos|figuro|inscrit[oa]|apuntad[oa]|registrad[oa])(?: [^ ]+)? (?:en|al?)(?: (?:la|el))?`,
        'opt_out',
      ],
      [contains`no|que|como`, undefined],
      [anything, 'unclear'],
    ],
    after: always,
  },
  {
    says: says`${
      '(?:revoco|retiro|revocamos|retiramos|anulo|revocar|retirar|cancelo|quito|' +
      'derogo) (?:[^ ,]+ ){0,3}?(?:consentimiento|autorizacion|permiso)'
    }`,
    before: told,
    after: always,
  },
  {
    says: says`${
      '(?:no (?:les? |os |te )?(?:autorizo|autorizamos|consiento|permito|doy (?:mi )?(?:permiso|' +
      'consentimiento|autorizacion))|no (?:tienen|tienes|teneis|tiene) (?:mi |ningun )?(?:derecho|permiso|' +
      'autorizacion|consentimiento)|(?:(?:les?|os|te) )?prohibo(?: que)?|(?:tienen|teneis|tiene|' +
      `queda) (?:terminantemente )?prohibid[oa]) (?:[^ ,]+ ){0,4}?(?:(?:${to_call})|(?:${to_send})|` +
      `(?:${call})|(?:${send})|(?:${call_noun})|mis datos|mi numero|mi telefono)`
    }`,
    before: wished,
    after: always,
  },
  {
    says: says`${
      '(?:me opongo|nos oponemos|oposicion|ejerzo mi derecho|ejercer mi derecho) (?:[^ ,]+ ){0,5}?(?:datos|' +
      'publicidad|llamen|llamadas|comunicaciones|supresion)|(?:supresion|eliminacion|cancelacion|borrado|' +
      `baja) del? (?:${my_number})`
    }`,
    before: told,
    after: always,
  },
  {
    says: says`${
      'dej(?:e|en|a|ad|eis)(?:me|nos) (?:ya )?(?:en paz|tranquil[oa]s?|vivir)|(?:me|nos) (?:dej(?:en|es|' +
      'eis|an)|pueden? dejar) (?:ya )?(?:en paz|tranquil[oa]s?)|olvid(?:e|en|a)(?:se|nse|te) de (?:mi|' +
      'nosotros)|no (?:me |nos )?(?:molest|fastidi|jod|chingu|romp)(?:en|an)(?: (?:las|los) [^ ]+)?'
    }`,
    before: [
      [contains`no|si|cuando|niños|ellos|ella`, undefined],
      [anything, 'stop'],
    ],
    after: mere_stop,
  },
  {
    says: says`${
      '(?:corten|corta|terminen|termina|paren|para|dejen|deja)la|paren?le|bajenle|cortad|larg(?:ate|uense)|' +
      'fuera de mi (?:telefono|celular|movil)'
    }`,
    before: [
      [
        contains`(?:llam|yam|marc|escrib|mand|enviand)(?:ando|an|iendo|ado|ais|en|o)(?:me|nos)?|mensajes|llamadas`,
        'opt_out',
      ],
      [anything, undefined],
    ],
    after: [
      [nothing, 'opt_out'],
      [startsWith`,|y|ya|de una vez|por|o|que`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: says`${
      'no (?:me|nos) interesa|no (?:estoy|estamos) interesad[oa]s?|no tengo (?:ningun )?interes|cortenla|' +
      'terminenla|larguense'
    }`,
    before: [
      [nothing, 'unclear'],
      [/^(?:no|ya|pues|que)(?: ,)?$/, 'unclear'],
      [anything, undefined],
    ],
    after: alone,
  },
  {
    says: says`${
      '(?:por ?que|ustedes|vosotros|me)(?: (?:me|nos|ya|siguen)){0,4} (?:llam|escrib|marc|mand|envi)(?:an|en|as|' +
      `es|ais|is|ando|iendo)(?: (?:${call_noun}))? (?:tant[^ ]+|mucho|demasiado|a cada rato|a todas horas|` +
      `todo el (?:dia|tiempo))|(?:recibir|manden?|enviar|envien) menos (?:${call_noun})`
    }`,
    before: asked,
    after: asked,
  },
  {
    says: says`${
      'como (?:borro|quito|elimino|saco) mi numero|donde (?:sacaron|sacaste|saco|tienen|obtuvieron|' +
      'consiguieron|sacasteis|han sacado) mi (?:numero|' +
      'telefono|movil|celular)|quien (?:les?|os) (?:dio|paso|ha dado) mi (?:numero|telefono)|(?:si|' +
      'cuando) (?:respondo|contesto|mando|pongo|escribo|envio) (?:con )?(?:stop|baja)'
    }`,
    before: asked,
    after: asked,
  },
  {
    says: says`${
      'no quieren? (?:(?:seguir )?(?:recibir|recibiendo)(?: mas)? |que (?:ya )?(?:les? |lo |la |me |' +
      `nos )?(?:${send}) )?(?:${calls})|no quieren? que (?:ya )?(?:les? |lo |la |me |nos )?(?:${call})`
    }`,
    before: [
      [has_condition, undefined],
      [anything, 'unclear'],
    ],
    after: [limited, [anything, 'unclear']],
  },
]

const another_way = contains`${
  'mejor|en (?:vez|lugar) de|prefiero (?:que(?! no )|un|por|el|whatsapp|sms)|solo (?:por|mensajes?|whatsapp|' +
  'llamadas)|(?:(?:mand|envi)(?:a|e|en|ad)|escrib(?:a|an|e|id))(?:me|nos)'
}`

export const es: Language = {
  tag: 'es',
  opt_outs: {
    words: listed(
      'stop, baja, vaja, baja ya, vaja ya, baja por favor, baja por fabor, vaja por fabor, la baja, la baja por favor, por favor baja, baja porfa, baja gracias, quiero baja, salir, ' +
        'dar de baja, darse de baja, darme de baja, baja total, baja sms, cancelar suscripcion, anular suscripcion, ' +
        'eliminar suscripcion, cancelar sms, no molestar',
    ),
    ordinary_words: listed(
      'alto, cancelar, cancela, cancele, cancelen, anular, anule, anulen, fin, final, terminar, termina, ' +
        'basta, ya basta, ' +
        'basta ya, suficiente, no mas, ya no mas, nunca mas, pare, paren, detener, detente, eliminar, ' +
        'borrar, remover, borrar número, eliminar número, quitar número, me salgo, quiero salirme, spam no, ' +
        'ya no, ya no quiero, no quiero más, bloqueado, ya estuvo, se acabo, fuera, desactivar, quitar, deje eso, deje ya eso',
    ),
    phrases,
    another_way,
    at_once: ['inmediatamente'],
    fillers: [
      ...'porfa porfis porfavor porfabor xfavor xfabor xfa xfis plis gracias grasias grax hola señorita simplemente carajo pinche'.split(
        ' ',
      ),
      ...[
        'por favor',
        'x favor',
        'por fabor',
        'x fabor',
        'muchas gracias',
        'muchas grasias',
        'buenos dias',
        'buenas tardes',
        'buenas noches',
      ],
    ],
  },
  opt_in_words: [],
  help_words: ['ayuda'],
  answers: {
    yes: listed(
      'sí, sip, claro, claro que sí, por supuesto, desde luego, vale, de acuerdo, ok, okay, exacto, ' +
        'exactamente, correcto, ' +
        'es correcto, así es, eso es, perfecto, dale, sale, está bien, seguro, adelante, hágalo, efectivamente',
    ),
    no_more: listed(
      'no más, nunca más, stop, baja, no más llamadas, no más mensajes, ninguno más, quiero, sí quiero, ' +
        'así lo quiero, ' +
        'eso quiero, es lo que quiero, estoy seguro, estoy segura',
    ),
    courtesies: listed('por, favor, gracias, muchas, porfa, señor, señora, señorita, adiós, ya, pues'),
  },
  sayings: {
    opt_out: 'No le enviaremos más mensajes. Responda START para volver a recibirlos.',
    no_more_messages: 'No le enviaremos más mensajes.',
    no_more_calls: 'Entiendo. No volveremos a llamarle. Adiós.',
    no_more_question: '¿Quiere dejar de recibir llamadas y mensajes?',
    press_key: 'Si no desea recibir más llamadas, pulse {key}.',
    star: 'asterisco',
    hash: 'almohadilla',
  },
}
