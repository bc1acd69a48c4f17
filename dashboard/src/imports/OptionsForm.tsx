import { Radio, Select } from '@mantine/core'
import { country_names } from './countries.ts'
import { fields, type Import } from './import.ts'
import styles from './imports.module.css'

export interface Options {
  mapping?: Record<string, string | null>
  default_country: string | null
  on_conflict: 'skip' | 'update'
}

interface OptionsFormProps {
  import: Import
  options: Options
  onChange: (options: Options) => void
}

const nothing = 'none'

export function OptionsForm({ import: tried, options, onChange }: OptionsFormProps) {
  const { columns, mapping } = tried
  const map = (column: string, field: string | null) =>
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
              onChange={(field) => map(column, field === nothing ? null : field)}
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
        value={options.default_country}
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
const without = (mapping: Import['mapping'], field: string | null): Import['mapping'] =>
  Object.fromEntries(Object.entries(mapping).map(([column, had]) => [column, had === field ? null : had]))
