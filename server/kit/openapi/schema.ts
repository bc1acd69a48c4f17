export type Json = Record<string, unknown>

/** Filled while operations are written; each entry is referenced by its name. */
export interface Components {
  schemas: Json
  responses: Json
  parameters: Json
}

/** A keyword that validation uses, and that JSON Schema doesn't have. */
export const internal_keyword = 'multiline'

/** The schema as clients may see it. Replaces schemas that have a title with references to `components`. */
export function publishSchema(schema: unknown, components: Pick<Components, 'schemas'> = { schemas: {} }): unknown {
  if (Array.isArray(schema)) return schema.map((item) => publishSchema(item, components))
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.entries(schema).filter(([name]) => name !== internal_keyword)
  const published = Object.fromEntries(members.map(([name, member]) => [name, publishSchema(member, components)]))
  if (typeof published.title !== 'string') return published
  components.schemas[published.title] = published
  return { $ref: `#/components/schemas/${published.title}` }
}
