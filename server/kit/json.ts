import type { TProperties } from 'typebox'
import { raw, type Sql } from './sql.ts'

/** A resource that the database has put into JSON: on its way out nobody reads its members. */
export class Json {
  readonly text: string
  readonly updated_at: string

  constructor({ json, updated_at }: JsonRow) {
    this.text = json
    this.updated_at = updated_at
  }
}

export interface JsonRow {
  json: string
  updated_at: string
}

/** Makes the text of exactly what the schema declares, from columns of the same names. */
export function jsonOf({ properties }: { properties: TProperties }): Sql {
  const columns = Object.entries(properties).map(([name, schema]) => {
    const { format } = schema as { format?: string }
    return format === 'date-time' ? `to_char(${name}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${name}` : name
  })
  return raw(`(select row_to_json(shown)::text from (select ${columns.join(', ')}) as shown) as json`)
}
