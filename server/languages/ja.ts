import { type Language, listed } from './language.ts'
import { anything, type Judgement, type Phrase, unspaced } from './wish.ts'

const { contains, endsWith, says, startsWith } = unspaced

const contact =
  '電話|でんわ|デンワ|tel|連絡|れんらく|架電|コール|着信|メール|めーる|メッセ|sms|ショート|line|ライン|dm|ダイレクト|' +
  '配信|ハイシン|送信|案内|お知らせ|通知|広告|宣伝|営業|勧誘|セールス|プロモ|スパム|メルマガ|クーポン|キャンペーン|' +
  'コンタクト|アプローチ|接触|ニュースレター|マーケティング|リマインド|リマインダー'
const particle = '(?:ージ|メール|マガ|番号)?(?:とか|なんか|なんて|など|等|の方|のほう|の類)?[はをもがにば]?(?:って)?'
const adverb =
  '(?:あの|えっと|その|もう|二度と|金輪際|一切|いっさい|絶対に?|決して|何も|今後|以後|これ以上|毎日|勝手に|何[度回]も|しつこく|いちいち|' +
  '(?:こちら|こっち|ここ|うち|私|俺|僕|家|携帯|番号)(?:には|に|へ)){0,2}'
const contact_and = `(?:${contact})${particle}${adverb}`
const doing =
  '(?:し|せ|され|なさら|なされ|なさい|いただか|いただき|頂か|くださら|下さら|ください|お?[か掛]け(?:になら)?|入れ|寄こさ|寄越さ|よこさ|' +
  '飛ばさ|流さ)(?:て(?:こ|来|き|くださら|いただか))?'
/** Excludes other things that are sent. */
const send = '送(?<!(?:荷物|商品|書類|請求書|領収書|見積|現品|写真|車|人|お金)[^ ,]{0,3}送)'
const again = `(?:[か掛]け|${send}(?:っ|りつけ|り付け))て`
const sending = `(?:${again}[こ来き]|${send}(?:ら|信し|信なさら|付し|りつけ|り付け)|電話[こ来])`
/** "Don't", after the stem of a verb. */
const not =
  '(?:(?:[な無]い|ねぇ|ねえ|ねー|ん)(?:で|といて|とって|とい|よう|様|こと)|ずに[いお]|ません(?:よう|様)|んどいて|んとき|なで(?=く))'
const come = '(?:くる|来る|くん|来ん|く)'
/** The rude form of "don't". */
const ban = '(?:な|ん?じゃ(?:ない|ね))'
const rude =
  `${contact_and}すな(?!わ)|(?:${contact_and}(?:する|すん|よこす|入れる|[か掛]け[るん]|(?:して|入れて)${come})|${again}${come}|` +
  `${send}(?:る|ん|りつける)|二度と[か掛]け[るん])${ban}`

const family =
  '(?:母|父|母親|父親|両親|親|妻|夫|嫁|主人|旦那|家内|息子|娘|兄|姉|弟|妹|祖母|祖父|おばあちゃん|おじいちゃん|家族|彼女|彼氏|' +
  '上司|社長)(?:さん)?'
const other_people = '元カレ|元カノ|元彼|元夫|元妻|友達|友人|同僚|先輩|後輩|ストーカー|隣の人|あの人|知り合い'
const time =
  '[0-9一二三四五六七八九十]時(?:半|過ぎ|ごろ|頃)?(?:前|以前|以降|まで|より)?|今日|本日|明日|今週|来週|今月|今夜|今晩|週末|土日|' +
  '平日|曜日?|夜中?|深夜|早朝|朝|昼間?|午前中?|午後|夕方|休日|祝日|休み|しばらく|当分|(?:てる|ている|ない)(?:間|うち)|' +
  '(?:仕事|会議|授業|勤務|運転|業務|食事|就業|移動|外出|電車の|旅行|出張|診療|時間)[中外]'
const condition =
  '(?<!だ)なら(?!な|ば?いい)|(?<!でき|出来)たら(?!い)|(?<!でき|出来|けれ|よろしけ|よけ)れば|なっても|くても|' +
  '(?:場合|とき|時|際)(?:は|に|,)|以外|まで[はに]|(?<![名お]|この)前(?:は|に(?!も))|(?<![今以の])後[はに]|ときだけ'
const link = '(?:の|に|は|だけ|まで|早く|遅く|も|なの|で|だから| ?, ?){0,3}'
const limited: Judgement = [
  endsWith`(?:${time}|${condition})${link}${adverb}[おご]?(?:${contact_and})?${adverb}`,
  undefined,
]
const for_good = '二度と|金輪際|今後|以後|以降|一切|いっさい|これ以上|もう'
/** "To my friend", "my mother says". */
const reported: Judgement[] = [
  [endsWith`(?:${other_people})(?:に|が|は|から|も)[^ ,]{0,12}`, undefined],
  [endsWith`(?:${family}|彼)(?:に|には)`, undefined],
  [endsWith`${family}(?:が|は|も|から)(?: ?, ?)?(?:お宅|そちら)?(?:に|から|の)?${adverb}`, 'unclear'],
  [endsWith`(?:なんで|何で|なぜ|どうして)[^ ,]{0,4}`, undefined],
]
/** "Not at work". */
const at_work: Judgement = [endsWith`(?:会社|職場|勤務先|学校)(?:に|へ|の)[^ ,]{0,10}`, 'unclear']
/** Judges the words before what the agent is not to do. */
const forbidden: Judgement[] = [
  ...reported,
  at_work,
  limited,
  [contains`${for_good}`, 'opt_out'],
  [contains`${condition}`, undefined],
  [anything, 'opt_out'],
]
const object: Judgement = [endsWith`(?:${contact})[^ ,]{0,14}(?: ?, ?)?[^ ,]{0,8}`, 'opt_out']
/** "Sending", "such things". */
const such: Judgement = [
  endsWith`(?:送(?:る|って|り)|[か掛]け(?:る|て)|こういう|そういう|こんな|この手)[^ ,]{0,9}`,
  'opt_out',
]
const other: Judgement = [anything, undefined]
const ask: Judgement[] = [[anything, 'unclear']]
const no_how_to: Judgement[] = [
  ...reported,
  [contains`どうやって|どうすれば|どうしたら|どこで|どこから`, 'unclear'],
  [contains`間違[えっ]|誤って|うっかり`, undefined],
]
/** The matter is done, or the words are about an answer. */
const done =
  '解決|話せ|話し(?:た|ま)|済み|済んだ|届い|受け取|着[きい]|[わ分]か(?:りま|ったの)|見つか|確認|間に合(?!っ[^ ,]*(?:今後|以後))|折り?返し|返信|返事|到着|' +
  '領収書|当日|前日'
const our_data =
  '(?:リスト|名簿|データ|データベース|システム|台帳|顧客|登録|連絡先|電話帳|アドレス帳|架電先|送信先|配信先|宛先|対象)[^ ,]{0,6}' +
  '(?:から|より)|(?<!カード|注文|口座|予約|受付|追跡|部屋)番号|連絡先|個人情報|アドレス|^[^ ,]{0,6}登録|' +
  '^[^ ,]{0,4}データ[をの]?(?:全部|全て|すべて)?$|(?:私|わたし|僕|俺|うち|当方|こちら|自分|弊社|当社)の?[^ ,]{0,4}(?:情報|データ|名前|登録|名)'
const removed: Judgement[] = [
  ...reported,
  [contains`人違い|持ち主|会員(?:じゃ|では)|覚え[がはも]?(?:な|あり)|番号(?:を|が)?(?:間違|違)|宛先が違`, 'opt_out'],
  [contains`(?:予約|注文|買い物|待ち|曜|古い|旧|前の|間違)[^ ,]{0,12}$`, undefined],
  [endsWith`(?:${our_data})[^ ,]{0,14}`, 'opt_out'],
  [endsWith`^(?:そこ|ここ|それ)から`, 'unclear'],
  other,
]

/** "I was told to", "my mother says so". */
const said: Judgement[] = [
  [startsWith`[^ ,]{0,6}(?:と|って)(?:[言い]われ|怒られ|頼まれ|伝えて|いう|書い|ある|は[言思])`, undefined],
  [startsWith`[^ ,]{0,8}(?:と|って)(?:言って|申して|いって)[いお]?(?:ます|る$|まし|り)(?![よけが])`, 'unclear'],
]
const busy = '仕事中|会議中|運転中|授業中|明日|後で|あとで|夜|夕方|今(?!後|す)'
/** Judges the words after "don't". */
const closed: Judgement[] = [
  ...said,
  [
    startsWith`(?:もら|くれ|いただ)(?:った|いた(?!い)|て(?:る|いる|い?ます|い?た|助か))(?!ら)|よ[かく]|いた(?!だ)|お[きこ]`,
    undefined,
  ],
  [startsWith`[^ ,]{0,8}[ ,]{0,3}(?:${busy})`, undefined],
  [startsWith`に(?:し(?!て[く下ほ欲も頂ち]|て$|ていただ|ろ|なさ|たい)|な|決)|な?ん`, undefined],
  [startsWith`$|[ ,くけ下ほ欲もら貰い頂ちお願ねよやなとにしえー笑w]|って|っつ|まじ|マジ|二度|これ|でき|の`, 'opt_out'],
  other,
]
const how = 'どう|方法|仕方|やり方|手順|どこ|何|なに|でき(?!れば)|可能|場合'
/** Judges the words after a noun such as "stop" or "deletion". */
const after_noun: Judgement[] = [
  [startsWith`[をの]?解除|[^ ,]{0,10}(?:わけ|つもり)(?:では|じゃ)|[^ ,]{0,6}したく(?:は?な|あり)`, undefined],
  [startsWith`[をはの]?し(?:てしま|ちゃ)|中|さ|にな|後|済|を?続`, undefined],
  [startsWith`[をはの]?(?:し|され)(?:ない|ません|なかっ|ていな|た|ている|てる|てい?ます)(?![いく])`, undefined],
  [startsWith`(?:を|の|は|する|して|って|と|も)?[^ ,]{0,8}(?:${how})|し?(?:たら|れば)`, 'unclear'],
  [anything, 'opt_out'],
]
const whatever: Judgement[] = [...said, [anything, 'opt_out']]

const stop =
  '(?:やめ|止め|辞め|(?<=[をもは])とめ|ヤメ|ストップし|中止し|停止し)' +
  '(?:て(?!しま|い[なまる]|いた(?!だ)|[るまたなき])|テ|ろ|れ(?!ば|な)|ませんか|い$|るよう|ること|たい|にし|させ|とけ|とい|なさい|や)'
const stop_of =
  '停止|てい止|停し|ていし|テイシ|中止|解除|ストップ|すとっぷ|拒否|(?<=通知[をは]?)切(?:って|り)|オフ|取り?やめ|打ち切り'
const refusal = '[お御]断り|ことわり|遠慮(?!な|は|し(?:な|た))|控え(?:て|くだ|下さ|願|いただ|る(?:よう|こと))'
const no_need = [
  '望みません|望まない|希望し(?:ない|ません)|希望いたしません|辞退|不要|無用|結構です|けっこうです|間に合って',
  '[い要]ら(?:ない|ん|ねえ|ねー|ねぇ|ぬ)|[い要イ](?:りません|りまへん|リマセン)|必要[はが]?(?:な[いし]|ありません|ございません)',
  '(?:し|くださら|送ら|いただか|頂か|[か掛]け|て[こ来]|もらわ)なくても?(?:いい|[良よ]い|結構|けっこう|大丈夫|ok|構|かま|よろ)',
  '(?:受け取り|受取り|受け|受信し|もらい|貰い|いただき|頂き|され|られ|見|てほし|て欲し|欲し|ほし)(?:たく|く)(?:な[いえー]|あり|ござい)',
].join('|')
const deletion =
  '削除(?!し?(?:な|た(?!い)|さ|予定))|抹消|消去(?!さ)|除外|破棄|消し[てと]|消せ|(?:外|はず)し[てと]|外せ|除いて|抜いて|' +
  '抜け(?:たい|させ)|抹殺|取り除い'
const calling = '(?:連絡|電話|架電|コール|勧誘|発信|営業|セールス|配信|送信|dm|メール)'
const objection = [
  'オプトアウト|(?:同意|承諾|許可|許諾|了承|オプトイン)[^ ,]{0,12}(?:撤回|取り?消し?|取り下げ|無効)',
  '(?:データ|情報|番号)[^ ,]{0,10}(?: , )?[^ ,]{0,4}(?:[利使]用の?停止|[利使]用しない|使わない|使うな|利用を(?:停止|やめ|中止)|[利使]用に(?:反対|異議))',
  `${calling}(?:電話|を|は|の)?(?:しない(?:リスト|名簿)|(?:禁止|拒否|お断り|ng)(?:の?(?:リスト|名簿)[にへ]|[でに]|です|$))`,
  '(?:ブラック|ng|拒否|除外)リスト[にへ]',
].join('|')
const so =
  '(?:もう|いい加減に?|ほんとに?|本当に|ほんまに?|まじで?|マジで?|頼むから|お願いだから|だから|とにかく|すぐに?|いや|即刻|' +
  '今すぐ|,| ){0,4}'
const mere_stop = [
  `^${so}(?:[や止辞]め|ヤメ)(?:て(?!い)|ろ|れ|にして|ませんか|や)|^${so}(?:停止|中止|ストップ)(?:し[てろ]|です|お|を|で|$)`,
  '(?:勘弁し|[ほ放]っ?と|[ほ放]って[おと]|そっとし)(?:いて|ておいて|といて|て)(?:くだ|くれ|ほし|もら|[よや]$|$| )',
  '(?:いい|ええ)加減にし[てろ]|(?:かまわ|構わ|関わら|邪魔し)(?:ない|ん)(?:で(?!い)|といて|とって)',
].join('|')
const threat = '通報|訴え|警察(?!署)|弁護士|ブロック|着拒|着信拒否|消費者センター|消費生活'
const talk = `(?:${calling}|メッセージ|sms|line|通知|お知らせ)`
const question = [
  '(?:削除|停止|解除)[をの]?(?:お願い|依頼)した',
  '番号[^ ,]{0,4}(?:どこ|なんで|何で|どうして|なぜ|誰)|いつまで[^ ,]{0,6}(?:送って|かけて|して)[く来]',
  '^(?:どうやったら|どうすれば|どうしたら)[^ ,]{0,6}(?:止まり|止められ|とまり|止まる)',
  '連絡[をは]?(?:絶|断)って(?:ください|下さい|くれ|ほしい)',
  '(?:なんで|何で|どうして|なぜ|どこで|どうやって)[^ ,]{0,6}番号[^ ,]{0,6}(?:知|手に入|[わ分]か|入手)|誰から[^ ,]{0,4}番号',
  `(?:なんで|何で|どうして|なぜ)[^ ,]{0,8}${talk}[^ ,]{0,4}(?:[来く]るの|[来く]るん|するの|するん|して[来く]る|送って[来く]る|かけて[来く]る|[来き]ます)`,
  '電話(?:より|じゃなく|ではなく|でなく)て?も?[^ ,]{0,3}(?:メール|sms|ショート|line|ライン|チャット|文字|メッセージ)',
  '^(?:登録|配信|受信)?の?(?:解除|停止)の?(?:方法|仕方|やり方|手順)',
  `${talk}[^ ,]{0,6}(?:多すぎ|多い(?!日|時)|うんざり|たくさん|しつこ[いす])|二度と関わ[らる]|縁を切`,
  '(?:停止|ストップ|stop) ?(?:って|と)[^ ,]{0,6}(?:送|返信|打)(?:[^ ,]{0,4}(?:たら|と)(?:どう|何|なに)|り?(?:まし|った|して))',
  `(?:どう(?!して)|どこ)[^ ,]{0,8}(?:${calling}|通知|sms)[^ ,]{0,4}(?:来なく|届かなく|止ま|止め|とめ|停止|解除|なくな)`,
].join('|')
const complaint =
  'しつこ[いす]|う[ざぜ][いえ]|ウザい|うっとうしい|鬱陶しい|迷惑[でだ]|消えろ|うせろ|(?:興味|関心)[はがも]?(?:な[いし]|ありま|ござ|無)'

const phrases: Phrase[] = [
  { says: says`${contact_and}${doing}${not}|${sending}${not}`, before: forbidden, after: closed },
  {
    says: says`[か掛]け(?:になら)?${not}`,
    before: [
      ...reported,
      limited,
      [endsWith`(?:^|${for_good}|絶対に?|から|[んの]で|,|(?:番号|ここ|うち|こちら|家)[にへ]は?)お?`, 'opt_out'],
      other,
    ],
    after: closed,
  },
  {
    says: says`${rude}`,
    before: forbidden,
    after: [...said, [startsWith`[らんのどけかくいり]|とは`, undefined], [anything, 'opt_out']],
  },
  {
    says: says`(?:来|こ|届か|入ら|鳴ら)ない[よ様]う?に(?=し(?:て|ろ|たい)|お?願|お願|でき|設定|頼|$)`,
    before: [object, other],
    after: whatever,
  },
  {
    says: says`${stop}`,
    before: [
      ...reported,
      limited,
      object,
      such,
      [
        endsWith`(?:[い要]らない|必要(?:が|は)?ない|不要[なだ]|興味[がもは]?ない)(?:です)?(?:の|ん)?(?:で|から)[ ,]*`,
        'opt_out',
      ],
      [endsWith`(?:迷惑|しつこ|う[ざぜ]|うるさ|困)[^ ,]{0,6}[ ,]*`, 'stop'],
      other,
    ],
    after: [[startsWith`もら(?:う|え)?(?:に|方法|ため)|くれ[たて]|よか`, 'unclear'], ...whatever],
  },
  {
    says: says`(?:やめ|止め|ストップし|停止し)て(?:くだ|下さ|くれ|ほし|もら|よ|や)?[^ ,]{0,8}[ ,]{0,3}(?:こんな|この|勧誘の?)?(?:${contact})(?:ージ)?$`,
    before: [limited, [anything, 'opt_out']],
    after: whatever,
  },
  {
    says: says`${stop_of}`,
    before: [
      ...no_how_to,
      limited,
      [endsWith`(?:停止|ブロック|拒否)[をの]`, undefined],
      [endsWith`(?:${contact}|登録|購読|受信|受け取り|(?:個人情報|データ)[^ ]{0,12}[利使]用の?)[^ ,]{0,12}`, 'opt_out'],
      other,
    ],
    after: after_noun,
  },
  { says: says`${objection}`, before: [...no_how_to, [anything, 'opt_out']], after: after_noun },
  {
    says: says`${refusal}|再勧誘は?(?:禁|お断)`,
    before: [...reported, limited, object, [endsWith`(?:${for_good})[^ ,]{0,4}|^`, 'opt_out'], other],
    after: [[startsWith`した(?!い)|しました|の(?:電話|連絡|メール)|[なが]|しな|も`, undefined], ...whatever],
  },
  {
    says: says`(?:勘弁|かんべん)(?:し(?:て(?!い?る)|ろ)|くだ|願)|受信を?希望し[なま]|受け付け(?:ません|ない|ておりま|かね)`,
    before: [object, [endsWith`受信を?`, 'opt_out'], other],
    after: whatever,
  },
  {
    says: says`${no_need}`,
    before: [
      ...reported,
      limited,
      [contains`${done}`, undefined],
      object,
      [endsWith`[か掛]け|送っ|^受信を?|(?:${for_good})[^ ,]{0,2}[おご](?:送り|連絡|電話)`, 'opt_out'],
      [endsWith`^(?:もう|今後)は?|(?:興味|関心|必要)[^ ,]{0,6}(?:ので|から|ため)[^ ,]{0,4}`, 'unclear'],
      other,
    ],
    after: [
      [startsWith`ので[^ ,]{0,8}(?:だけ|予約|注文)|(?:です)?か(?!ら)|かも|なら|だった|でした|な(?!の|ん|$)`, undefined],
      ...whatever,
    ],
  },
  {
    says: says`(?:受信し|受け取り|受取り)たく(?:な|あり|ござ)`,
    before: [[endsWith`^(?:もう|これ以上)(?:こちら(?:は|も)?)?`, 'opt_out'], [endsWith`^`, 'unclear'], other],
    after: [[startsWith`[^ ,]{0,6}$`, 'opt_out'], other],
  },
  {
    says: says`(?:受け取り|受信|配信|購読|送信)[をの]?終了`,
    before: [...no_how_to, limited, [anything, 'opt_out']],
    after: after_noun,
  },
  {
    says: says`なしに(?:し(?:て(?:く|下|ちょ|もら|ほし|$)|ろ)|お?願)|なしで(?:お?願|$)`,
    before: [...reported, limited, object, other],
    after: whatever,
  },
  {
    says: says`(?:絡んで|関わって|つきまとって)(?:くんな|[く来]るな|[こ来]ないで)`,
    before: [[endsWith`^${so}|[ ,]${so}`, 'stop'], other],
    after: [[anything, 'stop']],
  },
  { says: says`${deletion}`, before: removed, after: after_noun },
  {
    says: says`(?:denwa|renraku|meeru|sms)(?: (?:wo|o|wa|mo|shite|kakete)){0,2} ?(?:(?:shi|ko|kake|okura)nai ?de|yamete)`,
    before: [[anything, 'opt_out']],
    after: whatever,
  },
  {
    says: says`${mere_stop}`,
    before: [[endsWith`^[^ ,]{0,8}|[, ]`, 'stop'], other],
    after: [[startsWith`[^ ,]{0,12}(?:$| ?,? ?${so}$)`, 'stop'], other],
  },
  {
    says: says`(?:[や止辞]め|停止し|削除し)ない(?:と|なら|場合)`,
    before: [[anything, 'opt_out']],
    after: [[contains`${threat}`, 'opt_out'], other],
  },
  { says: says`${question}`, before: [[contains`${other_people}`, undefined], ...ask], after: ask },
  {
    says: says`(?:[止や]め|とめ)(?:られ|るに|る方)|(?:停止|解除|拒否)(?:は|って)?(?:でき|可能|どう)`,
    before: [[endsWith`^(?:これ|この|こういうの)?[^ ,]{0,6}|(?:${contact})[^ ,]{0,14}`, 'unclear'], other],
    after: [[startsWith`[^ ,]{0,14}$`, 'unclear'], other],
  },
  {
    says: says`${complaint}`,
    before: [[endsWith`^${so}|^[^ ,]{0,8}${calling}[^ ,]{0,6}`, 'unclear'], other],
    after: [[startsWith`[^ ,]{0,7}(?:[ ,]|$)`, 'unclear'], other],
  },
  {
    says: says`(?:次|今度|また|これ以上|(?:もう|あと)[一1][度回通件])[^ ,]{0,10}(?:(?:か?けて|って|して)[き来]たら|[か掛]け(?:たら|るなら)|(?:電話|連絡)(?:したら|するなら|すれば)|送(?:ったら|るなら))`,
    before: [[anything, 'opt_out']],
    after: [[contains`${threat}`, 'opt_out'], other],
  },
]

const polite = 'ください|ほしい|くれ|もら|いただ|$'
const by = 'line|ライン|メール|sms|チャット|手紙|郵便|書面|電話|携帯|文字'
const by_it = `(?:お願い|ください|いい|頼|(?:して|送って)(?:${polite})|ご?連絡(?:を?ください|を?お願い|して(?:${polite})))`
const another_way = contains`[代か]わりに|(?:電話|連絡)(?:で|じゃ|では)なく|(?:${by})(?:だけ)?[でにを]${by_it}`

export const ja: Language = {
  tag: 'ja',
  opt_outs: {
    words: listed(
      'stop, ストップ, すとっぷ, 停止, ていし, テイシ, 停止希望, 停止してください, 停止お願いします, 停止して, 配信停止, ' +
        '配信停止希望, 配信停止お願いします, 配信解除, 配信不要, 配信拒否, ハイシンテイシ, 登録解除, 購読解除, メルマガ解除, ' +
        '受信拒否, 拒否, 拒否します, sms終了, 配信終了, 停止を希望します, 停止をお願いします, 停止して下さい, 停止してほしい, 停止よろしくお願いします, ていししてください, ' +
        'はいしんていし, おくらないで, もうおくらないで, 解除お願いします, 解除してください, 解除します, stopしてください, stopお願いします, stop お願いします, stop お願い, ストップしてください, ストップお願いします, 連絡不要, 連絡拒否, オプトアウト',
    ),
    ordinary_words: listed(
      'キャンセル, 解除, 間違い電話, 間違い電話です, 番号違いです, 通報します, 通報しました, ブロックします, ブロックしました, 取り消し, 取消, 終了, 中止, 解約, 解約したい, 解約したいです, 解約します, 解約希望, 解約お願いします, 退会, ' +
        '退会したい, 退会したいです, 退会希望, 退会します, 不要, 不要です, いらない, いらないです, いりません, やめる, やめます, ' +
        '結構です, もういい, もういいです, もう結構です, もうたくさん, もう十分です, やめたい, やめたいです',
    ),
    phrases,
    another_way,
    fillers: [],
  },
  opt_in_words: ['スタート'],
  help_words: ['ヘルプ'],
  answers: {
    yes: listed(
      'はい, ええ, うん, はいそうです, そうです, そうしてください, はいお願いします, お願いします, おねがいします, ok, ' +
        'オーケー, もちろん, もちろんです, その通りです, そのとおりです, 希望します, はい希望します, 間違いありません, 間違いないです, イエス',
    ),
    no_more: listed(
      'もういりません, もう不要です, 停止, 停止してください, 停止お願いします, はい停止してください, 停止希望, 全部停止してください, ' +
        'ストップ, stop, やめてください, もうやめてください, もう連絡しないでください',
    ),
    courtesies: listed('すみません, ありがとう, ありがとうございます, どうも, よろしくお願いします, あの, えっと'),
  },
  sayings: {
    opt_out: '今後メッセージはお送りしません。再開をご希望の場合は START と返信してください。',
    no_more_messages: '今後メッセージはお送りしません。',
    no_more_calls: '承知しました。今後お電話はいたしません。失礼いたします。',
    no_more_question: '今後のお電話とメッセージの停止をご希望ですか？',
    press_key: '今後お電話を希望されない場合は、{key}を押してください。',
    star: '米印',
    hash: 'シャープ',
  },
}
