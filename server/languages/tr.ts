import { type Language, listed } from './language.ts'
import { anything, contains, endsWith, type Judgement, nothing, type Phrase, says, startsWith } from './wish.ts'

/** "Aramayın", "arama", with the misspellings of "-mayın". */
const not = 'm[aeiu]?y[iu]?n+(?:[iu]z)?|m[ae]'
/** "Kesin", "keser misiniz", "kesmenizi", "kesilsin", "kesmek istiyorum". */
const now_do =
  '(?:y?[iu]n+(?:[iu]z)?|s[ae]n(?:[iu]z)?[ae]?|[aeiu]?r ?m[iu]s[iu]n(?:[iu]z)?|(?:[iu][ln])?m[ae](?:n[iu]z?[iu]?|' +
  'm[iu]|s[iu]n[iu])|[iu][ln]s[iu]n(?:l[ae]r)?|(?:[iu][ln])?m[ae]k isti?yoru[mz]|(?:[iu][ln])?m[ae]k isteri[mz]|' +
  '[iu]yoru[mz]|[iu]n artik|iver(?:in)?|[iu]rsan(?:iz)?|ebilir misin(?:iz)?|abilir misin(?:iz)?)?'

const us =
  'ben|beni|bni|bizi|bana|bize|benimle|bizimle|benle|tarafima|buray[ai]|buradan|kimse|(?:ev|ofis|is ?yer)(?:i|imi|' +
  'imizi)?|(?:bu|su) telefon[a-z]*|(?:(?:bu|su|cep|ev|is|benim) )?(?:n[ou]mara|telefonum|hatti?|hatt)[a-z]{0,7}'
const no_more =
  'artik|artk|(?:bi|bir) ?da(?:ha|a)?|daha|tekrar(?:dan)?|yeniden|asla|hic(?:bir zaman|bir sekilde)?|bundan (?:sonra|' +
  'boyle)|(?:bu )?(?:bugun|saat|dakika|an|gun)[dt][ae]n (?:sonra|itibaren)|su andan itibaren|boyle|kesinlikle'
const little =
  'da|de|siz|sizler|sen|ne|olur|nolur|ya|sakin|bile|boyu|surekli|durmadan|bos yere|ikide bir|yani|ama|ve|rica etsem|' +
  'allah (?:askina|rizasi icin)|allahini seversen|whatsapp[dt]an|telefonla|size|arayip|yazip|arayarak|lan|falan|' +
  'filan|(?:abi|abla|kardes|arkadas|usta|amca|dayi|teyze|hoca|dost|can|evlad|efend|kuzu)(?:i?m|lar)?|kanka|hanim|bey|haci|reis|birader|moruk'
const between = `(?: (?:${us}|${no_more}|${little}|su|bu|o|sizden|hemen|derhal|komple|tamamen|her|turlu|arkasini)){0,4}`

const call =
  'ara|yaz|ulas|(?:rahatsiz|taciz|telefon|mesgul|huzursuz) et|(?:iletisime|irtibata|temasa|kontaga|baglantiya) gec|' +
  '(?:iletisim|irtibat|temas|baglanti) kur|(?:arama|spam|reklam|telefon) (?:yap|ac)|kisa mesaj at'
const be_called =
  'aran|ulasil|(?:rahatsiz|taciz|mesgul|huzursuz) edil|(?:iletisime|irtibata|temasa) gecil|(?:iletisim|irtibat) kurul'
const send = 'gonder|yolla|at|ilet|cek|yaz|ulastir|dos[ea]'
const be_sent = 'gonderil|yapil|yollan|atil|iletil|cekil|yazil'
const message =
  '(?:(?:kisa )?mesaj|mesja?|mesac|msj|mesag|msg|sms|esemes|mms|ileti|bildirim|reklam|bulten|tanitim|promosyon|kampanya|duyuru|' +
  'spam|cagri|bilgilendirme|whatsapp mesaj|aramalar|arama(?=[iy]))(?!yan)[a-z]{0,9}'
const something = `${message}|bir ?sey[a-z]*|hic ?bi[rs]? ?sey[a-z]*|[sb]unlari|bunlardan|boyle seyler`

const if_so =
  'eger|sayet|ise|(?:yok|var|degil)s[ae][mnk]?|[^ ,]*(?:[aeiu]r|m[ae]z|yor|[dt][iu]y|m[iu]s|c[ae]k)s[ae](?:m|n|k|' +
  'n[iu]z|l[ae]r)?|[^ ,]+(?:[aeiu]rken|[dt][ae]yken|[dt][iu]kca)'
const threat = 'sikayet|dava|savci|mahkeme|polis|jandarma|avukat|engelle|tuketici|btk|yasal'
/** These words mean "at work": elsewhere the contact may be called. */
const at_work = '(?:is ?yer|ofis|is|okul|ev|sirket)(?:im|imiz|in)?(?:d[ae]n?|t[ae]n?)(?: telefonundan)?'
const time =
  '(?:(?<!(?:bun|bugun|an|saat|dakika|gun)[dt][ae]n )sonra|once|oncesi(?:nde)?|bugun|yarin|simdi(?:lik)?|' +
  'su an(?:da)?|[^ ,]+[ae] kadar|bu kadar(?: [^ ,]+)?|(?:cok )?(?:gec|erken|sik)(?: sik)?|haftaya|hafta ?(?:sonu|' +
  'ici)[a-z]*|(?:pazar|sali|carsamba|persembe|cuma|cumartesi|pazartesi|bayram)(?:i|lari|a)?(?: gun(?:u|leri))?|(?:sabah|aksam|gece|ogle|cumartesi|cuma|pazartesi|mesai|tatil|toplanti|' +
  'ramazan)[a-z]*|(?:is|mesai|yemek) saatlerinde|(?:saat|gun|saatler|zaman|hafta|ay|ders|is|araba|dis)(?:te|ta|de|' +
  'da|inde)|[^ ,]+(?:[iu]nc[ae]|m[ae]d[ae]n once))'
/** "I will report you". */
const will_report = `(?:${threat})[a-z]*(?: [^ ,]+){0,3}?(?: [^ ,]*)?(?:[aeiu]r[iu]|c[ae]g[iu]|c[ae]|yoru)[mz]`
const has_condition: Judgement[] = [
  [endsWith`${will_report}(?: ,)?(?: (?:${us}|${no_more}|${little}|siz[ie]|hepinizi)){0,4}`, 'opt_out'],
  [endsWith`(?!(?:mumkun|rica|zahmet))(?:${if_so})(?: ,)?(?: [^ ,]+){0,10}`, undefined],
  [contains`(?!(?:mumkun|rica|zahmet))(?:${if_so})`, 'unclear'],
  [endsWith`${at_work}(?: (?:${us}|${no_more}|${little})){0,3}`, 'unclear'],
  [endsWith`${time}(?: ici| boyunca| icin)?(?: (?:${us}|${no_more}|${little}|${message})){0,4}`, undefined],
  [endsWith`her (?:gun|saat|hafta|dakika)(?: (?:${us}))?`, 'unclear'],
]
/** What someone near wishes, or what the contact told someone else. */
const reported: Judgement[] = [
  [
    endsWith`(?:(?:arkadas|sevgili|es|kardes|ogl|kiz|anne|baba|abi|abla)[a-z]*m[ae]|ona|onlara)(?: (?:${us})){0,2}`,
    undefined,
  ],
  [
    endsWith`(?:kari|koca|es|anne|baba|oglu|kizi|abi|abla|kardesi)(?:m|miz) (?:diyor|dedi|istiyor|soyledi) ?(?:ki)?`,
    'unclear',
  ],
  [contains`vefat[a-z]*|rahmetli|hayatini kaybetti|kaybettik|(?:anne|baba|es|koca|kari)m oldu`, 'opt_out'],
  [contains`(?:esim|karim|kocam|annem|babam|oglum|kizim)`, 'unclear'],
]
const sentence_before =
  ',|ve|ama|hayir|yok|tamam|yeter|istemem|peki|lutfn|lutfen|bakin|[^ ,]+(?:yoru[mz]|yor|yorsun|yorsunuz|' +
  '[dt][iu][mk]|[dt][iu]n[iu]z|[dt][iu]|[dt][iu]l[ae]r|m[iu]sl[ae]r|s[iu]n|c[ae][mz]|c[ae]g[iu]m|yosunuz|m[iu]s[iu]n(?:[iu]z)?|miyim|yonuz)|degil(?:im|iz)?|kere|kez|lan|gidin|defolu?n?|sizden|uyar[iu]m|' +
  'be|birak(?:in|iniz)?'
const clear_before: Judgement = [
  endsWith`(?:${us}|${no_more}|${sentence_before})(?: (?:${us}|${no_more}|${little})){0,4}`,
  'opt_out',
]
const only_little: Judgement = [new RegExp(`^(?:(?:${little})(?: |$)){0,4}$`), 'opt_out']

const only_us = new RegExp(`^(?:(?:${us}|${no_more}|${little})(?: |$)){0,4}$`)
const mine =
  'beni|bizi|(?:cep )?(?:n[ou]mara|telefon)(?:m[iu]z?[iu]?n?|um[a-z]*|larim[a-z]*)|n[ou]maram[a-z]*|ad[iu]m[iu]|ismimi|' +
  'hatt[iu]m[iu]|(?:veri|bilgi|kayit)lerim[a-z]*|kayd[iu]m[iu]|iletisim bilgilerim[a-z]*'

/** Judges the words before "don't call". */
const forbidden: Judgement[] = [...has_condition, ...reported, clear_before, only_little, [anything, undefined]]
/**
 * Judges the words before what may be "don't call". Others who are not to be called end in vowels: "annemi", "onu",
 * "polise".
 */
const perhaps_forbidden: Judgement[] = [
  ...forbidden.slice(0, -1),
  [endsWith`[^ ,]*[aeiu]`, undefined],
  [anything, 'unclear'],
]
/** Judges the words before what names calls or messages itself. */
const told: Judgement[] = [
  ...has_condition,
  ...reported,
  [endsWith`nasil|neden|niye|nicin`, 'unclear'],
  [endsWith`eski|bekleme|davetli|misafir|randevu|siparis|yillik`, undefined],
  [anything, 'opt_out'],
]
/** Judges the words before a phrase about messages, which are nothing like "that courier". */
const told_of_messages: Judgement[] = [
  ...told.slice(0, -1),
  [contains`(?:siparis|urun|paket|kargo|fatura|koli|teklif|belge|evrak|kart|kurye|usta)[a-z]*`, undefined],
  [endsWith`(?:${message}|${us}|${no_more}|${little}|[sb]unlar[iu])(?: artik)?`, 'opt_out'],
  [endsWith`[^ ,]+[iu](?: bir?)?`, undefined],
  [anything, 'opt_out'],
]
/** Judges the words before "from your list": something else may be removed from it. */
const listed_before: Judgement[] = [
  ...told.slice(0, -1),
  clear_before,
  only_little,
  [
    endsWith`(?:${mine}|bu|su|o|sizin|butun|tum|bulten|abone|abonelik|arama|iletisim|telefon|musteri|(?:${message}))`,
    'opt_out',
  ],
  [anything, undefined],
]
const instead = '(?:, |ve |sadece |direkt )?(?:kapi|zil|komsu|guvenli|ofis|posta)[a-z]*'
const whatever: Judgement[] = [
  [
    startsWith`(?:dem(?:e[dz]|iyor|em)[a-z]*|demis(?:ler)?|dediler|dedi|dedigi[a-z]*|diye [^ ,]+(?:[dt]i|ler|mis))(?! mi?)`,
    undefined,
  ],
  [startsWith`(?:diyor|istiyor|diyorlar|istiyorlar)`, 'unclear'],
  [startsWith`${instead}`, undefined],
  [startsWith`(?:, )?(?:${time}|bu aksam|bu hafta)`, undefined],
  [contains`yoksa(?: [^ ,]+){0,4} (?:${threat})[a-z]*`, 'opt_out'],
  [startsWith`(?:, )?(?:neden|niye|nicin)`, 'unclear'],
  [startsWith`(?:da|de|bile) (?:olur|yeter|fark etmez)`, undefined],
  [contains`dedi(?: [^ ,]{3,})?$`, 'unclear'],
  [contains`${if_so}`, 'unclear'],
  [anything, 'opt_out'],
]
/** Judges the words after "arama", which is "a call", too. */
const closed: Judgement[] = [
  ...whatever.slice(0, -1),
  [startsWith`(?:yap|kayd|kayit|motor|gecmis|sonuc|butonu|gel|var)[a-z]*`, undefined],
  [
    startsWith`(?:${us}|${no_more}|${little}|,|diye|[^ ,]+[dt][iu]m|[^ ,]+yorum|keske|sevin[a-z]*|iyi|memnun)`,
    'opt_out',
  ],
  [nothing, 'opt_out'],
  [anything, undefined],
]
const always: Judgement[] = [[anything, 'opt_out']]
const unclear: Judgement[] = [[anything, 'unclear']]

const do_not_want = 'ist[ei]?mi?[iy]?yo?r?u?[mz]|istemem|istemeyiz|istemiyom|istemedig[a-z]+'
const stop_it = `(?:kes|durdur|sonlandir|bitir|kapat|engelle|kaldir|iptal e[dt]|iptal|son ver|vazgec|yok e[dt])${now_do}`
const list =
  '(?:liste|sistem|kayit|kayd|rehber|veri ?taban|portfoy|data|database|defter|grup|grub|arsiv|mesaj|sms|bulten|' +
  'bildirim|aramalar|reklam)[a-z]{0,9}[dt][ae]n'
const remove = `(?:sil|cikar|cikart|kaldir|dus|dusur|ayir|imha e[dt]|yok e[dt]|temizle|engelle)${now_do}`
const some = '(?: (?!bekleme|davetli|misafir|randevu|siparis)[^ ,]+){0,3}'

const wanted_message =
  've|veya|ya|da|de|falan|filan|artik|daha|almak|haber|haberdar|olmak|bilgi|gormek|duymak|okumak|almayi|gelsin|gelmesini|telefonu?|sizden|' +
  `${message}`
const contact_with_you =
  'haber(?:dar olmak)? almak|haberdar olmak|bir sey duymak|iletisim kurmak|iletisime gecmek|gorusmek|konusmak'
const calling = `(?:${call}|${send})m[ae](?:y[iua]|kt[ae]n|l[ae]r[a-z]*)`
const sending = '(?: (?:gonder|at|yolla)m[ae](?:y[iua]|kt[ae]n))?(?: (?:aboneli|gonderim)[a-z]*)?'
const my_number =
  'kayd[iu]m[iu]|(?:n[ou]mara|telefon)(?:m[iu]z?[iu]?|um[a-z]*)|n[ou]maram[a-z]*|hatt[iu]m[iu]|(?:veri|bilgi)lerim[a-z]*|(?:(?:bu|su) )?n[ou]marayi'
const to_be_called =
  `(?:${call})m[ae](?:n[iu]z?[iu]?|l[ae]r[iu]n[iu])|(?:${be_called}|arama yapil)m[ae](?:k|y[iu]|s[iu]n[iu])|` +
  `(?:${message})${some} (?:(?:${send}|yap)m[ae]n[iu]z?[iu]?|(?:${be_sent})m[ae]s[iu]n[iu])`

/** Phrases that are a demand whatever stands around them. */
const demands = [
  says`(?:${message}|gonderim)${some} (?:${send}|yap|${be_sent})(?:${not}|m[ae]s[iu]n(?:l[ae]r)?|m[ae]s[ae]n(?:[iu]z)?)`,
  says`(?:${something})${some} (?:gel|git|cal)m[ae]s[iu]n(?:l[ae]r)?`,
  says`(?:${message})(?: artik)? (?:bitsin|dursun|son bulsun|kesilsin)`,
  says`(?:n[ou]mara|hat|hatt)[a-z]{0,7}${between} (?:cevir|tusla|caldir)(?:${not})`,
  says`(?:ara|yaz|ulas|gonder|at|yolla|rahatsiz ed)y?[iau]p dur(?:${not})`,
  says`(?:ara|yaz|ulas|gonder)m[ae]y[ae] (?:devam et|calis|kalk|ugras)(?:${not})`,
  says`(?:${message})(?: (?:${wanted_message})){0,4} (?:${do_not_want}|reddediyorum)`,
  says`ne (?:${message}|telefon|arama) ne (?:de )?(?:${message}|telefon|arama)(?: almak)? istiyoru[mz]`,
  says`ne (?:${message}|mail|telefon|arama) ne (?:de )?(?:${message}|mail|telefon|arama) (?:${send}|yap|ac|et)y?[iu]n(?:[iu]z)?`,
  says`(?:${message}|(?:${call}|${send}|kullan|isle)m[ae](?:n[iu]z)?[ae])${some} (?:izin|onay|riza|muvafakat) (?:verm|gosterm)[iu]yoru[mz]`,
  says`(?:${message})(?: (?:${message})){0,2} (?:aboneli|uyeli)[a-z]+ (?:${stop_it}|(?:cik|ayril)(?:[iu]yoru[mz]|m[ae]k ist[a-z]+|[iu]n|ar ?misin[iu]z))`,
  says`ne (?:ara|yaz|mesaj at|sms at)[a-z]* ne (?:de )?(?:ara|yaz|mesaj at|sms at)y?[iu]n(?:[iu]z)?`,
  says`(?:sizden|sizinle|sizlerle) (?:${contact_with_you}) (?:${do_not_want})`,
  says`(?:${message}|${calling})${between}${sending}${between} (?:${stop_it})`,
  says`(?:${call}|${send})m[ae]y[iu] (?:birak|kes)m[ae]zs[ae]n(?:[iu]z)?`,
  says`(?:${call}|${send})m[ae]y[iu]${between} birak${now_do}`,
  says`(?:${message}) gel(?:iyor|meye devam ediyor)(?: ,)?${between} (?:${stop_it})`,
  says`(?:birak|kes)${now_do}${between} (?:ara|yaz|gonder)m[ae]y[iu]`,
  says`(?:kes|durdur|kapat|sonlandir)${now_do}${between} (?:${message})`,
  says`tacize? (?:${stop_it})`,
  says`(?:${mine})${some}(?: ,)? (?:${list})${some} (?:${remove})`,
  says`(?:${remove}) (?:${mine})${some} (?:${list})`,
  says`(?:${remove})(?: (?:[sb]u|o|sizin|${mine})){0,3} (?:${list})`,
  says`(?:${remove})(?: [sb]u| artik| benim){0,2} (?:n[ou]maram|telefonum)[iu]`,
  says`(?:${my_number})${some} (?:${remove})`,
  says`(?:${list})${some} (?:ayril|cik)m[ae]k (?:isti?yoru|isteri)[mz]`,
  says`(?:onay|izn|izin|riz|muvafakat)[a-z]{1,8}${some} (?:geri (?:cek|al|alin)|iptal e[dt]|kaldir|kapat|cek)${now_do}`,
  says`(?:onay|izn|riz)[iu]?m yok[a-z]*(?: ,)?${some} (?:durdur|kes|sonlandir)${now_do}`,
  says`(?:veri|bilgi)lerim[a-z]*${some} (?:itiraz ediyoru[mz]|kullanm[ae]y[iu]n(?:[iu]z)?|islem[ae]y[iu]n|(?:${do_not_want}))`,
  says`(?:kara|yasakli|arama yasakli|aranmayacak(?:lar)?) liste[a-z]* (?:al|ekle|koy)(?:y?[iu]n(?:[iu]z)?|[aei]?r m[iu]s[iu]n(?:[iu]z)?)`,
]
const questions = [
  says`(?:${message}|bun|sun|aboneli)[a-z]* nasil (?:kapat|durdur|cik|iptal|engelle|kurtul)[a-z]*`,
  says`(?:${message}|bun|sun)[a-z]* (?:durdur|kapat|engelle)m[ae]n[iu]n yolu`,
  says`(?:cok|surekli|durmadan|her (?:gun|saat|hafta)|ikide bir|gunde [^ ,]+ (?:kere|defa|kez))${between}(?: (?:fazla|sik))?(?: (?:${message}))? (?:ar|yaz|at|gonder|yolla|rahatsiz ed)[iu]yo(?:r)?s(?:un(?:uz)?)?`,
  says`(?:${call})m[ae]y[iu] biraksin(?:lar)?`,
  says`(?:ara|yaz|gonder|at)[dt]ig[iu]n[iu]zd[ae]n (?:sikayetci|rahatsiz|bikt)[a-z]*`,
  says`nasil (?:${list}) (?:cik|ayril)[a-z]*|(?:${list}) nasil (?:cik|ayril|sil)[a-z]*`,
  says`(?:${message})(?: [^ ,]+){0,2} (?:neden|niye|nicin)(?: [^ ,]+)? (?:gel|at|gonder|yolla|yaz)[iu]yo[a-z]*`,
  says`(?:neden|niye|nicin)(?: [^ ,]+){0,2} (?:${message}) (?:gel|at|gonder|yolla|yaz)[iu]yo[a-z]*`,
  says`(?:${message}) (?:almam[ae]k|gelm[ae]m[ae]si) icin (?:ne|nasil)`,
  says`(?:n[ou]mara|telefon)[a-z]* (?:nereden|nerden|kimden) (?:bul|al)[a-z]*`,
  says`(?:sizden|bunlardan|(?:mesaj|arama|reklam)lar[iu]n[iu]zdan) (?:biktim|usandim|rahatsiz[a-z]*)|(?:biktim|usandim) (?:artik )?(?:sizden|bunlardan|(?:mesaj|arama|reklam)lar[iu]n[iu]zdan)`,
]

const phrases: Phrase[] = [
  ...demands.map((demand) => ({ says: demand, before: told, after: whatever })),
  { says: says`(?:${call}|a?ar)m(?:[aeiu]y[iu]{0,3}n+|y[iu]n+)(?:[iu]z)?`, before: perhaps_forbidden, after: whatever },
  { says: says`(?!arame)(?:${call})(?:m[ae]|m[ae]s[ae]n(?:[iu]za?|a)?)`, before: forbidden, after: closed },
  {
    says: says`(?:${call}|${send})(?:${not}) (?:${us}|${no_more}|[sb]unlari)`,
    before: forbidden,
    after: whatever,
  },
  { says: says`(?:${call})m[ae]zs[ae]n(?:[iu]z)? (?:sev|memnun|iyi|mutlu)[a-z]*`, before: forbidden, after: always },
  {
    says: says`(?:${message})(?: artik)? (?:${send}|yap)m[ae]zs[ae]n(?:[iu]z)? (?:sev|memnun|iyi|mutlu)[a-z]*`,
    before: told,
    after: always,
  },
  {
    says: says`(?:${us}|${no_more}|hic ?bir ?sey)${between}(?: (?:${something}))? (?:gonder|yolla|at|ilet|yaz)(?:${not})`,
    before: told_of_messages,
    after: closed,
  },
  { says: says`(?:${send})(?:${not})${between} (?:${message})`, before: forbidden, after: whatever },
  {
    says: says`(?:${call}|${be_called}|${be_sent}|${send})m[ae]m[ae](?:k|y[iu]|m[iu]z?[iu]?|n[iu]z?[iu]?|l[ae]r[iu]n[iu]|s[iu]n[iu])`,
    before: [...has_condition, ...reported, [anything, 'opt_out']],
    after: [
      [nothing, 'opt_out'],
      [startsWith`(?:[^ ,]+ ){0,3}(?:rica|talep|isti?yor|ister|bekli|dili|soyle|ihtar)[a-z]*`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: says`(?:${to_be_called})(?: (?:${no_more}|falan)){0,2} (?:${do_not_want})`,
    before: [...has_condition, ...reported, [anything, 'opt_out']],
    after: whatever,
  },
  {
    says: says`(?:${list})(?: (?:hemen|artik|derhal|komple|tamamen|${mine})){0,3} (?:${remove})`,
    before: listed_before,
    after: whatever,
  },
  {
    says: says`(?:bir ?daha|bi ?daha|tekrar|yine|hala)(?: ${us})?(?: (?:${message}|arama))? (?:arar|yazar|atar|gonderir|gelir|rahatsiz ederse)s?[ae]?(?:n(?:[iu]z)?)?`,
    before: told,
    after: [[contains`(?:${threat})[a-z]*`, 'opt_out']],
  },
  {
    says: says`(?:arar|(?:mesaj|sms) (?:atar|gonderir))s[ae]n[iu]z`,
    before: [...reported, [only_us, 'opt_out'], clear_before, [anything, undefined]],
    after: [[contains`${will_report}`, 'opt_out']],
  },
  {
    says: says`(?:${call}|${be_called})m[ae]s[iu]n(?:l[ae]r)?|(?:${be_called})m[ae]y[ae](?:y[iu]m|l[iu]m)`,
    before: [
      ...reported,
      [only_us, 'opt_out'],
      [endsWith`(?:bu|su) (?:musteri|kisi|hat|n[ou]mara)`, 'opt_out'],
      [
        endsWith`(?:merkez|firma|sirket|ekib|temsilci|hizmetler|musteri hizmetleri)[a-z]{0,6}(?: (?:${us}|${no_more})){0,3}`,
        'opt_out',
      ],
    ],
    after: [[startsWith`(?:diye )?(?:de|soyle)[dm][a-z]*`, undefined], ...whatever],
  },
  {
    says: says`(?:aboneli|uyeli)[a-z]+ (?:${stop_it}|sil(?:in|iniz)?|(?:cik|ayril)[a-z]*(?: isti?yoru[mz]| icin (?:ne|nasil)(?: [^ ,]+){0,3})?)|uyelikten cik[a-z]*`,
    before: [
      [nothing, 'unclear'],
      [endsWith`nasil`, 'unclear'],
    ],
    after: [[nothing, 'unclear']],
  },
  {
    says: says`kes(?:in|sene|senize)? (?:[sb]unu|artik|ya)(?: artik| ya)?`,
    before: [
      [contains`(?:${message}|ariyorsun(?:uz)?) .*,$`, 'opt_out'],
      [/^$|,$/, 'stop'],
    ],
    after: [[nothing, 'opt_out']],
  },
  {
    says: says`(?:beni|bizi) (?:rahat|yalniz) birak(?:in|iniz)?|(?:rahat|yalniz) birak(?:in|iniz)?(?: beni| bizi)?|git(?:in)? basimdan|basimdan (?:git|gidin)|birak(?:in)? (?:yakam|pesim)[iu]|(?:yakam|pes)[a-z]+ (?:birak|dus)(?:in|un)?`,
    before: [[anything, 'stop']],
    after: [
      [nothing, 'stop'],
      [startsWith`,|artik|ya|lan|be`, 'stop'],
      [anything, undefined],
    ],
  },
  {
    says: says`(?:aram|yazm)aniz?a gerek yok`,
    before: [...has_condition, [endsWith`(?:${us}|${no_more})`, 'unclear']],
    after: unclear,
  },
  ...questions.map((question) => ({ says: question, before: unclear, after: unclear })),
]

const instead_by = 'sadece|yalnizca|yalniz|whatsapp[dt]an|whatsapp|mesajla|mesaj|mail|sms'
const do_instead = '(?:ile |olarak |uzerinden )?(?:yaz|at|gonder|ara|ulas)(?:in|iniz)?'
const write_only = `ara(?:may[iu]n(?:[iu]z)?|ma)(?: ,)? (?:yaz|(?:mesaj|sms|mail|whatsapp[dt]an) (?:at|yaz|gonder))(?:in|iniz)?(?![a-z])`
const another_way = contains`${write_only}|(?<!ne )(?:yerine|(?:${instead_by}) ${do_instead}|ben (?:(?:sizi|size) (?:arar|doner|yazar)[a-z]*|(?:arar|doner|yazar)[iu]m))`

export const tr: Language = {
  tag: 'tr',
  opt_outs: {
    words: listed(
      'stop, ret, iys ret, ret iys, sms ret, sms iptal, mesaj iptal, sms dur, listeden çıkar, listeden çık, ' +
        'abonelikten çık, abonelikten çıkar, aboneliği iptal et, iletişimi kes, mesaj istemiyorum, sms istemiyorum',
    ),
    ordinary_words: listed(
      'durdur, durdurun, arama, iptal, iptal et, iptal edin, çıkış, çık, ayrıl, dur, durun, son, bitir, bitti, red, ' +
        'reddet, yeter, yeter artık, artık yeter, yeter be, yeter ya, bıktım, bıktım artık, artık bıktım, bıktık, onay vermiyorum, izin vermiyorum, beni engelleyin, yanlış numara, engelledim, engelliyorum, ' +
        'engelliyorum sizi, sizi engelliyorum, arama yapma, vazgeçtim, istemiyorum, ' +
        'istemem, kapat, sil, çıkar, kes, hayır istemiyorum, artık istemiyorum, ilgilenmiyorum, ilgilenmiyoruz',
    ),
    phrases,
    another_way,
    fillers: [
      ...listed(
        'lütfen, lütfenn, lütfn, lütefn, teşekkürler, sağolun, merhaba, merhabalar, beyefendi, hanımefendi, kardeşim, mümkünse',
      ),
      ...['teşekkür ederim', 'teşekkür ederiz', 'iyi günler', 'sağ olun', 'hayırlı işler', 'zahmet olmazsa'],
    ],
  },
  opt_in_words: [],
  help_words: ['yardım'],
  answers: {
    yes: listed(
      'evet, evet evet, tabii, tabii ki, tabi, elbette, olur, tamam, tamamdır, doğru, aynen, aynen öyle, ' +
        'kesinlikle, peki, uygun, onaylıyorum, kabul ediyorum, eminim, evet doğru',
    ),
    no_more: listed(
      'isterim, istiyorum, evet isterim, evet istiyorum, durdur, durdurun, evet durdurun, aramayın, mesaj atmayın, ' +
        'mesaj göndermeyin, mesaj istemiyorum, bir daha aramayın, stop',
    ),
    courtesies: listed('lütfen, teşekkürler, teşekkür, ederim, sağolun, artık'),
  },
  sayings: {
    opt_out: 'Size artık mesaj göndermeyeceğiz. Yeniden mesaj almak için START yazın.',
    no_more_messages: 'Size artık mesaj göndermeyeceğiz.',
    no_more_calls: 'Anlıyorum. Sizi bir daha aramayacağız. İyi günler.',
    no_more_question: 'Aramalarımızı ve mesajlarımızı tamamen durdurmamızı ister misiniz?',
    press_key: 'Bir daha aranmak istemiyorsanız {key} tuşuna basın.',
    star: 'yıldız',
    hash: 'kare',
  },
}
