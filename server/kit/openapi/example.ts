/** As much of a JSON Schema as an example is made from. */
interface Sampled {
  anyOf?: Sampled[]
  type?: string | string[]
  const?: unknown
  default?: unknown
  enum?: unknown[]
  examples?: unknown[]
  properties?: Record<string, Sampled>
  items?: Sampled
  readOnly?: boolean
}

/** A value that the schema describes, from its `examples` and defaults. Members for which it gives none are left out. */
export function exampleOf(schema: Sampled): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.examples) return schema.examples[0]
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  if (schema.items) return [exampleOf(schema.items)]
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0])
  if (schema.type !== 'object') return undefined
  const members = Object.entries(schema.properties ?? {}).filter(([, member]) => !member.readOnly)
  const samples = members.map(([name, member]) => [name, exampleOf(member)])
  return Object.fromEntries(samples.filter(([, sample]) => sample !== undefined))
}
