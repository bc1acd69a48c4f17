export interface OpenApiSchema {
  type?: string | string[]
  format?: string
  description?: string
  default?: unknown
  const?: unknown
  enum?: unknown[]
  examples?: unknown[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  items?: OpenApiSchema
  properties?: Record<string, OpenApiSchema>
  required?: string[]
  patternProperties?: Record<string, OpenApiSchema>
  additionalProperties?: OpenApiSchema | boolean
  anyOf?: OpenApiSchema[]
  oneOf?: OpenApiSchema[]
  allOf?: OpenApiSchema[]
  readOnly?: boolean
}

export interface SchemaField {
  /** The path from the root, such as `data[].id`. */
  name: string
  schema: OpenApiSchema
  is_required: boolean
}

/** Returns all fields of the schema, nested ones too. */
export function listFields(schema: OpenApiSchema, parent = ''): SchemaField[] {
  const direct = Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const name = parent ? `${parent}.${key}` : key
    const is_required = schema.required?.includes(key) ?? false
    return [{ name, schema: property, is_required }, ...listFields(property, name)]
  })
  const alternatives = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((all) => all ?? [])
  const values = mapValueSchema(schema)
  return [
    ...direct,
    ...alternatives.flatMap((alternative) => listFields(alternative, parent)),
    ...(schema.items ? listFields(schema.items, `${parent}[]`) : []),
    ...(values ? listFields(values, `${parent}.*`) : []),
  ]
}

export function describeType(schema: OpenApiSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return [...new Set(alternatives.map(describeType))].join(' or ')
  const values = schema.items ?? mapValueSchema(schema)
  const of = values ? ` of ${describeType(values)}s` : ''
  const name = (type: string) => (type === 'array' || type === 'object' ? type + of : type)
  return [schema.type ?? 'any'].flat().map(name).join(' or ')
}

/** Returns the schema of the values in an object whose keys the client chooses. */
function mapValueSchema({ patternProperties = {}, additionalProperties }: OpenApiSchema): OpenApiSchema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : Object.values(patternProperties)[0]
}

/** Returns what values are allowed, in Markdown. */
export function describeLimits(schema: OpenApiSchema): string[] {
  const item_limits = schema.items ? describeLimits(schema.items) : []
  return [
    schema.format ?? '',
    describeRange(schema.minLength, schema.maxLength, ' character'),
    describeRange(schema.minimum, schema.maximum),
    describeRange(schema.minItems, schema.maxItems, ' item'),
    ...item_limits.map((limit) => `each ${limit}`),
    schema.pattern === undefined ? '' : `matches ${codeSpan(schema.pattern)}`,
    schema.enum ? `one of ${schema.enum.map((value) => codeSpan(String(value))).join(', ')}` : '',
    schema.default === undefined ? '' : `default ${codeSpan(formatDefault(schema.default))}`,
  ].filter(Boolean)
}

const formatDefault = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

const codeSpan = (text: string): string => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``)

function describeRange(minimum: number | undefined, maximum: number | undefined, unit = ''): string {
  const counted = (number: number) =>
    String(number).replaceAll(/\B(?=(\d{3})+$)/g, ',') + (unit && number !== 1 ? `${unit}s` : unit)
  if (maximum !== undefined)
    return minimum === undefined ? `at most ${counted(maximum)}` : `${minimum} to ${counted(maximum)}`
  return minimum === undefined ? '' : `at least ${counted(minimum)}`
}
