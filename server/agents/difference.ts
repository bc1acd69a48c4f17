import { diffLines } from 'diff'
import { fingerprintOf } from '../kit/http/idempotency.ts'
import { isObject } from '../kit/json.ts'
import type { Configuration } from './configuration.ts'
import type { Difference } from './schema.ts'

/** With more changed lines, all lines count as changed: the time to compare them grows with the square of their number. */
const changed_lines_max = 300

type Members = Record<string, unknown>

interface Side {
  id: string | null
  version_label: string
  configuration: Configuration
}

/** Compares the instructions by line, the script by node and everything else by path. */
export function differenceBetween(from: Side, to: Side): Difference {
  const [before, after] = [from.configuration, to.configuration].map(parts)
  if (!before || !after) throw new Error('there are two sides')
  return {
    from: { id: from.id, version_label: from.version_label },
    to: { id: to.id, version_label: to.version_label },
    fields: changedFields(before.fields, after.fields),
    instructions: changedLines(before.text, after.text),
    script: changedNodes(before.nodes, after.nodes),
  }
}

function parts({ instructions, script, ...others }: Configuration) {
  const { nodes, ...rest } = script ?? {}
  return { text: instructions ?? '', nodes: isObject(nodes) ? nodes : {}, fields: { ...others, script: rest } }
}

/** Compares values. Lists are compared as a whole, and so is an object that one side doesn't have. */
function changedFields(before: unknown, after: unknown, path = ''): Difference['fields'] {
  if (isSame(before, after)) return []
  if (!isObject(before) || !isObject(after)) return [{ path, before, after }]
  return namesIn(before, after).flatMap((name) =>
    changedFields(member(before, name), member(after, name), path === '' ? name : `${path}.${name}`),
  )
}

function changedLines(before: string, after: string): Difference['instructions'] {
  if (before === after) return []
  const compared = diffLines(before, after, { maxEditLength: changed_lines_max }) ?? [
    { added: false, removed: true, value: before },
    { added: true, removed: false, value: after },
  ]
  return compared.map(({ added, removed, value }) => ({
    change: added ? 'added' : removed ? 'removed' : 'same',
    text: value,
  }))
}

function changedNodes(before: Members, after: Members): Difference['script'] {
  return namesIn(before, after)
    .filter((node) => !isSame(member(before, node), member(after, node)))
    .map((node) => ({
      node,
      change: !Object.hasOwn(before, node) ? 'added' : Object.hasOwn(after, node) ? 'changed' : 'removed',
      before: member(before, node),
      after: member(after, node),
    }))
}

const isSame = (before: unknown, after: unknown): boolean => fingerprintOf(before) === fingerprintOf(after)

const namesIn = (before: Members, after: Members): string[] => [
  ...new Set([...Object.keys(before), ...Object.keys(after)]),
]

/** Reads a member. Clients name the members of scripts, so a name may also be that of an inherited property. */
const member = (object: Members, name: string): unknown => (Object.hasOwn(object, name) ? object[name] : null)
