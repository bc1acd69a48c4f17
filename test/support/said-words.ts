import assert from 'node:assert/strict'
import type { Effect, EffectOf, Input } from '../../server/talk/input.ts'
import type { State } from '../../server/talk/state.ts'

interface Stepped {
  before: State
  input: Input
  state: State
  effects: Effect[]
}

/** The account that a test keeps of one reply. It knows only what goes in and what comes out. */
interface Account {
  asked: EffectOf<'ask'> | undefined
  /** What the model has said in answer to the current request. */
  words: string
  /** Whether the contact has got words since something had to be answered. */
  is_answered: boolean
}

const isFailure = ({ before, input }: Stepped): boolean => {
  if (!before.reply || before.phase !== 'thinking') return false
  if (input.type === 'ask_failed') return input.reply === before.reply.id
  const is_late = input.type === 'timer' && (input.name === 'first_piece' || input.name === 'answer')
  return is_late && (before.timers[input.name] ?? Number.POSITIVE_INFINITY) <= input.now
}

const ofType = <T extends Effect['type']>(effects: Effect[], type: T) =>
  effects.filter((effect): effect is Extract<Effect, { type: T }> => effect.type === type)

/** What is said while a model or a tool works. */
const isFiller = ({ input, effects }: Stepped): boolean =>
  (input.type === 'timer' && input.name === 'filler') ||
  effects.some(({ type }) => type === 'ask' || type === 'run_tool')

/** Whether the contact waits for what this tool has found out. A script says itself what follows, if anything. */
const findsOut = ({ before, input }: Stepped): boolean => {
  const run = input.type === 'tool_done' && before.open_runs.find((one) => one.run === input.run)
  if (!run || !before.settings.has_last_words) return false
  return run.name === 'book' || input.status !== 'succeeded'
}

/** Whether the contact waits for tools that are too late. */
const areTooLate = ({ before, effects }: Stepped): boolean =>
  before.settings.has_last_words && effects.some(({ type }) => type === 'stop_tool')

/**
 * Checks that a reply never ends before the contact has got words since the last failure, and since the last result of a tool;
 * and that the fallback is asked the same if, and only if, the request that failed has said nothing.
 */
export function checkWords(steps: Stepped[]): void {
  const accounts = new Map<string, Account>()
  const accountOf = (reply: string): Account => {
    const account = accounts.get(reply) ?? { asked: undefined, words: '', is_answered: false }
    accounts.set(reply, account)
    return account
  }
  for (const stepped of steps) {
    const { before, input, effects } = stepped
    const current = before.reply && accountOf(before.reply.id)
    if (current && input.type === 'piece' && input.reply === before.reply?.id && before.phase === 'thinking')
      current.words += input.text
    if (current && (isFailure(stepped) || findsOut(stepped) || areTooLate(stepped))) current.is_answered = false
    if (current && isFailure(stepped)) checkFailure(stepped, current)
    for (const effect of effects) {
      if (effect.type === 'say' && effect.text.trim() !== '' && !isFiller(stepped))
        accountOf(effect.reply).is_answered = true
      if (effect.type === 'press' && current) current.is_answered = true
      if (effect.type === 'ask') Object.assign(accountOf(effect.reply), { asked: effect, words: '' })
    }
    for (const reply of endedBy(stepped)) assert.ok(accountOf(reply).is_answered, 'the contact got words')
  }
}

/** Replies whose words are complete. Keys that were pressed, and a transfer, need no words. */
function endedBy({ before, state, effects }: Stepped): string[] {
  const has_pressed = before.ended_runs.some(({ name }) => name === 'press_digits')
  if (state.voice && (has_pressed || state.reply?.ending?.type === 'transfer')) return []
  if (state.voice)
    return ofType(effects, 'end_words').flatMap(({ reply }) => (reply === state.reply?.id ? [reply] : []))
  const complete = ofType(effects, 'write').filter(({ turn }) => !turn.is_interrupted)
  return complete.flatMap(({ turn }) => turn.reply ?? [])
}

function checkFailure({ before, effects, state }: Stepped, { asked, words }: Account): void {
  const { has_fallback, sentences, hand_over_message, can_hand_over, hands_over_on_failure } = before.settings
  assert.ok(asked)
  const again = ofType(effects, 'ask')
  if (has_fallback && !asked.is_fallback && words.trim() === '') {
    assert.deepEqual(again, [{ ...asked, is_fallback: true }], 'the fallback is asked the same')
    return
  }
  assert.deepEqual(again, [])
  const said = ofType(effects, 'say').map(({ text }) => text)
  const last = said.join('').trim()
  const may_be = [sentences.failed, sentences.goodbye, sentences.still_there, sentences.handed_over, hand_over_message]
  assert.ok(may_be.includes(last), `a sentence, not "${last}"`)
  const text = before.reply?.text ?? ''
  assert.match(text + said.join(''), text.trim() === '' ? /\S$/ : /\s\S+( \S+)*$/, 'after a space')
  if (hands_over_on_failure && can_hand_over && !before.reply?.ending)
    assert.equal(last, hand_over_message ?? sentences.handed_over)
  const turns = state.voice ? [] : ofType(effects, 'write').map(({ turn }) => turn)
  for (const { finish_reason, is_interrupted, role } of turns)
    if (role === 'agent') assert.deepEqual([finish_reason, is_interrupted], ['failed', false])
}
