import { type Language, numbered, phrases, spellings } from './language.ts'

const units = numbered('ein zwei drei vier funf sechs sieben acht neun', 1)
const tens = { zwanzig: 20, dreissig: 30, vierzig: 40, funfzig: 50, sechzig: 60, siebzig: 70, achtzig: 80, neunzig: 90 }
const compounds = Object.entries(tens).flatMap(([ten, value]) =>
  Object.entries(units).map(([unit, ones]) => [`${unit}und${ten}`, value + ones] as const),
)
const numbers: Record<string, number> = {
  ...numbered('null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn', 0),
  ...numbered('sechzehn siebzehn achtzehn neunzehn', 16),
  ...units,
  zwo: 2,
  ...tens,
  ...Object.fromEntries(compounds),
}
const irregular_ordinals = { erste: 1, dritte: 3, siebte: 7, achte: 8 }
const regular_ordinals = Object.entries(numbers)
  .filter(([, value]) => value > 1 && value <= 31)
  .map(([word, value]) => [`${word}${value < 20 ? 'te' : 'ste'}`, value] as const)
const ordinals = [...regular_ordinals, ...Object.entries(irregular_ordinals)].flatMap(([word, value]) =>
  ['', 'n', 'r'].map((ending) => [word + ending, value] as const),
)

const title = '[herrn/herr/frau/dr/doktor/der/dem/den]'
const a =
  '[einem/einer/einen/eine/ein/dem/der/den/ihrem/ihrer/ihren/ihr/irgendeinem/irgendwem/einem] [echten/echte/richtigen/richtige/menschlichen/anderen/andere/ihrer]'
const somebody =
  'mensch/menschen/mitarbeiter/mitarbeitern/mitarbeiterin/person/personen/jemand/jemanden/jemandem/kollegen/kollegin/chef/chefin/' +
  'berater/beraterin/sachbearbeiter/sachbearbeiterin/kundendienst/kundenservice/zentrale/ansprechpartner'
const talk = 'sprechen/reden/telefonieren/verbinden/verbunden/durchstellen/spreche/rede'
const day = 'montag/dienstag/mittwoch/donnerstag/freitag/samstag/sonntag'

export const de: Language = {
  intents: {
    yes: {
      anywhere: phrases('^ja/jawohl/jo/jep, ja/jawohl$, ^warum nicht$, ^kein problem, kein problem$, auf jeden fall'),
      in_statements: phrases(
        '^genau/klar/sicher/gerne/gern/naturlich/ok/okay/richtig/stimmt/korrekt/passt/einverstanden/gut/perfekt/selbstverstandlich, ' +
          'genau/klar/sicher/gerne/gern/naturlich/ok/okay/richtig/stimmt/korrekt/einverstanden/gut/perfekt/selbstverstandlich$, ' +
          'in ordnung, das passt/stimmt/geht, passt mir/uns/gut$, sehr gern/gerne/gut$, so machen wir, machen wir so, machen wir$',
      ),
      but: phrases(
        'geht mir [sehr/ganz] gut, geht es mir [sehr/ganz] gut, mir geht es [sehr/ganz] gut, mir gehts gut, wenn das passt/geht/stimmt, ' +
          'ob das passt/geht/stimmt, guten',
      ),
    },
    no: {
      anywhere: phrases(
        '^nein/ne/nee/no, nein/nee$, kein/keinerlei interesse, nicht interessiert, nicht richtig/korrekt/moglich, lieber/eher nicht, ' +
          'auf keinen fall, ^niemals, niemals$, kein bedarf, ' +
          `das/es/da/dann/${day} passt/geht/klappt … nicht, ^geht/passt/klappt nicht, ^geht/passt/klappt [mir/bei/uns] [mir/uns] nicht, ` +
          'passt/geht/klappt bei mir/uns … nicht, passt mir/uns … nicht, ich/wir will/mochte/wollen/mochten [das/es/ihn/sie/so/was] nicht$, ' +
          'will/mochte ich nicht, ich/wir kann/konnen [da/dann/das/am/an] [montag/dienstag/mittwoch/donnerstag/freitag/tag/dem] nicht$, ' +
          'kann ich nicht$, ich brauche [das/es/keinen/nichts] nicht, brauche ich nicht, das/es stimmt … nicht, ^stimmt nicht, ' +
          'das/es ist … falsch, ^falsch$, ^leider nicht, naturlich/bestimmt/sicher/gar/absolut nicht$, geht/geht leider gar nicht',
      ),
      but: phrases(
        'no problem, nicht wahr, kein problem, falsche/falschen nummer/person, ja oder nein, oder nein, oder nicht',
      ),
    },
    repeat: {
      anywhere: phrases(
        'wiederholen sie, wiederholen sie das/es, sie/du/sich [das/es/ihre/die/den/dein] [frage/namen/satz/letzte/nummer] wiederholen, ' +
          '^wiederholen$, das/es wiederholen, wiederhole das/es, =nochmal, =noch mal, =noch einmal, ' +
          'sagen/sagst/sag/sagten sie/du [das/es/mir] [das/es] nochmal/nochmals, sagen/sagst/sag/sagten sie/du [das/es/mir] [das/es] noch mal/einmal, ' +
          'sag/sagen [das/es/mir] [das/es] nochmal, sag/sagen [das/es/mir] [das/es] noch mal/einmal, ' +
          'das/es [mir] nochmal sagen/erklaren, das/es [mir] noch mal/einmal sagen/erklaren, wie bitte, bitte was$, =was, ' +
          'was sagten/sagen sie, was sagtest du, was haben sie [da/jetzt] gesagt, was hast du [da/jetzt] gesagt, ' +
          'habe/hab [ich] [sie/das/dich/es/jetzt] [akustisch] nicht [ganz/richtig/gut/so] verstanden/gehort/mitbekommen, ' +
          'habe/hab [ich] [sie/das/dich/es/jetzt] [akustisch] nicht … verstanden/gehort was, ^nicht [ganz/richtig] verstanden/gehort, ' +
          'verstehe sie/dich [so/sehr] nicht/schlecht, sie/dich [so/sehr] nicht/schlecht horen/verstehen',
      ),
      but: phrases('noch mal/einmal danke/vielen, nochmal danke/vielen'),
    },
    human: {
      anywhere: phrases(
        `=${somebody}, =[ein/einen/eine/einem/einer] [echten/echte/echter/richtigen/richtige/richtiger] ${somebody}, ` +
          `mit ${a} ${somebody} … ${talk}, ${talk} … mit ${a} ${somebody}, mit … ${somebody} ${talk}, ` +
          `zu/an ${a} ${somebody} … durchstellen/weiterleiten/verbinden, ${a} ${somebody} ${talk}, ` +
          `geben/gib/holen/hol sie/mir/du [mir/mich] ${a} ${somebody}, verbinden/verbinde/stellen sie/mich [mich] … mit/zu ${a} ${somebody}, ` +
          `ich will/mochte/brauche/hatte/bevorzuge [gern/gerne/lieber] [einen/eine/ein] [echten/echte/richtigen/richtige] ${somebody}$, ` +
          'echten/echte/richtigen/richtige mensch/menschen/person/mitarbeiter/mitarbeiterin$, ' +
          'ist da/denn [da/denn] jemand/niemand, ist jemand da, ist jemand [echtes/anderes] … zu sprechen, ' +
          `nicht mit [einem/einer] roboter/maschine/computer/bot/automaten ${talk}, kein/keinen/keine bot/roboter/maschine/automaten$`,
      ),
      by_name: phrases(
        `mit ${title} @ … ${talk}, ${talk} [sie/ich] [mich] mit/zu ${title} @, ich/kann/konnte/mochte … ${title} @ sprechen, ` +
          `zu/an ${title} @ durchstellen/weiterleiten, ist ${title} @ da/frei/erreichbar/im/zu, geben/holen sie mir ${title} @`,
      ),
      but: phrases(
        'sind sie [ein/eine] [echter/echte/richtiger/richtige] mensch/person/mitarbeiter/mitarbeiterin, ' +
          'bist du [ein/eine] [echter/echte/richtiger/richtige] mensch/person, spreche ich [gerade/hier] mit, rede ich [gerade/hier] mit, ' +
          'pro person, fur … personen/person',
      ),
    },
    stop: {
      anywhere: phrases(
        '=stopp/stop [stopp/stop], ^stopp/stop$, ^aufhoren$, ^abmelden$, ^abbestellen$, horen sie [damit/mich] auf, hor/hort [damit] auf, ' +
          'mich/uns [vom/von/hier] [newsletter] abmelden, melden sie mich/uns [vom/von] [newsletter] ab, ' +
          'newsletter/nachrichten/sms/werbung/anrufe abbestellen, ' +
          'rufen/ruf/ruft/schreiben/schreib/schreibt/kontaktieren [sie/ihr] [mich/uns/mir/hier] nicht/nie/niemals [mehr/wieder/noch/an], ' +
          'nicht/nie/niemals mehr/wieder anrufen/anruft/schreiben/kontaktieren/melden/angerufen/kontaktiert/anzurufen, ' +
          'mich/uns/mir nicht/nie anrufen/schreiben/kontaktieren, bitte nicht anrufen, nicht anrufen$, ' +
          'keine/keinen [weiteren/werbe/weitere] anrufe/anruf/nachrichten/sms/werbung mehr, ' +
          '^keine [weiteren] anrufe/nachrichten/sms, will/mochte/wunsche [ich] keine [weiteren] anrufe/nachrichten/sms/werbung, ' +
          'loschen sie [bitte] mich/meine/meinen, nehmen/streichen sie mich/uns/meine [nummer] von/aus, lassen/lass/lasst sie/mich/ihr/uns [mich/uns] in ruhe, in ruhe lassen',
      ),
      but: phrases(
        'warum/wieso rufen/ruft/schreiben, nicht/nie vor/nach/zwischen/heute/morgen/am/um, loschen sie meinen termin, loschen sie meine termine/bestellung',
      ),
    },
    wrong_person: {
      anywhere: phrases(
        'falsche/falschen person/nummer, haben [sie] sich [wohl/da/leider] verwahlt, hat sich [wohl/da] verwahlt, =verwahlt, ' +
          'sie/da verwahlt, falsch verbunden, nicht ich$, das bin [ich] nicht [ich], bin ich nicht$, ' +
          'ich bin [gar/uberhaupt] nicht herr/frau/der/die/dieser/diese, kenne ich/ihn/sie/den/diesen/diese/dich [person/mann/frau/herrn/herr] [nicht/gar] nicht, ' +
          'kenne ich/ihn/diesen/diese [person/mann/frau/herrn] nicht, den/die/diese/diesen [person/mann/frau/herrn/namen] kenne ich … nicht, ' +
          'wohnt/arbeitet hier/da/bei … nicht [mehr], wohnt/arbeitet nicht [mehr] hier/da/bei, hier wohnt/arbeitet … kein/keine/niemand/nicht, ' +
          'hier gibt es keinen/keine, hier heisst niemand, niemand … heisst/namens',
      ),
      but: phrases(
        'habe ich … falsche/falschen nummer, habe ich mich verwahlt, ich habe mich … verwahlt, bin ich … falsch verbunden, ' +
          'falsche/falschen nummer angegeben/eingegeben/notiert/gegeben/geschrieben/hinterlassen, meine nummer … falsch, ist das die falsche nummer',
      ),
    },
    busy: {
      anywhere: phrases(
        'keine zeit, bin [ich] [grad/sehr/ziemlich/momentan/zurzeit/im] beschaftigt, ^beschaftigt$, ^spater$, ' +
          'gerade/grad/jetzt/momentan [ganz/sehr/eher/ist/ists] schlecht/ungunstig, schlecht gerade/jetzt, ' +
          'passt [es/mir/uns] gerade/jetzt/grad … nicht/schlecht, passt gerade/jetzt/grad, im/in [einem/einer/dem/der] termin/besprechung/meeting/sitzung$, ' +
          'am steuer, fahre [ich] gerade/grad/auto, im auto$, anderes/anderen mal, ' +
          'rufen/ruf/melden [sie] [mich/sich] spater/morgen [wieder/nochmal/noch], rufen/ruf sie/mich [mich/uns] [spater/morgen/nachher] [wieder/nochmal/noch] zuruck, ' +
          'spater/morgen/nachher [wieder/noch/nochmal] [mal/einmal] an/anrufen/zuruck/zuruckrufen/melden, ruckruf, ' +
          'zuruckrufen, gerade/jetzt nicht sprechen/reden/telefonieren, kann jetzt nicht$, kann gerade/grad nicht$, jetzt nicht$',
      ),
      in_statements: phrases('spater$'),
      but: phrases(
        'termin/uhr/etwas/ein/einen spater, fruher oder spater, nicht zuruckgerufen, keinen ruckruf, ruckruf bekommen/erhalten, ' +
          'keine zeit verloren/verlieren, sind/seid sie/ihr beschaftigt, mit … beschaftigt, rufe … spater/morgen/zuruck',
      ),
    },
    goodbye: {
      in_statements: phrases(
        '^auf wiedersehen/wiederhoren, auf wiedersehen/wiederhoren$, ^wiedersehen/wiederhoren$, ^tschuss/tschus/tschau/ciao, ' +
          'tschuss/tschus/tschau/ciao$, schonen/schones [tag/abend/wochenende/feierabend] noch$, schonen/schones [restlichen] tag/abend/wochenende/feierabend, ' +
          '^bis dann/bald/morgen/spater/nachher$, das wars [schon]$, das war es [schon]$, das ist/war [schon/auch] alles$, ' +
          'ich lege/leg [jetzt/dann] auf, lege/leg ich [jetzt/dann] auf, muss [jetzt/dann] auflegen/los$, werde [jetzt] auflegen, ^[dann] auflegen$, machs/mach gut, machen sie es gut',
      ),
      but: phrases(
        'nicht auflegen, nicht auf, auf wiedersehen gesagt/sagen, einen schonen tag/abend hatte/gehabt, war/ist [ein] schoner tag/abend',
      ),
    },
  },
  negations: phrases('nein, ne, nee, nicht, kein, keine, keinen, nie, niemals, no'),
  openers: phrases(
    'ah, ahm, oh, also, na, ja, nein, ne, nee, und, aber, dann, gut, ok, okay, danke, vielen, dank, bitte, hallo, entschuldigung, guten, ' +
      'tag, so, super, alles, klar, prima, sorry, leider, doch',
  ),
  closers: phrases(
    'bitte, danke, vielen, dank, schon, dann, fur, heute, jetzt, erstmal, noch, ihnen, ja, so, sehr, alle, allerseits, zusammen, mal, tschuss, ' +
      'von, mir, meinerseits, vorerst',
  ),
  fillers: phrases(
    'ah, ahm, bitte, mal, doch, eben, halt, aber, ja, auch, leider, gerade, also, einfach, kurz, vielleicht, gern, gerne, lieber, jetzt, direkt, endlich, sofort',
  ),
  question:
    /^(?:was|wann|wo|wer|wem|wen|warum|wieso|weshalb|wohin|woher|wieviel|welche[rsnm]?|wie(?! (?:gesagt|immer|besprochen|schon))|(?:ist|sind|war|waren|kann|konnen|konnten|konnte|haben|hat|habe|gibt|kostet|muss|mussen|soll|darf|brauche|bekomme|bekommen|wird|werden|geht|bieten|nehmen) (?:ich|sie|er|es|wir|das|die|der|man|denn|ihr|dort|da|eine?|mir|dies))(?![^ ])/,
  numbers,
  multipliers: [
    ['tausend', 1000],
    ['hundert', 100],
  ],
  and: 'und',
  repetitions: { doppel: 2, doppelt: 2 },
  zero_names: [],
  plus: 'plus',
  ordinals: Object.fromEntries(ordinals),
  before_ordinal: ['am', 'den', 'der', 'dem', 'zum'],
  weekdays: spellings('montag, dienstag, mittwoch, donnerstag, freitag, samstag sonnabend, sonntag'),
  months: spellings(
    'januar jan janner, februar feb, marz, april apr, mai, juni jun, juli jul, august aug, september sep sept, ' +
      'oktober okt, november nov, dezember dez',
  ),
  days: [
    ['ubermorgen', 2],
    ['uebermorgen', 2],
    ['morgen', 1],
    ['heute', 0],
    ['gestern', -1],
  ],
  greetings: ['guten morgen'],
  units: { tag: 1, tage: 1, tagen: 1, woche: 7, wochen: 7 },
  next: ['nachste', 'nachsten', 'nachster', 'nachstes', 'kommende', 'kommenden'],
  week: 'woche',
  is_month_first: false,
  times: [
    { pattern: /\b(\d{1,2}) ([0-5]\d) uhr\b/, minutes: (hour, minute) => hour * 60 + minute },
    { pattern: /\bhalb (\d{1,2})\b/, minutes: (hour) => hour * 60 - 30 },
    { pattern: /\bviertel nach (\d{1,2})\b/, minutes: (hour) => hour * 60 + 15 },
    { pattern: /\bviertel vor (\d{1,2})\b/, minutes: (hour) => hour * 60 - 15 },
    { pattern: /\bdreiviertel (\d{1,2})\b/, minutes: (hour) => hour * 60 - 15 },
    { pattern: /\b(\d{1,2}) (?:minuten )?nach (\d{1,2})\b/, minutes: (minute, hour) => hour * 60 + minute },
    { pattern: /\b(\d{1,2}) (?:minuten )?vor (\d{1,2})\b/, minutes: (minute, hour) => hour * 60 - minute },
    { pattern: /\b(?:mittag|mittags)\b/, minutes: () => 12 * 60, is_exact: true },
    { pattern: /\bmitternacht\b/, minutes: () => 0, is_exact: true },
    { pattern: /\b(\d{1,2}) uhr(?: ([0-5]?\d))?\b/, minutes: (hour, minute) => hour * 60 + minute },
    { pattern: /\b(?:um|gegen|ab) (\d{1,2})(?: ([0-5]\d))?\b/, minutes: (hour, minute) => hour * 60 + minute },
  ],
  morning: /\b(?:morgens|vormittag|vormittags|fruh|nachts)\b/,
  afternoon: /\b(?:nachmittag|nachmittags|abend|abends)\b/,
  at: 'at',
  dot: 'punkt',
  name: /\b(?:mein name ist|ich hei(?:ß|ss)e)\s/i,
  weak_name: /\b(?:ich bin|ich bin's|hier ist|hier spricht|name ist|das ist)\s/i,
  not_names: phrases(
    'aber, am, an, auch, auf, aus, bei, bin, bitte, das, der, die, ein, eine, einen, es, fur, guten, hallo, ich, im, in, ' +
      'interessiert, ist, kann, mein, mit, mochte, oder, sie, um, und, wann, was, wer, wie, wir, wo, zu, heute, ' +
      'morgen, tag',
  ),
  weak_not_names: phrases(
    'abbestellen, abmelden, anderes, anrufe, anrufen, aufhoren, auflegen, bald, beschaftigt, besprechung, bis, ' +
      'chef, ciao, danke, dann, echte, einmal, einverstanden, fall, falsch, falsche, gehort, geht, genau, gerade, ' +
      'gern, gerne, gesagt, gut, haben, interesse, ja, jawohl, jeden, jemand, jemandem, jo, kein, keine, keinen, ' +
      'kenne, klar, kollegen, korrekt, kundendienst, lieber, loschen, mal, mehr, mensch, menschen, mitarbeiter, ' +
      'mitarbeiterin, moglich, nachrichten, naturlich, ne, nee, nein, nicht, niemals, no, noch, nochmal, nummer, ' +
      'ok, okay, ordnung, passt, perfekt, person, problem, richtig, richtige, ruckruf, ruhe, sagten, schlecht, ' +
      'schonen, sehr, sicher, spater, sprechen, steuer, stimmt, stop, stopp, termin, tschau, tschus, tschuss, ' +
      'verbunden, verstanden, verwahlt, wars, warum, wiederholen, wiederhoren, wiedersehen, will, wohnt, zeit, ' +
      'zentrale, zuruckrufen',
  ),
}
