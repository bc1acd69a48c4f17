export type Part = Html | string | number | false | undefined | Part[]

/** Text that is HTML already. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Everything that is put in is escaped, unless it was made here too. */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(texts.reduce((before, text, index) => before + shown(parts[index - 1]) + text))
}

function shown(part: Part): string {
  if (part instanceof Html) return part.text
  if (Array.isArray(part)) return part.map(shown).join('')
  return part === undefined || part === false ? '' : escaped(String(part))
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')

export const idAttribute = (id: string | undefined): Part => id !== undefined && html` id="${id}"`

export const heading = (level: number, id: string, title: Part): Html =>
  html`<h${level} id="${id}"><a href="#${id}">${title}</a></h${level}>\n`

export const listed = (parts: Part[]): Part[] => parts.flatMap((part, index) => (index === 0 ? [part] : [', ', part]))

export const textOf = (example: unknown): string =>
  typeof example === 'string' ? example : JSON.stringify(example ?? null, null, 2)

/** Can be scrolled by keyboard too. */
export const code = (example: unknown): Html => html`<pre tabindex="0"><code>${textOf(example)}</code></pre>\n`
