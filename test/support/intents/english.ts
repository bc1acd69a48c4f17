import { lines, type Sentences } from './sentences.ts'

/** Each sentence was judged by a person, as an answer to an agent on the telephone or in a chat. */
export const english: Sentences = {
  yes: {
    heard: lines(`
Yes.
yes please
Yeah, that would be nice
Oh yes, I'd love that
Sure!
sure, go ahead
Ok
Okay, thanks
All right then
Of course
Absolutely
absolutly
That works for me
That's right.
That is correct
Sounds good
No problem
Why not?
Perfect, thank you
Well, I guess yes
Yes, but what does it cost?
Great, what do I have to bring?
`),
    not_heard: lines(`
Is that correct?
Are you sure?
Is Tuesday all right?
I'm not sure
I do not think that works
that's not right
I had a great time at your office last week
He said yes to my sister, not to me
Where is the fine print?
I need to make sure first
The perfect day would be Friday
Let me ask my wife how that works
Does that sound good to you?
What is the correct address?
I'm fine, how are you?
What do I do now?
I yesterday wrote to you
There were ok and bad reviews
Can they go ahead without me?
Exactly how much is it?
nine
this year
`),
  },
  no: {
    heard: lines(`
No.
no thanks
No, thank you
Nope
Nah, I'm good
Not really
I don't want that
I do not need it
I'm not interested
That doesn't work
Tuesday doesn't work for me
I can't make it
I cannot come on Friday
That's wrong
that is not right
I'd rather not
Certainly not
Not at all
No way
I would never do that
I don't think so
Well, no
`),
    not_heard: lines(`
No problem
No worries at all
Thank you
thank you very much
Never mind, Tuesday is fine
I have never been there before
Something is wrong with my tooth
I called the wrong number yesterday
No idea what that means
I can't hear you
Is there no parking?
I know
I think I have a fever
My insurance number is nine
Can I come now?
I would like to know the price
The note says it is not urgent
There's no rush
Do I need an appointment, yes or no?
What is not included?
I forgot, was it five or six?
`),
  },
  repeat: {
    heard: lines(`
Pardon?
I beg your pardon?
Could you say that again?
say it again please
Can you repeat that?
Please repeat
Repeat the question, please
Come again?
What did you say?
what did you just say
I didn't catch that
I did not hear you
Sorry, I couldn't hear that
I didn't quite understand that
What was that?
Excuse me?
Sorry, what?
Once more, please
Could you tell me that again
Again please
I can't understand you
`),
    not_heard: lines(`
Can I book again next week?
I will come again on Monday
I need a repeat prescription
Can you repeat my prescription?
Excuse me, do you have parking?
I have not heard back from the office
I didn't get the invoice
My tooth hurts again
Call me again tomorrow
What was that fee for?
I would like to come once more in May
Thanks again
Is it open again?
I was there again yesterday
The pain comes again and again
I did not catch the bus
He has a hearing test
What did it cost?
Do I have to pay once more?
I said I want a cleaning
Never again
`),
  },
  human: {
    heard: lines(`
human
A person, please.
I want to talk to a person
I want to talk to a real person
Can I speak to a real person, please?
can I speak to someone
Could I please talk with somebody?
I'd like to speak to a human being
get me an operator
reprasentative
Operator!
Put me through to a colleague
Connect me to an agent
Please transfer me to your manager
Let me speak to your manager
I want a human
I need a real person
Speak to customer service
customer service please
Is there someone I can talk to?
I don't want to talk to a robot
I would rather speak to a person, please.
`),
    not_heard: lines(`
How much is it per person?
How many people are open for this?
Can I come in person?
A table for one person
Are you a real person?
Am I speaking to the right person?
Is this person available on Monday?
I left my number with your colleague.
The receptionist told me to write
The person who called was Anna
Your customer service is great
I am the manager of the house
Can I speak to Maria?
I speak some English
Can I talk about the price?
Do you treat someone like me?
I'm a travel agent
Your operator charges too much
My insurance agent sent me
It is human to forget
Somebody should fix the door
`),
  },
  stop: {
    heard: lines(`
STOP
stop stop
I said stop
Delete my number
Stop it
please stop calling me
Stop texting me
Stop sending this
stop sending me messages
Please stop these calls
don't call me again
Do not call me anymore
do not contact me
Don't text me
never call me again
unsubscribe
unsubcribe
take me off your list
Please remove my number
Remove me from the list
opt out
I want to opt out
Leave me alone
No more calls please
`),
    not_heard: lines(`
I do not know
the shop is closed
Where is the bus stop?
Does the train stop there?
I can't stop the bleeding
The pain does not stop
Did you not call me yesterday?
Why did you not call me?
Don't call me before nine
Can I call you?
I did not call
You may contact me
Do not cancel it
Should I stop taking the pills?
Can you remove the stain?
How do I contact you?
I stopped smoking
Take off your shoes?
I live alone
I will not text while driving
Do you remove wisdom teeth?
I have no more calls today, go ahead
`),
  },
  wrong_person: {
    heard: lines(`
wrong number
you have the wrong number
Sorry, you've got the wrong person
I think you have the wrong number.
You must have the wrong person
Wrong person
sorry, that's not me
That is not me
It's not me
I'm not him
I am not her
No, that isn't me
Nobody named Alex lives here
There is nobody called Alex
No one here by that name
He doesn't live here
She does not live here anymore
Alex does not work here
I don't know him
I do not know her
I'm not that person
I am not the person you want
`),
    not_heard: lines(`
Do I have the wrong number?
Did I dial the wrong number?
The wrong tooth was treated
I gave you the wrong number last time
I don't know yet
I don't know that one
It hurts not only me
My name is not on the list
Is this the right number?
I am not ready
It is not mine
Does he live in the city?
I live here
Nobody told me
Something is wrong
That does not work
I do not live far away
He is not in pain
I'm not sure
Do you know him?
Not me alone, my wife comes too
`),
  },
  busy: {
    heard: lines(`
I'm busy
I am a bit busy
I'm driving
I am driving right now
call me back later
Call me later
Can you call me back?
Please call back tomorrow
Try again later
not now
Not right now, sorry
it's a bad time
This is not a good time
I'm in a meeting
I am in a meeting right now
I have no time
I don't have time
Another time maybe
I can't talk
I can't talk right now
Later please
Maybe later
`),
    not_heard: lines(`
See you later
I'd like a later appointment
Is there anything later in the day?
Is the line busy?
It is a busy street
Are you busy on Mondays?
I lost my driving licence
Do you have driving directions?
What time do you close?
Is now a good time to ask?
I need it sooner or later
You never called me back
You did not call me back
I had a meeting with you
Two minutes later it broke
I can talk
I called you back
The time is fine
Did you call?
I want it now
Is it a bad sign?
`),
  },
  goodbye: {
    heard: lines(`
Goodbye!
Good bye
bye
bye bye
Okay, bye
Thanks, bye!
Thank you very much. Goodbye!
that's all, thank you
That's all
That is all for now
No, that's all. Thank you.
That was all I needed
That will be all
That is all I wanted to know
See you
See you later!
See you on Tuesday
Have a nice day
Have a great weekend, bye
Take care
Farewell
I'll hang up now
I have to go
`),
    not_heard: lines(`
Is that all included?
that is all I want to know: what does whitening cost?
that is all i want to know what does whitening cost
That's all. What does it cost?
Bye?
Is that all?
Is all that in the price?
All that hurts is one tooth
Goodbye, but how do I pay?
I'd like to see you on Tuesday at nine
Can I see you tomorrow?
Can you take care of my cat
I take care of my mother
It is a nice day for a walk
Don't hang up
Please do not hang up
I want to buy a gift
By the way, I have a question
Did he say goodbye to you?
That's all I ate before the pain began
Is that all right?
All I know is that it hurts
Would that be all?
`),
  },
}
