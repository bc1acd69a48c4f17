export type HtmlPart = Html | string | number | false | undefined | HtmlPart[]

/** Text that is already HTML. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Escapes every part that is not `Html`. */
export function html(texts: TemplateStringsArray, ...parts: HtmlPart[]): Html {
  return new Html(texts.reduce((before, text, index) => before + renderPart(parts[index - 1]) + text))
}

function renderPart(part: HtmlPart): string {
  if (part instanceof Html) return part.text
  if (Array.isArray(part)) return part.map(renderPart).join('')
  return part === undefined || part === false ? '' : escapeHtml(String(part))
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')

export const idAttribute = (id: string | undefined): HtmlPart => id !== undefined && html` id="${id}"`
