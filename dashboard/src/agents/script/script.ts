import type { Turn } from '../../../../server/conversations/schema.ts'
import type { Branch, Script, ScriptNode } from '../../../../server/models/script-schema.ts'

export type { Branch, Script, ScriptNode }

/** The names of the ends to which a conversation can go, besides steps. */
export const end_names = new Map([
  ['@end', 'End'],
  ['@hand_over', 'Hand over'],
])

export const targetName = (target: string): string => end_names.get(target) ?? target

type Intent = NonNullable<Branch['intent']>
type Slot = NonNullable<Branch['slot']>

export const intent_names: Record<Intent, string> = {
  yes: 'Yes',
  no: 'No',
  repeat: 'Asks to repeat',
  human: 'Asks for a person',
  stop: 'Stop',
  wrong_person: 'Wrong person',
  busy: 'Is busy',
  goodbye: 'Goodbye',
}

export const slot_names: Record<Slot, string> = {
  digits: 'Digits',
  date: 'A date',
  time: 'A time',
  phone: 'A phone number',
  name: 'A name',
  email: 'An email address',
}

/** A step's members are written in this order. */
const node_members = [
  'say',
  'press',
  'is_uninterruptible',
  'on',
  'answer_from_knowledge',
  'silence',
  'else',
  'go',
  'tool',
  'with',
  'ok',
  'failed',
] as const satisfies (keyof ScriptNode)[]

/**
 * Orders the members for people, who read `go` last. The API answers with `go` first in a branch, because it is
 * required.
 */
export function inOrder(script: Script): Script {
  const nodes = Object.entries(script.nodes).map(([name, node]): [string, ScriptNode] => [
    name,
    node.on ? { ...node, on: node.on.map(({ go, ...rest }) => ({ ...rest, go })) } : node,
  ])
  return withNodes(script, nodes)
}

/** Parses a script. Returns undefined if the text is not JSON, or too far from a script to show its steps. */
export function parseScript(text: string): Script | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isScript(value) ? value : undefined
  } catch {
    return undefined
  }
}

type Members = Record<string, unknown>
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown) => value === undefined || typeof value === 'string'
const isReaction = (value: unknown) =>
  value === undefined || (isMembers(value) && isText(value.say) && isText(value.go))

const isScript = (value: unknown): value is Script =>
  isMembers(value) &&
  typeof value.start === 'string' &&
  isMembers(value.nodes) &&
  Object.values(value.nodes).every(isNode)

const isNode = (node: unknown): boolean =>
  isMembers(node) &&
  [node.say, node.go, node.press, node.tool, node.ok, node.failed].every(isText) &&
  [node.silence, node.else].every(isReaction) &&
  (node.on === undefined || (Array.isArray(node.on) && node.on.every(isBranch)))

const isBranch = (branch: unknown): boolean =>
  isReaction(branch) &&
  isMembers(branch) &&
  isText(branch.intent) &&
  isText(branch.slot) &&
  (branch.hear === undefined || (Array.isArray(branch.hear) && branch.hear.every((one) => typeof one === 'string')))

/** A way out of a step, and why it is taken. */
export interface Exit {
  why: string
  say?: string | undefined
  /** The next step. Without it, the agent stays and waits. */
  go: string | undefined
}

export function exitsOf(node: ScriptNode): Exit[] {
  const { on = [], silence, else: otherwise, go, tool, ok, failed } = node
  return [
    ...on.map((branch) => ({ why: describeBranch(branch), say: branch.say, go: branch.go })),
    ...(otherwise ? [{ why: 'Anything else', ...pick(otherwise) }] : []),
    ...(silence ? [{ why: 'Silence', ...pick(silence) }] : []),
    ...(go === undefined ? [] : [{ why: 'Then', go }]),
    ...(tool === undefined
      ? []
      : [
          { why: 'Succeeds', go: ok },
          { why: 'Fails', go: failed },
        ]),
  ]
}

const pick = ({ say, go }: { say?: string | undefined; go?: string | undefined }) => ({ say, go })

function describeBranch({ hear, intent, slot }: Branch): string {
  if (hear) return hear.map((phrase) => `“${phrase}”`).join(', ') || 'Nothing yet'
  if (intent) return intent_names[intent] ?? intent
  return (slot && slot_names[slot]) ?? 'Nothing yet'
}

/** Describes what a greeting does with a script: the first step says its own words only later, if it says any. */
export function describeGreeting({ start, nodes }: Script, greeting: string): string {
  if (greeting === '') return `Leave blank to begin with the first step, “${start}”.`
  return nodes[start]?.say
    ? `Replaces the words of the first step, “${start}”. They are said only if no answer fits.`
    : `Said before the first step, “${start}”.`
}

/** "Heard “yes” → day". */
export function describeStep({ step, reason, heard }: NonNullable<Turn['script']>): string {
  return `${describeReason(reason, heard ?? '')} → ${targetName(step)}`
}

function describeReason(reason: NonNullable<Turn['script']>['reason'], heard: string): string {
  switch (reason) {
    case 'begin':
      return 'Start'
    case 'hear':
      return `Heard “${heard}”`
    case 'intent':
      return `Heard: ${(intent_names[heard as Intent] ?? heard).toLowerCase()}`
    case 'slot':
      return `Heard: ${(slot_names[heard as Slot] ?? heard).toLowerCase()}`
    case 'knowledge':
      return 'Answered from documents'
    case 'else':
      return 'No answer fits'
    case 'repeat':
      return 'Asked to repeat'
    case 'silence':
      return 'Silence'
    case 'tool':
      return 'Result of the tool'
  }
}

/** Changes members of a step. Undefined removes a member. */
export function changeNode(node: ScriptNode, changed: { [Name in keyof ScriptNode]?: ScriptNode[Name] | undefined }) {
  const merged: Members = { ...node, ...changed }
  const is_new = Object.keys(changed).some((name) => !Object.hasOwn(node, name))
  const names = is_new ? [...new Set([...node_members, ...Object.keys(merged)])] : Object.keys(merged)
  return Object.fromEntries(
    names.filter((name) => merged[name] !== undefined).map((name) => [name, merged[name]]),
  ) as ScriptNode
}

const withNodes = (script: Script, nodes: [string, ScriptNode][]): Script => ({
  ...script,
  nodes: Object.fromEntries(nodes),
})

export const replaceNode = (script: Script, name: string, node: ScriptNode): Script => ({
  ...script,
  nodes: { ...script.nodes, [name]: node },
})

/** Renames a step, in `start` and wherever a step leads to it. */
export function renameNode(script: Script, from: string, to: string): Script {
  const follow = (name: string) => (name === from ? to : name)
  const nodes = Object.entries(script.nodes).map(([name, node]): [string, ScriptNode] => [
    follow(name),
    changeTargets(node, follow),
  ])
  return { ...withNodes(script, nodes), start: follow(script.start) }
}

function changeTargets(node: ScriptNode, follow: (name: string) => string): ScriptNode {
  const inside = <Reaction extends { go?: string | undefined }>(reaction: Reaction): Reaction =>
    reaction.go === undefined ? reaction : { ...reaction, go: follow(reaction.go) }
  const changed: Partial<ScriptNode> = {}
  for (const name of ['go', 'ok', 'failed'] as const) {
    const target = node[name]
    if (target !== undefined) changed[name] = follow(target)
  }
  if (node.on) changed.on = node.on.map(inside)
  if (node.silence) changed.silence = inside(node.silence)
  if (node.else) changed.else = inside(node.else)
  return { ...node, ...changed }
}

export function deleteNode(script: Script, name: string): Script {
  const { [name]: _, ...nodes } = script.nodes
  return { ...script, nodes }
}

/** Moves a step by one place up (-1) or down (1). */
export function moveNode(script: Script, name: string, by: -1 | 1): Script {
  const nodes = Object.entries(script.nodes)
  const index = nodes.findIndex(([one]) => one === name)
  const [moved] = nodes.splice(index, 1)
  if (moved) nodes.splice(index + by, 0, moved)
  return withNodes(script, nodes)
}

export function addNode(script: Script, node: ScriptNode): { script: Script; name: string } {
  let number = Object.keys(script.nodes).length + 1
  while (Object.hasOwn(script.nodes, `step_${number}`)) number += 1
  const name = `step_${number}`
  return { script: replaceNode(script, name, node), name }
}

/** An error without the name of the step, which is shown beside it. `path` begins at the step. */
export interface StepError {
  path: string
  message: string
}

/** The errors of one step, out of all errors of a draft. */
export function errorsOf(name: string, errors: { path: string; message: string }[]): StepError[] {
  const place = `script.nodes.${name}`
  return errors
    .filter(({ path }) => path === place || path.startsWith(`${place}.`))
    .map(({ path, message }) => ({
      path: path.slice(place.length + 1),
      message: message
        .replace(/^(script\.)?nodes\.[^\s:]+:?\s*/u, '')
        .replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()),
    }))
}
