import { type Language, listed } from './language.ts'
import { anything, contains, endsWith, type Judgement, nothing, type Phrase, says, startsWith } from './wish.ts'

// Every list holds words in Devanagari, and the same in Latin letters as people write them.
const not = 'मत|ना|न|नहीं|नही|नहि|mat|mt|matt|na|naa|nahi|nahin|nahii|nhi|nai|do not'
const number = 'नंबर|नम्बर|नबर|फोन नंबर|मोबाइल नंबर|number|nmbr|numbr|no|num|phone number|mobile number'
const at = '(?: (?:पर|पे|में|को|से|का|की|par|pe|pr|p|mein|me|main|ko|se|ka|ki))?'
const me =
  'मुझे|मुझको|मुझसे|मुझ|मेरे|मेरी|हमें|हमे|हमको|हमसे|हम|मेरेको|mujhe|mujhko|mujko|muje|mjhe|mujhse|mujh|mere|meri|' +
  'mereko|hame|hume|humein|hamein|humko|hamko|hamse|humse|यहां|यहा|इधर|yaha|yahan|idhar|is par|(?:इस|मेरे|हमारे|is|' +
  `iss|mere|hamare) (?:${number}|फोन|मोबाइल|घर|व्हाट्सएप|phone|mobile|ghar|whatsapp)`
const no_more =
  'अब|अब से|कभी|फिर|फिर से|दोबारा|दुबारा|आगे|आगे से|आइंदा|आईंदा|आयंदा|भविष्य में|आज के बाद|आज से|कल से|इसके बाद|' +
  'अबके बाद|बार बार|अगली बार|नेक्स्ट टाइम|agli baar|agli bar|next time|ab|ab se|kabhi|kabhi bhi|phir|fir|phir se|fir se|dobara|dubara|dobaara|aage|aage se|ainda|' +
  'aainda|aindaa|bhavishya mein|bhavishya me|aaj ke baad|aaj k baad|aaj se|kal se|iske baad|bar bar|baar baar|again'
const little =
  'भाई|bhai|और|या|कोई|भी|ही|तो|जी|ये|यह|सब|कुछ|ऐसे|ऐसा|इस तरह के|इतने|इतना|फालतू|बिल्कुल|प्लीज|यार|आप|आप लोग|तुम|' +
  'तुम लोग|आपके|आपका|आपकी|अपने|अपना|अपनी|aur|or|ya|koi|bhi|hi|to|ji|g|ye|yeh|sab|kuch|kuchh|aise|itne|itna|faltu|' +
  'bilkul|plz|aap|ap|aap log|tum|log|aapke|aapka|aapki|apke|apne|apna|krke|करके|karke|पर|पे|par|pe'
const between = `(?: (?:${me}|${no_more}|${little})${at}){0,4}`

const call =
  'कॉल|काल|कोल|कॉल्स|कॉलिंग|फोन|फोन कॉल|मिस कॉल|संपर्क|सम्पर्क|संम्पर्क|कांटेक्ट|कॉन्टैक्ट|कांटैक्ट|परेशान|तंग|' +
  'डिस्टर्ब|मैसेजिंग|रिंग|whatsapp|watsapp|whatsap|व्हाट्सएप|व्हाट्सऐप|वॉट्सऐप|वाट्सएप|कॉलें|call|cal|calls|calling|' +
  'coll|kall|phone|fone|phon|fon|phn|phone call|contact|contct|sampark|sampurk|pareshan|preshan|tang|disturb|ring'
const message =
  '(?:मैसेज|मेसेज|मैसज|मेसज|मेसैज|मैसेजेस|मैसेजिस|मेसेजेस|एसएमएस|एस एम एस|संदेश|सन्देश|संदेशे|टेक्स्ट|टैक्स्ट|' +
  'विज्ञापन|प्रमोशन|प्रमोशनल मैसेज|स्पैम|सूचनाएं|नोटिफिकेशन|मार्केटिंग|टेलीमार्केटिंग|व्हाट्सएप मैसेज|message|' +
  'messages|msg|msgs|mesage|mesages|messege|messeges|massage|massages|mssg|sms|smses|text|texts|sandesh|vigyapan|' +
  'ads|add|promotion|promotions|promotional|spam|notification|notifications|marketing|telemarketing)'
const offer = 'प्रचार|सूचना|ऑफर|ऑफर्स|आफर|offer|offers|scheme|schemes|link|links|लिंक|स्कीम'
const any_call = `(?:(?:${call}|${message})(?: (?:${call}|${message}|वगैरह|वगैरा|वॉल|वोन|वैसेज|vagera|wagera|wall|wal|won|vone|wone|vesage|shesej|etc|ya|या|aur|और|व|एवं)){0,4})`
const calls_too =
  `(?:${call}|${message})(?: (?:और|या|व|एवं|ya|or|aur|na|न|ना|वगैरह|wagera)(?: (?:ही|hi))? (?:${call}|` +
  `${message})){0,2}`

/** "करो", "कीजिए", "किया करो". */
const act =
  '(?:कर|किया कर|करा कर|किया जा|करवा)(?:ो|ें|े|िए|िये|िएगा|ियेगा|ना|ए|ये|ियो|ा करो)?|की?जि(?:ए|ये|एगा|येगा)|' +
  'किजि(?:ए|ये|एगा)|(?:kar|kr|kiya kar|kiya kr|kra kr|kara kar|kia kar|karwa)(?:o|oo|e|en|ein|iye|ie|iyega|na|iyo|' +
  'ien)?|k[ie]+ji(?:ye|e|yega|ega)|(?:किया|करा|kiya|kia|kra) (?:कीजिए|कीजिये|करिए|kijiye|kijie)|kiya jaye|kiya jae|' +
  'kijiyega'
const sent = 'भेज|डाल|लगा|मिला|लिख|दे|पटक|फॉरवर्ड कर|bhej|bej|dal|daal|laga|mila|likh|send kar|send kr|forward kar'
/** Endings that make an order of "भेज" and its like. */
const ending =
  '(?:ो|ओ|ें|एं|े|ए|िए|िये|इए|इये|ना|िएगा|इएगा|ियेगा|(?:ा|या) (?:कर|करो|करें|करे|करना|कीजिए|जाए)|o|e|en|ein|iye|ie|' +
  'iyega|na|ao|aao|aye|aiye|ana|a (?:kar|karo|kro|kr|kare|karen|karein|karna|krna|kijiye|jaye)|ya (?:karo|kro|kare))'
/** "दो", "दीजिए" after "कर", "हटा". */
const give =
  '(?: ?(?:दो|दें|दे|दीजिए|दीजिये|दिजिए|दिजिये|देना|दीजिएगा|डालो|लो|लें|लीजिए|do|de|den|dein|dijiye|dijie|dijiyega|' +
  'dena|dijye|lo|lijiye|daalo))'
const do_it =
  '(?:करवा|करा|रुकवा)(?:ओ|एं|इए|इये|ए)|(?:karwa|kara|krwa)(?:o|ao|iye|ye)|(?:कर|करवा|करा|kar|kr|karwa|karva|kara|' +
  `krwa)${give}|(?:${act})|हो जाना चाहिए|होना चाहिए|होने चाहिए|hona chahiye|hone chahiye`

const if_so = 'अगर|यदि|जब|जबतक|जब तक|agar|yadi|jab|jb|jab tak'
const when =
  '(?:पहले|के बाद|बजे|आज|कल|परसों|अभी|फिलहाल|रात|सुबह|शाम|दोपहर|दिन|संडे|[^ ,]*वार|हफ्ते|वीकेंड|ऑफिस|दफ्तर|मीटिंग|' +
  'काम|ड्यूटी|क्लास|वक्त|समय|टाइम|छुट्टी|देर|जल्दी|तक|pehle|pahle|phle|ke baad|baje|aaj|kal|abhi|filhal|raat|subah|' +
  'shaam|sham|dopahar|din|[^ ,]*day|[^ ,]+war|weekend|office|meeting|kaam|duty|class|waqt|time|samay|chutti|jaldi|' +
  'der|tak|late)'
/** These words mean "at work": elsewhere the contact may be called. */
const at_work =
  '(?:ऑफिस|आफिस|दफ्तर|काम|वर्क|office|ofc|daftar|kaam|work)(?: (?:के|ke|वाले|wale) (?:नंबर|फोन|number|phone))?(?: (?:में|पर|पे|me|mein|main|par|pe))'
const when_words = `${when}(?: (?:के|की|से|में|को|समय|दौरान|टाइम|वक्त|ke|ki|se|me|mein|ko|time|samay|dauran|waqt|bhi|भी)){0,2}`
const family =
  '(?:पति|पत्नी|बीवी|पापा|पिता|पिताजी|मम्मी|मां|माता|बेटा|बेटी|भाई|बहन|दादी|pati|patni|biwi|wife|husband|papa|mummy|' +
  'mom|maa|beta|beti|bhai|sister)'
const say = '(?:कह|बोल|kah|keh|bol)[^ ,]{0,4}'
const elsewhere: Judgement[] = [
  [contains`${family}(?: (?:ने|ne|जी|ji))? (?:${say}|चाहते|चाहती|chahte|chahti)`, 'unclear'],
  [contains`(?!आप|तुम|aap|ap |tum)[^ ,]+ (?:को|से|ko|se) (?:${say}|बता|bata)`, undefined],
  [contains`(?:${if_so})`, undefined],
  [endsWith`${at_work}(?: (?:${me}|${little}|${no_more})${at}){0,3}`, 'unclear'],
  [contains`(?:उस|उसे|उसको|उनको|उनसे|उससे|use|usko|unko|unse|usse) (?:कह|बोल|kah|bol|keh)[^ ,]*`, undefined],
  [/^(?:को|ko)$/, undefined],
  [
    endsWith`(?!(?:मुझ|हम|तुम|आप|मेरे|नंबर|नम्बर|फोन|mujh|muj|hum|ham|tum|aap|mere|number|phone|is))[^ ,]+ (?:को|ko)(?: [^ ,]+ (?:से|में|पर|पे|se|me|mein|par|pe)){0,2}`,
    undefined,
  ],
  [
    endsWith`(?<!(?:आज|aaj|अब|ab|इस|is|इसके|next|नेक्स्ट) )(?!(?:आज के|आज से|कल से|aaj ke|aaj k|aaj se|kal se) )(?:${when_words})(?: (?:${me}|${little}|${no_more})${at}){0,3}`,
    undefined,
  ],
]
const told: Judgement[] = [
  [endsWith`(?:आज|aaj|अब|ab|इस|is|इसके|iske) (?:के|ke|k|से|se)?(?: ?(?:बाद|baad|bad))?${between}`, 'opt_out'],
  ...elsewhere,
  [endsWith`(?:रोज|रोजाना|हर दिन|roz|roj|rojana|daily)(?: (?:${me}))?`, 'unclear'],
  [anything, 'opt_out'],
]
const told_to_stop: Judgement[] = [
  ...elsewhere.slice(0, -1),
  [endsWith`(?:${when_words})`, 'unclear'],
  [anything, 'opt_out'],
]
const threat =
  'शिकायत|पुलिस|केस|ब्लॉक|कंप्लेंट|एफआईआर|कोर्ट|वकील|ट्राई|complaint|complain|police|shikayat|case|block|fir|court|lawyer|trai|rti|legal'
const past = '(?:रह|सक|पा|आया|आई|मिल|भूल|rah|sak|pa|paa|aaya|aayi|mil|bhool|bhul|bhoolna)[^ ,]*'
const whatever: Judgement[] = [
  [startsWith`(?:छोड|बंद|रोक|chhod|chod|band|rok)[^ ]*`, undefined],
  [startsWith`(?:${past}|है|हैं|था|थी|hai|h|tha|thi|चाह[^ ]*|chah[^ ]*|तो [^ ]+|दिया|diya|क्यों|kyu|kyon)`, undefined],
  [startsWith`, (?:गेट|गार्ड|दरवाजे|पडोसी|नीचे|घंटी|gate|guard|door|darwaze|padosi|neeche|bell)`, undefined],
  [startsWith`(?:, )?(?:${if_so})`, 'unclear'],
  [startsWith`(?!(?:आज|कल|aaj|kal) (?:के|से|ke|se))(?:, )?(?:${when})`, undefined],
  [startsWith`(?:कह|कैसे|kaise|kese)[^ ]*`, 'unclear'],
  [anything, 'opt_out'],
]
const swearing =
  'bc|mc|saale|sale|salo|chutiye|chutiyo|bhosdike|kutte|kutto|harami|haramkhor|साले|सालों|कुत्तों|हरामी|हरामखोर|चूतिये'
const closed: Judgement[] = [
  [nothing, 'opt_out'],
  [startsWith`,|और|बस|प्लीज|वरना|नहीं तो|aur|or|bas|warna|varna|nahi to|यार|समझे|samjhe|अब|ab|${swearing}`, 'opt_out'],
  [anything, undefined],
]
const end_or_me: Judgement[] = [
  ...closed.slice(0, -1),
  [startsWith`(?:${me}|${no_more}|सब|ये|यह|कुछ|आप[^ ]*|sab|ye|yeh|kuch|aap[^ ]*|plz)`, 'opt_out'],
  [anything, undefined],
]
const unclear: Judgement[] = [[anything, 'unclear']]

const how = 'कैसे|kaise|kese|kab'
const end = 'बंद|बन्द|बद|band|bnd|bandh|stop|स्टॉप|खत्म|समाप्त|khatam|block|ब्लॉक'
const leave = `(?:करना|karna|krna|भेजना|bhejna) (?:छोड|chhod|chod|chor)(?:ो|ें|िए|िये|o|iye)?${give}?`
const halt = `(?:${end}) (?:${do_it})|${leave}|रोक(?:ो|ें|िए|िये|ना)?${give}?|बंद|band|rok(?:o|e|iye)?${give}?`
const making =
  '(?: (?:करना|भेजना|आना|देना|मारना|लगाना|डालना|करनी|आने|आनी|karni|aane|aani|करते (?:हो|हैं)|कर|वाले|karna|krna|' +
  'bhejna|aana|ana|dena|lagana|dalna|karte (?:ho|hain|h)|krte ho|kr kar))?'
const list =
  '(?:लिस्ट|सूची|सिस्टम|डेटाबेस|डाटाबेस|रिकॉर्ड|रिकार्ड|ग्रुप|डाटा|डेटा|list|listing|system|database|record|records|' +
  'group|data) (?:से|में से|se|me se|mein se|s)'
const remove =
  `(?:डिलीट|रिमूव|delete|remove|dlt) (?:${do_it})|(?:हटा|हटवा|निकाल|मिटा|डिलीट कर|रिमूव कर|काट|उडा|हट|hata|hatwa|` +
  `htwa|hta|nikal|nikaal|mita|delete|delete kar|delete kr|remove|remove kar|remove kr|kaat)(?:${ending}|${give}|ो|ा|` +
  `वा${give})${give}?`
const some = `(?: (?!(?:${not}) )[^ ,]+){0,3}`
const mine =
  '(?:मेरा|हमारा|मेरी|हमारी|यह|ये|इस|mera|hamara|humara|meri|ye|yeh|is) (?:(?:सारा|सारी|पूरा|पूरी|निजी|पर्सनल|' +
  `मोबाइल|फोन|sara|sari|pura|puri|personal|mobile|phone) )?(?:${number}|नाम|डाटा|डेटा|जानकारी|naam|name|data|` +
  'details|info|jankari)'
const want = '(?:चाहता|चाहती|चाहते|चाहिए|चाहिये|चहिए|chahta|chahti|chahte|chahiye|chaiye|chahie|chahiy|chaie|chahye)'
const consent = 'सहमति|सहमती|अनुमति|इजाजत|परमिशन|कंसेंट|रजामंदी|sahmati|sehmati|anumati|ijazat|permission|consent'

/** Phrases that are a demand whatever stands around them. */
const demands = [
  says`${any_call}${between} (?:${not}) (?:${act})`,
  says`${any_call}${between} (?:(?:${not}) (?:${sent})${ending}|(?:मत|mat|mt) (?:${sent}))`,
  says`${any_call}${between} (?:करना|करिएगा|भेजना|मिलाना|लगाना|करो|karna|krna|bhejna|milana|lagana|karo|kro) (?:मत|नहीं|ना|mat|nahi|na)`,
  says`(?:मत|ना|न|mat|mt|na) (?:${act}|(?:${sent})${ending}?)${between} ${any_call}`,
  says`(?:${offer})${between} (?:${not}) (?:(?:${sent})${ending})`,
  says`(?:इस|मेरे|is|iss|mere) (?:${number})${at}${between} (?:${not}) (?:${sent})${ending}`,
  says`${any_call} (?:करने|karne|krne) (?:की|ki) (?:कोशिश|koshish|जुर्रत|हिम्मत|himmat) (?:${not}) (?:${act})`,
  says`(?:${me}) (?:मत|ना|न|mat|mt|na) (?:${any_call}) (?:${act})`,
  says`(?:${number}) (?:${remove}) (?:मेरा|हमारा|mera|hamara)`,
  says`do not (?:call|phone|msg|message|sms|text|disturb) (?:${act})`,
  says`(?:मिलाना|लगाना|milana|lagana) (?:मत|mat)${between}`,
  says`(?:${calls_too})${some} (?:${not}) (?:रखना|पाना|लेना|देखना|सुनना|रिसीव करना|receive karna|lena|pana|dekhna|sunna|prapt karna) ${want}`,
  says`(?:${calls_too}) (?:प्राप्त|रिसीव|receive|prapt) (?:${not}) (?:करना|करने|करनी|karna|krna|karne) (?:${want}|है|हैं|hai|h|hain)`,
  says`(?:${calls_too}) (?:${not}) (?:लेना|लेने|लेनी|lena|lene|leni)(?: (?:है|हैं|hai|hain))?`,
  says`(?:${calls_too}) (?:की|ki) (?:कोई )?(?:जरूरत|zaroorat|jarurat|zarurat) (?:${not})(?: (?:है|hai|h))?`,
  says`(?:${not}) ${want} (?:कि|की|ki|ke) (?:आप|कोई|मुझे|aap|koi|mujhe|ap)${between} (?:${call}|${message})`,
  says`(?:${remove})${between} (?:${mine}|${list})`,
  says`(?:न|ना|no|na) (?:${call}|${message})(?: ${want})? (?:न|ना|no|na) (?:${call}|${message})(?: ${want})?`,
  says`(?:${list})${between} (?:बाहर|bahar|baahar) (?:${act}|${give}|निकाल[^ ,]*|nikal[^ ,]*)`,
  says`(?:लिस्ट|list|सूची) (?:में|me|mein) (?:${not}) (?:रहना|रखो|रखें|rehna|rakho|rahna)`,
  says`(?:डू नॉट कॉल|डू नॉट डिस्टर्ब|डीएनडी|डी एन डी|dnd|do not call|do not disturb)(?: (?:लिस्ट|list))? (?:में|पर|मे|me|mein|pe|par) (?:डाल|रख|dal|daal|rakh|add)[^ ,]*`,
  says`(?:अनसब्सक्राइब|अनसबस्क्राइब|unsubscribe|unsub|opt out|ऑप्ट आउट)${between} (?:${do_it}|krdo|kardo|kar do|karna hai|krna h|करना है|होना है)`,
  says`(?:डाटा|डेटा|जानकारी|data|jankari|details)${some} (?:इस्तेमाल|उपयोग|प्रयोग|शेयर|use|istemal|share) (?:${not}) (?:${act})`,
  says`(?:डाटा|डेटा|जानकारी|data)${some} (?:आपत्ति|aapatti|apatti|एतराज|etraz|objection) (?!(?:${not}) )[^ ,]+`,
]
const why = 'क्यों|क्यू|क्यूं|kyu|kyo|kyon|kyun|kyu|q'
const questions = [
  says`(?:${call}|${message}) (?:से|se) (?:परेशान|तंग|pareshan|tang)(?: (?:हूं|हैं|है|हो|आ|hu|hoon|hun|hai|h|ho|aa|a))?`,
  says`(?:${call}|${message}) (?:${why}) (?:आ|कर|भेज|aa|a|kar|kr|bhej)(?:ते|ता|te|ta)? ?(?:रहे|रहा|रही|rahe|raha|rahi|rhe|rha|rhi|ho|हो|हैं|है)`,
  says`(?:${why})${between}(?: (?:बार|baar|bar|रोज|roz))? (?:${call}|${message}) (?:कर|भेज|आ|kar|kr|bhej|aa) ?(?:ते|रहे|te|rahe|rhe)(?: (?:हो|हैं|ho|hain|hai))?`,
  says`(?:बहुत|इतने|कितने|बार|रोज|bahut|bohot|itne|kitne|baar|bar|roz)(?: (?:ज्यादा|zyada|jyada))? (?:${call}|${message})(?: कर| kar| kr| आ| aa)? (?:आते|करते|भेजते|रहे|aate|ate|karte|krte|bhejte|bhejti|rahe|rhe)`,
  says`(?:फिर|phir|fir)(?: (?:से|se))? (?:आ गया|aa gaya|a gya|aa gya|आया|aaya)(?: (?:आपका|आप लोगों का|aapka|apka|tumhara))? (?:${call}|${message})`,
  says`(?:${message}|कॉल|calls?)${making}${between} (?:${end}) (?:${how}|हो सकत[^ ]|ho sakt[^ ])`,
  says`(?:${message}|कॉल|calls?)${making}${between} (?:${how}) (?:${end}|रोक|rok)[^ ,]*`,
  says`(?:${message}|कॉल|calls?) (?:बहुत|bahut|bohot)(?: (?:ज्यादा|zyada|jyada))? (?:आ|aa|आते|aate|ate)(?: (?:रहे|rahe|rhe))?(?: (?:है|हैं|hai|hain))?`,
  says`(?:${how}) (?:${end}|रोक[^ ,]*|rok[^ ,]*)${some} (?:${message}|कॉल|calls?)`,
  says`(?:मेरा|मेरे|mera) (?:${number})${some} (?:कहां|कहा|किसने|kaha|kahan|kisne|kidhar)`,
  says`(?:अनसब्सक्राइब|unsubscribe) (?:${how})|(?:${how}) (?:अनसब्सक्राइब|unsubscribe)`,
]

const phrases: Phrase[] = [
  ...demands.map((demand) => ({ says: demand, before: told, after: whatever })),
  {
    says: says`(?:${me}|${no_more})${at}${between} (?:मत|ना|न|mat|mt|na) (?:भेज|bhej)${ending}?`,
    before: [
      ...told.slice(0, -1),
      [contains`(?:${call}|${message}|${offer})`, 'opt_out'],
      [/^$|,$/, 'opt_out'],
      [endsWith`(?:${little}|${me}|(?:${not}) ${want}|${want}|है|हूं|था|लेना|hai|h|hoon|hu|tha|lena)${at}`, 'opt_out'],
      [anything, undefined],
    ],
    after: end_or_me,
  },
  {
    says: says`(?:${call}|${message})${making}${between} (?:${end}) (?:कर सकते|करेंगे|करोगे|करेंगी|kar sakte|kr sakte|karenge|karoge)(?: (?:हैं|हो|hain|hai|h|ho))?`,
    before: [...told_to_stop.slice(0, -1), [contains`आप|तुम|क्या|aap|ap|tum|kya`, 'opt_out'], [anything, undefined]],
    after: whatever,
  },
  {
    says: says`(?:${list})(?: (?:${me}|${little}|${no_more}|मेरा|हमारा|mera|hamara|इस|is|नाम|naam|name|${number})){0,4} (?:${remove})`,
    before: [
      ...told.slice(0, -1),
      [/^$|,$/, 'opt_out'],
      [
        endsWith`(?:${mine}|${me}|${little}|${no_more}|${number}|नाम|naam|name|कॉलिंग|calling|sms|call|कॉल|सदस्यता|मार्केटिंग|marketing)${at}`,
        'opt_out',
      ],
      [contains`(?:${number}|${me}|नाम|naam|name)`, 'opt_out'],
      [anything, 'unclear'],
    ],
    after: whatever,
  },
  { says: says`(?:${number}) (?:${remove})`, before: [[nothing, 'opt_out']], after: closed },
  {
    says: says`(?:${no_more})${between} (?:${call}|${message}) (?:किया|की|आया|आई|kiya|kia|ki|aaya|aayi) (?:तो|to)`,
    before: elsewhere.slice(0, 2).concat([[anything, 'opt_out']]),
    after: [[contains`${threat}`, 'opt_out']],
  },
  {
    says: says`(?:${no_more})${between} (?:${call}|${message}) (?:किया|की|आया|आई|kiya|kia|ki|aaya|aayi) (?:तो|to)`,
    before: [[contains`${threat}`, 'opt_out']],
    after: closed,
  },
  {
    says: says`(?:ये|यह|ye|yeh) (?:सब|sab) (?:${end}) (?:${do_it})`,
    before: [[nothing, 'unclear']],
    after: [[nothing, 'unclear']],
  },
  {
    says: says`(?:अगर|यदि|agar) (?:${no_more}) (?:${call}|${message}) (?:किया|की|आया|आई|kiya|kia|ki|aaya|aayi)`,
    before: [[contains`${threat}`, 'opt_out']],
    after: closed,
  },
  {
    says: says`(?:${end}) (?:${do_it})${between} (?!(?:फोन|phone|fone)(?! (?:कर|kar|kr))(?: |$))(?:${call}|${message})(?: (?:करना|भेजना|karna|krna|bhejna))?`,
    before: told_to_stop,
    after: end_or_me,
  },
  {
    says: says`(?:${no_more}) (?:मत|ना|न|mat|mt|na) (?:${act}|(?:लगा|मिला|laga|mila)${ending})`,
    before: [
      ...elsewhere,
      [contains`(?:${call}|${message}|गलत|रॉन्ग|galat|wrong|${number})`, 'opt_out'],
      [nothing, 'unclear'],
      [/,$/, 'unclear'],
      [anything, undefined],
    ],
    after: closed,
  },
  {
    says: says`(?:मना किया|बोला|कहा|mana kiya|mana kia|bola|kaha)(?: (?:था|है|ना|न|tha|hai|na))?(?: ,)? (?:मत|mat|mt) (?:${act})`,
    before: [
      [contains`(?:${call}|${message})`, 'opt_out'],
      [anything, undefined],
    ],
    after: closed,
  },
  {
    says: says`(?:मत|mat|mt) (?:किया|kiya|kia) (?:कर|kar|kr)[^ ,]*`,
    before: [...elsewhere, [contains`(?:${call}|${message}) .*,$`, 'opt_out'], [anything, undefined]],
    after: closed,
  },
  {
    says: says`(?:मुझे|हमें|हमको|mujhe|muje|hume|hamein|humko) (?:${remove})`,
    before: [
      [/(?:^|,)$/, 'opt_out'],
      [anything, 'unclear'],
    ],
    after: closed,
  },
  {
    says: says`(?:दिमाग|सिर|dimag|dimaag|sir|sar) (?:मत|mat|mt) (?:खा|खराब|चाट|kha|khaa|kharab|chaat|chat)[^ ,]*(?: (?:${act}))?`,
    before: [[anything, 'stop']],
    after: [
      [nothing, 'stop'],
      [startsWith`,|यार|मेरा|mera`, 'stop'],
      [anything, undefined],
    ],
  },
  { says: says`(?:फोन|phone|fone)${between} (?:${halt})`, before: unclear, after: end_or_me },
  {
    says: says`(?:(?!(?:फोन|phone|fone) (?:${end}) )(?:${call})|${message})${making}${between} (?:${halt})`,
    before: told_to_stop,
    after: end_or_me,
  },
  { says: says`(?:लिखना|भेजना|कॉल करना|likhna|bhejna) (?:${end}) (?:${do_it})`, before: told_to_stop, after: end_or_me },
  {
    says: says`(?:${message}|कॉल|कॉल्स|calls?|संपर्क|सम्पर्क|contact|sampark|${offer})${between} (?:${not}) ${want}`,
    before: told,
    after: end_or_me,
  },
  {
    says: says`(?:आपके|आपका|आपकी|aapke|aapka|apke|apka) (?:फोन|phone) (?:${not}) ${want}|(?:${not}) ${want}${between} (?:${message}|कॉल|calls?)`,
    before: told,
    after: end_or_me,
  },
  { says: says`(?:और|कोई|अब|no|aur|koi|ab) (?:${calls_too}) (?:${not})`, before: told, after: closed },
  {
    says: says`(?:${calls_too})${between} (?:${not}) (?:आ(?:ए|ये|एं|ना चाहिए|नी चाहिए|ने चाहिए|ना)|aa?(?:ye|e|na chahiye|ni chahiye|ne chahiye|na))|(?:${calls_too}) (?:आना|आने|आनी|aana|aane|aani) (?:${not}) ${want}`,
    before: told,
    after: closed,
  },
  {
    says: says`(?:${mine})${some} (?:${remove}|block kar do|ब्लॉक कर दो)`,
    before: [[endsWith`(?:बुकिंग|ऑर्डर|अपॉइंटमेंट|booking|order|appointment) (?:से|se)`, undefined], ...told],
    after: whatever,
  },
  {
    says: says`(?:${consent})${some} (?:वापस|रद्द|समाप्त|खत्म|wapas|wapis|vapas|vapis|radd|revoke|withdraw|cancel) (?!(?:${not}) )[^ ,]+`,
    before: told,
    after: [[anything, 'opt_out']],
  },
  {
    says: says`(?:पीछा|जान|पिंड|picha|peecha|pichha|jaan|pind) छोडो?|(?:पीछा|जान|picha|peecha|jaan) (?:छोड|chhod|chod)(?:ो|ें|िए|o|${give})?|(?:अकेला|akela|चैन से) (?:छोड|रहने|chhod|chod|rehne)${give}`,
    before: [[anything, 'stop']],
    after: [
      [nothing, 'stop'],
      [startsWith`,|मेरा|मेरी|हमारा|हमारी|mera|meri|यार|अब|ab`, 'stop'],
      [anything, undefined],
    ],
  },
  {
    says: says`(?:तंग|परेशान|tang|pareshan) (?:आ|हो|aa|ho) (?:गया|गई|गयी|चुका|चुकी|gaya|gayi|chuka|chuki)`,
    before: [
      [nothing, 'unclear'],
      [endsWith`(?:मैं|हम|main|mai|me|hum|इन|कॉल|calls?|मैसेज|messages?)(?: से| se)?`, 'unclear'],
    ],
    after: [[/^(?: (?:हूं|हु|मैं|हम|hu|hun|hoon|main|mai|यार))*$/, 'unclear']],
  },
  ...questions.map((question) => ({ says: question, before: unclear, after: unclear })),
]

const other = `${message}|व्हाट्सएप|whatsapp|email|ईमेल`
const message_only = `(?<=(?:मत|mat|mt) [^ ,]+(?: ,)? )(?:${other}) (?:${act})`
const another_way = contains`${message_only}|(?:की जगह|के बजाय|ki jagah|ke bajay)|(?:सिर्फ|केवल|बस|sirf|bas|keval) (?:${other})|(?:${other})(?: (?:पर|pe|par))? (?:कर|kar|kr|भेज|bhej)${give}|मैं खुद|main khud|mai khud`

export const hi: Language = {
  tag: 'hi',
  opt_outs: {
    words: listed(
      'stop, स्टॉप, स्टाप, unsub, अनसब्सक्राइब, अनसबस्क्राइब, मैसेज बंद, मैसेज बंद करो, एसएमएस बंद, कॉल बंद, ' +
        'msg band, msg band karo, message band, sms band, sms band karo, call band karo, dnd, डीएनडी, stop karo, ' +
        'स्टॉप करो, मुझे हटाओ, mujhe hatao',
    ),
    ordinary_words: listed(
      'गलत नंबर, गलत नंबर है, galat number, galat number hai, wrong number hai, कैंसिल, कैंसल, रद्द, रद्द करें, रद्द करो, समाप्त, खत्म, बंद, बंद करो, बंद करें, बंद कर दो, बंद कीजिए, बस, ' +
        'बस करो, बस करो यार, बस कर, बस कीजिए, नहीं चाहिए, मुझे नहीं चाहिए, कुछ नहीं चाहिए, मुझे कुछ नहीं चाहिए, ' +
        'बहुत हो गया, बस बहुत हो गया, बस बहुत हुआ, रहने दो, रहने दीजिए, हटाओ, हटा दो, हटाइए, छोड़ो, छोड़ दो, रोको, ' +
        'रोक दो, मत भेजो, मत करो, band karo, band kro, band kar do, band kijiye, bas karo, bas karo yaar, bas kro, ' +
        'bas kar, nahi chahiye, nhi chahiye, mujhe nahi chahiye, kuch nahi chahiye, mujhe kuch nahi chahiye, ' +
        'bahut ho gaya, bas bahut ho gaya, bas bahut hua, rehne do, rahne do, hatao, hata do, chhodo, chodo, ' +
        'chhod do, chod do, roko, khatam, mat bhejo, mat karo',
    ),
    phrases,
    another_way,
    at_once: ['तुरंत', 'तत्काल', 'फौरन', 'turant', 'tatkal', 'fauran'],
    fillers: [
      ...listed(
        'कृपया, कृप्या, प्लीज़, प्लीज, जी, भैया, यार, अरे, धन्यवाद, शुक्रिया, नमस्ते, नमस्कार, ' + 'हैलो, हेलो, सर, मैडम, महोदय, साहब',
      ),
      ...listed(
        'kripya, kripaya, krupya, plz, plzz, plss, bhaiya, bhaiyya, yaar, dhanyawad, dhanyavad, shukriya, ' +
          'namaste, namaskar',
      ),
      ...['भाई साहब', 'bhai sahab'],
    ],
  },
  opt_in_words: ['स्टार्ट'],
  help_words: ['मदद', 'सहायता', 'हेल्प', 'madad'],
  answers: {
    yes: listed(
      'हाँ, हां, हा, जी हाँ, हाँ जी, बिल्कुल, ठीक है, सही है, सही, हाँ ठीक है, ज़रूर, पक्का, जी बिल्कुल, ओके, यस, ' +
        'haan, han, ha, haa, haan ji, ji haan, bilkul, theek hai, thik hai, thik h, sahi hai, sahi, zaroor, pakka, ' +
        'yes, ok',
    ),
    no_more: listed(
      'मत भेजो, बंद करो, बंद कर दो, बंद कर दीजिए, कर दो, कर दीजिए, हाँ कर दो, हाँ बंद करो, यही चाहता हूँ, ' +
        'यही चाहती हूँ, स्टॉप, stop, mat bhejo, band karo, band kar do, band kar dijiye, kar do, kar dijiye, ' +
        'yahi chahta hoon, yahi chahti hoon',
    ),
    courtesies: listed('जी, ji, कृपया, प्लीज़, धन्यवाद, शुक्रिया, please, plz, thanks, dhanyawad, shukriya, kripya'),
  },
  sayings: {
    opt_out: 'अब आपको हमारी ओर से कोई संदेश नहीं मिलेगा। संदेश फिर से पाने के लिए START लिखें।',
    no_more_messages: 'अब आपको हमारी ओर से कोई संदेश नहीं मिलेगा।',
    no_more_calls: 'हम समझ गए। अब हम आपको कॉल नहीं करेंगे। नमस्ते।',
    no_more_question: 'क्या हम आपको कॉल करना और संदेश भेजना बंद कर दें?',
    press_key: 'अगर आप और कॉल नहीं चाहते, तो {key} दबाएँ।',
    star: 'स्टार',
    hash: 'हैश',
  },
}
