import { type Field, fields } from '../contacts/schema.ts'
import { type Fault, invalid } from '../kit/problem.ts'
import { cut } from '../kit/text.ts'
import type { Mapping } from './schema.ts'

/** The report says it again with each row. */
export const column_name_length_max = 200
const path_length_max = 200

/** How people name what goes into a field, without case, accents and anything that is no letter. */
const names: Record<Field, string[]> = {
  phone_number: [
    ...['phonenumber', 'phone', 'phoneno', 'tel', 'telephone', 'telephonenumber', 'mobile', 'mobilenumber', 'mobileno'],
    ...['mobilephone', 'cell', 'cellphone', 'cellnumber', 'number', 'contactnumber', 'whatsapp', 'primaryphone'],
    ...['workphone', 'homephone', 'businessphone', 'telefon', 'telefonnummer', 'handy', 'handynummer', 'mobil'],
    ...['mobilnummer', 'rufnummer', 'telefono', 'movil', 'celular', 'numerodetelephone', 'portable', 'cellulare'],
  ],
  first_name: ['firstname', 'first', 'givenname', 'forename', 'vorname', 'prenom', 'nombre', 'nome', 'voornaam'],
  last_name: [
    ...['lastname', 'last', 'surname', 'familyname', 'nachname', 'familienname', 'nomdefamille', 'apellido'],
    ...['apellidos', 'cognome', 'achternaam'],
  ],
  display_name: ['displayname', 'name', 'fullname', 'contactname', 'anzeigename', 'nom', 'nombrecompleto', 'nickname'],
  email: ['email', 'emailaddress', 'mail', 'emailadresse', 'mailadresse', 'courriel', 'correo', 'correoelectronico'],
  company: [
    ...[
      'company',
      'companyname',
      'organization',
      'organisation',
      'organizationname',
      'business',
      'employer',
      'account',
    ],
    ...['firma', 'unternehmen', 'entreprise', 'societe', 'empresa', 'azienda'],
  ],
  notes: ['notes', 'note', 'comment', 'comments', 'remarks', 'description', 'notizen', 'notiz', 'bemerkung', 'notas'],
  tags: ['tags', 'tag', 'labels', 'label', 'categories', 'category', 'groups', 'group', 'schlagworte', 'etiquetas'],
}
const field_by_name = new Map(fields.flatMap((field) => names[field].map((name) => [name, field] as const)))

/** Each column with its field: as told, or else by its name. A field is taken by one column, the first that fits. */
export function mappingOf(columns: string[], told: Mapping = {}): Mapping {
  const by_column = new Map(columns.map((column, index) => [column, toldFor(told, column, index)]))
  const faults = [...unknownColumns(columns, told), ...doubles(by_column)]
  if (faults.length > 0) throw invalid(faults)
  const taken = new Set(by_column.values())
  const chosen = columns.map((column): [string, Field | null] => {
    const said = by_column.get(column)
    if (said !== undefined) return [column, said]
    const field = field_by_name.get(lettersOf(column))
    if (!field || taken.has(field)) return [column, null]
    taken.add(field)
    return [column, field]
  })
  return Object.fromEntries(chosen)
}

/** By name, or by its place when no column has that for a name. */
function toldFor(told: Mapping, column: string, index: number): Field | null | undefined {
  return Object.hasOwn(told, column) ? told[column] : told[String(index)]
}

function unknownColumns(columns: string[], told: Mapping): Fault[] {
  const known = new Set([...columns, ...columns.keys().map(String)])
  return Object.keys(told)
    .filter((name) => !known.has(name))
    .map((name) => ({
      path: cut(`mapping.${name}`, path_length_max),
      code: 'unknown',
      message: `There is no column "${cut(name, path_length_max)}". The columns are: ${cut(columns.join(', '), 500)}.`,
    }))
}

function doubles(by_column: Map<string, Field | null | undefined>): Fault[] {
  const said = [...by_column].filter(([, field]) => field)
  return said
    .filter(([, field], index) => said.findIndex(([, other]) => other === field) < index)
    .map(([column, field]) => ({
      path: cut(`mapping.${column}`, path_length_max),
      code: 'repeated',
      message: `Another column is matched to ${field} already.`,
    }))
}

const lettersOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}]/gu, '')

/** Every column gets a name of its own: equal ones are counted, and long ones cut. */
export function columnNames(header: string[]): string[] {
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  return header.map((said, index) => {
    const name = cut(said.trim(), column_name_length_max) || `Column ${index + 1}`
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
