import { Radio, Select } from '@mantine/core'
import type { Field } from '../../../server/contacts/schema.ts'
import type { Import, ImportOptions } from '../../../server/imports/schema.ts'
import { country_names } from '../kit/countries.ts'
import { fields } from './import.ts'
import styles from './imports.module.css'

export type Options = Pick<ImportOptions, 'mapping' | 'default_country' | 'on_conflict'>

interface OptionsFormProps {
  import: Import
  options: Options
  onChange: (options: Options) => void
}

const nothing = 'none'

export function OptionsForm({ import: tried, options, onChange }: OptionsFormProps) {
  const { columns, mapping } = tried
  const map = (column: string, field: Field | null) =>
    onChange({ ...options, mapping: { ...without(mapping, field), [column]: field } })
  const has_phone = Object.values(mapping).includes('phone_number')
  return (
    <div className={styles.options}>
      <fieldset className={styles.fieldset}>
        <legend>Columns</legend>
        <div className={styles.columns}>
          {columns.map((column, index) => (
            <Select
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name
              key={`${column} ${index}`}
              label={column || `Column ${index + 1}`}
              data={[{ value: nothing, label: 'Don’t import' }, ...fields]}
              value={mapping[column] ?? nothing}
              onChange={(field) => map(column, field === nothing ? null : (field as Field | null))}
              allowDeselect={false}
              classNames={{ input: mapping[column] ? '' : styles.leftOut }}
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
    </div>
  )
}

/** A field has one column: who had it leaves it. */
const without = (mapping: Import['mapping'], field: Field | null): Import['mapping'] =>
  Object.fromEntries(Object.entries(mapping).map(([column, had]) => [column, had === field ? null : had]))
