/** The parts of a JSON Schema that an example is made from. */
interface ExampleSchema {
  anyOf?: ExampleSchema[]
  type?: string | string[]
  const?: unknown
  default?: unknown
  enum?: unknown[]
  examples?: unknown[]
  properties?: Record<string, ExampleSchema>
  items?: ExampleSchema
  readOnly?: boolean
}

/** A value that matches the schema, made from its examples and defaults. Leaves out members that have neither. */
export function exampleOf(schema: ExampleSchema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.examples) return schema.examples[0]
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  if (schema.items) return [exampleOf(schema.items)]
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0])
  if (![schema.type].flat().includes('object')) return undefined
  const members = Object.entries(schema.properties ?? {}).filter(([, member]) => !member.readOnly)
  const examples = members.map(([name, member]) => [name, exampleOf(member)])
  return Object.fromEntries(examples.filter(([, example]) => example !== undefined))
}
