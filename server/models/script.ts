import { printable, truncate } from '../kit/text.ts'
import type { Moment } from './dates.ts'
import { scoreIntent } from './intents.ts'
import { type Heard, isBetter, languageOf, listen, normalize, type Score, scorePhrases } from './matching.ts'
import { namesIn } from './names.ts'
import { type Branch, nodes_max, type Script, type ScriptNode, waits } from './script-schema.ts'
import { findSlot, type Slot } from './slots.ts'
import { fill, type Values } from './template.ts'

/** Where a conversation is in its script. */
export interface ScriptState {
  /** The current node. Null before the first step and after a hand-over: then the script begins at its start node. */
  node: string | null
  variables: Values
}

export type ScriptInput =
  /** The agent speaks first. */
  | { type: 'begin' }
  | { type: 'heard'; text: string; now: number }
  /** The contact has said nothing for a while. */
  | { type: 'silence' }
  | { type: 'tool_done'; is_ok: boolean; result?: unknown }

export interface ScriptSettings extends Omit<Moment, 'now'> {
  /** Values that placeholders have besides the variables: `contact.first_name`, `agent.name`, `now`. */
  values?: Values
  /** The people and places that the contact may ask for by name. */
  names?: readonly string[]
  /**
   * What the documents answer to the contact's words. Null if they have no answer. If it is missing, `looks_up` asks
   * for it.
   */
  knowledge?: string | null
}

export const step_reasons = [
  'begin',
  'hear',
  'intent',
  'slot',
  'knowledge',
  'else',
  'repeat',
  'silence',
  'tool',
] as const

/** Where the script has come to, and why. */
export interface TakenStep {
  /** The last node, or `@end` or `@hand_over` if it went there directly. */
  step: string
  reason: (typeof step_reasons)[number]
  /** The phrase of the script, or the name of the intent or slot. Null for other reasons. */
  heard: string | null
}

export interface ScriptStep {
  state: ScriptState
  taken: TakenStep
  /** What the agent says. Empty if it says nothing. */
  say: string
  next: 'wait' | 'end' | 'hand_over' | { tool: string; arguments: Record<string, unknown> }
  /** The values of slots that were heard. */
  results: Partial<Record<Slot, string>>
  /** Whether the contact must hear all of `say`. */
  is_uninterruptible: boolean
  /** What is to be looked up in the documents. The same step then follows again, with `knowledge`. */
  looks_up: string | null
}

const say_length_max = 4000
const variables_max = 200
const result_members_max = 20
const name_length_max = 100
const value_length_max = 1000

/** Returns the next step of a script, from its state and what happened. The same arguments give the same step. */
export function stepScript(
  script: Script,
  state: ScriptState,
  input: ScriptInput,
  settings: ScriptSettings = {},
): ScriptStep {
  const node = state.node === null ? undefined : nodeAt(script, state.node)
  const reaction = node ? reactAt(node, state, input, settings) : reactAtStart(script, state, input, settings)
  const because = { reason: reasons_by_input[input.type], heard: null, ...reaction.because }
  return follow(script, { ...state, ...reaction.state }, { ...reaction, because }, settings)
}

/** The reason of a step by its input, unless the reaction has another one. */
const reasons_by_input = { begin: 'begin', heard: 'else', silence: 'silence', tool_done: 'tool' } as const

/** Whether the contact may type its answer: the open node takes digits or a telephone number, or has a phrase of digits alone. */
export function awaitsDigits(script: Script, { node }: Pick<ScriptState, 'node'>, language: string): boolean {
  const { on = [] } = nodeAt(script, node ?? script.start) ?? {}
  const isDigits = (phrase: string) => /^[\d ]+$/.test(normalize(phrase, languageOf(language)))
  return on.some(({ slot, hear = [] }) => slot === 'digits' || slot === 'phone' || hear.some(isDigits))
}

/** Returns what happens at the current node: words, then the node to go to. Without `go` the agent stays and waits. */
interface Reaction {
  say?: string | undefined
  go?: string | undefined
  state?: Partial<ScriptState>
  results?: ScriptStep['results']
  is_uninterruptible?: boolean | undefined
  because?: Partial<Because>
  looks_up?: string
  /** Whether `say` is no template. */
  is_verbatim?: boolean
}

type Because = Omit<TakenStep, 'step'>

/**
 * Returns what happens at the start. The contact's first words may already answer the start node. If not, the agent
 * says what it has to say.
 */
function reactAtStart(script: Script, state: ScriptState, input: ScriptInput, settings: ScriptSettings): Reaction {
  const start = nodeAt(script, script.start)
  if (input.type === 'tool_done') return {}
  if (input.type !== 'heard' || !start) return { go: script.start }
  const branch = branchFor(start, state, hear(input, settings))
  if (branch) return branch
  const answer = start.answer_from_knowledge ? answerFromKnowledge(input.text, settings) : undefined
  if (answer) return { ...answer, state: { node: script.start } }
  return { go: script.start, because: { reason: 'begin' } }
}

/** Returns the answer of the documents, or undefined if they have none. */
function answerFromKnowledge(text: string, { knowledge }: ScriptSettings): Reaction | undefined {
  if (knowledge === undefined) return { looks_up: text }
  return knowledge === null ? undefined : { say: knowledge, is_verbatim: true, because: { reason: 'knowledge' } }
}

function reactAt(node: ScriptNode, state: ScriptState, input: ScriptInput, settings: ScriptSettings): Reaction {
  if (node.tool !== undefined) {
    // Only the tool's result continues the script: a tool must not run twice because the contact says something.
    if (input.type !== 'tool_done') return {}
    const variables = withResult(state.variables, node.tool, input.result)
    return { go: input.is_ok ? node.ok : node.failed, state: { variables } }
  }
  // Pressing digits has no result: whatever became of them, the script continues.
  if (input.type === 'tool_done') return node.press === undefined ? {} : { go: node.go }
  if (node.press !== undefined && !waits(node)) return {}
  switch (input.type) {
    case 'begin':
      return sayNode(node)
    case 'silence':
      return node.silence ?? {}
    case 'heard': {
      const message = hear(input, settings)
      const branch = branchFor(node, state, message)
      if (branch) return branch
      if (scoreIntent('repeat', message.heard)) return { ...sayNode(node), because: { reason: 'repeat' } }
      const answer = node.answer_from_knowledge ? answerFromKnowledge(input.text, settings) : undefined
      if (answer) return answer
      return node.else ?? sayNode(node)
    }
  }
}

const sayNode = ({ say, is_uninterruptible }: ScriptNode): Reaction => ({ say, is_uninterruptible })

interface Message {
  heard: Heard
  moment: Moment
  names: readonly string[]
}

const hear = ({ text, now }: { text: string; now: number }, settings: ScriptSettings): Message => ({
  heard: listen(text, languageOf(settings.language)),
  moment: { ...settings, now },
  names: settings.names ?? [],
})

/** Finds the branch that fits best: by score, then by the length of the phrase, then by their order. */
function branchFor(node: ScriptNode, state: ScriptState, message: Message): Reaction | undefined {
  let best: { branch: Branch; found: FoundBranch } | undefined
  const tried = new Set<string>()
  for (const branch of node.on ?? []) {
    // The first of equal branches wins, so the others need no work.
    const name = branch.intent ?? branch.slot
    if (name !== undefined && tried.has(name)) continue
    if (name !== undefined) tried.add(name)
    const found = scoreBranch(branch, message)
    if (found && isBetter(found, best?.found)) best = { branch, found }
  }
  if (!best) return undefined
  const { branch, found } = best
  const results = branch.slot && found.value !== undefined ? { [branch.slot]: found.value } : {}
  const { say, go } = branch
  return {
    say,
    go,
    results,
    state: { variables: { ...state.variables, ...results } },
    because: becauseOf(branch, found),
  }
}

function becauseOf({ intent, slot }: Branch, { phrase }: FoundBranch): Partial<Because> {
  if (phrase !== undefined) return { reason: 'hear', heard: phrase }
  return intent ? { reason: 'intent', heard: intent } : { reason: 'slot', heard: slot ?? null }
}

interface FoundBranch extends Score {
  /** The value of a slot. */
  value?: string
  /** The phrase that was heard best, of several. */
  phrase?: string
}

function scoreBranch(
  { hear, intent, slot, say, go }: Branch,
  { heard, moment, names }: Message,
): FoundBranch | undefined {
  if (hear) return scorePhrases(hear, heard)
  if (intent) return scoreIntent(intent, heard, go === '@hand_over' ? [...names, ...namesIn(say ?? '')] : names)
  return slot && findSlot(slot, heard, moment)
}

/** Goes from node to node until one waits, calls a tool, or the conversation ends. All that is said is one reply. */
function follow(
  script: Script,
  state: ScriptState,
  reaction: Reaction & { because: Because },
  settings: ScriptSettings,
): ScriptStep {
  const { results = {}, because, looks_up = null } = reaction
  const values = { ...state.variables, ...settings.values }
  const said = [reaction.say]
  let is_uninterruptible = reaction.is_uninterruptible === true
  let last_node: string | undefined
  const step = (node: string | null, next: ScriptStep['next'], end: string = script.start): ScriptStep => ({
    state: { ...state, node },
    taken: { step: last_node ?? node ?? end, ...because },
    say: reaction.is_verbatim ? truncate(reaction.say ?? '', say_length_max) : joinSaid(said, values),
    next,
    results,
    is_uninterruptible,
    looks_up,
  })
  let target = reaction.go
  if (target === undefined) return step(state.node, 'wait')
  for (let count = 0; count < nodes_max; count += 1) {
    if (target === '@end') return step(null, 'end', target)
    const node = nodeAt(script, target)
    // The target is `@hand_over`, or a node that is missing because nobody checked the script.
    if (!node) break
    last_node = target
    if (node.tool !== undefined) {
      return step(target, { tool: node.tool, arguments: fillArguments(node.with ?? {}, values) })
    }
    said.push(node.say)
    is_uninterruptible ||= node.is_uninterruptible === true
    if (node.press !== undefined) return step(target, { tool: 'press_digits', arguments: { digits: node.press } })
    if (waits(node) || node.go === undefined) return step(target, 'wait')
    target = node.go
  }
  return step(null, 'hand_over', '@hand_over')
}

const nodeAt = ({ nodes }: Script, name: string): ScriptNode | undefined =>
  Object.hasOwn(nodes, name) ? nodes[name] : undefined

/** Joins what is said. Stops when the reply is full, because a value can be much longer than its placeholder. */
function joinSaid(said: (string | undefined)[], values: Values): string {
  let text = ''
  for (const one of said) {
    const filled = one === undefined ? '' : fill(one, values).trim()
    if (filled !== '') text += (text && ' ') + filled
    if (text.length >= say_length_max) return truncate(text, say_length_max)
  }
  return text
}

/** Fills the placeholders of arguments. `checkScript` limits their depth. */
function fillArguments(members: object, values: Values): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, fillValue(member, values)]))
}

function fillValue(value: unknown, values: Values): unknown {
  if (typeof value === 'string') return fill(value, values)
  if (Array.isArray(value)) return value.map((item) => fillValue(item, values))
  return typeof value === 'object' && value !== null ? fillArguments(value, values) : value
}

/** Makes variables of a tool's result: `{{tool}}` if it is a single value, `{{tool.member}}` if it is an object. */
function withResult(variables: Values, tool: string, result: unknown): Values {
  const kept = Object.entries(variables).filter(([name]) => name !== tool && !name.startsWith(`${tool}.`))
  const is_object = typeof result === 'object' && result !== null
  const named: [string, unknown][] = is_object
    ? Object.entries(result).map(([name, value]) => [`${tool}.${name}`, value])
    : [[tool, result]]
  const added = named.flatMap(([name, value]) => {
    const variable = toVariable(value)
    return variable === undefined || name.length > name_length_max ? [] : [[printable(name), variable] as const]
  })
  return Object.fromEntries([...kept, ...added.slice(0, result_members_max)].slice(0, variables_max))
}

function toVariable(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'string') return printable(truncate(value, value_length_max))
  // JSON has no -0, so it becomes 0.
  if (typeof value === 'number') return value === 0 ? 0 : value
  return typeof value === 'boolean' ? value : undefined
}
