import { type Field, fields, isCustomFieldPath } from '../contacts/schema.ts'
import { memberFaults } from '../conversations/begin.ts'
import { type Fault, invalid } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'
import type { ColumnMapping, MappedField } from './schema.ts'

/** Names are cut at this length, because the report repeats them in each row. */
export const column_name_length_max = 200
const path_length_max = 200

/** Common column names for each field, normalized: lower-case letters without accents. */
const column_names: Record<Field, string> = {
  phone_number:
    'phonenumber phone phoneno tel telephone telephonenumber mobile mobilenumber mobileno ' +
    'mobilephone cell cellphone cellnumber number contactnumber whatsapp primaryphone workphone ' +
    'homephone businessphone telefon telefonnummer handy handynummer mobil mobilnummer rufnummer ' +
    'telefono movil celular numerodetelephone portable cellulare',
  first_name: 'firstname first givenname forename vorname prenom nombre nome voornaam',
  last_name:
    'lastname last surname familyname nachname familienname nomdefamille apellido apellidos ' + 'cognome achternaam',
  display_name: 'displayname name fullname contactname anzeigename nom nombrecompleto nickname',
  email: 'email emailaddress mail emailadresse mailadresse courriel correo correoelectronico',
  company:
    'company companyname organization organisation organizationname business employer account firma ' +
    'unternehmen entreprise societe empresa azienda',
  time_zone: 'timezone tz zeitzone fuseauhoraire zonahoraria fusoorario',
  notes: 'notes note comment comments remarks description notizen notiz bemerkung notas',
  tags: 'tags tag labels label categories category groups group schlagworte etiquetas',
}
const field_by_name = new Map(
  fields.flatMap((field) => column_names[field].split(' ').map((name) => [name, field] as const)),
)

interface ColumnsToMatch {
  requested?: ColumnMapping | undefined
  /** Whether columns named `variables.NAME` are variables of enrollments. */
  has_variables: boolean
}

/**
 * Maps each column to a field: as requested, or else by its name. If several columns fit a field, the first gets it.
 */
export function matchColumns(columns: string[], { requested = {}, has_variables }: ColumnsToMatch): ColumnMapping {
  const requested_fields = new Map(columns.map((column, index) => [column, requestedField(requested, column, index)]))
  const variables = columns.filter(isVariable).filter((column) => requested_fields.get(column) === undefined)
  const faults = [
    ...unknownColumns(columns, requested),
    ...repeatedFields(requested_fields),
    ...(has_variables
      ? memberFaults({ variables: Object.fromEntries(variables.map((one) => [nameOf(one), ''])) })
      : []),
  ]
  if (faults.length > 0) throw invalid(faults)
  const taken = new Set(requested_fields.values())
  const mapping = columns.map((column): [string, MappedField | null] => {
    const requested_field = requested_fields.get(column)
    if (requested_field !== undefined) return [column, requested_field]
    if (has_variables && isVariable(column)) return [column, column]
    if (isCustomFieldPath(column) && !taken.has(column)) return [column, column]
    const field = field_by_name.get(normalizeName(column))
    if (!field || taken.has(field)) return [column, null]
    taken.add(field)
    return [column, field]
  })
  return Object.fromEntries(mapping)
}

const variable_prefix = 'variables.'
export const isVariable = (column: string): column is `variables.${string}` => column.startsWith(variable_prefix)
/** Returns the name of the variable. */
export const nameOf = (column: `variables.${string}`): string => column.slice(variable_prefix.length)

/** Finds a column by its name, or by its index if no column has that name. */
function requestedField(requested: ColumnMapping, column: string, index: number): MappedField | null | undefined {
  return Object.hasOwn(requested, column) ? requested[column] : requested[String(index)]
}

function unknownColumns(columns: string[], requested: ColumnMapping): Fault[] {
  const known = new Set([...columns, ...columns.keys().map(String)])
  return Object.keys(requested)
    .filter((name) => !known.has(name))
    .map((name) => ({
      path: truncate(`mapping.${name}`, path_length_max),
      code: 'unknown',
      message: `There is no column "${truncate(name, path_length_max)}". The columns are: ${truncate(columns.join(', '), 500)}.`,
    }))
}

function repeatedFields(requested_fields: Map<string, MappedField | null | undefined>): Fault[] {
  const mapped = [...requested_fields].filter(([, field]) => field)
  return mapped
    .filter(([, field], index) => mapped.findIndex(([, other]) => other === field) < index)
    .map(([column, field]) => ({
      path: truncate(`mapping.${column}`, path_length_max),
      code: 'repeated',
      message: `Another column is already mapped to ${field}.`,
    }))
}

const normalizeName = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}]/gu, '')

/** Makes the names unique by numbering equal ones, and cuts long ones. */
export function uniqueColumnNames(header: string[]): string[] {
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  return header.map((cell, index) => {
    const name = truncate(cell.trim(), column_name_length_max) || `Column ${index + 1}`
    let count = counts.get(name) ?? 1
    let unique = name
    while (taken.has(unique)) {
      count += 1
      unique = `${name} (${count})`
    }
    counts.set(name, count)
    taken.add(unique)
    return unique
  })
}
