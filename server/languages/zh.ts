import { type Language, listed } from './language.ts'
import {
  anything,
  endsWith as endsWithWord,
  type Judgement,
  nothing,
  type Phrase,
  says as saysWord,
  unspaced,
} from './wish.ts'

const { contains, endsWith, says, startsWith } = unspaced

const message =
  '电话|電話|来电|來電|短信|短訊|简讯|簡訊|信息|讯息|訊息|消息|信件|广告|廣告|通知|推送|推播|推销|推銷|推广|推廣|促销|促銷|营销|行銷|' +
  '宣传|宣傳|资讯|資訊|提醒|骚扰|騷擾|垃圾|优惠|優惠|微信|sms|line|whatsapp|promotion|promo|spam|message|msg|call|嘢|东西|東西|newsletter'
const me = '我|老子|老娘|本[人号號机機]|咱|俺|敝人|这个?号|這個?號|此号|此號|呢個號|这里|這裡|這邊|这边'
/** "Not to", of what someone is not to do. */
const dont = '别|別|不要|莫|勿要|覅|弗要|勿|甭|唔好|唔准|咪|不许|不許|不准|禁止|不得|切勿|毋|休想|不要想|唔好諗住'
const again =
  '再|在|浪费(?:我的?|大家的?|你们的?)?时间|浪費(?:我的?|大家的?|你們的?)?時間|老是?|总是?|總是?|一直|继续|繼續|持续|持續|天天|每天|整天|成日|乱|亂|随便|隨便|又|还|還|重复|反复|不停地?|随意|tmd?|他妈的?|特么|没事就?|動不動就?|动不动就?|隔三差五|三天两头'
const family =
  '(?:老公|老婆|丈夫|妻子|太太|先生|妈妈?|媽媽?|爸爸?|母亲|母親|父亲|父親|儿子|兒子|女儿|女兒|家人|家里人|爷爷|奶奶|外婆|阿媽|阿爸|阿妈|老豆|男朋友|女朋友|老板|老闆|哥|姐|弟|妹)'
/** "To me". */
const to_me = `(?:给|給|跟|和|与|與|向|對|对|同|俾|畀|往|找|朝)(?:${me})(?!的?(?:${family}))[^ ,]{0,3}?`
const by = '(?:以|用|通过|透過|通過)[^ ,]{1,8}?'
const after_call =
  '(?=电|電|(?:给|給|俾|畀)(?!他|她|佢|别人|孩子|朋友)|比我|我|俺|来|來|嚟|过来|過來|进|進|了|啦|喇|嘞|这|這|呢|此|推|骚|騷|广告|廣告|到|搅|攪|本人|撒|哈|吧|啊|[ ,]|$|咗|嘅|嗰|呀|嘛)'
const after_send =
  '(?=短|信|消|訊|讯|广|廣|给|給|俾|畀|来|來|嚟|过来|過來|了|啦|喇|嘞|送|任何|这|這|呢|那|嘢|推|垃|优|優|通知|sms|促|我|微信|line|' +
  '宣|简|簡|营销|營銷|行銷|商业|商業|骚扰|騷擾|邮件|郵件|电邮|電郵|电子|電子|资讯|資訊|活动|活動|折扣|贷款|email|到我|吧|啊|撒|呀|什么|甚麼|乜|东西|東西|[ ,]|$|出|whatsapp|promo|msg|message)'
const contact =
  `打(?:${after_call})|(?:发|發|传|傳|寄|send|群发|群發)(?: ?)(?:${after_send})|拨打|撥打|[拨撥](?=[给給我这這本此了过過来來打 ,]|$)|致电|致電|来电|來電|来讯|來訊|来信|來信|来函|來函|` +
  '来(?=电话|信息|消息|短信)|联系|聯繫|聯系|联繫|联络|聯絡|連絡|连络|推送|推播|推销|推銷|营销|行銷|促销|轰炸|轟炸|call|text|message|whatsapp|' +
  `加(?=我(?:的)?(?:微信|好友|line|whatsapp|qq))|找(?=我(?!钱|錢|零)|本人|上门)|(?:搵|呼)(?=我)|通知(?=我(?!家|的|老|妈|爸|公司)|$|[ ,]|了)|回访|回訪|联糸|大电话`
const bother = '骚扰|騷擾|打扰|打擾|打搅|打攪|滋扰|滋擾|纠缠|糾纏|烦扰|煩擾|骚忧'

const time =
  '今天|今日|今晚|今儿|明天|明日|聽日|听日|后天|後天|周末|週末|星期[一二三四五六日天]|周[一二三四五六日]|禮拜[一二三四五六日]|工作日|平日|这周|這週|本周|' +
  '这个?月|這個?月|呢個月|下周|下週|下个?月|下個月|最近|这几天|這幾天|呢幾日|暂时|暫時|先|晚上|夜晚|夜里|夜裡|半夜|深夜|凌晨|早上|朝早|清晨|' +
  '中午|下午|白天|上班|返工|开会|開會|開緊會|上课|上課|睡觉|睡覺|午休|开车|開車|假期|节假日|吃饭|食飯|[点點时時]半?之?[前后後]|' +
  '(?:的?时候|的?時候|期间|期間|之前|以前|时|時|前)(?:都|就|请|請)?$|嗰陣|现在|現在|而家|依家'
const condition =
  '如果|要是|若是|假如|倘若|除非|万一|萬一|的话|的話|没人|沒人|冇人|没货|沒貨|冇貨|不在家?就|没空|沒空|(?<!不买|不買|不要|不需要|没兴趣)就'
const forever =
  '以后|以後|今后|今後|日后|日後|往后|往後|永远|永遠|再也|从今|從今|从此|從此|将来|將來|从现在|從現在|彻底|任何|一律|一切'
const you = '你|妳|您|贵|貴|商家|这家|你哋|你地'

/** Names people who do something for the contact, and are not to come again. */
const worker =
  '师傅|師傅|员|員|司机|司機|阿姨|小哥|业务|業務|中介|仲介|技师|技師|工人|工程师|工程師|老师|老師|医生|醫生|姑娘|小姐|先生|人|他|她|佢|客服|管家|保洁|护工|那位|那个|那個|嗰個'
/** These words mean "at work": elsewhere the contact may be called. */
const at_work = '上班|公司|单位|單位|办公|辦公|工作(?!日)|返工'
/** Names others whom someone told or is to tell, what someone near says, or why it is so. */
const reported: Judgement[] = [
  [contains`(?:跟|和|同|叫|对|對|让|讓|告诉|告訴|请|請|要求|麻烦|麻煩)(?:${you})`, 'opt_out'],
  [
    endsWith`(?:(?:跟|和|同)(?!我)|[对對](?!不起|唔住|我)|告诉|告訴)[^ ,]{1,10}(?:说|說|讲|講|话|話)?(?:了|过|過|咗|好)?(?: ?[,:] ?)?`,
    undefined,
  ],
  [endsWith`(?:叫|让|讓|劝|勸)(?:咗|了|过)?(?!你|人|我)[^ ,]{1,6}`, undefined],
  [endsWith`${family}[^ ,]{0,3}(?:说|說|讲|講|话|話|让|讓|叫)[^ ,]{0,5}(?: , )?[^ ,]{0,6}`, 'unclear'],
  [contains`(?:(?:怎么|怎麼)(?![又还還老总總])|为什么|為什麼|为啥|點解|点解|干嘛|幹嘛|何以)[^ ,]{0,8}$`, undefined],
  [
    endsWith`(?:他们?|她们?|他們|她們|佢哋?|人家|大家|有人|朋友|孩子|小孩|骗子|前男友|前女友|前夫|前妻)(?:都|也|说|說|已经|已經)?`,
    undefined,
  ],
]
/** Judges the words before what the agent is not to do. */
const forbidden: Judgement[] = [
  ...reported,
  [endsWith`(?:他|她|佢|医生|醫生|老师|老師|${family})[^ ,]{0,3}(?:叫|让|讓|要)我`, undefined],
  [
    endsWith`(?:没有?|沒有?|不感|冇)(?:什么)?(?:兴趣|興趣)|(?:我|这|這|本人|号码|號碼)不是(?!说|說|叫|让|讓|要|想|不)[^ ,]{2,5}`,
    'opt_out',
  ],
  [endsWith`(?:不是|并非|並非|没说|沒說|没有|没叫|沒叫|冇叫|千万别说)[^ ,]{0,4}`, undefined],
  [endsWith`(?:${forever})[^ ,]{0,8}`, 'opt_out'],
  [contains`(?:${condition})[^ ,]{0,12}(?: , [^ ,]{0,6})?$`, undefined],
  [endsWith`(?:${at_work})[^ ,]{0,8}`, 'unclear'],
  [endsWith`(?:${time})[^ ,]{0,6}`, undefined],
  [anything, 'opt_out'],
]
const someone = `(?:${family}|男朋友|女朋友|前男友|前女友|前夫|前妻|朋友|同事|老板|老闆|家人|紧急|緊急)`
const now_busy = startsWith`[^ ,]{0,8}[ ,]{1,3}(?:我)?(?:在|正在)?(?:开会|開會|開緊|上班|返緊|上课|上課|睡觉|睡覺|开车|揸緊|明天|明日|聽日|晚点|晚點|等下|待会|下午|晚上|稍后|稍後|改天|过几天|下周)`
const place = startsWith`[^ ,]{0,8}[ ,]{1,3}(?:直接)?(?:放|按门铃|敲门)`
const closed: Judgement[] = [
  [startsWith`(?:病人|孩子|宝宝|寶寶|老人|邻居|鄰居|[别別]人|他|她|佢|同学|同學|同事|大家|小孩|客人)`, undefined],
  [now_busy, undefined],
  [place, undefined],
  [
    startsWith`了?[ ,]{1,3}我?(?:已经|已經|马上|馬上|快|就|现在|現在|这就|這就)?(?:到|在路上|来了|來了|收到|看到|下来|下來|下去|下楼|下樓|过来|過來|过去|過去|回来|回來|出来|出來|出门|出門)`,
    undefined,
  ],
  [startsWith`[^ ,]{0,6}(?:群里|群裡|群组|朋友圈)`, undefined],
  [startsWith`[^ ,]{0,4}我的?${someone}[^ ,]{0,6}[了啦喇]`, 'unclear'],
  [startsWith`[^ ,]{0,4}我的?${someone}`, undefined],
  [startsWith`[^ ,]{0,4}(?:的?(?:牌|模式|功能|标志|標誌))`, undefined],
  [startsWith`[^ ,]{0,6}(?:的人|的是|是吗|是什么|会怎样|的话|的話|的电话是)`, 'unclear'],
  [anything, 'opt_out'],
]
const ask: Judgement[] = [[anything, 'unclear']]
const whatever: Judgement[] = [[anything, 'opt_out']]
/** "No need to": it may mean an answer only. */
const done = contains`解决|解決|收到|找到|拿到|取到|搞定|知道了|好了|已经|已經|订单|快递|外卖|验证|收据|收據|发票|發票|回电|回電|回复|回覆|楼下`
const needless: Judgement[] = [
  ...reported,
  [endsWith`(?:${forever})[^ ,]{0,8}`, 'opt_out'],
  [endsWith`(?:${time})[^ ,]{0,6}`, undefined],
  [contains`(?:${condition})[^ ,]{0,12}$`, undefined],
  [done, undefined],
  [
    contains`兴趣|興趣|不需要|唔需要|不买|不買|唔買|不考虑|不考慮|打错|打錯|没注册|号码|號碼|客户|客戶|换号|換號`,
    'opt_out',
  ],
]
const no_need = '不用|不必|唔使|唔駛|无需|無需|无须|無須|毋须|毋須|没必要|冇需要'
const needless_after: Judgement[] = [
  [startsWith`[^ ,]{0,8}[ ,]{1,3}[^ ]{0,12}(?:解决|解決|收到|找到|拿到|搞定|搞掂|已经|已經|自己|到咗|到了)`, undefined],
  ...closed,
]
const agree = '同意|授权|授權|许可|許可'
const how = '怎么|怎麼|怎样|怎樣|如何|点样|點樣|点先|點先|在哪|哪里|哪裡|去哪|边度|邊度'
/** Judges the words before what is to be stopped, cancelled or deleted. */
const asked_how: Judgement = [endsWith`(?:${how})(?!又|还|還|老|总|總|有|会|會)[^ ,]{0,6}`, 'unclear']
const stopped: Judgement[] = [
  asked_how,
  [
    endsWith`(?:不要|别|別|唔好|不会|不會|(?<!能)不能|没有?|沒有?|未|已经|已經|不想|为什么|為什麼|不小心|误|誤|自动|自動|被)[^ ,]{0,3}`,
    undefined,
  ],
  [endsWith`(?:他们?|她们?|他們|她們|佢哋?|系统|系統|网站|朋友)`, undefined],
  [endsWith`不`, undefined],
  ...reported,
  [endsWith`(?:${time})[^ ,]{0,6}`, undefined],
  [contains`(?:${condition})[^ ,]{0,12}$`, 'unclear'],
  [anything, 'opt_out'],
]
/** "Can it be stopped?" and "It is stopped." */
const after_stopped: Judgement[] = [
  [startsWith`(?:了|咗|过|過)(?:吗|嗎|没|沒|，|,| ,)?(?:还|還|又|为什么|怎么|點解|但|能)`, undefined],
  [startsWith`(?:了|咗)?(?:吗|嗎|没有|沒有)|[^ ,]{0,4}(?:方法|办法|辦法|方式|步骤|流程|怎么|如何|在哪)`, 'unclear'],
  [startsWith`[^ ,]{0,4}(?:费用|費用|扣款|酒店|房间|机票|订单|課程|课程|会员|會員)`, undefined],
  [anything, 'opt_out'],
]

const number =
  '号|號|电话|電話|手机|手機|资料|資料|名字|姓名|信息|资讯|資訊|联系方式|聯絡方式|联络方式|个人|個人|数据|數據|档案|檔案|记录|紀錄'
const lists =
  '名单|名單|系统|系統|列表|数据库|資料庫|资料库|數據庫|通讯录|通訊錄|联系人|聯絡人|客户|客戶|清单|清單|后台|list|database'
const remove =
  '删|刪|移除|移出|移走|剔除|剔走|去掉|去除|拿掉|拿走|划掉|劃掉|抹掉|抹去|清除|清掉|注销|註銷|除名|踢|销毁|銷毀|拉黑|撤掉|del|delete|remove|摘|剷走|铲走|cancel|移開'

/** Judges the words before a consent that is revoked, which counts even if they say "now". */
const revoked: Judgement[] = [
  asked_how,
  [endsWith`不|别|別|没有?|沒有?|不想|不能|不会|不會`, undefined],
  ...reported,
  [anything, 'opt_out'],
]

const phrases: Phrase[] = [
  {
    says: says`(?:请勿|請勿|谢绝|謝絕)(?:${bother})`,
    before: forbidden,
    after: closed,
  },
  {
    says: says`再(?:给我|給我|俾我)?(?:让我|讓我)?(?:打|发|發|来|來|嚟|收到|接到|call|send|推销|${bother}|烦|煩)`,
    before: [[anything, 'opt_out']],
    after: [
      [startsWith`[一不次個个]`, undefined],
      [
        startsWith`[^ ,]{0,8}(?: , )?[^ ,]{0,5}(?:报警|報警|投诉|投訴|举报|舉報|拉黑|封鎖|封锁|告你|告你哋|起诉|起訴|工信部)`,
        'opt_out',
      ],
      [anything, undefined],
    ],
  },
  {
    says: says`^(?:回复?)?td`,
    before: whatever,
    after: [
      [startsWith`谢|謝|退|吧|了|$|,|请`, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: says`(?:^|(?<=, ))(?:你们?|立刻|马上|馬上|立即|请|請|快|即刻|都)(?:给我|給我)?停(?:止|下|手)?(?:吧|了|来|啦)?$`,
    before: [[anything, 'stop']],
    after: [[anything, 'stop']],
  },
  {
    says: says`(?:${dont})(?:你们?|你們|你哋|您)?(?:${again}){0,3}(?:${to_me}|(?:打电话|打電話)(?:来|來)?|${by}){0,2}(?:${again})?(?: ?)(?:${contact})`,
    before: forbidden,
    after: closed,
  },
  {
    says: says`(?:${dont})(?:你们?|你們|你哋|您)?(?:${again}){1,3}(?:来|來)?(?:${to_me})?(?:${bother}|煩|烦|搞我|吵我)`,
    before: forbidden,
    after: closed,
  },
  {
    says: says`(?:${dont})(?:你们?|你們|你哋|您)?(?:${again}){1,3}(?:来(?![电電信讯訊函])|來(?![电電信讯訊函])|嚟)`,
    before: [
      [endsWith`(?:${message})[^ ,]{0,3}`, 'opt_out'],
      [contains`(?:${worker})[^ ,]{0,6}$`, undefined],
      [/(?:^|[ ,们們哋请請后後了])$/u, 'unclear'],
      [anything, undefined],
    ],
    after: [
      [/^(?:了|啦|喇|烦|煩)*(?: ?$| ,)/u, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: says`勿[扰擾]`,
    before: [
      [/(?:^|[ ,请請后後])$/u, 'opt_out'],
      [anything, undefined],
    ],
    after: [
      [/^ ?(?:$|,|谢|謝)/u, 'opt_out'],
      [anything, undefined],
    ],
  },
  {
    says: says`(?:不看|不收|不听|不聽)(?:你们|你們|你哋|贵|貴)[^ ,]{0,4}(?:${message})`,
    before: forbidden,
    after: ask,
  },
  {
    says: says`(?:${no_need})(?:麻烦|专门|特意){0,2}(?:${to_me})?(?: ?)(?:${contact})`,
    before: [...needless, [anything, 'unclear']],
    after: needless_after,
  },
  {
    says: says`(?:${no_need})(?:你们|你們|你哋)?(?:${again}){1,2}(?:${to_me})?(?: ?)(?:${contact}|${bother})`,
    before: [...needless, [anything, 'opt_out']],
    after: needless_after,
  },
  {
    says: says`不再(?:被|让|讓|接受)?(?:[^ ]{0,8} , )?[^ ,]{0,14}?(?:${to_me})?(?:${contact}|${bother}|收到|接到|接收)`,
    before: [
      [
        endsWith`(?:希望|请|請|要求|麻烦|麻煩|烦请|煩請|想|日后|日後|今后|今後|以后|以後|可以|可否|本人)[^ ,]{0,6}`,
        'opt_out',
      ],
      [anything, undefined],
    ],
    after: closed,
  },
  {
    says: says`(?:什么|甚麼|啥|乜|一条|一條|半条|半個字|一个)(?:都|也)(?:${dont}|不想)(?:再|在|给我|給我|俾我){0,2}(?:发|發|打|寄|send|收|传|傳|(?<=[条條][^ ,]{0,6})看)`,
    before: forbidden,
    after: closed,
  },
  {
    says: says`(?:停止|停(?=发|發|寄|一下)|终止|終止|停咗|停掉|停下|中止|结束|立刻停|马上停)(?:一切|所有|任何|再|继续|繼續|向|给|給|對|对|我|对我|的|這些|这些|使用|利用|处理|處理|用|本人|你们|你們|发|發|打|寄|垃圾|商业|[^ ,]{1,3}){0,4}(?:${message}|发送|發送|寄送|传送|傳送|联系|聯絡|联络|致电|致電|个人信息|手机号|电话号|資料|资料|轰炸|轟炸)`,
    before: stopped,
    after: after_stopped,
  },
  {
    says: says`(?:取消|退订|退訂|退掉|关闭|關閉|关掉|關掉|熄咗|屏蔽|封鎖|解除|退出|拒绝|拒絕|拒收|拒接|谢绝|謝絕|抵制|终止|叫停|cut咗|停掉)(?:[^ ,]{0,6}?)(?:${message}|订阅|訂閱|名单|名單|接收|列表)`,
    before: stopped,
    after: after_stopped,
  },
  {
    says: says`(?:${message}|订阅|訂閱)(?:[^ ,]{0,8}?)(?:(?<!消)停了|停掉|停咗|停止|停吧|关掉|關掉|关了|關了|关闭|關閉|取消|屏蔽|退了|退掉|退订|退訂|熄咗|免了|省了|终止)`,
    before: [
      [contains`${how}|(?:能|可以)$`, 'unclear'],
      [endsWith`(?:为什么|為什麼|點解|系统|系統|收到|没|沒)[^ ,]{0,6}`, undefined],
      [anything, 'opt_out'],
    ],
    after: after_stopped,
  },
  {
    says: says`(?:${message})(?<!东西|東西|嘢)[^ ,]{0,6}(?:能|可以|可唔可以|怎么|怎麼|如何|怎样|點|点)(?:不能|不可以|样)?(?:关|關|取消|停|退|屏蔽|不发|不收)`,
    before: ask,
    after: ask,
  },
  {
    says: says`(?:${how})(?:才能|才可以|先可以|可以)?(?:取消|退订|退訂|关闭|關閉|关掉|關掉|停止|屏蔽|不再收|不收)(?:[^ ,]{0,6}?)(?:${message}|订阅|訂閱|$)`,
    before: ask,
    after: ask,
  },
  {
    says: says`退订|退訂|退定(?!金)|推订|退订阅|取消订阅|取消訂閱|取消关注|拉黑我|屏蔽我`,
    before: stopped,
    after: [
      [/^ ?(?:$|,)/u, 'opt_out'],
      [startsWith`(?:了)?(?:会怎|會怎|有用|是什么|吗|嗎|方法|怎么|失败|链接|按)`, 'unclear'],
      [startsWith`(?:了|咗)(?!吧|啦)`, undefined],
      [
        startsWith`(?:吧|啦|一下|掉|谢|謝|多谢|唔該|晒|我|本|你们|你們|所有|全部|这|這|此|，|服务|服務|信|我的|me|请|請)`,
        'opt_out',
      ],
      [anything, undefined],
    ],
  },
  {
    says: says`(?:不想|不愿意?|不願意?|不希望|唔想|唔希望|不需要|不接受|不同意|不允许|不允許|不要|唔要|唔需要|讨厌|受够|受夠|冇興趣|没要|不欢迎|不歡迎|no more)(?:再|要|在|继续|繼續|被|你们|你們|你哋|贵店|貴店|贵司|貴|公司|任何|更多|其他|这些|這些|这种|呢啲|收到?|接到?|接收|接受|看到|见到|見到|听到|聽|获得|的|嘅|给|俾|店|啲|什么|啥|那些|形式|方式|各种|垃圾|商业|一切|所有|这类|這類){0,7}(?:${message}|推荐|推薦|订阅|訂閱)`,
    before: [[endsWith`(?:也|并|並|是)?(?:不是|并非|並非)`, undefined], ...forbidden],
    after: [[startsWith`(?:号码|號碼|费|費|卡|单|單|里|箱|吵|响|回)`, undefined], ...closed],
  },
  {
    says: says`(?:不想|不愿意?|不願意?|不希望|唔想|不要|唔要)(?:再|在|继续|繼續)?(?:被|让|讓|畀|俾)?(?:你们?|你們|你哋|您|人)?(?:再|在|继续|一直|老)?(?:给我|給我)?(?:${bother}|联系|聯絡|联络|打电话|打電話|(?:收|接)(?:到|了|$|[ ,])|听到你|聽到你|发短信|推销|推銷)`,
    before: forbidden,
    after: [
      [startsWith`(?:他|她|佢|对方|對方|房东|房東|卖家|賣家)`, undefined],
      [
        startsWith`[^ ,]{0,8}(?:货|貨|陌生|钱|錢|快递|快遞|包裹|[物商]品|礼物|禮物|账单|帳單|破|坏|壞|旧|舊)`,
        undefined,
      ],
      ...closed,
    ],
  },
  {
    says: says`(?:${remove})[^ ,]{0,3}?(?:我|本人|咱|我们|我們|俺|这个|這個|此|呢個|该)[^ ,]{0,10}?(?:${number})`,
    before: stopped,
    after: [[startsWith`(?:订单|訂單|预约|預約|评论|的评论|地址)`, undefined], ...after_stopped],
  },
  {
    says: says`(?:把|将|將|帮|幫|给|給|從|从|由|喺)(?:我(?!的|嘅)|老子|老娘|本人|咱|我们|我們|俺|这个?号|這個號|此号|呢個|该号)[^ ,]{0,14}?(?:${remove})`,
    before: stopped,
    after: [[startsWith`[^ ,]{0,4}(?:预约|預約|订单|訂單|地址|评论|订座)`, undefined], ...after_stopped],
  },
  {
    says: says`(?:我|本人|我们|我們)(?:的|個|嘅|啲|这个|們的)?[^ ,]{0,2}(?:${number})[^ ,]{0,6}?(?:${remove})`,
    before: stopped,
    after: after_stopped,
  },
  {
    says: says`(?:把|將|将)(?:号码|號碼|电话|電話|资料|資料)[^ ,]{0,3}?(?:${remove})`,
    before: [asked_how, [contains`打错|打錯|发错|發錯|不是我|不需要|兴趣|興趣`, 'opt_out'], [anything, undefined]],
    after: after_stopped,
  },
  {
    says: says`(?:从|從|由|喺|在|將|将|把)[^ ,]{0,12}?(?:${lists})[^ ,]{0,5}?(?:${remove})`,
    before: stopped,
    after: after_stopped,
  },
  {
    says: says`(?:加|列|拉|放|登记|登記|设|設|标|標)(?:入|到|进|進|做|为|為|记)?[^ ,]{0,6}?(?:黑名单|黑名單|免打扰|免打擾|勿扰|勿擾|拒接|谢绝来电|拒绝来电|拒收|不联系|不再联系|dnc)`,
    before: stopped,
    after: after_stopped,
  },
  {
    says: says`(?:撤回|撤销|撤銷|收回|撤消|取消|不再)[^ ,]{0,12}(?:${agree})|(?:${agree})[^ ,]{0,16}(?:撤回|撤销|撤銷|收回|撤消|作废)`,
    before: revoked,
    after: after_stopped,
  },
  {
    says: says`(?:反对|反對|拒绝|拒絕|不同意|不允许|不允許|不准)(?:你们|你們|贵司|貴公司|贵公司)?[^ ,]{0,4}(?:使用|利用|处理|處理|用)[^ ,]{0,6}(?:信息|资料|資料|数据|數據|号|號|电话)`,
    before: stopped,
    after: after_stopped,
  },
  {
    says: says`(?:${dont})再?[来來]?(?:烦|煩|骚扰|騷擾|打扰|打擾|吵|搞|理|惹)(?:我|俺|本人|了|$)|(?:放过|放過)我|滚开|滾開|滚远|滾遠|^滚$|^滾$|走开|走開|死开|(?:让|讓)我(?:安静|安靜|清静|清靜)|饶了我|饒了我`,
    before: [...forbidden.slice(0, -1), [anything, 'stop']],
    after: [
      [startsWith`(?:妈|爸|阿媽|朋友|孩子|儿|女|老)`, undefined],
      [now_busy, undefined],
      [anything, 'stop'],
    ],
  },
  {
    says: says`(?:怎么|怎麼|怎|为什么|為什麼|點解|点解|哪里|哪裡|哪儿|从哪|邊度|谁|誰)[^ ,]{0,8}(?:有|知道|拿到|弄到|搞到|得到|给的|攞|搵到|来的)[^ ,]{0,4}我[^ ,]{0,3}(?:电话|電話|号|號|手机|手機|联系方式)|我[^ ,]{0,3}(?:电话|電話|号码|號碼|手机号|手機)[^ ,]{0,6}(?:哪里来|哪来|哪裡來|怎么来|哪儿)`,
    before: ask,
    after: ask,
  },
  {
    says: says`(?:从未|从没|從未|從沒|没有?|沒有?|未曾|冇)(?:授权|授權|同意|注册|註冊|登记|登記)`,
    before: [
      [/(?:^|,|我|本人)[^ ,]{0,3}$/u, 'unclear'],
      [anything, undefined],
    ],
    after: [
      [contains`(?:删|刪|移除|停止|清除)`, 'unclear'],
      [anything, undefined],
    ],
  },
  {
    says: says`(?:谁|誰)[^ ,]{0,6}(?:给|給|告诉|告訴|提供|畀|俾)[^ ,]{0,5}(?:我的?|我嘅|我個|这个|這個)(?:电话|電話|号|號|手机|手機|联系方式|資料|资料)`,
    before: ask,
    after: ask,
  },
  {
    says: says`(?:一直|老是?|天天|整天|成日|总是?|總是?|不停|没完没了|沒完沒了|又)(?:地|给我|給我|俾我|来|都){0,2}(?:发|發|打|推销|推銷|骚扰|騷擾|call|send|推送)|没完没了|沒完沒了|(?:${message})[^ ,]{0,4}(?:太多|好煩|好烦|烦死|煩死|好多)`,
    before: [
      [endsWith`${family}(?:说|說|讲|講|话|話)(?:你们|你們|你哋)`, 'unclear'],
      [contains`骗子|騙子|朋友|${family}|我$`, undefined],
      [endsWith`(?:你们?|你們|你哋|就|们|为什么|為什麼|为啥|怎么|干嘛|點解|点解|^|,)`, 'unclear'],
      [anything, undefined],
    ],
    after: [
      [startsWith`[^ ,]{0,3}(?:不通|唔通|错|架|球|工|雷|嗝|喷嚏|烧|燒|呆|抖|脾气|火)`, undefined],
      [anything, 'unclear'],
    ],
  },
  {
    says: says`^(?:你们|你們|你哋)?(?:到底)?(?:烦不烦|煩不煩|有完没完|有完沒完|够了没|夠了沒|够了吗|夠了嗎)(?:有|啊|呀)?$`,
    before: ask,
    after: ask,
  },
  {
    says: says`^(?:我|抱歉|不好意思|对|對|[ ,]){0,3}(?:没|沒|没有|沒有|冇|不感|唔感|无)(?:什么)?(?:兴趣|興趣)`,
    before: ask,
    after: [
      [/^.{0,3}$/u, 'unclear'],
      [startsWith`[ ,]`, 'unclear'],
      [anything, undefined],
    ],
  },
  {
    says: saysWord`(?:qing )?(?:(?:bu yao|buyao|bie) (?:zai )?(?:gei wo )?(?:da(?: dian ?hua)?|dadianhua|fa(?: (?:duan ?xin|xin ?xi|xiao ?xi))?|lian ?xi|sao ?rao)(?: wo)?)`,
    before: [
      [endsWithWord`(?:ni|ni men|nimen|qing|yi hou|yihou|,)`, 'opt_out'],
      [nothing, 'opt_out'],
      [anything, undefined],
    ],
    after: whatever,
  },
]

const another_way = contains`(?:微信|line|whatsapp|短信|短訊|簡訊|电邮|電郵|邮件|郵件|email)上?(?:联系|聯絡|联络|说|說|发我|傳我|就行|就好|吧)|用(?:line|微信|电邮|電郵|邮件|郵件|email|短信|短訊|簡訊|whatsapp|电话|電話)(?:联系|聯絡|联络|发|發|傳|传|跟|同|搵|通知|就|吧)|(?:改|换|換)(?:用|成|为|打|发|發|傳)|(?:请|請|可以|就|直接|,) ?(?:发|發|傳|传|send|写|寫)(?:个|個)?(?:短信|微信|消息|訊息|簡訊|邮件|郵件|電郵|email|line|whatsapp)(?:给我|給我|俾我|就|吧|即可|得|$)|(?<![别別要好再])打(?:我)?(?:另|手机|手機|公司|家里|座机)|我(?:会|會|再|有需要再|自己)(?:联系|聯絡|打给|打給|找|搵)(?:你|您)`

export const zh: Language = {
  tag: 'zh',
  opt_outs: {
    words: listed(
      'stop, td, 退订, 退訂, 回td, t退订, td退订, 回复td, qx, unsub, 停止, 停止发送, 停止接收, 拒收, 拒收短信, 取消订阅, 取消訂閱, 退订短信, ' +
        '停止推送, 停发, 停發, 不同意接收, 取消接收, 屏蔽, 黑名单, 黑名單, 拉黑, 已拉黑, 我要退订, 我要退訂, 退订t, 退订td, 退订回t, 退订回td, 回t退订, 回td退订, ' +
        'tuiding, 回复t退订, 回复td退订, r拒收, r 拒收, 拒收r, 拒收回r, 回r拒收, 回复r拒收',
    ),
    ordinary_words: listed(
      't, r, 停, 取消, 退, 退出, 结束, 結束, 终止, 終止, 不要, 不要了, 不需要, 不需要了, 唔要, 唔要喇, 唔要啦, 唔使, 唔使喇, 唔需要, 够了, 夠了, 夠喇, 关闭, ' +
        '關閉, 注销, 註銷, 算了, 滚, 滾, 我不需要, 帮我取消, 请帮我取消, 已举报, 已投诉, 我要举报, 我要投诉, 我拉黑了',
    ),
    phrases,
    another_way,
    fillers: [],
  },
  opt_in_words: [],
  help_words: listed('帮助, 幫助'),
  answers: {
    yes: listed(
      '是, 是的, 对, 對, 对的, 對的, 好, 好的, 可以, 行, 没错, 沒錯, 嗯, 当然, 當然, 确认, 確認, 係, 係呀, 係啊, 啱, 好呀, 好啊, 要, 要的, 是啊, ok, ' +
        '同意, 确定, 確定, 对对对, 對對對',
    ),
    no_more: listed(
      '停止, 要停止, 我要停止, 是停止, 请停止, 請停止, 不要了, 不要再打了, 别再打了, 別再打了, 不要再发了, 不要再發了, 唔要喇, 唔好再打, 停, 退订, 退訂, stop, td',
    ),
    courtesies: listed('谢谢, 謝謝, 多谢, 多謝, 唔該, 请, 請, 麻烦, 麻煩, 谢谢你, 謝謝你, 哦, 噢, 啊'),
  },
  sayings: {
    opt_out: '您将不再收到我们的消息。如需重新接收，请回复 START。',
    no_more_messages: '您将不再收到我们的消息。',
    no_more_calls: '明白了，我们不会再给您打电话。再见。',
    no_more_question: '您要停止接收我们的电话和消息吗？',
    press_key: '如果您不想再接到我们的电话，请按{key}。',
    star: '星号键',
    hash: '井号键',
  },
}
