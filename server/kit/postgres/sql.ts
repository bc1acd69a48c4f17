/** A piece of SQL. Pieces nest; whatever else stands in a template becomes a parameter. */
export class Sql {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings
    this.values = values
  }

  get text(): string {
    return this.strings.reduce((text, string, index) => `${text}$${index}${string}`)
  }
}

export function sql(template: TemplateStringsArray, ...inputs: unknown[]): Sql {
  if (!inputs.some((input) => input instanceof Sql)) return new Sql(template, inputs)
  const strings = [template[0] ?? '']
  const values: unknown[] = []
  const append = (text: string) => strings.push((strings.pop() ?? '') + text)
  inputs.forEach((input, index) => {
    const after = template[index + 1] ?? ''
    if (input instanceof Sql) {
      append(input.strings[0] ?? '')
      strings.push(...input.strings.slice(1))
      append(after)
      values.push(...input.values)
    } else {
      values.push(input)
      strings.push(after)
    }
  })
  return new Sql(strings, values)
}

/** Text that stands in the code, such as a list of columns. Never what a client sent. */
export const raw = (text: string): Sql => new Sql([text], [])

export const join = (pieces: readonly Sql[], separator: string): Sql =>
  pieces.length === 0 ? raw('') : pieces.reduce((left, right) => sql`${left}${raw(separator)}${right}`)

/** What a client asks for is plain text to `like`. */
export const likeContains = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** A list as PostgreSQL writes it, of ids, numbers or times: they need no quotes, which the driver would look for in each. */
export const listOf = (values: readonly (string | number | null)[]): string =>
  `{${values.map((value) => value ?? 'null').join(',')}}`
