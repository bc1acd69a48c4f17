import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { wishIn } from '../../server/consent/spoken.ts'
import { anyText, runs } from '../support/property-runs.ts'

const lines = (text: string): string[] => text.trim().split('\n')

/** Each was judged by a person: a clear wish opts out, an unclear one is asked about, and everything else is for the agent. */
const phrases = {
  opt_out: lines(`
Stop calling me.
STOP CALLING ME
stop calling me
Please stop calling.
Stop calling!
Can you stop calling me?
Could you please stop calling me
Would you just stop calling me already
I want you to stop calling me.
I'd like you to stop calling
I’d like you to stop texting me
I need you to stop contacting me, okay?
You need to stop calling me.
you have to stop calling us
You people should stop calling this number
I said stop calling me.
I said, stop calling me. Goodbye.
I told you to stop calling
I've told you twice, stop calling me
I have already asked you to stop calling me
I'm asking you to stop calling me
I'm not interested, stop calling me
i am not interested stop calling me
I'm not interested so please stop calling me thank you
Look, I already have a provider, and I have had a long day, so stop calling me, will you?
hello yes i already have a provider stop calling me
Stop calling me or I will call the police
Stop calling me because I'm not interested
Stop calling me on this number.
Stop calling me right now!
Stop calling me now
Stop, stop calling me
Stop stop calling me
s-stop calling me
St- stop c-calling me
Um, uh, stop calling me, sir
Stop fucking calling me
Stop calling my house
Stop calling and texting me
Stop calling or texting
Stop. Calling. Me!
stop calling me, I work nights
Why don't you stop calling me?
Why won’t you stop calling me
If you don't stop calling me I will call my lawyer
if you don’t stop calling me, I'll report you
Unless you stop calling me I'll call the police
I wish you would stop calling me
I would appreciate it if you would stop calling me
Quit calling me
Would you quit texting us
Stop all calls
stop these calls
Stop the calls, please.
I want you to stop these calls
Stop all these phone calls
stop your calls and messages
Stop sending me messages
Please stop sending me text messages
stop sending texts
Stop messaging me
Don't call me.
Don’t call me
Don't call me again
do n't call me again
don t call me again
dont call me no more
Do not call me any more
Do not ever call me again
Do not call again
Don't ever call here again!
Never call me again.
never ever call this number again
Please never contact me again
Don't you ever call me again
Don't you dare call me again
don't don't call me again
Do not do not call me again
Don't call or text me again
Don't call us, please
I told you, don't call me
I said don't call me
I'm not interested, don't call me, thanks
don't text me again
Don't text me
Do not contact us again
Don't message me anymore
Don't send me any more messages
Do not send me texts
You must not call me again
No more calls.
No more calls, please
No, no more calls
no more messages
I want no more calls
I said no more calls
No further calls please
I don't want any more calls
I don't want calls.
I do not want any calls from you
I don't want your calls anymore
I don't want to receive any more messages
I don't want to get these calls
I no longer want to receive calls
I don't want to be called again
I do not wish to be contacted
I don't want you to call me
I don't want you to call me anymore
I don’t want you calling me
I don't want to hear from you again
We don't want any calls
Unsubscribe
UNSUBSCRIBE!
un-subscribe
Unsubscribe me, please
I'd like to unsubscribe
I want to unsubscribe from these calls
Can you unsubscribe me?
Opt out
opt-out
Opt me out.
Please opt me out of your calls
I want to opt out
I wish to opt out of all messages
I'm going to opt out
Please opt my number out
put me on the do not call list
Put me on your do-not-call list!
Please add my number to the do not call registry
Can you place us on your internal do not call list
Remove my number
Please remove my number from your list
Remove me from your list
Take me off your list
take us off the calling list
Take my name off this list
Delete my number from your database
Please delete my number
I want to be removed from your list
I'd like to be taken off your call list
I want you to take me off your list
Lose my number.
Rufen Sie mich nicht mehr an.
rufen sie mich bitte nicht mehr an
Bitte rufen Sie mich nie wieder an
Rufen Sie hier nicht mehr an!
Rufen Sie mich nicht an
RUFEN SIE NIE WIEDER AN
Ruf mich nicht mehr an
Ruft uns nicht mehr an
Rufen Sie diese Nummer nicht mehr an
Ich habe gesagt, rufen Sie mich nicht mehr an
Kein Interesse, rufen Sie mich nicht mehr an, danke
ich habe kein interesse rufen sie mich nicht mehr an
Können Sie bitte nicht mehr anrufen?
Bitte nicht mehr anrufen
Nicht mehr anrufen, bitte
Nie wieder anrufen!
Sie sollen mich nicht mehr anrufen
ich möchte nicht mehr angerufen werden
Ich will nicht mehr kontaktiert werden.
Ich möchte nicht, dass Sie mich anrufen
Ich möchte nicht, dass Sie mich noch einmal anrufen
Ich will, dass Sie mich nicht mehr anrufen
Keine Anrufe mehr
Bitte keine weiteren Anrufe mehr
Keine Nachrichten mehr, bitte
Ich möchte keine Anrufe mehr bekommen
Ich will keine Nachrichten und Anrufe mehr
Ich wünsche keine Anrufe
Hören Sie auf, mich anzurufen
Hör auf mich anzurufen
Bitte hören Sie auf hier anzurufen
Hören Sie endlich mit den Anrufen auf
Schreiben Sie mir nicht mehr
Schicken Sie mir keine Nachrichten mehr
Kontaktieren Sie mich nicht mehr
Streichen Sie mich von Ihrer Liste
Nehmen Sie mich bitte von der Liste
Löschen Sie meine Nummer
Bitte löschen Sie meine Telefonnummer aus Ihrem System
Ich will nichts mehr von Ihnen hören
I want to stop receiving calls
I want to stop getting these calls
I do not want to receive any more phone calls from your company
Hey, listen, I've asked you several times now, please stop calling me
Okay so here's the thing, stop calling me, I mean it.
please do not call this number anymore
Can you please not call me again
I never want to hear from you again
I never want you to call me again
I don't wanna be called anymore
You are harassing me, stop calling
This is harassment. Stop calling this number.
Take me off of your list
Get me off your list
Can you take me off the list?
Please erase my number from your records
I'd like my number removed from your list
You should put me on the do not call list
I request to be put on your do not call list
Hi, please unsubscribe me from all of your messages
opt me out now
no more calls no more texts
For the last time, stop calling me!
For God's sake stop calling me
Stop calling my cell phone
You guys stop calling me
Yo stop calling me bro
stop calling me i have told you many times
DON'T CALL ME AGAIN
You can stop calling me now
You may not contact me again
Stop ringing me
Rufen Sie bitte nicht mehr hier an
Rufen Sie nicht mehr bei mir an
Ruf hier nie wieder an
Könnten Sie bitte aufhören, mich anzurufen
Ich will nicht mehr von Ihnen angerufen werden
Wir möchten keine weiteren Anrufe
Ich habe Ihnen gesagt, Sie sollen nicht mehr anrufen
Löschen Sie bitte meine Handynummer
Bitte nehmen Sie mich aus dem Verteiler
Stoppen Sie die Anrufe
Unterlassen Sie weitere Anrufe
Belästigen Sie mich nicht mehr
Ich möchte keine SMS mehr von Ihnen
You know what, stop calling me.
I don't know who you are but stop calling me
Please do not contact me in the future
I don't want any further contact
I do not want to be contacted by you
I would like to opt out of receiving calls
Please cease all communication
This is my work phone, don't call me here
Stop calling, I'm on the do not call list
Rufen Sie mich nicht mehr an sonst gehe ich zur Polizei
Ich habe kein Interesse, bitte nicht mehr anrufen
Ich möchte von Ihnen keine Anrufe mehr
`),
  stop: lines(`
Stop.
stop
STOP!
Stopp!
Stop, stop, stop.
S T O P
Stop all
Please stop.
Just stop
Stop it.
Stop it!
stop it now
Stop this
Oh stop that, please
No. Stop. Please.
Okay, stop
Can you stop?
Could you please stop it
I want you to stop
I said stop
Will you stop it already
Please stop, I'm not interested.
Um, stop, thank you
Leave me alone
Leave us alone!
Remove me
Take me off
Hör auf
Hören Sie auf!
Bitte aufhören
Stopp, bitte
Lassen Sie mich in Ruhe
Lass mich in Ruhe
enough, stop
Make it stop
Hey! Stop!
Stop bothering me
Jetzt hören Sie auf
Lasst uns in Ruhe
`),
  unclear: lines(`
My wife said stop calling
My wife said, "Stop calling me."
My husband told you to stop calling
She says don't call me again
He said no more calls
They told you to stop calling me
I can't unsubscribe
I couldn't opt out
I already unsubscribed
I've opted out
How do I unsubscribe?
How can I opt out?
Can I opt out?
How do I stop these calls?
When will you stop calling me?
When are you going to stop calling me?
You never stop calling me
You won't stop calling me!
You people don't stop calling
How can I make people stop calling me?
Can you tell the bank to stop calling me?
I wish my ex would stop calling me
Stop calling me at work
Stop calling me at night
Stop calling me before nine
Stop calling me Bob
Don't call me. Text me instead.
Stop calling me, text me
Don't text me, call me
Don't call.
If you stop calling me I'll be happy
Stop. Calling me.
Don't. Call me again.
My mother doesn't want any more calls
He wants to unsubscribe
I am on the do not call list
You should not call me
Meine Frau sagt, rufen Sie nicht mehr an
Meine Mutter möchte nicht mehr angerufen werden
Rufen Sie mich nicht mehr an, schreiben Sie mir lieber
Ich möchte mich abmelden
Is there a way to opt out?
I tried to unsubscribe
My son says you should stop calling
stop calling me darling
Stop calling me in the evening
Stop calling me every day
Stop calling my mother
Don't call me, I'll call you
Don't call me. Text me.
He doesn't want to be called
Are you going to stop calling me?
I withdraw my consent
Take me off the list for Monday
What does opt out mean?
Mein Mann möchte keine Anrufe mehr
My lawyer told me to tell you to stop calling
Someone said I should unsubscribe
Don't call me back
stop calling me so often
Don't call me again, unless it's about my order
Stop calling me, if the car isn't ready
Ruf mich nicht an, wenn ich arbeite
Rufen Sie mich bitte nicht mehr an, solange ich im Urlaub bin
Please only text me, don't call me
I'd rather you text me, don't call me
Could I be removed from your list?
Meine Tochter hat gesagt, Sie sollen nicht mehr anrufen
Ich bitte Sie, mich nicht mehr anzurufen
`),
  ordinary: lines(`
When does the alarm stop ringing?
my phone wouldn't stop ringing
My phone won’t stop ringing
Does the phone ever stop ringing
I will stop calling you
I'll stop messaging, call me instead
We'll stop calling
I am going to stop calling
I had to stop texting
Should I stop texting you?
Shall we stop calling?
Can I stop calling you?
I want to stop calling you
I'm not asking you to stop calling
I didn't ask you to stop calling me
I never told you to stop calling
I didn't say stop calling me
I don't want you to stop calling
Don't stop calling me
Please don’t stop calling me
do n't stop calling me
Never stop calling me
Don't you stop calling me
You don't have to stop calling me
You don't need to stop calling
No, more calls please
No. More calls, please.
Nein, mehr Anrufe bitte
can I opt out of the premium plan
I want to opt out of the insurance
I'd like to unsubscribe from the newspaper
I don't want to unsubscribe
I do not wish to opt out
I did not unsubscribe
Don't unsubscribe me
I never opted out
I'm not going to opt out
Don't take me off your list
Don't remove my number
Please don't delete my number
Take me off hold
Take me off speaker
Take me off the do not call list
Remove my number from the account and add my wife's
Take me off the waiting list
Stop by at five
Where is the bus stop?
Which stop is it
The last stop
The train doesn't stop here
Will it stop raining?
I can't stop laughing
Stop 5
Non-stop
Stop the music
Stop. I need to get a pen.
Don't stop
I stopped by yesterday
I will stop
Should I stop?
Cancel
Cancel my appointment
Cancel all my calls for today
End
Quit
I quit my job
Revoke
Unstoppable
Don't call me Bob
Don't call me before nine
Don't call me today
Don't call me tomorrow
Don't call me now
Don't call me when I'm at work
If I'm at work, don't call me
Don't call me again today
Don't call me again until Monday
They don't call me
You never call me
My kids never call
I don't call people
Why don't you call me?
Why don't you call me again tomorrow?
Please call me again
Call me anytime
Do not worry, call me again
Don't worry. Call me again.
I don't know, call me again later
No more questions
No more calls today please
No more calls on Monday
I have no more calls today
There were no more calls
Are there any more calls?
I want more calls
I don't want to miss any more calls
I don't want to miss your call
I don't want any more coffee
I don't want calls today
I don't want to be called Bob
Do you call me again?
How do I opt in?
Subscribe
Not interested
No thanks
Goodbye
I forgot my number
Did you lose my number?
I don't have a problem with calls
Rufen Sie mich an
Rufen Sie mich bitte wieder an
Rufen Sie mich heute nicht an
Rufen Sie mich nicht vor neun an
Warum rufen Sie nicht mehr an?
Warum rufen Sie mich nicht an
Ich rufe nicht mehr an
Wir rufen Sie nicht mehr an
Meine Kinder rufen mich nicht mehr an
Er ruft mich nicht mehr an
Ich habe heute keine Anrufe mehr
Keine Anrufe mehr heute
Hören Sie nicht auf, mich anzurufen
Ich höre auf, Sie anzurufen
Soll ich aufhören anzurufen?
Ich will nicht, dass Sie aufhören mich anzurufen
Ich möchte nicht abgemeldet werden
Ich möchte mich nicht abmelden
Löschen Sie meine Nummer nicht
Ich möchte angerufen werden
Ich möchte, dass Sie mich anrufen
Nicht mehr heute
Beenden
Kündigen
Haltestelle
Wo ist der nächste Stopp?
Please stop at the next exit
Stop talking so fast
Stop the recording
When do you stop taking calls?
we stop taking calls at five
I won't stop calling until I get an answer
They won't stop calling me
Scammers never stop calling me
Don't call back, I'll wait
I don't want you to call my wife
Don't contact my employer
Stop emailing me
I don't want any emails
Do not forget to call me again
I do not receive your messages
I got no more calls from you
no, I want more calls
I don't mind calls
I don't want to opt out of anything
Take me off mute
Remove me from the meeting
remove my number and use this one instead
Don't leave me alone
Rufen Sie nicht mich an, sondern meine Frau
Rufen Sie mich nicht so früh an
Ich werde nicht mehr anrufen
Soll ich nicht mehr anrufen?
Ich werde nicht mehr angerufen
Ich habe keine Nachrichten mehr bekommen
Ich will nicht aufhören
Ich möchte keinen Anruf verpassen
Nobody asked you to stop calling
There's no need to stop calling me
No need to unsubscribe me
I have no plans to opt out
You shouldn't stop calling me
I haven't unsubscribed
I'll never call this number again
Don't call me so often
Never call him again
put me on the list
Hören Sie auf mich
Er will nicht mehr anrufen
Ich kann Sie nicht mehr hören
`),
}

for (const [outcome, texts] of Object.entries(phrases))
  test(`${outcome}: what a person says in a call`, () => {
    const wrong = texts.flatMap((text) => {
      const found = wishIn(text)?.wish ?? 'ordinary'
      return found === outcome ? [] : [`${text} → ${found}`]
    })
    assert.deepEqual(wrong, [])
  })

test('case, apostrophes, fillers and spaces make no difference', () => {
  const spell = fc.constantFrom<(text: string) => string>(
    (text) => text.toUpperCase(),
    (text) => text.toLowerCase(),
    (text) => text.replaceAll("'", '’'),
    (text) => text.replaceAll(' ', '  '),
    (text) => `Um, ${text}`,
    (text) => `Okay, ${text}`,
    (text) => `"${text}"`,
    (text) => `${text} `,
  )
  const said = fc
    .constantFrom(...Object.entries(phrases))
    .chain(([outcome, texts]) => fc.tuple(fc.constant(outcome), fc.constantFrom(...texts)))
  fc.assert(
    fc.property(said, fc.array(spell, { maxLength: 3 }), ([outcome, text], spells) => {
      const spelled = spells.reduce((text, spell) => spell(text), text)
      assert.equal(wishIn(spelled)?.wish ?? 'ordinary', outcome, spelled)
    }),
    runs(),
  )
})

test('a clear wish is heard before and after other sentences', () => {
  const wish = fc.constantFrom(...phrases.opt_out)
  const other = fc.constantFrom(
    'I have a question.',
    'What is it?',
    'Good morning!',
    'Das ist mein Name.',
    'Nine to five.',
  )
  fc.assert(
    fc.property(wish, fc.array(other, { maxLength: 3 }), fc.array(other, { maxLength: 3 }), (wish, before, after) => {
      const text = [...before, `${wish}.`, ...after].join(' ')
      assert.equal(wishIn(text)?.wish, 'opt_out', text)
    }),
    runs(),
  )
})

test('any text is read, and a long one quickly', () => {
  const words = fc.constantFrom(...Object.values(phrases).flat().join(' ').split(' '))
  fc.assert(
    fc.property(
      fc.oneof(
        anyText(),
        fc.array(words).map((words) => words.join(' ')),
      ),
      (text) => {
        assert.ok([undefined, 'unclear', 'stop', 'opt_out'].includes(wishIn(text)?.wish))
      },
    ),
    runs(),
  )
  const pieces = [
    'stop ',
    'do not ',
    "n't ",
    'stop calling ',
    'no more ',
    'any more of the these ',
    'i have to ',
    's-',
    ', ',
    '. ',
    'x',
    ' ',
    "'",
    'take me off of your the calling ',
    'rufen sie mich ',
    'if ',
    'my ',
  ]
  for (const piece of pieces) wishIn(`${piece.repeat(100_000 / piece.length)}y`)
})
