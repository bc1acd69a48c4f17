/** Writes JSON values as literals of other languages. */

const line_length_max = 80
const step = '  '

interface Language {
  text: (value: string) => string
  other: (value: unknown) => string
  key: (name: string) => string
  /** What stands between the brackets of an object on one line. */
  padding: string
}

const javascript: Language = {
  text: (value) => (/['\\\n]/.test(value) ? JSON.stringify(value) : `'${value}'`),
  other: (value) => JSON.stringify(value),
  key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`),
  padding: ' ',
}

const python: Language = {
  text: (value) => JSON.stringify(value),
  other: (value) => (value === null ? 'None' : value === true ? 'True' : value === false ? 'False' : String(value)),
  key: (name) => JSON.stringify(name),
  padding: '',
}

export const toJavaScript = (value: unknown, indent = ''): string => write(javascript, value, indent)

export const toPython = (value: unknown, indent = ''): string => write(python, value, indent)

function write(language: Language, value: unknown, indent: string): string {
  if (typeof value === 'string') return language.text(value)
  if (typeof value !== 'object' || value === null) return language.other(value)
  const inner = indent + step
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const members = Array.isArray(value)
    ? value.map((item) => write(language, item, inner))
    : Object.entries(value).map(([name, member]) => `${language.key(name)}: ${write(language, member, inner)}`)
  if (members.length === 0) return `${open}${close}`
  const padding = Array.isArray(value) ? '' : language.padding
  const line = `${open}${padding}${members.join(', ')}${padding}${close}`
  if (!line.includes('\n') && indent.length + line.length <= line_length_max) return line
  return `${open}\n${members.map((member) => `${inner}${member},\n`).join('')}${indent}${close}`
}
