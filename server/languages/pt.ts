import { type Language, listed } from './language.ts'
import { anything, type Judgement, nothing, type Phrase, spelledBy, wholeWord } from './wish.ts'

/** The next letter, perhaps as the first of a group. */
const beforeEI = '(?=(?:\\(\\?:|\\[)?[ei])'
/** People write as they hear and leave out letters: "n qero + msgs", "paren d mi ligar", "esclui meu numero". */
const { says, endsWith, startsWith, contains } = spelledBy([
  [wholeWord('me'), '(?:me?|mi)'],
  [wholeWord('de'), 'de?'],
  [wholeWord('que'), '(?:que|[qk]e?)'],
  [wholeWord('nao'), '(?:nao|naum|n)'],
  [wholeWord('mais'), '(?:mai[sz]|[+])'],
  ['ch', '(?:ch|x)'],
  ['h', 'h?'],
  ['x', '(?:x|s|ch)'],
  ['qu', '(?:qu|[qk])'],
  [`gu${beforeEI}`, 'gu?'],
  [`g${beforeEI}`, '[gj]'],
  [`ss${beforeEI}|c${beforeEI}|ç`, '(?:c|ss?)'],
  ['ss', '(?:ss?|ç)'],
  ['[sz]', '[sz]'],
  ['rr', 'rr?'],
  ['m(?=[)| pb]|$)', '[mn]'],
])

const not = '(?:nao|n|num|naum|nem|nunca|jamais)(?: (?:mais|nunca))?'
const me = '(?:me|nos|mim)'
const contact = '(?: mais)? em contac?to'
/** What the agent is not to do: "ligue", "liguem", "ligues", "escreva". */
const call =
  'lig(?:ue|uem|ues|em?|eum)|(?:telefon|contat|contact|perturb|incomod|importun|cham|amol|molest|spam)e(?:m|s)?|' +
  'chatei?(?:e|em|es)|' +
  `(?:escrev|ench|insist|aborrec)a(?:m|s)?|torr(?:e|em)|procure(?:m|s)?|entre(?:m|s)?${contact}|liguei?m|` +
  'façam? (?:mais )?(?:ligaçoes|chamadas|contac?to)'
/** What the agent is not to do, as people in Brazil say it. It also means "he calls". */
const call_loosely = `liga|telefona|contata|contacta|perturba|incomoda|enche|escreve|chama|procura|entra${contact}`
const to_call =
  '(?:(?:lig|telefon|contat|contact|perturb|incomod|importun|cham|chate|amol|spam|torr|procur|molest)ar(?:em|es)?|' +
  '(?:escrev|ench|aborrec)er(?:em|es)?|insistir(?:em)?|fazer(?:em)? (?:mais )?(?:ligaçoes|chamadas|' +
  `contac?to)|entrar(?:em|es)?${contact})(?: ${me})?`
const calling = '(?:lig|telefon|contat|contact|perturb|incomod|chate|cham|procur)ando|(?:escrev|ench)endo|insistindo'
const send = '(?:mand|envi|dispar|pass)(?:e|em|es|a)?'
const to_send = `(?:manda|envia|dispara|passa)(?:r|rem|res)?(?: ${me})?`
const sending = 'mandando|enviando|disparando'
const call_noun =
  'ligaç(?:ao|oes)|chamadas?|chamadinhas|telefonemas?|mens+age(?:m|ns?|nzinhas?|mzinhas?)|msgs?|mgs|sms|' +
  'whats?(?:app)?s?|w?zaps?|' +
  'wpp|torpedos?|propagandas?|publicidades?|promoç(?:ao|oes)|ofertas|avisos?|lembretes?|notificaç(?:ao|oes)|' +
  'comunicaç(?:ao|oes)|contac?tos?|spam|anuncios|recados|alertas|textos|telemarketing|comunicados'
const calls =
  '(?:(?:mais|a|as|o|os|de|d[ao]s?|com|seus?|suas?|voss[oa]s?|teus?|tuas?|d?es[st][ae]s?|nenhum|nenhuma|' +
  'qualquer|tipo|tant[ao]s?|' +
  'tod[oa]s?|outr[oa]s?|uma|e|ou|nem|isso|porcaria|malditas?|malditos|droga|chatas|por|automaticas|comerciais|' +
  `envio|recebimento|recepçao|voces|${call_noun}) ){0,6}(?:${call_noun})`
const anything_sent = `${calls}|(?:mais )?(?:nada|coisas?|porcarias?|merda|bobagem)|mais|essas coisas|isso`
const you = 'voces|voce|vcs|vc|ces|voces ai|os senhores|o senhor|a senhora|senhores'
const wanting =
  '[qk]u?ero|queremos|queria|queriamos|qro|desejo|desejamos|pretendo|pretendemos|aceito|aceitamos|' +
  'gostaria(?:mos)?(?: de)?|' +
  'preciso(?: de)?|precisamos|tenho (?:mais )?interesse em|(?:estou|to) interessad[oa] em|autorizo|vou querer|quis'
const demanding =
  `${wanting}|gostava|preferia|preferiria|exijo|exigimos|solicito|solicitamos|solicitar|requerer|venho|` +
  'peço|pedimos|pedir|pedi|disse|' +
  'falei|digo|to (?:falando|pedindo|dizendo)|' +
  'agradeço|agradecia|agradeceria|prefiro|avisei|rogo|imploro|repito|faça(?:m)?|fazer|faz|favor|gentileza|e|tinha dito'
const i_would_like =
  '(?:gostaria|gostava|agradecia|agradeceria|queria|preferia|pedia|pediria)(?:mos)?(?: muito| imenso)?|fic(?:o|' +
  'aria) (?:muito )?(?:agradecid|grat)[oa]|(?:(?:queria|gostaria de|vou|vim|ja|eu) )?(?:pedir|pedi|' +
  'disse|falei|avisei)(?: a voces?)?'
const receiving =
  '(?:receber|continuar a receber|continuar recebendo|ficar recebendo|ter|ver|estar a receber|' +
  'seguir recebendo|ouvir)(?: mais)?'
const number =
  '(?:numero|nunero|num|nr|nome|telefone|telemovel|fone|celular|cel|contac?to|cadastro|dados|whatsapp|zap|' +
  'registo|email e numero)' +
  '(?: (?:pessoais|de telefone|de telemovel))?'
const my_number = `(?:(?:todos )?[ao]s? )?(?:meus?|minha|nossos?|es[st]e) ${number}(?: e (?:o )?(?:meu )?${number})?`
const list =
  '(?:[^ ,]+ ){0,4}?(?:listas?|listagem|cadastros?|bases?(?: de dados)?|sistemas?|grupo|agenda|' +
  'regist(?:r)?os?|banco de dados|mailing|' +
  'ficheiros?|contac?tos|arquivos?|disparos|transmissao)(?! de (?:espera|convidados|casamento|presentes|compras))'
/** "Da lista", "dessa lista", "daí". */
const off_list = `(?:d[aoe]s?|d?es[st][ae]s?|d?aquel[ae]|no|na|nos|nas) (?:${list})`
const off = `${off_list}|dai|dessa|disso|disto|de tudo`
const take_off =
  '(?:tir|retir|elimin|delet|cancel|limp|descart)(?:e|em|es|a|ar|arem|ai)|(?:apag|risc|exclu|remov|' +
  'desvincul|suprim)' +
  '(?:a|am|e|em|i|ir|er|ar|as|arem|erem|irem)|(?:apag|risq)(?:u)?(?:e|em|es)|bloquei(?:e|em|a)|sa[ck]a'

/** "Se", unless it is a courtesy, a threat, such as "se me ligarem outra vez", or part of a verb. */
const if_not_polite =
  '(?<!(?:ou|aram|eram|iu) )se (?!(?:faz|fizer|puder|puderem|possivel|nao se importa[rm]?|quiser|de|for possivel|' +
  '(?:voces |me |nos )*(?:ligarem|continuarem|insistirem|continuar|voltarem|ligar|mandarem))(?![^ ]))[^ ]+'
const has_condition = contains`${if_not_polite}|quando|enquanto|embora|sempre que|antes que|a nao ser|caso|ate que`
const at_time: Judgement = [
  endsWith`${
    '(?<!de |desde )(?:hoje|agora|amanha|esta (?:tarde|noite|semana|manha)|(?:de|a|da|na) (?:noite|tarde|' +
    'manha)|as [^ ]+|no (?:trabalho|domingo)|(?:aos )?(?:domingos|sabados|fins de semana)|' +
    'por enquanto)(?: ,)?(?: (?:ja|melhor))?'
  }`,
  undefined,
]
/** "Falei pro meu ex". */
const about_others: Judgement = [
  contains`${
    '(?:falei|disse|pedi|digo|peço|mandei|pediu|avisei) (?:pr[oa]s?|ao?s?|para (?:[oa]s? )?(?:meu|minha|' +
    `ele|ela)) (?!(?:(?:${you})|senhor|senhora|moça|moço|atendente|gentileza|favor|vossa|` +
    'fineza)(?![^ ]))[^ ]+'
  }`,
  undefined,
]
const negated: Judgement = [
  endsWith`${
    '(?:nao|n|nunca|sem|ninguem|nem|num)(?: (?:me|nos|lhe|se|vos))*(?: (?:(?:estou|to) (?:a )?pedi(?:r|' +
    'ndo)|pens(?:e|em|es) em|e|disse|falei|pedi|digo|peço|' +
    'quero|queria|preciso|precisa|vao|va|vai|precisam|quis|deixem|deixe))?(?: (?:pra|para|que|de|a|' +
    'voces))*(?: (?:me|nos|se))*'
  }`,
  undefined,
]
const reported: Judgement = [
  contains`${
    '(?:diz|dizem|disseram?|pediu|pediram|falou|falaram|quer|querem|acha|mandou|prefere|pensar|' +
    'talvez)(?: (?:vos|me))?'
  }`,
  'unclear',
]
const demanded: Judgement = [
  endsWith`(?<!nao )(?:${demanding})(?: [^ ,]+){0,4}?(?: ,)? (?:que|q|pra|para|de)(?: (?:me|nos|se|que|${you}))*`,
  'opt_out',
]
/** "Minha esposa disse que". */
const said_by_others: Judgement = [
  contains`(?:meu|minha|nosso|nossa) [^ ]+ (?:disse|falou|pediu|quer|mandou|avisou)`,
  'unclear',
]
/** "Para não me ligarem", "como saio". */
const how_to: Judgement = [
  endsWith`${
    '(?:para|pra|pra que|como|onde|quem|(?:o )?que (?:faço|tenho (?:de|que)|devo|preciso)|forma|maneira|' +
    'jeito|possivel|da|opcao|consigo|posso|podemos|da p|se pode)(?: (?:de|faço|fazemos|fazer|e que|tenho|' +
    'devo|posso|que|pode|eu|pra|para|me|se|consigo|e|falo|a|deixo|ser))*'
  }`,
  'unclear',
]
const question: Judgement = [
  contains`${
    'como (?:e que|faço|posso|eu|se|que|fazer|consigo)|que (?:tenho|devo|faço|preciso)(?: (?:de|' +
    'que))? fazer|onde|qual'
  }`,
  'unclear',
]
const by_mistake: Judgement = [contains`engano|sem querer|brincadeira|mentira`, undefined]
const not_you =
  'ele|ela|eles|elas|quem|porque|por ?que|(?:meu|minha|teu|sua|seu|o|a|os|as) (?!senhor|' +
  'senhora|filh|amig|querid|anjo|moç)[^ ]+'

/** Judges the words before what the agent is not to do. */
const forbidden: Judgement[] = [
  [/^(?:sim|nao|n)(?: ,)?(?: e)?$/, 'opt_out'],
  about_others,
  negated,
  [
    endsWith`${
      'por ?que|quem|ate que|como|quando|talvez|tomara que|pena que|(?:medo|espero|creio|acho|' +
      'duvido)(?: de)? que|caso'
    }`,
    undefined,
  ],
  [has_condition, undefined],
  at_time,
  [endsWith`(?:para|pra) que(?: ja)?`, 'unclear'],
  [contains`(?:diz|disse|pediu|falou|quer|mandou|acha|talvez) (?:[^ ]+ ){0,4}(?:que|pra|para)`, 'unclear'],
  [anything, 'opt_out'],
]
/** Judges the words before "não me liga", which others may do, too. */
const forbidden_loosely: Judgement[] = [
  [endsWith`${not_you}`, undefined],
  [contains`ele|ela|eles|namorad[oa]|marido|esposa|filha`, undefined],
  ...forbidden.slice(0, -1),
  [endsWith`que|q|${you}`, 'unclear'],
  [/^[^ ]+ [^ ,]+$/, 'unclear'],
  [anything, 'opt_out'],
]
/** Judges the words before what the agent is to do. */
const told: Judgement[] = [
  question,
  about_others,
  negated,
  said_by_others,
  demanded,
  how_to,
  [endsWith`por ?que|quem|quando|se|${not_you.replace('porque|por ?que|', '')}`, undefined],
  reported,
  [has_condition, 'unclear'],
  at_time,
  [anything, 'opt_out'],
]
/** "Dá pra parar", "vê se para". */
const told_politely: Judgement[] = [[endsWith`da (?:pra|para|p)|(?:ve|veja|vejam) se`, 'opt_out'], ...told]
/** Judges the words before an infinitive, because only these say whose act it is. */
const told_by_infinitive: Judgement[] = [
  question,
  about_others,
  [
    endsWith`${
      `(?<!nao )(?:(?:${demanding})|(?:podem|pode|podes|podias?|podiam|poderiam|poderia|tem como|` +
      'da pra))(?: [^ ,]+){0,4}?(?: (?:pra|para|de|' +
      `que|(?:${you})))*`
    }`,
    'opt_out',
  ],
  [endsWith`para|pra|como|por`, 'unclear'],
  reported,
  [has_condition, undefined],
  at_time,
  [/(?:^|(?<![^ ])(?:e|mas|,|entao|favor|so))$/, 'opt_out'],
  [anything, undefined],
]
/** Judges the words before "I don't want". */
const wished: Judgement[] = [
  [endsWith`por ?que|parece que|nao e que`, undefined],
  about_others,
  demanded,
  reported,
  [contains`acho|creio|talvez|${if_not_polite}`, 'unclear'],
  [endsWith`se|quando|hoje|por enquanto|agora|${not_you}`, 'unclear'],
  [anything, 'opt_out'],
]

const time =
  'hoje|agora|amanha|esta (?:tarde|noite|semana|manha)|este (?:mes|fim)|(?:de|a|da|na|pela|durante a|' +
  'toda) (?:noite|tarde|manha|' +
  'madrugada|reuniao|hora)|as [^ ]+|a (?:essa|esta)s? horas?|ess[ae] hora|(?:no|do) (?:meu )?(?:trabalho|' +
  'almoço|serviço|horario)|antes|' +
  'depois|ate|enquanto|quando|se|durante|tao|entre|(?:ao|no|aos|nos) (?:domingos?|sabados?|fins|fim|' +
  'feriados?|meio)|cedo|tarde|' +
  'em (?:horario|agosto|ferias|dias|ingles)|de (?:domingo|sabado|segunda|meia)|de uma vez por (?:dia|semana)|' +
  'sem (?:avisar|antes|marcar)|' +
  'd(?:as|uas) [^ ]+|ainda|por enquanto|que (?:estou|to) (?:em|no|na|a)|para confirmar|pra confirmar|' +
  'porque (?:estou|to) (?:em|no|na)'
const limited: Judgement = [startsWith`(?:mais )?(?:${time})`, undefined]
const condition: Judgement = [
  startsWith`${
    '(?:[^ ,]+ ){0,4}?(?:, )?(?:exceto|a nao ser|menos se|ate que|so se|quando|enquanto|se (?:nao|for|' +
    'estiver)|por enquanto|antes das?|depois das?|antes de|depois de)'
  }`,
  'unclear',
]
const where =
  '(?:pr[ao]|para|a|ao|neste|nesse|no|com) (?:ca|aqui|mim|(?:o )?(?:meu|minha)|este|esse|essa|esta|casa|' +
  'a minha|nos|celular|telemovel|' +
  '(?:numero|telefone))|aqui|comigo|conosco|connosco|este (?:numero|telefone)|esse (?:numero|telefone)|' +
  'meu (?:numero|telefone)|' +
  'o meu (?:numero|telefone)|por (?:telefone|whatsapp|sms|nenhum)'
const for_good: Judgement = [
  startsWith`${
    `mais|ja|nunca|jamais|outra vez|de novo|novamente|(?:${where})|para (?:nada|oferecer|vender)[^ ]*|` +
    'de jeito|nem|nao'
  }`,
  'opt_out',
]
const nothing_more: Judgement = [
  /^(?: (?:,|e|ou|mas|que|porque|pois|nao|estou|viu|t[ao]|esta bem|entende\S*|entendid[oa]|ouvi\S+|ok|moc[ao]|senhora?|cara|ouviu|suas|seus|voss[ao]s)(?: |$)|$)/,
  'opt_out',
]
/** "Não me chame Maria." */
const busy: Judgement = [
  startsWith`${
    ',? ?(?:que )?(?:agora )?(?:estou|to|estamos) (?:ocupad|trabalhand|dormind|dirigind|conduzind|reunid|' +
    'a (?:trabalhar|conduzir|dormir)|em |no (?!nao)|na (?!lista))[^ ]*'
  }`,
  undefined,
]
const closed: Judgement[] = [
  by_mistake,
  busy,
  [startsWith`(?:mais )?(?:pr[ao]|para) (?:${you})`, undefined],
  [startsWith`n[oa]s? (?:meu )?(?:trabalho|serviço|escritorio|emprego)`, 'unclear'],
  [contains`podem? (?:ligar|mandar|telefonar)`, undefined],
  limited,
  condition,
  for_good,
  nothing_more,
  [startsWith`de|d[ao]|pelo|assim|ao?`, undefined],
  [/^ [^ ,]+(?: ,|$)/, undefined],
  [anything, 'unclear'],
]
const whatever: Judgement[] = [
  by_mistake,
  limited,
  condition,
  [
    startsWith`${
      '(?:ao?|pr[ao]|para) (?!(?:mim|este|esse|essa|meu|minha|ca|casa|nos|aqui|o|a|telemovel|' +
      'celular)(?![^ ]))[^ ]+'
    }`,
    undefined,
  ],
  [startsWith`do (?!meu)[^ ]+|em (?:papel|ingles)|de (?:voz|audio)`, undefined],
  [anything, 'opt_out'],
]
const always: Judgement[] = [by_mistake, [anything, 'opt_out']]
/** Judges the words after "parem de ligar". */
const stopped: Judgement[] = [
  by_mistake,
  [startsWith`assim|de (?!novo|vez|uma)[^ ]+$`, 'unclear'],
  [startsWith`agora(?: mesmo)?|hoje mesmo`, 'opt_out'],
  [limited[0], 'unclear'],
  [startsWith`tant[^ ]+|toda hora|a toda hora|muito`, 'unclear'],
  condition,
  [
    startsWith`${
      '(?:pr[ao]|para (?:[oa] )?|ao?) ?(?:meu|minha) (?!casa|numero|celular|telemovel|telefone|trabalho|' +
      'cel|fone|fixo)[^ ]+'
    }`,
    'unclear',
  ],
  [anything, 'opt_out'],
]
const at_end: Judgement[] = [
  by_mistake,
  [nothing, 'opt_out'],
  [
    startsWith`,|e|ou|ja|agora|que|porque|pois|por|pra|viu|ta|imediatamente|definitivamente|ai|imediato|${off}`,
    'opt_out',
  ],
]
const mere_stop: Judgement[] = [
  [nothing, 'stop'],
  [startsWith`,|e|ja|de uma vez|por|pelo|ou|que|seus?|viu`, 'stop'],
  [anything, undefined],
]
const asked: Judgement[] = [[anything, 'unclear']]
const alone: Judgement[] = [
  [nothing, 'unclear'],
  [anything, undefined],
]

const stop_doing =
  '(?:par|deix|cess|desist|larg)(?:a|eim|ue|uem|e+[mn]?|ar|arem|ai|es|as|am|ir|irem)(?: (?:la|ja|' +
  'com isso|me|nos))? de(?: (?:me|nos))?' +
  '(?: (?:ficar|estar|andar|vir|tentar))?(?: (?:me|nos|sempre|toda hora|so|constantemente))*(?: a)?|evit(?:e|' +
  'em|ar|arem)|chega de|basta de'
const stop_calls =
  '(?:acab|termin|par|pare)(?:e|em|m|ar|a|arem)(?: la| ja)? com|(?:suspend|interromp)(?:a|am|er|e)|(?:cess|' +
  'cancel|encerr|' +
  'bloquei|termin|elimin)(?:e|em|ar|a|arem)|chega|basta(?! uma? )|desligu?(?:em|ue|a)|stop|parem?|' +
  'parar|fim (?:a|de|com)|(?:cancelamento|suspensao|cessaçao|interrupçao)(?= d[oae])'
const goes_on =
  '(?:lig|telefon|continu|insist|mand|volt|par|incomod|perturb|contac?t|escrev)(?:arem|irem|erem|ar|em|am)'
const accuse =
  '(?:(?:eu|vou|vamos|irei|ja) ){0,2}(?:process|denunci)[^ ,]+|(?:vou|faço|faz|apresent|abro|abrir|' +
  'registr|chamo|chamar|entro|fal[oa]|' +
  'meto|contac?t)[^ ,]*(?: [^ ,]+){0,3} (?:queixa|reclamaçao|procon|anatel|anacom|policia|advogad[oa]|' +
  'justiça|boletim|bo|deco)'
/** "Se ligarem de novo, vou no Procon." */
const threat =
  `se (?:(?:voces|vcs|me|nos|nao(?= par)) ){0,3}${goes_on}(?: [^ ,]+){0,5}?(?: ,)? (?:${accuse})|` +
  `(?:mais|proxima|outra)(?: uma?)? (?:${call_noun})(?: ,)?(?: e)?(?: eu)? (?:${accuse})|` +
  `(?:${accuse})(?: [^ ,]+){0,3}? se (?:(?:voces|vcs|me|nos|nao(?= par)) ){0,3}${goes_on}`

const phrases: Phrase[] = [
  {
    says: says`(?:${not}) (?:us|utiliz|guard|compartilh|partilh)(?:e|em|es)(?: mais)? (?:${my_number})`,
    before: forbidden,
    after: at_end.concat([[anything, 'unclear']]),
  },
  {
    says: says`(?:${not}) (?:${me} )?(?:${call})(?: (?:e|nem|ou) (?:${me} )?(?:${call}|${send}))?`,
    before: forbidden,
    after: [
      by_mistake,
      limited,
      condition,
      [
        startsWith`${
          '(?:me|nos)?(?: ?(?:mais|nunca|jamais|de novo|outra vez|novamente))(?! (?:tarde|cedo|pr[oa] (?!m|ca|aqui|es[st][ea]|numero|celular|telefone)[^ ]|' +
          'ao (?!meu|tele)))'
        }`,
        'opt_out',
      ],
      [startsWith`${where}|me|nos`, 'opt_out'],
      [nothing, 'unclear'],
      [anything, undefined],
    ],
  },
  {
    says: says`(?:${not}) (?:${call})`,
    before: [
      ...forbidden.slice(0, -1),
      [
        contains`${
          'engan[^ ]+|errad[oa]|morreu|faleceu|falecid[oa]|nao (?:mora|vive|trabalha|conheço|sou|aguento)|' +
          'nao e d[^ ]+|interess[^ ]+|vezes'
        }`,
        'opt_out',
      ],
      [anything, undefined],
    ],
    after: [[nothing, 'opt_out']],
  },
  { says: says`(?:${not}) ${me} (?:${call})|(?:nunca|jamais) mais (?:${call})`, before: forbidden, after: closed },
  { says: says`(?:${not}) ${me} (?:${call_loosely})`, before: forbidden_loosely, after: closed },
  {
    says: says`(?:${not}) (?:${call_loosely}) (?:mais|de novo|outra vez|nunca|(?:pr[ao]|para) (?:ca|mim|es[st][ae]))`,
    before: forbidden_loosely,
    after: whatever,
  },
  {
    says: says`${
      `(?:${not}) (?:(?:${me}) )?(?:${send})(?: (?:${me}))?(?: (?:e|nem|` +
      `ou) (?:(?:${me}) )?(?:${send}))? (?:${anything_sent})`
    }`,
    before: forbidden_loosely.with(-2, [nothing, 'opt_out']),
    after: whatever,
  },
  {
    says: says`${
      `(?:${not}) (?:(?:${me}) )?(?:(?:volt|torn)(?:e|em|es|a) a|fiqu(?:e|em|es)|fica|continu(?:e|em|` +
      `a)(?: a)?|est(?:eja|ejam)(?: a)?|venha(?:m)?|and(?:e|em)(?: a)?)(?: (?:${me}))? (?:(?:${to_call})|` +
      `(?:${calling})|(?:(?:${to_send})|(?:${sending})) (?:${anything_sent})|mandar|enviar)`
    }`,
    before: forbidden,
    after: whatever,
  },
  {
    says: says`${
      `(?:${not}) (?:(?:${me}) )?(?:(?:voltar|tornar)(?:em|es)? a |ficar(?:em)? |` +
      `continuar(?:em)? a )?(?:(?:${me}) )?(?:(?:${to_call})|ser (?:mais )?(?:contac?tad|incomodad|perturbad|` +
      `importunad)[oa]|(?:(?:${to_send})|(?:${receiving})) (?:${anything_sent}))`
    }`,
    before: told_by_infinitive,
    after: closed,
  },
  {
    says: says`${
      `(?:${stop_doing}) (?:(?:${me}) )?(?:(?:${to_call})|(?:${calling})|(?:(?:${to_send})|` +
      `(?:${sending})) (?:${anything_sent})|(?:mandar|enviar) (?:${me})|liga)`
    }`,
    before: told_politely,
    after: stopped,
  },
  {
    says: says`(?:${stop_doing}) (?:mandar|enviar)(?:em)?`,
    before: told_politely,
    after: at_end.with(-1, [startsWith`,`, 'opt_out']),
  },
  {
    says: says`${
      `(?:par|deix)ar(?:em)? de receber(?: (?:${calls}|isso|isto|nada)|$)|(?:desisto de|recuso|recusamos|` +
      `dispens(?:o|amos)(?: de)?)(?: receber)?(?: (?:novos|novas))? (?:${calls})`
    }`,
    before: told,
    after: whatever,
  },
  {
    says: says`${
      `(?:${i_would_like}) (?:que|se)(?: (?:${you}))? (?:(?:par|` +
      `deix)assem? de (?:(?:${me}) )?(?:(?:${to_call})|(?:${to_send}))|` +
      `nao (?:(?:${me}) )?(?:voltassem? a (?:(?:${me}) )?(?:(?:${to_call})|(?:${to_send}))|(?:lig|telefon|` +
      'contac?t|mand|envi|incomod|perturb|cham)assem?|entrassem? (?:mais )?em contac?to|escrevessem?)|' +
      `nao (?:(?:${me}) )?(?:${to_call})|(?:(?:${me}) )?(?:tir|retir|apag|elimin|delet|` +
      `cancel)assem?(?: (?:${me}))? (?:(?:${off})|(?:${my_number}))|` +
      `(?:(?:${me}) )?removessem?(?: (?:${me}))? (?:(?:${off})|(?:${my_number})))`
    }`,
    before: wished,
    after: whatever,
  },
  {
    says: says`${
      `(?:${not}) entre[ms]? mais em contac?to|(?:${not}) e (?:pra|` +
      `para) (?:(?:${me}) )?(?:(?:${to_call}) mais|mais (?:(?:${me}) )?(?:${to_call}))`
    }`,
    before: forbidden,
    after: whatever,
  },
  {
    says: says`${not} precisam?(?: de)? (?:${me} )?(?:(?:${to_call}) mais|mais (?:${me} )?(?:${to_call}))`,
    before: asked,
    after: whatever,
  },
  {
    says: says`${
      `(?:${not}) (?:quero|queremos) (?:mais (?:isso|isto)|(?:isso|isto) mais|(?:mais )?(?:falar|contac?to|` +
      `conversa|papo) com (?:${you}))`
    }`,
    before: asked,
    after: whatever,
  },
  { says: says`(?:${stop_calls})(?: (?:de imediato|ja))? (?:${calls})`, before: told, after: stopped },
  {
    says: says`${
      `(?:${not}) (?:${wanting})(?: mais)?(?: (?:voltar|continuar) a)? (?:(?:${receiving}) )?(?:(?:${calls})|` +
      `(?:estar|continuar|ficar|fazer parte|constar|permanecer)(?: mais)? (?:${off_list})|` +
      `(?:ninguem )?me (?:${calling})|nada convosco|` +
      `(?:que )(?:${you} )?(?:usem?|utilizem?|guardem?|tenham) (?:${my_number})|` +
      `(?:que )?o uso d[oe] (?:${my_number})|(?:mais )?(?:nada|papo|conversa)(?: (?:mais )?(?:de|com|` +
      `d)(?:(?:${you})| (?:${you}))))`
    }`,
    before: wished,
    after: whatever,
  },
  {
    says: says`${
      `(?:${not}) (?:${wanting})(?: mais)?(?: (?:voltar|continuar) a)? (?:receber|receber (?:mais )?(?:nada|isso|isto)|` +
      `continuar recebendo|(?:saber|ouvir falar)(?: mais)? (?:de|d) ?(?:${you})|` +
      'ser (?:mais )?(?:contac?tad|incomodad|perturbad|importunad|chamad)[oa])'
    }`,
    before: wished,
    after: [
      ...at_end,
      [startsWith`mais|nada|de (?:${you})|nunca|novamente|de novo|no (?:meu|celular)|neste`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: says`${
      `(?:${not}) (?:${wanting})(?: mais)? (?:que|q)(?: (?:(?:${you})|ninguem|mais)){0,4}(?: (?:me|` +
      `nos))? (?:(?:${call})|(?:volt|torn)(?:e|em|es) a (?:(?:${me}) )?(?:(?:${to_call})|(?:${to_send}))|` +
      `(?:fiquem?|continuem?(?: a)?|estejam?(?: a)?) (?:(?:${me}) )?(?:(?:${calling})|(?:${to_call})|` +
      `(?:${sending}))|(?:${send}) (?:${anything_sent}))`
    }`,
    before: wished,
    after: closed,
  },
  {
    says: says`${
      `(?:sem|nao) mais (?:${calls})|nem (?:mais )?(?:uma|um|so uma)? ?(?:${calls})|(?:nada de|zero) (?:${calls})|` +
      `mais nenhuma? (?:${call_noun})|nunca mais (?:${calls})`
    }`,
    before: [
      [contains`nao (?:recebi|tem|houve|tive|vi|chegou)|recebi|${if_not_polite}`, undefined],
      reported,
      [contains`no cinema|em reuniao`, undefined],
      [anything, 'opt_out'],
    ],
    after: whatever,
  },
  {
    says: says`${
      'ninguem(?: (?:dai|mais|de voces|dessa empresa)){0,4} me (?:liga|ligue|telefona|telefone|manda|contac?ta|' +
      'contac?te)(?: mais| nada)'
    }`,
    before: [
      [contains`partir de|quero que|exijo`, 'opt_out'],
      [anything, undefined],
    ],
    after: [
      [nothing, 'opt_out'],
      [startsWith`,|nada|entendeu|ouviu|ok|viu|mensagem`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: says`${
      `(?:(?:${me}) )?(?:des?ca?dastr(?:o|amento)|(?:des?ca?dastr|desinscr[ei]v|des?subscr[ei]v|desinscr|` +
      'desuscr[ie]v|desregist(?:r)?|' +
      `descadrast|decadastr)(?:[aei]r?|[aei]m|a))(?: (?:${my_number})| (?:${me}))?`
    }`,
    before: told,
    after: [
      by_mistake,
      [startsWith`(?:o |a )?(?:meu|minha|nosso|um|uma) [^ ]+|do (?!sistema|vosso|sms)[^ ]+`, undefined],
      ...always,
    ],
  },
  {
    says: says`${
      '(?:descadastrad|desinscrit|(?:ser|seja) (?:removid|retirad|excluid|eliminad|apagad|' +
      `tirad))[oa](?: (?:${off}))?`
    }`,
    before: [
      [contains`fui|foi|estou|estava|nao|como|porque|quem|${if_not_polite}`, undefined],
      [endsWith`(?:${demanding})(?: (?:de|para|pra|a))?(?: ser)?`, 'opt_out'],
      [anything, undefined],
    ],
    after: at_end.concat([
      [startsWith`de (?:tod|voss|suas|seus)[^ ]+`, 'opt_out'],
      [anything, undefined],
    ]),
  },
  {
    says: says`${
      '(?:cancel|anul|encerr|remov|cess)(?:ar|em|e|a|er|o|amento|ação)(?: d?[ao])?(?: minha| esta|' +
      ' essa)? (?:subscriç|inscriç|assinatura d[eao]s? (?:sms|mensagens))[^ ]*'
    }`,
    before: told,
    after: [
      [startsWith`(?:n[ao]|d[ao]|em|para) (?!(?:${list})|sms|mensag|avis|vos|serviço)[^ ]+`, undefined],
      ...always,
    ],
  },
  {
    says: says`(?:${take_off})(?: logo| ja)? (?:${my_number})`,
    before: told,
    after: [
      ...at_end,
      [startsWith`ou|antig[oa]|velho`, undefined],
      [startsWith`de (?:voces|la)|para|agora|imediatamente`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: says`${
      `(?:${me}) (?:${take_off}) (?:${off})|(?:${take_off}) (?:${me}|eu) (?:${off})|(?:retir|remov|elimin|` +
      'exclu|tir|apag|delet)(?:em|am) me|(?:remov|exclu|tir)a me|(?:retir|elimin|apagu)e me|' +
      `(?:${me}) (?:exclu|apag|retir|` +
      'delet|remov)(?:a|am|e|em|i|uem|ue)'
    }`,
    before: told_politely,
    after: at_end.concat([
      [startsWith`d[aeo]s? (?:escola|familia|trabalho|condominio|igreja|faculdade|turma|predio)`, undefined],
      [startsWith`d[aeo]?s?|pra|para|em|sms|pfv`, 'opt_out'],
      [anything, undefined],
    ]),
  },
  {
    says: says`deslig(?:ue|uem|a|ar|arem) (?:${my_number}) (?:${off_list})`,
    before: told,
    after: always,
  },
  {
    says: says`(?:${take_off}) (?:ele|ela|eles|elas) (?:${off_list})`,
    before: [
      negated,
      [contains`nao (?:e|sou|mora|vive|trabalha|existe)|mudou|engano|errado|morr[^ ]+|fale[^ ]+`, 'opt_out'],
      [anything, undefined],
    ],
    after: at_end.concat([[anything, undefined]]),
  },
  {
    says: says`(?:${stop_doing}) cobrar(?:em)? (?:aqui|n?es[st]e (?:numero|telefone|celular)|n?o meu (?:numero|telefone|celular))`,
    before: told,
    after: stopped,
  },
  {
    says: says`(?:esqueç|esquec|perc|perd)(?:a|am|e|as)(?: que)? (?:${my_number})`,
    before: told,
    after: at_end.concat([[anything, undefined]]),
  },
  {
    says: says`(?:da|de|deem|dar|dando) baixa (?:n[oa]s?|d[oa]s?|a)(?: (?:meus?|minha|nossos?|es[st]e))? ${number}`,
    before: told,
    after: at_end.concat([[anything, undefined]]),
  },
  {
    says: says`(?:sair|saio|quero fora) (?:${off_list})`,
    before: told,
    after: [[startsWith`de espera`, undefined], ...always],
  },
  {
    says: says`(?:exclus|remoç|eliminaç|retirad|apagament)[^ ]+ d[oae]s? (?:(?:meu|meus|minha|o meu) )?(?:${number})`,
    before: [negated, how_to, [endsWith`(?:${demanding})(?: (?:a|pela|o))?`, 'opt_out'], [anything, 'unclear']],
    after: always,
  },
  {
    says: says`${
      '(?:revogo|retiro|revogamos|revogar|retirar|cancelo|anulo|' +
      'retiramos) (?:[^ ,]+ ){0,3}?(?:consentimento|autorizaçao|permissao)'
    }`,
    before: told,
    after: always,
  },
  {
    says: says`${
      `(?:${not}) (?:autorizo|autorizamos|permito|consinto|dou (?:autorizaçao|permissao|consentimento)|` +
      'tem (?:(?:a )?minha )?(?:autorizaçao|permissao|direito|o direito|o meu consentimento|' +
      `meu consentimento))(?: mais)? (?:[^ ,]+ ){0,4}?(?:(?:${to_call})|(?:${to_send})|(?:${call})|` +
      `(?:${send})|(?:${call_noun})|dados|numero|telefone)|(?:proibidos?|proibida|proibidas|` +
      `proibo(?: (?:que|(?:${you})|de))*)(?: de)? (?:(?:${me}) )?(?:(?:voltar|` +
      `voltem) a )?(?:(?:${to_call})|(?:${call})|(?:${to_send}))`
    }`,
    before: wished,
    after: [limited, [anything, 'opt_out']],
  },
  {
    says: says`${
      '(?:oponho me|me oponho|opomos nos|direito de oposiçao) (?:[^ ,]+ ){0,5}?(?:dados|publicidade|' +
      'contactos?|comunicaç[^ ]+|marketing)|exerç[^ ]+ (?:[^ ,]+ ){0,4}?direito de oposiçao'
    }`,
    before: told,
    after: always,
  },
  {
    says: says`${
      '(?:bota|botem|põe|ponham|ponha|coloca|coloque|coloquem|inclua|incluam|adicionem|inscrevam|' +
      'registem) (?:me |meu numero |o meu numero )?(?:na|numa|em) (?:[^ ,]+ ){0,5}?(?:nao (?:ligar|' +
      'perturbe|perturbar|incomodar|contac?tar|me ligue))'
    }`,
    before: told,
    after: always,
  },
  {
    says: says`${
      'estou (?:cadastrad[oa]|inscrit[oa]|registad[oa]|' +
      'registrad[oa])? ?n[oa] (?:lista )?nao (?:me )?(?:perturbe|ligue|incomode)'
    }`,
    before: [[anything, 'opt_out']],
    after: always,
  },
  {
    says: says`${
      `(?:${me}) deix(?:a|e|em|es|ar|arem)(?: (?:em paz|sossegad[oa]|quiet[oa]|tranquil[oa]))|deix(?:a|e|` +
      `em|ai) (?:${me}) (?:em paz|sossegad[oa]|quiet[oa]|tranquil[oa])|larg(?:a|ue|uem|uem) (?:me da mao|me|nos|mao|` +
      '(?:d?o )?meu pe|de mim)|me erra|me (?:esquece|esqueçam|esqueça)|esqueç(?:a|am) (?:de mim|me)|' +
      `(?:${not}) (?:me )?ench(?:e|` +
      'a|am)(?: o saco)?'
    }`,
    before: [
      [contains`nao|se|quando|filhos|eles|ela|ele|crianças|tem que|que`, undefined],
      [anything, 'stop'],
    ],
    after: mere_stop,
  },
  {
    says: says`(?:para|pare|parem)(?: (?:ja|la))? com (?:isso|isto)`,
    before: [
      [
        contains`(?:ligam|ligando|ligar|mandam|mandando|telefonar|telefonam|mensage[^ ]*|ligaç[^ ]*|chamadas|sms)`,
        'opt_out',
      ],
      [nothing, 'stop'],
      [anything, undefined],
    ],
    after: [
      [nothing, 'opt_out'],
      [startsWith`,|e|ja|de uma vez|por|pelo|ou|que|seus?|viu`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: says`(?:${take_off}) (?:o )?(?:numero|contac?to|nome|telefone) d(?:ele|ela)`,
    before: [
      [endsWith`nao`, undefined],
      [contains`morr[^ ]+|fale[^ ]+`, 'opt_out'],
      [anything, 'unclear'],
    ],
    after: at_end,
  },
  {
    says: says`${
      `(?:${my_number}) (?:fosse|seja|sejam|fossem|apagad|removid|retirad|excluid|` +
      'eliminad)[^ ]*(?: (?:apagad|removid|retirad|excluid|eliminad)[^ ]+)?'
    }`,
    before: [
      [contains`nao`, undefined],
      [contains`quero|queria|gost[^ ]+|peço|solicito|exijo|agrade[^ ]+`, 'opt_out'],
      [anything, undefined],
    ],
    after: at_end,
  },
  { says: says`${threat}`, before: [[endsWith`nao`, undefined], ...always], after: always },
  {
    says: says`${
      `(?:cansei|cansad[oa]|fart[oa]|nao aguento(?: mais)?)(?: d[aeo]?)? (?:receber )?(?:${calls})|` +
      'vou denunciar n[ao] (?:anatel|procon|deco|anacom)|quero (?:o )?meu (?:numero|telefone|contac?to) fora|' +
      '(?:vou|vamos) (?:processar|denunciar|bloquear) (?:voces|vcs|vc|voce|es[st]e numero)|(?:disse|' +
      'falei) que nao quero$|' +
      `(?:${not}) (?:me )?insist(?:a|am|as)|(?:${take_off}) (?:da lista|(?:o |es[st]e )?numero)$|(?:paro|` +
      'deixo) de receber|(?:quero|posso|quiero|puedo) bloquear es[st]e numero|(?:cancelar|parar|' +
      'encerrar) (?:o )?recebimento|nao liga , (?:manda|escreve|chama)'
    }`,
    before: [[endsWith`se|onde`, undefined], ...asked],
    after: asked,
  },
  {
    says: says`(?:${not}) quer (?:mais )?(?:receber )?(?:mais )?(?:${calls})`,
    before: [
      [endsWith`a gente(?: [^ ,]+){0,3}`, 'opt_out'],
      [anything, undefined],
    ],
    after: whatever,
  },
  {
    says: says`apaguem?|removam?|excluam?|deletem?|retirem?|parem?`,
    before: [
      [
        endsWith`${
          '(?:numero|contacto|inscrev|cadastr|autoriz|mensag|sms|ligaç|ligan|ligam|chamad|' +
          'vez)[^ ,]*(?: [^ ,]+){0,4} ,'
        }`,
        'unclear',
      ],
      [anything, undefined],
    ],
    after: alone,
  },
  {
    says: says`${
      `(?:${not}) (?:tenho|temos)(?: mais| nenhum)? interesse|(?:${not}) me interessa(?: mais)?|(?:${not}) (?:estou|` +
      'to|estamos) (?:mais )?interessad[oa]s?|(?:nao|sem) (?:mais )?(?:sms|mensagens|chamadas|ligaçoes|' +
      'publicidade|propaganda)|some daqui|(?:vai|vao|va) embora|sumam'
    }`,
    before: alone,
    after: alone,
  },
  {
    says: says`${
      `(?:${you})(?: (?:me|nos|so)){0,4} (?:(?:ligam|telefonam|mandam|escrevem|mandam (?:${call_noun})) (?:demais|` +
      'muito|tant[^ ]+|toda hora|o tempo todo|todo santo dia|todos os dias|sem parar)|mandam (?:muit|' +
      `tant)[^ ]+ (?:${call_noun}))|(?:receber|mandem|` +
      `enviem) menos (?:${call_noun})|por ?que (?:e que )?(?:voces )?me (?:ligam|mandam|escrevem|` +
      'telefonam)(?: tant[^ ]+| muito)'
    }`,
    before: asked,
    after: asked,
  },
  {
    says: says`${
      `(?:onde|como|quem) (?:e que )?(?:(?:${you}) )?(?:(?:vos|lhes|te|vcs) )?(?:conseguiram|conseguiu|` +
      'arranjaram|tiraram|pegaram|obtiveram|deu|passou|acharam|' +
      `foram buscar)(?: a (?:${you}))?(?: o)? meu (?:numero|telefone|contac?to|numero de telefone)|` +
      'se (?:eu )?(?:responder|mandar|enviar|escrever) (?:com )?(?:a palavra )?(?:stop|sair|parar)'
    }`,
    before: asked,
    after: asked,
  },
  {
    says: says`${
      `(?:${not}) (?:quer|querem|queria)(?: mais)? (?:(?:receber |mais ){0,4}(?:${calls})|que (?:(?:me|lhe|nos|` +
      `voces) )?(?:(?:${call})|(?:${send}) (?:${anything_sent})))`
    }`,
    before: [
      [has_condition, undefined],
      [anything, 'unclear'],
    ],
    after: [limited, [anything, 'unclear']],
  },
]

const another_way = contains`${
  'melhor|em vez de|ao inves de|prefiro (?:que|um|por|o|whatsapp|sms|mensagem)|so por|apenas por|' +
  '(?<!(?:nao|n|mais|nunca|nem|num|jamais|a) (?:me |nos )?)(?:manda|mande|mandem|envie|enviem|escreva|' +
  'escrevam|chama) (?:me |nos )?(?:uma? |por |um )?(?:mensagem|msg|sms|whatsapp|zap|email|e mail)'
}`

export const pt: Language = {
  tag: 'pt',
  opt_outs: {
    words: listed(
      'stop, descadastro, sair, sair sms, parar, parar sms, descadastrar, descadastre, descadastrem, sair da lista, anular subscrição, ' +
        'cancelar subscrição, ' +
        'cancelar inscrição, cancelar sms, sair por favor, parar por favor',
    ),
    ordinary_words: listed(
      'cancelar, cancela, cancele, cancelem, anular, terminar, fim, encerrar, remover, remova, excluir, ' +
        'apagar, eliminar, ' +
        'basta, chega, para, pare, parem, pára, não mais, nunca mais, já chega, apaguem, removam, não quero mais, não quero, ' +
        'quero sair, cancelar cadastro, cancela cadastro, cancele o envio, cancela o envio, já pedi pra parar, quero meu nome fora, quero cancelar, n quero mais, cancelar envio, suspender envio, remover cadastro, excluir cadastro, ' +
        'excluir número, pela última vez parem, cancela aí, cancelar mensagens, larga meu pé, remover número, remover da lista',
    ),
    phrases,
    another_way,
    at_once: ['imediatamente'],
    fillers: [
      ...'obg obgd obgda brigado brigada vlw pfv pfvr pfvor obrigado obrigada simplesmente caralho'.split(' '),
      ...['por favor', 'muito obrigado', 'muito obrigada', 'bom dia', 'boa tarde', 'boa noite'],
    ],
  },
  opt_in_words: [],
  help_words: ['ajuda'],
  answers: {
    yes: listed(
      'sim, claro, claro que sim, com certeza, certo, certeza, isso, isso mesmo, é isso, exato, exatamente, ' +
        'exactamente, ' +
        'correto, correcto, ok, okay, está bem, tá bom, tudo bem, perfeito, de acordo, combinado, beleza, ' +
        'positivo, confirmo',
    ),
    no_more: listed(
      'não mais, nunca mais, mais nada, stop, sair, parar, quero, quero sim, sim quero, desejo, desejo sim, ' +
        'é o que quero, ' +
        'tenho certeza, tenho a certeza, nenhuma mais, mais nenhuma',
    ),
    courtesies: listed('por, favor, obrigado, obrigada, muito, senhor, senhora, moço, moça, adeus, tchau, já'),
  },
  sayings: {
    opt_out: 'Não lhe enviaremos mais mensagens. Responda START para voltar a recebê-las.',
    no_more_messages: 'Não lhe enviaremos mais mensagens.',
    no_more_calls: 'Entendo. Não voltaremos a ligar. Adeus.',
    no_more_question: 'Deseja deixar de receber chamadas e mensagens?',
    press_key: 'Se não deseja receber mais chamadas, pressione a tecla {key}.',
    star: 'asterisco',
    hash: 'cardinal',
  },
}
