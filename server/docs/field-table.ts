import { describeLimits, describeType, listFields, type OpenApiSchema } from './fields.ts'

export interface FieldRow {
  name: string
  /** A note behind the name, such as `required`. */
  mark: string
  schema: OpenApiSchema
}

/** Writes a Markdown table of parameters or fields. */
export const fieldTable = (rows: FieldRow[], first_column = 'Name'): string =>
  [
    `| ${first_column} | Type | Description |`,
    '| --- | --- | --- |',
    ...rows.map(({ name, mark, schema }) => {
      const type = [describeType(schema), ...describeLimits(schema)].join(', ')
      return `| \`${name}\`${mark && ` ${mark}`} | ${toCell(type)} | ${toCell(schema.description ?? '')} |`
    }),
  ].join('\n')

/** Writes a table of the fields of a response or of a webhook payload. */
export const responseTable = (schema: OpenApiSchema): string =>
  fieldTable(listFields(schema).map((field) => ({ ...field, mark: field.is_required ? '' : 'may be absent' })))

const toCell = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', String.raw`\|`)
