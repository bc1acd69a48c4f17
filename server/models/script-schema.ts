import { type Static, Type } from 'typebox'
import { multiline, oneOf, text } from '../kit/field.ts'
import { addFault } from '../kit/http/validate-text.ts'
import type { Fault } from '../kit/problem.ts'
import { storable, truncate } from '../kit/text.ts'
import { intents } from './languages/language.ts'
import { slots } from './slots.ts'

export const nodes_max = 500
/** A script may have this many bytes as JSON. */
const script_bytes_max = 256_000
/** The phrases of one node may have this many bytes, because all of them are compared with each message. */
const phrase_bytes_max = 64_000
/** Where a conversation can go instead of to a node. */
const ends = ['@end', '@hand_over'] as const

const branches_max = 100
const phrases_max = 100

const say = text({
  maxLength: 4000,
  ...multiline,
  description:
    'What the agent says. `{{contact.first_name|there}}` is replaced with a value, or with the default after `|`.',
  examples: ['Is Tuesday at nine all right?'],
})
const go = text({
  maxLength: 64,
  description: 'The name of the next node, or `@end` or `@hand_over`.',
  examples: ['book'],
})

const Branch = Type.Object(
  {
    hear: Type.Optional(
      Type.Array(text({ maxLength: 200 }), {
        maxItems: phrases_max,
        description: 'Phrases, of which one must be heard.',
        examples: [['yes', 'that works']],
      }),
    ),
    intent: Type.Optional(oneOf(intents, { description: 'A built-in list of phrases.' })),
    slot: Type.Optional(
      oneOf(slots, { description: 'A value that must be heard. It becomes the variable of that name.' }),
    ),
    say: Type.Optional(say),
    go,
  },
  { description: 'Has exactly one of `hear`, `intent` and `slot`.', additionalProperties: false },
)
export type Branch = Static<typeof Branch>

const Reaction = (description: string) =>
  Type.Object({ say: Type.Optional(say), go: Type.Optional(go) }, { description, additionalProperties: false })

export const ScriptNode = Type.Object(
  {
    say: Type.Optional(say),
    on: Type.Optional(Type.Array(Branch, { maxItems: branches_max, description: 'What the contact may answer.' })),
    silence: Type.Optional(Reaction('When the contact says nothing. Without `go` the agent keeps waiting.')),
    else: Type.Optional(Reaction('When nothing of `on` is heard. Without it the agent repeats `say`.')),
    go: Type.Optional(go),
    answer_from_knowledge: Type.Optional(
      Type.Boolean({
        description:
          'Whether what nothing of `on` hears is looked up in the documents of the agent. If they answer it, their sentences are said ' +
          'word for word, and the agent stays at the node. If not, `else` follows, which is required.',
        examples: [true],
      }),
    ),
    press: Type.Optional(
      text({
        maxLength: 20,
        pattern: '^[0-9*#]+$',
        description: 'In calls: the digits to press after `say`, of 0 to 9, `*` and `#`.',
        examples: ['2'],
      }),
    ),
    is_uninterruptible: Type.Optional(
      Type.Boolean({
        description: "In calls: whether the contact can't interrupt `say`, and all that is said with it.",
        examples: [true],
      }),
    ),
    tool: Type.Optional(text({ maxLength: 64, description: 'The name of the tool to call.', examples: ['book_slot'] })),
    with: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: {},
        description: "The tool's arguments. Placeholders in texts are replaced.",
        examples: [{ day: '{{date}}' }],
      }),
    ),
    ok: Type.Optional(text({ maxLength: 64, description: 'Where to go if the tool succeeds.', examples: ['done'] })),
    failed: Type.Optional(
      text({ maxLength: 64, description: 'Where to go if the tool fails.', examples: ['@hand_over'] }),
    ),
  },
  {
    description:
      'Has `say`, `press`, `on`, `answer_from_knowledge`, `silence`, `else` and `go`, or `tool`, `with`, `ok` and `failed`.',
    additionalProperties: false,
  },
)
export type ScriptNode = Static<typeof ScriptNode>

/** `checkScript` checks what this schema can't say. */
export const Script = Type.Object(
  {
    start: text({ maxLength: 64, description: 'The name of the first node.', examples: ['greet'] }),
    nodes: Type.Unsafe<Record<string, ScriptNode>>({
      type: 'object',
      additionalProperties: ScriptNode,
      description: `At most ${nodes_max} nodes, by name.`,
      examples: [
        {
          greet: {
            say: 'Hello, is Tuesday at nine all right?',
            on: [
              { intent: 'yes', go: 'done' },
              { intent: 'human', go: '@hand_over' },
            ],
          },
          done: { say: 'See you on Tuesday.', go: '@end' },
        },
      ],
    }),
  },
  { title: 'Script', additionalProperties: false },
)
export type Script = Static<typeof Script>

/** Returns whether the agent waits for the contact at this node. */
export const waits = ({ on, silence, else: otherwise }: ScriptNode): boolean =>
  (on !== undefined && on.length > 0) || silence !== undefined || otherwise !== undefined

const node_name = /^[\p{L}\p{N}][\p{L}\p{N}_-]{0,63}$/u
const name_shown_max = 64
const circle_shown_max = 10
const arguments_depth_max = 8

/** Checks a script that its schema has accepted. Paths begin at the script. */
export function checkScript(script: Script): Fault[] {
  const faults: Fault[] = []
  if (Object.keys(script.nodes).length > nodes_max) {
    addFault(faults, 'nodes', 'too_many', `A script can have at most ${nodes_max} nodes.`)
  }
  if (Buffer.byteLength(JSON.stringify(script)) > script_bytes_max) {
    addFault(faults, '', 'too_long', `A script can have at most ${script_bytes_max / 1000} kB.`)
  }
  // The other checks take time in proportion to the size, so they run only if nothing was found so far.
  if (faults.length > 0) return faults
  if (!Object.hasOwn(script.nodes, script.start)) {
    addFault(faults, 'start', 'unknown', `start: there is no node "${script.start}".`)
  }
  for (const [name, node] of Object.entries(script.nodes)) checkNode(script, name, node, faults)
  for (const circle of endlessCircles(script)) {
    const names = circle.slice(0, circle_shown_max).map(shorten)
    const shown = [...names, ...(circle.length > circle_shown_max ? ['...'] : [])].join(' -> ')
    const message = `${shown} never waits for the contact. Add "on" or "else" to one of these nodes.`
    addFault(faults, `nodes.${names[0]}`, 'endless', `nodes.${names[0]}: ${message}`)
  }
  return faults
}

/** Shortens a name for an error: an invalid one can be of any length. */
const shorten = (name: string): string => truncate(name, name_shown_max)

type Report = (path: string, code: string, message: string) => void

function checkNode(script: Script, name: string, node: ScriptNode, faults: Fault[]): void {
  const shown = `nodes.${shorten(name)}`
  const report: Report = (path, code, message) =>
    addFault(faults, `${shown}${path && `.${path}`}`, code, `${shown}: ${message}`)
  if (!node_name.test(name)) {
    report('', 'format', 'the name of a node has up to 64 letters, digits, - and _, and begins with a letter or digit.')
  }
  if (node.tool === undefined) checkTalkingNode(node, report)
  else checkToolNode(node, report)
  for (const [path, target] of targetsOf(node)) {
    const is_known = ends.some((end) => end === target) || Object.hasOwn(script.nodes, target)
    if (!is_known) report(path, 'unknown', `${path} is "${target}", which is no node, ${ends.join(' or ')}.`)
  }
}

function checkTalkingNode(node: ScriptNode, report: Report): void {
  for (const field of ['with', 'ok', 'failed'] as const) {
    if (node[field] !== undefined) report(field, 'not_allowed', `${field} is only allowed together with tool.`)
  }
  if (node.go !== undefined && waits(node)) {
    report('go', 'not_allowed', 'go is not allowed together with on, silence or else. Use else to accept any answer.')
  }
  if (node.go === undefined && !node.on?.length && !node.else) {
    report('', 'required', 'one of on, else, go or tool is required.')
  }
  for (const field of ['silence', 'else'] as const) {
    const reaction = node[field]
    if (reaction && !reaction.say && !reaction.go) report(field, 'required', `${field} must have say or go.`)
  }
  if (node.answer_from_knowledge && (!node.else || node.press !== undefined)) {
    report(
      'answer_from_knowledge',
      'not_allowed',
      'answer_from_knowledge is only allowed together with else, without press.',
    )
  }
  if (node.is_uninterruptible !== undefined && !node.say) {
    report('is_uninterruptible', 'not_allowed', 'is_uninterruptible is only allowed together with say.')
  }
  checkBranches(node, report)
}

function checkBranches({ say, on = [], else: otherwise }: ScriptNode, report: Report): void {
  if (on.length > 0 && !say && !otherwise) {
    report('', 'required', 'say or else is required, for when nothing in on is heard.')
  }
  for (const [index, branch] of on.entries()) checkBranch(branch, `on.${index}`, report)
  if (Buffer.byteLength(on.flatMap(({ hear = [] }) => hear).join(' ')) > phrase_bytes_max) {
    report('on', 'too_long', `the phrases of a node can have at most ${phrase_bytes_max / 1000} kB.`)
  }
}

function checkBranch({ hear, intent, slot }: Branch, path: string, report: Report): void {
  const given = [hear, intent, slot].filter((one) => one !== undefined)
  if (given.length !== 1) report(path, 'required', `${path} must have exactly one of hear, intent and slot.`)
  if (hear?.length === 0) report(`${path}.hear`, 'too_short', `${path}.hear must not be empty.`)
  for (const [index, phrase] of (hear ?? []).entries()) {
    const phrase_path = `${path}.hear.${index}`
    if (!/[\p{L}\p{N}]/u.test(phrase)) {
      report(phrase_path, 'format', `${phrase_path} must contain a letter or a digit.`)
    }
  }
}

function checkToolNode(node: ScriptNode, report: Report): void {
  for (const field of [
    'say',
    'press',
    'is_uninterruptible',
    'on',
    'answer_from_knowledge',
    'silence',
    'else',
    'go',
  ] as const) {
    if (node[field] !== undefined) report(field, 'not_allowed', `${field} is not allowed together with tool.`)
  }
  for (const field of ['ok', 'failed'] as const) {
    if (node[field] === undefined) report(field, 'required', `${field} is required together with tool.`)
  }
  if (!isStorable(node.with, arguments_depth_max)) {
    report('with', 'format', `with can have ${arguments_depth_max} levels, and no control character U+0000 in texts.`)
  }
}

function isStorable(value: unknown, levels_left: number): boolean {
  if (typeof value === 'string') return storable(value) === value
  if (typeof value !== 'object' || value === null) return true
  return (
    levels_left > 0 &&
    Object.entries(value).every(([name, member]) => isStorable(name, 0) && isStorable(member, levels_left - 1))
  )
}

/** Returns every place of a node that names where to go, with its path. */
function targetsOf(node: ScriptNode): [path: string, target: string][] {
  const { on = [], silence, else: otherwise, go, ok, failed } = node
  const branches = on.map((branch, index): [string, string] => [`on.${index}.go`, branch.go])
  const others = { 'silence.go': silence?.go, 'else.go': otherwise?.go, go, ok, failed }
  return [
    ...branches,
    ...Object.entries(others).flatMap(([path, target]) => (target ? [[path, target] as [string, string]] : [])),
  ]
}

/** Finds circles of nodes in which the agent never waits for the contact: it would talk or call tools without an end. */
function endlessCircles({ nodes }: Script): string[][] {
  const circles: string[][] = []
  const done = new Set<string>()
  const path: string[] = []
  const visit = (name: string): void => {
    const node = Object.hasOwn(nodes, name) ? nodes[name] : undefined
    if (!node || waits(node) || done.has(name)) return
    const start = path.indexOf(name)
    if (start !== -1) {
      circles.push([...path.slice(start), name])
      return
    }
    path.push(name)
    for (const target of [node.go, node.ok, node.failed]) if (target !== undefined) visit(target)
    path.pop()
    done.add(name)
  }
  for (const name of Object.keys(nodes)) visit(name)
  return circles
}
