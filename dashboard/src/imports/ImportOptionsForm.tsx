import { Radio, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Kind } from '../../../server/consent/schema.ts'
import type { Import, ImportOptions, MappedField } from '../../../server/imports/schema.ts'
import { kind_names, kinds } from '../consent/consent.ts'
import { contact_fields } from '../contacts/contact-fields.ts'
import { nameError } from '../contacts/custom-fields.ts'
import { useApi } from '../kit/api.ts'
import { country_names } from '../kit/countries.ts'
import { customFieldName, customFieldPath, customFieldsQuery, isCustomField, suggestName } from './import.ts'
import styles from './imports.module.css'

export type Options = Pick<ImportOptions, 'mapping' | 'default_country' | 'on_conflict' | 'consent'>

interface ImportOptionsFormProps {
  import: Import
  options: Options
  onChange: (options: Options) => void
}

const not_imported = 'none'
const new_field = 'new'
const no_consent = 'none'

export function ImportOptionsForm({ import: dry_run, options, onChange }: ImportOptionsFormProps) {
  const { columns, mapping } = dry_run
  const { data: existing } = useQuery(customFieldsQuery(useApi()))
  const map = (column: string, field: MappedField | null) =>
    onChange({ ...options, mapping: { ...unmapField(mapping, field), [column]: field } })
  const mapped = Object.values(mapping)
  const has_phone = mapped.includes('phone_number')
  const custom_fields = [...new Set([...(existing ?? []), ...mapped.filter(isCustomField)])].sort()
  const targets = [
    { value: not_imported, label: 'Don’t import' },
    { group: 'Contact', items: contact_fields },
    {
      group: 'Custom fields',
      items: [
        ...custom_fields.map((path) => ({ value: path, label: customFieldName(path) })),
        { value: new_field, label: 'New custom field' },
      ],
    },
  ]
  const toField = (target: string | null, column: string, index: number): MappedField | null => {
    if (target === not_imported) return null
    // Other targets have the values of mapped fields.
    return target === new_field ? customFieldPath(suggestName(column, index)) : (target as MappedField | null)
  }
  return (
    <div className={styles.options}>
      <fieldset className={styles.fieldset}>
        <legend>Columns</legend>
        <div className={styles.columns}>
          {columns.map((column, index) => {
            const field = mapping[column]
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: column names may repeat
              <div key={`${column} ${index}`} className={styles.column}>
                <Select
                  label={column || `Column ${index + 1}`}
                  data={targets}
                  value={field ?? not_imported}
                  onChange={(target) => map(column, toField(target, column, index))}
                  allowDeselect={false}
                  classNames={{ input: field ? '' : styles.notImported }}
                />
                {existing && isCustomField(field) && !existing.includes(field) && (
                  <NewFieldName
                    key={field}
                    column={column}
                    name={customFieldName(field)}
                    taken={mapped.filter((other) => other !== field)}
                    onName={(name) => map(column, customFieldPath(name))}
                  />
                )}
              </div>
            )
          })}
        </div>
        {!has_phone && <p className={styles.warning}>Choose the phone number column.</p>}
      </fieldset>
      <Select
        className={styles.country}
        label="Default country"
        description="For phone numbers without a country code, for example 030 901820."
        placeholder="None"
        data={country_names}
        value={options.default_country ?? null}
        onChange={(default_country) => onChange({ ...options, default_country })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Clear country' }}
      />
      <Radio.Group
        label="If the contact already exists"
        value={options.on_conflict}
        onChange={(on_conflict) => onChange({ ...options, on_conflict: on_conflict === 'update' ? 'update' : 'skip' })}
      >
        <div className={styles.choices}>
          <Radio value="skip" label="Skip the row" />
          <Radio value="update" label="Update the contact" />
        </div>
      </Radio.Group>
      <Radio.Group
        label="Consent"
        description="What the people in the file have agreed to. It is also recorded for contacts that exist already. Who has opted out stays opted out."
        value={options.consent ?? no_consent}
        onChange={(consent) => onChange({ ...options, consent: consent === no_consent ? null : (consent as Kind) })}
      >
        <div className={styles.choices}>
          <Radio value={no_consent} label="Nothing to record" />
          {kinds.map((kind) => (
            <Radio key={kind} value={kind} label={kind_names[kind]} />
          ))}
        </div>
      </Radio.Group>
    </div>
  )
}

interface NewFieldNameProps {
  column: string
  name: string
  /** The fields to which other columns are mapped. */
  taken: (MappedField | null)[]
  onName: (name: string) => void
}

/**
 * Names a custom field that the workspace doesn't have yet. The name is taken when the person leaves the input or
 * presses Enter.
 */
function NewFieldName({ column, name, taken, onName }: NewFieldNameProps) {
  const [typed, setTyped] = useState(name)
  const error = taken.includes(customFieldPath(typed)) ? 'Another column has this field.' : nameError(typed)
  const apply = () => {
    if (!error && typed !== name) onName(typed)
  }
  return (
    <TextInput
      aria-label={`Name of the new field for ${column}`}
      description="Name of the new field"
      value={typed}
      error={error}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={apply}
      onKeyDown={({ key }) => key === 'Enter' && apply()}
    />
  )
}

/** Takes the field from its previous column, because a field has one column. */
const unmapField = (mapping: Import['mapping'], field: MappedField | null): Import['mapping'] =>
  Object.fromEntries(Object.entries(mapping).map(([column, mapped]) => [column, mapped === field ? null : mapped]))
