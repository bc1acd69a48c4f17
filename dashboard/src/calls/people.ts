/** The people of the simulator. In a test workspace the last two digits of a number choose one. */
export const simulated_people: { value: string; label: string }[] = [
  { value: '00', label: 'A friendly person who agrees' },
  { value: '01', label: 'Someone who never answers' },
  { value: '02', label: 'A busy line' },
  { value: '03', label: 'Someone who rejects the call' },
  { value: '04', label: 'A number that doesn’t exist' },
  { value: '05', label: 'A voicemail with a beep' },
  { value: '06', label: 'A voicemail that is full' },
  { value: '07', label: 'A call-screening assistant' },
  { value: '08', label: 'A phone menu that wants the key 2' },
  { value: '09', label: 'Someone who says nothing' },
  { value: '10', label: 'Someone who asks for a person' },
  { value: '11', label: 'Someone who says “stop calling me”' },
  { value: '12', label: 'The wrong person' },
  { value: '13', label: 'Someone who interrupts' },
  { value: '14', label: 'Someone who hangs up mid-sentence' },
  { value: '15', label: 'Someone who talks without end' },
  { value: '16', label: 'A carrier error, answered on the second call' },
  { value: '17', label: 'A carrier that stops responding' },
  { value: '18', label: 'A carrier that reports twice and out of order' },
  { value: '19', label: 'Someone who pauses mid-sentence' },
]

/** A number that no one has, for a simulated person. */
export const fictionalNumber = (person: string): string => `+141555501${person}`
