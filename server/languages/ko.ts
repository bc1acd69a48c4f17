import { type Language, listed } from './language.ts'
import { anything, type Judgement, nothing, type Phrase, unspaced } from './wish.ts'

const { says, contains, endsWith, startsWith } = unspaced

/** Words without spaces are cut anywhere: 전화하지마세요 is 전화 and 하지 and 마세요. */
const messages =
  '문자|문짜|메[시세]지|메[쎄씨]지|멧세지|카톡|톡|카카오|광고|홍보|스팸|영업|권유|판촉|마케팅|알림|소식|프로모션|이벤트|뉴스레터|(?<![a-z])(?:sms|dm)(?![a-z])|디엠|푸시'
const contact = `전화|저나|전하|젼화|통화|연락|열락|콜|안내|${messages}`
/** The rest after a noun: particles, and up to three words before the verb. */
const rest = '[^ ,]{0,5}(?: [^ ,]+){0,3}'
const of_contact = `(?:${contact})${rest}`
const these = '이런|이딴|그런|이거|아무 ?것|아무거|뭐'
const never_again =
  '다시는|다신|다시 ?는|두 ?번 ?다시|더 ?이상|더는|또 다시|오늘부[터로]|지금부[터로]|이 시간부[터로]|이후로'
const from_now_on = `${never_again}|앞으로|이제|이젠|절대|영원히|일절|일체|자꾸|계속|더|또|그만|다시`
const to_me =
  '(?:저|나|저희|우리|이쪽|여기|번호|폰|핸드폰|집|직장|회사)(?:들)?(?:한테|에게|로|으로|에)(?:는|도|까지|다)?'

const close_ones =
  '엄마|아빠|어머니|아버지|어머님|아버님|부모님|남편|아내|와이프|집사람|신랑|딸|아들|할머니|할아버지|언니|오빠|누나|형|동생|친구|가족|이모|삼촌|애|바깥양반|남자친구|여자친구|남친|여친|애인|시어머니|시아버지|장모|장인|사장|팀장|의사|선생|비서'
/** "My mother says". */
const reported: Judgement = [
  contains`(?<![^ ])(?:(?:우리|저희|제) ?)?(?:${close_ones})(?:님|들)?(?:이|가|께서|는|은)(?: |$)`,
  'unclear',
]
const time =
  '오늘|내일|모레|이따|나중|지금|아침|점심|저녁|새벽|밤|낮|오전|오후|주말|평일|휴일|명절|[월화수목금토일]요일|당분간|이번 ?주|이번 ?달|다음 ?주|너무|늦게|일찍|근무|업무|' +
  '회의|수업|시간|시 ?이?[전후]|까지|동안|때는?|중에?는?|중엔|중이니까?|전에는?|사이에'
/** A wish for a time only: "tomorrow", "before nine", "when I work". */
const at_a_time = `(?:${time})(?:은|는|에|에는|엔|에도|만|이니까?|이라|이라서|인데)?(?: [^ ,]+){0,3}`
/** These words mean "at work": elsewhere the contact may be called. */
const at_work = endsWith`(?:회사|직장|사무실|일터|학교)(?:로|으로|에|에다가?|에서|에는|로는)(?: [^ ,]+){0,1}`
const threat = contains`면 (?:진짜 |바로 |정말 )?(?:죽|신고|고소|차단|경찰|민원|법적|가만)|면 (?:제가|내가|저희가)? ?(?:연락|전화)(?:할|드릴|하겠|드리)`
const has_condition = contains`(?<!그러|이러|가능하|[웬왠]만하|괜찮으|괜찮으시|되도록이|되시|죄송하지)면(?:은|요)?(?:,| |$)|거든|(?:아니면|없이는|경우)`

/** Judges the words before what the agent is to do or not to do. */
const circumstances: Judgement[] = [
  [endsWith`(?:두고|두시고|놓고|놓으시고|놔두고|맡기고|맡기시고|걸어 ?두고)(?: 가시고| 그냥)?`, undefined],
  [contains`(?:왜|어째서)(?: [^ ,]+)?$`, undefined],
  [threat, 'opt_out'],
  [contains`(?:${never_again}|돌아가[셨시신]|사망|별세|세상을)`, 'opt_out'],
  [has_condition, undefined],
  [endsWith`${at_a_time}`, undefined],
  [at_work, 'unclear'],
  [endsWith`(?<![^ ])(?:그|저|옛날|예전|이전|저쪽) ?(?:번호|전화|집|주소)(?:로|으로|에)(?:는|도)?`, 'unclear'],
  reported,
]
const other_things =
  '영수증|계산서|고지서|명세서|택배|물건|상품|제품|불량품|사람|기사|직원|강사|선생|업체|알바|아줌마|아저씨|견적서?|서류|우편물?|책자|샘플|음식|배달|답장|답|회신|돈|선물|꽃|사진|파일|메일|차|초대장|청구서'
const again = '더|이제|또|다시|다시는|다신|두 ?번 ?다시|자꾸'
/** Judges the words before "send": what is sent may be something else. */
const sent: Judgement[] = [
  [
    endsWith`(?<!${contact}) ?(?:${other_things})(?:님|분)?(?:들)?(?:은|는|을|를|도|이|가)?(?: (?:${again}))?`,
    undefined,
  ],
  [endsWith`[^ ,]+ (?:문자|카톡|톡|메일|메[시세]지)(?:로|으로)`, 'unclear'],
  [endsWith`(?:그|같은|이런|저런|그런|지난번|아까) (?!${contact}|거|것|걸|쓰레기)[^ ,]{1,6} (?:${again})`, 'unclear'],
  ...circumstances,
  [nothing, 'opt_out'],
  [
    contains`(?:${contact})|(?:${these}|${from_now_on}|${to_me})${rest}$|,$|(?:차단|신고|고소)[^ ,]{0,5}$|몇 ?번(?:을|이나)? ?말|말했(?:는데|잖)|동의(?:한|했던)? ?적 ?없`,
    'opt_out',
  ],
  [endsWith`잘못 ?보[내냈][^ ,]{0,5}`, 'unclear'],
  [anything, undefined],
]
/** Judges the words before "do", which says something only after a word such as "call". */
const done: Judgement[] = [
  [contains`^(?!.*(?:${contact}|이런|이딴))`, undefined],
  ...circumstances,
  [contains`(?:${contact}).{0,40}(?:앞으로|이제|이젠|절대|일절|일체)`, 'opt_out'],
  [endsWith`${of_contact}`, 'opt_out'],
  [anything, undefined],
]
const named: Judgement[] = [...circumstances, [anything, 'opt_out']]
const stopped: Judgement[] = [
  [endsWith`왜(?: [^ ,]+)?`, undefined],
  [endsWith`${of_contact}|(?:${these})${rest}|발송|발신|송신`, 'opt_out'],
  [anything, undefined],
]

const how_to: Judgement = [
  contains`^[^ ,]{0,4} ?(?:어떻게|어떡|어케|어디|방법|하는 ?법|하려면|할려면|하고 싶으면|할 ?수|되나|될까|가능|하면 ?되|링크|버튼|인가|뭐|안 ?되|안 ?돼)`,
  'unclear',
]
const past: Judgement = [
  startsWith`[^ ,]{0,2} ?(?:됐|되었|되어|돼 ?있|된|졌|져|진 ?거|했나|했어요|했습|하셨|하신|했던|셨나|할까|할게요? ?말)`,
  undefined,
]
const not_so: Judgement = [startsWith`[^ ,]{0,3} ?(?:시)?(?:지|진|하지)(?:는|도|를)? ?[마말않못]`, undefined]
/** "It is not that I don't want it." */
const not_that: Judgement = [startsWith`[^ ,]{0,3} ?(?:건|게|것은|것이|거는|거) ?아[니닌]`, undefined]
const whatever: Judgement[] = [[anything, 'opt_out']]

/** "I have never refused messages." */
const never_done: Judgement = [
  startsWith`[^ ,]{0,3} ?(?:한|했던|누른|눌렀던|신청한|신청했던|요청한) ?(?:적|일|기억)|[^ ,]{0,2} ?안 ?(?:했|눌|하는데|할|해요|합니다|하고|하려)`,
  undefined,
]
/** Judges the words after "don't". */
const forbidden: Judgement[] = [
  [
    startsWith`라고 ?해서|[^ ,]{0,6} (?:한 ?적|안 ?했)|았어야|까요?|자고|기로|[^ ,]{0,5} (?:[^ ,]+ ){0,2}전해`,
    undefined,
  ],
  [startsWith`(?:래요?|라네|라셔|라십|래서|라고 ?(?:하네|하세|하십|하셔|해요|합니다|하시|하는데요))`, 'unclear'],
  [startsWith`(?:시)?[고구](?:요|여)?(?:$| ,)`, 'opt_out'],
  [
    startsWith`(?:시)?[고구] .{0,30}(?:문자|카톡|톡|메일|메시지)(?:로|으로|만|나|를)? ?(?:만|주|보내|해|남|부탁)(?!지|시지|주지)`,
    'unclear',
  ],
  [startsWith`(?:시)?[고구] (?!.{0,40}(?:꺼|지우|지워|삭제|빼|사라|신고|차단))`, undefined],
  ...whatever,
]
/** "I told my ex not to call me" is about somebody else. */
const told_others: Judgement = [
  contains`(?<!저|나|저희|우리|당신|당신들|그쪽|여러분|거기|귀사|너희|니들|분들|사람)(?:한테|에게|더러|보고|께)(?:는|도)?(?= [^,]{0,30}$|$)|(?:${close_ones})(?:님|네)? ?(?:댁|집|번호|폰|핸드폰|회사)(?:에|으로|로)(?:는|도)?`,
  undefined,
]
const do_not =
  '(?:시|어|셔|아)?(?:주시|주)?[지디쥐](?:는|도|를|들|좀|두)? ?(?:[마말]|않았으면|않으셨으면|않아 ?주|않기|않길|않도록|않게|안았으면)'
const need_not = '[^,]{0,7}?도 ?(?:[돼되됩됨]|괜찮|좋|무방)'
const better_not = '[^,]{0,7}?면 ?(?:좋|고맙|감사|합|하|해|한|싶|안 ?[돼되될])'

const list =
  '명단|목록|리스트|명부|주소록|대상|데이터(?:베이스)?|디비|db|시스템|전산|단톡방?|톡방|채널|연락망|발송|수신인|수신자|고객 ?정보|회원 ?정보'
const remove = '삭제|지워|지우|지웁|빼|뺴|제외|파기|제거|말소|없애|폐기|내려|내리|탈퇴|차단|해제'
const removed: Judgement[] = [
  not_so,
  past,
  [contains`(?:에|으로|로) (?:넣|올려|옮|추가)|새 ?번호|새로|바꿔|변경|^[^ ,]{0,3}(?:면|니까?) `, undefined],
  [startsWith`[^ ,]{0,2} ?(?:어떻게|방법|하는|하려면|할 ?수|되나|가능)`, 'unclear'],
  [contains`(?:(?<!실)래요|달래|라고 해요|달라고 ?하)`, 'unclear'],
  ...whatever,
]
const withdrawn: Judgement[] = [
  never_done,
  [contains`(?:또|계속|자꾸) ?(?:와|오|보내|전화|옵|연락)`, 'opt_out'],
  [contains`실수|잘못|다시 ?받|풀어|풀고|해제|철회 ?안|취소(?!할게)`, undefined],
  not_so,
  how_to,
  [startsWith`[^ ,]{0,2} ?(?:했|눌렀|됐|되|돼|한 ?거|한다고)`, 'unclear'],
  ...whatever,
]
const mere_stop: Judgement[] = [
  [nothing, 'stop'],
  [startsWith`.{0,12}$`, 'stop'],
  [anything, undefined],
]
const questions: Judgement[] = [[anything, 'unclear']]

const contact_enough =
  `(?:${contact})(?:질|폭탄|를|을|은|는|도|들|이|하는)?(?: (?:보내는|오는|거는|하는) ?(?:거|것|걸|일)?[을를]?|` +
  ' [^ ,]+)? ?[그고]만(?! ?(?:두지|둘|뒀|큼|치|한 |하고|할게|할래|할까|하겠|했|받|끊|먹|마시))'
const if_again =
  `(?:(?:한 ?번만 ?더|또|다시|자꾸|계속|더) (?:이런 )?(?:${contact}|보내)|(?:${contact})[^ ,]? (?:또|한 ?번만? ?더|` +
  '다시))[^ ,]{0,4}(?: [^ ,]+){0,2} ?(?:(?:신고|고소|차단|민원)(?:하|할|합|함|한|들)|경찰(?:에|을)? ?(?:부[르를릅]|불러|넘))'
const not_receiving =
  '(?:[그고]만|안|더 ?이상 ?안) ?받(?:을게|을래|을 ?거|을 ?겁|겠|고 ?싶|았으면|으려|을란)|받고 ?싶지(?:가|는|도)? ?[않안]|받기(?:가|도|는)? ?싫|' +
  '받지 ?[않안](?:겠|을|았으면|고 ?싶)|받는 ?(?:거|것|게)[^ ,]{0,2} ?(?:진짜 |너무 )?(?:싫|원하|원치|불편)|(?:수신|받기|받는 ?걸|받는 ?것|' +
  '오는 ?걸|오는 ?것|연락)(?:를|을|은)? ?(?:더 ?이상 )?(?:원하지|원치|희망하지|바라지) ?[않안]'
const no_contact =
  `(?:${contact}|발송|전송)(?:질|를|을|은|는|도|들|이|가|이든|든|든지)?(?: (?!답|회신|확인|영수|예약|주문)[^ ,]+){0,3} ?(?:금지|사양|사절|거절|삼가|` +
  '자제|관두|그만두[세시라십]|노노|ㄴㄴ|(?<=[가-힣] ?)(?:no|stop)(?![a-z])|노 ?땡큐|원하지 ?[않안]|원치 ?[않안]|안 ?원해|싫|질색|스톱|스탑)'
const refusal =
  `수신 ?(?:을 |를 )?(?:거[부브뷰]|겨부|거절|안 ?(?:할|함|합|하겠)|차단|해지|취소|철회)|(?:${messages}|연락|전화|발신|발송|무료)(?:는|를|을|은|도)? ?(?:수신 ?)?거부|(?:마케팅|` +
  '광고|홍보|문자|알림|소식|뉴스레터|알림톡)(?: 서비스)?(?:를|을|은|는)? ?(?:구독 ?)?(?:해지|철회|취소|탈퇴)'
const revoked =
  '(?:동의|승낙|허락|받겠다고|받기로|수락)(?:를|은|는|했던|한|하신)?(?: ?한)?(?: ?거| ?것)?[를을은는]?(?: [^ ,]+){0,2} ?(?:철회|취소|거부|' +
  '해지|거두|거둡|무효|없던)|(?:마케팅|광고|수신|문자)[^ ,]{0,2} ?(?:수신 ?)?동의[^ ,]{0,2} ?(?:안 ?[합해할]|하지 ?않)'
const data_use =
  '(?:정보|번호|데이터)[^ ,]{0,2}(?: [^ ,]+){0,2} ?(?:활용|이용|제공|처리|수집|사용)(?:에|을|를|하는)?(?: 것[을에]?|' +
  ' 데)?(?: [^ ,]+){0,2} ?(?:거부|반대|이의|동의하지 ?[않안]|동의 ?안|원하지|원치|하지 ?[마말]|중단|중지|정지)'
const number_removed =
  '(?:(?<!주문|예약|카드|송장|접수|차량|계좌|인증|주문 |예약 |카드 |송장 |접수 |계좌 )번호|폰번|전번|연락처|이름|성함|(?<!.)정보|개인 ?정보|내 ?정보|제 ?정보|내 ?거|' +
  `${list})[^ ,]{0,6}(?: (?!사진|주소|후기|예약|주문|${close_ones})[^ ,]+){0,3}? ?(?:${remove})`
const bothering =
  `(?:귀찮게|성가시게|짜증나게|피곤하게|힘들게) ?(?:굴|하|좀 하)(?:${do_not})|(?:괴롭히|방해하|건드리|건들|스토킹하)(?:${do_not})|` +
  '(?:가만히? ?)?(?:내버려|놔|냅) ?(?:둬(?! ?서)|두[세시십라]|둡시다)|(?:[그고]만 ?(?:괴롭|귀찮))'
const message_blocking =
  '(?:어떻게|어떡|어케) ?(?:하면|해야) ?(?:이 ?|이런 ?)?(?:문자|광고|카톡|메[시세]지|알림|스팸|전화|연락)[^ ,]{0,2} ?안 ?(?:와|오|옵|받)|' +
  '(?:문자|광고|카톡|메[시세]지|알림|스팸|전화|연락)[^ ,]{0,2} ?안 ?(?:받으려면|받을려면|받으러면|받고 ?싶으면|오게 ?하려면|오게 ?할려면)|' +
  '(?:문자|광고|카톡|메[시세]지|알림|스팸|이거|이런 ?거)[^ ,]{0,2} ?(?:그만|수신)?(?: [^ ,]+)? ?(?:차단|해지|거부|끄|멈추|끊)(?:는|하는|할|을|' +
  '려면|하려면) ?(?:수|방법|법|거|어떻|어디)?'
const phrases: Phrase[] = [
  {
    says: says`(?:${contact})(?:질|를|을|은|는|도|이)? ?(?:하|걸|주|드리|넣|돌리|때리|치|남기|날리|뿌리|오|오시)${do_not}`,
    before: [told_others, ...named],
    after: forbidden,
  },
  {
    says: says`(?:${contact})(?:를|은|는|도)? ?(?:마[세시십셔]|말아)`,
    before: [told_others, ...named],
    after: forbidden,
  },
  {
    says: says`(?<![^ ])(?:하|걸|보내|주)${do_not}[^ ,]{0,5} (?:${contact})(?:를|은|는|도)?$`,
    before: named,
    after: whatever,
  },
  {
    says: says`(?<![^ ])걸${do_not}`,
    before: [
      ...circumstances,
      [endsWith`(?:말|말을|시비|시비를|내기|기대|기대를|옷|문|자물쇠|마법)(?: 좀| 더)?`, undefined],
      [contains`(?:잘못 ?[거걸]|번호|다시|또)`, 'opt_out'],
      [nothing, 'unclear'],
      [anything, undefined],
    ],
    after: forbidden,
  },
  {
    says: says`(?<![^ ])(?:하|걸|주|넣|돌리|찾|드리|남기|날리|뿌리)${do_not}`,
    before: [told_others, ...done],
    after: forbidden,
  },
  {
    says: says`(?:보내|보네|발송하|전송하|송신하|발신하)${do_not}`,
    before: [told_others, ...sent],
    after: forbidden,
  },
  {
    says: says`안 ?(?:보내|보네|발송|전송)(?:${need_not}|${better_not})`,
    before: sent,
    after: whatever,
  },
  { says: says`안 ?(?:하|해|했|걸|주|줬|줘|오|왔|와)${better_not}`, before: done, after: whatever },
  {
    says: says`(?:안 ?(?:하|해|했|걸|주|줘|오|왔|와)|(?:하|걸|주|오|보내)(?:시|주시)?지 ?않)${need_not}`,
    before: [
      ...circumstances,
      [contains`해결|찾았|통화했|알아냈|취소`, undefined],
      [endsWith`(?:${these}|광고|홍보|스팸|영업|권유|${from_now_on})${rest}|(?:${messages})${rest}`, 'opt_out'],
      [contains`앞으로|이제|관심`, 'opt_out'],
      [endsWith`${of_contact}`, 'unclear'],
      [anything, undefined],
    ],
    after: [[contains`해결|찾았|통화했|알아냈`, undefined], ...whatever],
  },
  {
    says: says`(?:안 ?[오가]|오지 ?않|못 ?오|안 ?걸려 ?오|오는 ?일[^ ,]? ?없)(?:게|도록)`,
    before: [
      [endsWith`${of_contact}|${these}`, 'opt_out'],
      [anything, undefined],
    ],
    after: [
      [startsWith`[^ ,]{0,2} ?(?:됐|되었|되니|돼서|되서|된|됩니다)`, undefined],
      [startsWith`(?:끔)?(?: ?하는| ?하려면| ?할 ?수| ?어떻게| ?못 ?하| ?안 ?되| ?되나| ?될까)`, 'unclear'],
      ...whatever,
    ],
  },
  {
    says: says`[그고]만 ?(?:좀|들)? ?(?:${contact}|보내|보네|걸|거세|거시|발송)`,
    before: [
      [endsWith`왜(?: (?!이러|그러)[^ ,]+)?`, undefined],
      reported,
      [endsWith`(?:${other_things})(?:은|는|을|를|도)?`, undefined],
      [has_condition, 'unclear'],
      ...whatever,
    ],
    after: [[startsWith`(?:[^ ,]{0,2} )?(?:할게|하겠|할래|할까|했|한다|드릴|드리겠|받)`, undefined], ...forbidden],
  },
  {
    says: says`${contact_enough}`,
    before: [[endsWith`왜`, undefined], reported, ...whatever],
    after: [[startsWith`[^ ,]{0,3}지 ?[마말]`, 'unclear'], ...forbidden],
  },
  {
    says: says`${if_again}`,
    before: whatever,
    after: whatever,
  },
  {
    says: says`(?:가입|등록|신청)(?:을 |를 )?(?:한|했던) ?적[이도은]? ?없`,
    before: whatever,
    after: [
      [contains`삭제|지워|지우|빼|[그고]만|중단|중지|보내지`, 'opt_out'],
      [contains`(?:${contact})[^ ,]{0,3}(?: [^ ,]+){0,2} (?:보내|오|와|옵|왔|하|해)`, 'unclear'],
      [anything, undefined],
    ],
  },
  {
    says: says`동의(?:한|했던) ?적[이도]? ?없`,
    before: [
      [endsWith`(?:수신|마케팅|광고|문자|이용|활용)${rest}`, 'opt_out'],
      [anything, undefined],
    ],
    after: [
      [contains`삭제|지워|빼|[그고]만|중단|중지`, 'opt_out'],
      [anything, 'unclear'],
    ],
  },
  {
    says: says`(?:작작|적당히|작작들) ?(?:보내|하|해|전화|연락|문자|오|걸)`,
    before: [
      [endsWith`${of_contact}`, 'opt_out'],
      [anything, 'unclear'],
    ],
    after: whatever,
  },
  {
    says: says`작작 ?(?:보내|전화|연락|문자)`,
    before: whatever,
    after: whatever,
  },
  {
    says: says`${not_receiving}`,
    before: [
      ...circumstances,
      [nothing, 'opt_out'],
      [contains`^(?:${from_now_on}|저는?|나는?)$`, 'opt_out'],
      [endsWith`(?:${contact}|${these}|${to_me}|여기서)${rest}`, 'opt_out'],
      [anything, undefined],
    ],
    after: [not_that, [startsWith`[^ ,]{0,3}(?:면|때)`, undefined], ...whatever],
  },
  {
    says: says`(?:안 ?받|받지 ?[않안])(?:아|습|음|는다|어)`,
    before: [
      [contains`왜|제가|내가`, undefined],
      [endsWith`(?:${messages}|${these})${rest}`, 'opt_out'],
      [anything, undefined],
    ],
    after: [[startsWith`(?:서|도|는데|으면|졌|지)`, undefined], ...whatever],
  },
  {
    says: says`${no_contact}`,
    before: circumstances.concat(whatever),
    after: [
      not_so,
      not_that,
      [startsWith`[^ ,]{0,3} ?(?:인가|구역|법|면|하는 ?방법|했|됐|된|당)`, undefined],
      ...whatever,
    ],
  },
  {
    says: says`(?:${contact})(?:를|을|은|는|도|들|이|가)?(?: (?!답|회신|확인|영수|예약|주문)[^ ,]+){0,1} ?(?:필요 ?없|불필요)`,
    before: [
      ...circumstances,
      [contains`(?:${these}|${from_now_on}|관심|안 ?사)`, 'opt_out'],
      [nothing, 'opt_out'],
      [anything, 'unclear'],
    ],
    after: whatever,
  },
  {
    says: says`중단|중지|멈춰|멈추|정지|끊어|끊으|막아 ?주|차단(?=해 ?주| ?부탁| ?바| ?요청)`,
    before: [[endsWith`(?:전화|통화)(?:를|는|은|도)?(?: 이만| 그만| 먼저)?`, undefined], ...stopped],
    after: [not_so, past, how_to, ...whatever],
  },
  {
    says: says`(?:전화|통화|연락)(?:를|는|은|도)? ?(?:중단|중지|멈춰|멈추)`,
    before: [[endsWith`왜`, undefined], ...whatever],
    after: [not_so, past, how_to, ...whatever],
  },
  {
    says: says`${refusal}`,
    before: [[endsWith`왜`, undefined], [contains`(?:누가|사람이)`, undefined], reported, ...whatever],
    after: withdrawn,
  },
  {
    says: says`구독(?:을|를)? ?(?:해지|취소|중단)`,
    before: [
      [nothing, 'opt_out'],
      [endsWith`${messages}|,|이제|저`, 'opt_out'],
      [anything, 'unclear'],
    ],
    after: [past, ...withdrawn],
  },
  {
    says: says`${revoked}`,
    before: [[contains`수술|치료|위임|계약|입양|예약`, undefined], reported, ...whatever],
    after: withdrawn,
  },
  {
    says: says`${data_use}`,
    before: whatever,
    after: [not_so, ...withdrawn],
  },
  {
    says: says`${number_removed}`,
    before: [
      [
        contains`초대|하객|대기|신청|모임|출석|옛|예전|새 ?번호|금요일|월요일|화요일|수요일|목요일|토요일|일요일|예약자|참석`,
        undefined,
      ],
      [contains`^(?:왜|누가)`, undefined],
      [endsWith`(?:${close_ones})(?:의|꺼|님)? ?`, 'unclear'],
      reported,
      ...whatever,
    ],
    after: removed,
  },
  {
    says: says`(?<![^ ])(?:나|저|저희|우리|날|절)(?:는|를|도|만)? ?(?:좀 ?)?(?:빼|제외)`,
    before: [
      [nothing, 'opt_out'],
      [endsWith`(?:${list}|${contact}|거기)${rest}`, 'opt_out'],
      [anything, 'unclear'],
    ],
    after: removed,
  },
  {
    says: says`${bothering}`,
    before: [
      [has_condition, undefined],
      [endsWith`${at_a_time}`, undefined],
      [anything, 'stop'],
    ],
    after: mere_stop,
  },
  {
    says: says`(?<![^ ])[그고]만 ?(?:들 )?(?:하[세시라자]|해(?!서|야|도)|하랬|하라니)`,
    before: [...mere_stop.slice(0, 1), [endsWith`(?:신고|차단|고소)하기 ?전에`, 'stop'], ...done],
    after: mere_stop,
  },
  {
    says: says`(?<![^ ])(?:꺼져|꺼지|사라져)(?:라|세요|요|시|삼|버려)?`,
    before: mere_stop.slice(0, 1).concat([[anything, undefined]]),
    after: [
      [nothing, 'stop'],
      [anything, undefined],
    ],
  },
  {
    says: says`번호(?:를|는|은)? ?(?:도?대체 )?(?:어떻게|어디서|누가|누구한테) ?(?:[^ ,]+ )?(?:아[셨시세]|알[았고]|구하|구했|났|나|얻|받으|입수|알려|줬|줘|가르)`,
    before: questions,
    after: questions,
  },
  {
    says: says`(?:${contact})(?:가|이|를|을)? ?너무 ?(?:많이|자주) ?(?:와|오|온|옴|옵|하|해|보내)`,
    before: questions,
    after: questions,
  },
  {
    says: says`(?:언제까지|왜 ?자꾸|왜 ?계속|왜 ?이런|왜 ?저한테|왜 ?나한테)(?: [^ ,]+){0,2} ?(?:${contact}|보내|보낼)|왜 (?:${contact})[^ ,]{0,2} ?(?:보내|하|주)(?:세|시|냐|는)`,
    before: questions,
    after: questions,
  },
  {
    says: says`${message_blocking}`,
    before: questions,
    after: questions,
  },
  {
    says: says`전화(?:는|를)? ?(?:하지 ?)?(?:말고|마시고|대신)(?:요)? (?:그냥 |차라리 )?(?:문자|카톡|톡|메일|이메일|메시지)(?:로|나|만)`,
    before: [[endsWith`${at_a_time}`, undefined], ...questions],
    after: questions,
  },
  {
    says: says`또 ?(?:보내|전화하|문자하|연락하|오)[^ ,]{0,2}셨네`,
    before: questions,
    after: questions,
  },
  { says: says`차단(?:하는|은|을)? ?(?:방법|어떻게|하려면)`, before: questions, after: questions },
]

const by = '문자|카톡|톡|메일|메[시세]지|카카오톡|전화'
const ways =
  `(?:대신|말고|마시고|마시구|말구) (?:[^ ,]+ ){0,2}(?:${by})(?:로|으로|를|만|나)? ?(?:만|부탁|주|보내|해|남)(?!지|시지|주지|내지)|(?:` +
  `${by})(?:로만|로|으로) (?:주|해 ?주|보내|연락|부탁|남)(?!지|시지|주지|하지|내지)`
const another_way = contains`${ways}`

export const ko: Language = {
  tag: 'ko',
  opt_outs: {
    words: listed(
      'stop, 스톱, 스탑, 수신거부, 수신 거부, 수신거부요, 무료수신거부, 무료 수신거부, 무료거부, 문자거부, 문자 거부, 광고거부, 광고 거부, 전화거부, ' +
        '수신차단, 수신 차단, 수신중지, 수신 중지, 수신해지, 수신 해지, 수신동의철회, 수신동의 철회, 수신 동의 철회, 구독해지, 구독 해지, 구독취소, 구독 취소, ' +
        '발송중지, 발송 중지, 발송중단, 메시지발송중지, 문자중지, 문자 중지, 문자중단, 문자그만, 연락금지, 전화금지, 문자금지, 연락사절',
    ),
    ordinary_words: listed(
      '그만, 그만요, 해지, 해지요, 해지해주세요, 해지해 주세요, 해지할게요, 거부, 거절, 취소, 중지, 중단, 정지, 종료, 탈퇴, 나가기, 삭제, 차단, 끝, 됐어요, 됐어, 됐습니다, 됐거든요, 안 사요, 안사요, ' +
        '관심 없어요, 관심없어요, 관심 없습니다, 관심없습니다, 필요 없어요, 필요없어요, 필요 없습니다, 필요없습니다, 싫어요, 꺼져, 귀찮아요, 귀찮아, 지겨워요, 지겨워, ' +
        '지긋지긋해요, 짜증나요, 짜증나, 안 해요, 안해요',
    ),
    phrases,
    another_way,
    fillers: listed(
      '제발, 좀, 정말, 진짜, 진심, 아, 네, 예, 음, 아니, 저기요, 여보세요, 안녕하세요, 감사합니다, 수고하세요, 죄송하지만, 죄송한데, 죄송한데요, ' +
        '죄송합니다, 미안하지만, 미안한데, 그냥, 시발, 씨발, 존나, 아이고, 에이, ㅋㅋ, ㅋㅋㅋ, ㅎㅎ, ㅠㅠ, ㅜㅜ',
    ),
  },
  opt_in_words: [],
  help_words: ['도움말'],
  answers: {
    yes: listed(
      '네, 예, 넵, 넹, 응, 어, 그래, 그래요, 맞아요, 맞습니다, 맞아, 좋아요, 좋습니다, 그럼요, 물론이죠, 물론입니다, 당연하죠, ' +
        '알겠습니다, 그렇습니다, 그렇게 해 주세요, 그렇게 해주세요, 오케이, ok, ㅇㅇ, ㅇㅋ',
    ),
    no_more: listed(
      '그만, 그만 보내세요, 받고 싶지 않아요, 받고 싶지 않습니다, 더 이상 받고 싶지 않아요, 받지 않을게요, 모두 중단해 주세요, ' +
        '안 받을게요, 안 받을래요, 네 맞아요, 중단해 주세요, 중단해주세요, 모두 중단, 보내지 마세요, 전화하지 마세요, 수신거부',
    ),
    courtesies: listed('부탁드립니다, 부탁드려요, 부탁해요, 감사합니다, 고맙습니다, 고마워요, 아, 음, 저, 수고하세요'),
  },
  sayings: {
    opt_out: '앞으로 메시지를 보내지 않겠습니다. 다시 받으시려면 START라고 답장해 주세요.',
    no_more_messages: '앞으로 메시지를 보내지 않겠습니다.',
    no_more_calls: '알겠습니다. 다시는 전화드리지 않겠습니다. 안녕히 계세요.',
    no_more_question: '앞으로 전화와 메시지를 모두 중단해 드릴까요?',
    press_key: '더 이상 전화를 원하지 않으시면 {key} 버튼을 눌러 주세요.',
    star: '별표',
    hash: '우물 정자',
  },
}
