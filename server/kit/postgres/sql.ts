/** A piece of SQL. Pieces nest; all other values in a template become parameters. */
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

/** A selection, or a statement that returns it: its rows have the members of `Row`, and may have more. */
export interface SqlOf<Row> extends Sql {
  /** This member exists in types only. */
  readonly reads: (row: Row) => void
}

/** A statement that is read as rows of this type. Where nothing says what it returns, nothing is checked. */
export type StatementFor<Row> = Sql & { readonly reads?: (row: Row) => void }

/**
 * The type of a template: a statement that returns the selection among its inputs, if there is one. Inputs of the type
 * `any` say nothing.
 */
type Returning<Input> = 0 extends 1 & Input
  ? Sql
  : [Extract<Input, SqlOf<never>>] extends [never]
    ? Sql
    : Extract<Input, SqlOf<never>> extends SqlOf<infer Row>
      ? SqlOf<Row>
      : Sql

export function sql<Inputs extends unknown[]>(
  template: TemplateStringsArray,
  ...inputs: Inputs
): Returning<Inputs[number]>
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

/** SQL text from the code, such as a list of columns. Never use it for client input. */
export const raw = (text: string): Sql => new Sql([text], [])

/** The name of a table or a column that comes from the database. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const join = (pieces: readonly Sql[], separator: string): Sql =>
  pieces.length === 0 ? raw('') : pieces.reduce((left, right) => sql`${left}${raw(separator)}${right}`)

/** Objects as a table called `row`, for a `from` clause. The limit tells the planner when there are few. */
export const rowsFrom = (objects: readonly object[], types: string): Sql =>
  sql`(select * from json_to_recordset(${JSON.stringify(objects)}) as row (${raw(types)}) limit ${objects.length}) as row`

/** The pattern for `like` that matches the text anywhere, with its wildcards escaped. */
export const likeContains = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** Formats ids, numbers or times as a PostgreSQL array. Faster than the driver, because these need no quotes. */
export const toArrayLiteral = (values: readonly (string | number | boolean | null)[]): string =>
  `{${values.map((value) => value ?? 'null').join(',')}}`
