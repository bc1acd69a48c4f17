/** What people answer on the telephone, and what a script must understand of it to go on in the right way. */
export interface SpokenAnswer {
  text: string
  /** Is tested on lower-case words without punctuation. */
  right: RegExp
}

const yes = /\b(yes|yeah|yep|sure|fine|correct|right|okay|ok)\b/
const no = /\b(no|nope|not|don't|can't|isn't)\b/

export const spoken_answers: SpokenAnswer[] = [
  { text: 'Yes.', right: yes },
  { text: 'Yes, please.', right: yes },
  { text: 'Yeah, that works for me.', right: yes },
  { text: 'That is correct.', right: yes },
  { text: 'Sure, go ahead.', right: yes },
  { text: 'Okay, that sounds fine.', right: yes },
  { text: 'No.', right: no },
  { text: 'No, thank you.', right: no },
  { text: 'No, that is not right.', right: no },
  { text: "I don't think so.", right: no },
  { text: "I'm not interested.", right: no },
  { text: 'Tomorrow at nine.', right: /\bto ?morrow\b.*\b(nine|9)\b/ },
  { text: 'Tomorrow morning would be good.', right: /\bto ?morrow\b.*\bmorning\b/ },
  { text: 'On Monday at three.', right: /\bmonday\b.*\b(three|3)\b/ },
  { text: 'Could we do Thursday afternoon?', right: /\bthursday\b.*\bafternoon\b/ },
  {
    text: 'Next Friday at half past ten.',
    right: /\bfriday\b.*\b((half past|half passed) (ten|10)|10 ?30|ten thirty)\b/,
  },
  { text: 'At two o clock, please.', right: /\b(two|2)\b/ },
  { text: 'The fifteenth of March.', right: /\b(fifteenth|15th|15)\b.*\bmarch\b/ },
  { text: 'My name is Anna.', right: /\b(anna|ana|hannah)\b/ },
  { text: 'This is David Miller.', right: /\bdavid\b.*\bmiller\b/ },
  { text: 'It is under the name of Johnson.', right: /\bjohnson\b/ },
  { text: 'For four people.', right: /\b(four|4)\b/ },
  { text: 'A table for two, please.', right: /\b(two|2)\b/ },
  { text: 'There are six of us.', right: /\b(six|6)\b/ },
  { text: 'Seven three nine.', right: /\b(seven|7) ?(three|3) ?(nine|9)\b/ },
  {
    text: 'Five five five, one two three four.',
    right: /(five|5) ?(five|5) ?(five|5) ?(one|1) ?(two|2) ?(three|3) ?(four|4)/,
  },
  { text: 'My number is eight one six, four.', right: /\b(eight|8) ?(one|1) ?(six|6) ?(four|4)\b/ },
  { text: 'Can I speak to a person?', right: /\b(speak|talk)\b.*\b(person|human)\b/ },
  { text: 'Please call me back later.', right: /\bcall\b.*\bback\b/ },
  { text: 'Please stop calling me.', right: /\bstop calling\b/ },
  { text: 'Can you say that again?', right: /\bsay (that|it) again\b/ },
  { text: 'What does it cost?', right: /\bcosts?\b/ },
  { text: 'When do you open on Sunday?', right: /\bopen\b.*\bsunday\b/ },
  { text: 'I want to cancel my appointment.', right: /\bcancel\b.*\bappointment\b/ },
  { text: 'I would like to change my booking.', right: /\bchange\b.*\b(booking|bookings)\b/ },
  { text: 'Where are you located?', right: /\bwhere\b.*\blocated\b/ },
  { text: 'The blue one, please.', right: /\bblue\b/ },
  { text: 'I have a question about my order.', right: /\b(question|questions)\b.*\border\b/ },
  { text: 'Hello, who is calling?', right: /\bwho\b.*\bcalling\b/ },
  { text: 'Thank you, goodbye.', right: /\b(thank you|thanks|goodbye|good ?bye)\b/ },
]

/** Turns a text into the words on which `right` is tested. */
export const plainWords = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('-', ' ')
    .replace(/[^a-z0-9' ]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
