const line_length_max = 160

/** Formats JSON for readers of changes: a value that fits on a line is on one line. */
export function printJson(value: unknown, indent = '', taken = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const line = onOneLine(value)
  if (indent.length + taken + line.length <= line_length_max) return line
  const inside = `${indent}  `
  if (Array.isArray(value))
    return `[\n${value.map((item) => inside + printJson(item, inside, 1)).join(',\n')}\n${indent}]`
  const members = membersOf(value).map(([name, member]) => {
    const start = `${JSON.stringify(name)}: `
    return inside + start + printJson(member, inside, start.length + 1)
  })
  return `{\n${members.join(',\n')}\n${indent}}`
}

function onOneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  const members = membersOf(value).map(([name, member]) => `${JSON.stringify(name)}: ${onOneLine(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

const membersOf = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([, member]) => member !== undefined)
