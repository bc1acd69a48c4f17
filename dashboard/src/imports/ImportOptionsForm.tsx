import { Radio, Select } from '@mantine/core'
import type { Kind } from '../../../server/consent/schema.ts'
import type { Field } from '../../../server/contacts/schema.ts'
import type { Import, ImportOptions } from '../../../server/imports/schema.ts'
import { kind_names, kinds } from '../consent/consent.ts'
import { contact_fields } from '../contacts/contact-fields.ts'
import { country_names } from '../kit/countries.ts'
import styles from './imports.module.css'

export type Options = Pick<ImportOptions, 'mapping' | 'default_country' | 'on_conflict' | 'consent'>

interface ImportOptionsFormProps {
  import: Import
  options: Options
  onChange: (options: Options) => void
}

const not_imported = 'none'
const no_consent = 'none'

export function ImportOptionsForm({ import: dry_run, options, onChange }: ImportOptionsFormProps) {
  const { columns, mapping } = dry_run
  const map = (column: string, field: Field | null) =>
    onChange({ ...options, mapping: { ...unmapField(mapping, field), [column]: field } })
  const has_phone = Object.values(mapping).includes('phone_number')
  return (
    <div className={styles.options}>
      <fieldset className={styles.fieldset}>
        <legend>Columns</legend>
        <div className={styles.columns}>
          {columns.map((column, index) => (
            <Select
              // biome-ignore lint/suspicious/noArrayIndexKey: column names may repeat
              key={`${column} ${index}`}
              label={column || `Column ${index + 1}`}
              data={[{ value: not_imported, label: 'Don’t import' }, ...contact_fields]}
              value={mapping[column] ?? not_imported}
              onChange={(field) => map(column, field === not_imported ? null : (field as Field | null))}
              allowDeselect={false}
              classNames={{ input: mapping[column] ? '' : styles.notImported }}
            />
          ))}
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

/** A field has one column, so its previous column loses it. */
const unmapField = (mapping: Import['mapping'], field: Field | null): Import['mapping'] =>
  Object.fromEntries(Object.entries(mapping).map(([column, mapped]) => [column, mapped === field ? null : mapped]))
