import { html, listed, type Part } from './html.ts'

export interface Schema {
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
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  readOnly?: boolean
}

export interface Field {
  name: string
  schema: Schema
  is_required: boolean
}

export function fieldsOf(schema: Schema, way = ''): Field[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const name = way ? `${way}.${key}` : key
    const is_required = schema.required?.includes(key) ?? false
    return [{ name, schema: property, is_required }, ...fieldsOf(property, name)]
  })
  const choices = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((all) => all ?? [])
  const values = valuesOf(schema)
  return [
    ...own,
    ...choices.flatMap((choice) => fieldsOf(choice, way)),
    ...(schema.items ? fieldsOf(schema.items, `${way}[]`) : []),
    ...(values ? fieldsOf(values, `${way}.*`) : []),
  ]
}

export function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map(typeOf))].join(' or ')
  const values = schema.items ?? valuesOf(schema)
  const of = values ? ` of ${typeOf(values)}s` : ''
  const name = (type: string) => (type === 'array' || type === 'object' ? type + of : type)
  return [schema.type ?? 'any'].flat().map(name).join(' or ')
}

/** What the members of an object with names of the caller's choice are. */
function valuesOf({ patternProperties = {}, additionalProperties }: Schema): Schema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : Object.values(patternProperties)[0]
}

export function limitsOf(schema: Schema): Part[] {
  const each = schema.items ? limitsOf(schema.items) : []
  return [
    schema.format,
    range(schema.minLength, schema.maxLength, ' character'),
    range(schema.minimum, schema.maximum),
    range(schema.minItems, schema.maxItems, ' item'),
    ...each.map((limit) => ['each ', limit]),
    schema.pattern && html`matches <code>${schema.pattern}</code>`,
    schema.enum && ['one of ', listed(schema.enum.map((value) => html`<code>${String(value)}</code>`))],
    schema.default !== undefined && html`default <code>${String(schema.default)}</code>`,
  ].filter(Boolean)
}

function range(minimum: number | undefined, maximum: number | undefined, unit = ''): string {
  const counted = (number: number) =>
    String(number).replaceAll(/\B(?=(\d{3})+$)/g, ',') + (unit && number !== 1 ? `${unit}s` : unit)
  if (maximum !== undefined)
    return minimum === undefined ? `at most ${counted(maximum)}` : `${minimum} to ${counted(maximum)}`
  return minimum === undefined ? '' : `at least ${counted(minimum)}`
}
