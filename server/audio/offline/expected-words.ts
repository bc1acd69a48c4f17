/**
 * Words that people often say to agents on the telephone. When the recogniser is unsure, they are more likely than words that
 * sound like them: "tomorrow at nine", and not "the model at nine".
 */
const words = `
yes yeah yep sure okay correct exactly no nope thank thanks please hello goodbye sorry again
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
twenty thirty forty fifty sixty seventy eighty ninety hundred thousand zero half quarter
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth fifteenth twentieth thirtieth
monday tuesday wednesday thursday friday saturday sunday
january february march april may june july august september october november december
today tomorrow tonight morning noon afternoon evening week weekend month next later earlier o'clock
name number address email phone account order booking reservation appointment people table person human manager
question problem price cost invoice payment delivery
call calling book cancel change reschedule confirm speak talk stop interested open closed located
`

/** The words both as they begin a sentence and as they stand inside of one. */
export const expected_words: string[] = words
  .split(/\s+/)
  .filter((word) => word !== '')
  .flatMap((word) => [word, `${word.charAt(0).toUpperCase()}${word.slice(1)}`])
