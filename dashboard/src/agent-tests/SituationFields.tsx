import { ActionIcon, Autocomplete, Button, NumberInput, Select, TextInput } from '@mantine/core'
import { type CustomFieldValues, convert, kinds } from '../contacts/custom-fields.ts'
import { Disclosure } from '../kit/Disclosure.tsx'
import { PlusIcon, TrashIcon } from '../kit/icons.tsx'
import { browser_zone, time_zones } from '../kit/time-field.ts'
import styles from './agent-tests.module.css'
import { contact_fields, type Errors, errorAt, errorsIn, hasErrors, type TestFormProps } from './test-values.ts'

const rows_max = 50
const field_names: Record<(typeof contact_fields)[number], string> = {
  first_name: 'First name',
  last_name: 'Last name',
  phone_number: 'Phone number',
  email: 'Email',
  company: 'Company',
  time_zone: 'Time zone',
}

/** Edits what the agent knows: the contact, variables, and the time. */
export function SituationFields({ values, errors, is_read_only, onEdit }: TestFormProps) {
  const known = contact_fields.filter((name) => values.contact[name] !== '').length
  const others = Object.keys(values.other_contact_fields).length
  const facts = known + others + values.custom_fields.length
  const setContact = (name: (typeof contact_fields)[number]) => (text: string) =>
    onEdit((latest) => ({ ...latest, contact: { ...latest.contact, [name]: text } }))
  return (
    <>
      <Disclosure
        is_field
        has_errors={hasErrors(errors, 'contact') || hasErrors(errors, 'custom_fields')}
        summary={<Summary name="Contact" count={facts} />}
      >
        <p className={styles.explanation}>Who the agent talks with. It is never stored as a contact.</p>
        <div className={styles.pair}>
          {contact_fields.map((name) => {
            const common = {
              label: field_names[name],
              value: values.contact[name],
              error: errorAt(errors, `contact.${name}`),
            }
            return name === 'time_zone' ? (
              <Autocomplete
                key={name}
                {...common}
                data={time_zones}
                limit={50}
                disabled={is_read_only}
                onChange={setContact(name)}
              />
            ) : (
              <TextInput
                key={name}
                {...common}
                onChange={({ currentTarget }) => setContact(name)(currentTarget.value)}
              />
            )
          })}
        </div>
        <ValueRows
          noun="custom field"
          rows={values.custom_fields}
          errors={{ ...errorsIn(errors, 'contact.custom_fields'), ...errorsIn(errors, 'custom_fields') }}
          is_read_only={is_read_only}
          onEdit={(change) => onEdit((latest) => ({ ...latest, custom_fields: change(latest.custom_fields) }))}
        />
      </Disclosure>
      <Disclosure
        is_field
        has_errors={hasErrors(errors, 'variables')}
        summary={<Summary name="Variables" count={values.variables.length} />}
      >
        <p className={styles.explanation}>What is sent when a conversation begins, such as an order number.</p>
        <ValueRows
          noun="variable"
          rows={values.variables}
          errors={errorsIn(errors, 'variables')}
          is_read_only={is_read_only}
          onEdit={(change) => onEdit((latest) => ({ ...latest, variables: change(latest.variables) }))}
        />
      </Disclosure>
      <Disclosure
        is_field
        has_errors={hasErrors(errors, 'now')}
        summary={<Summary name="Time" text={values.now.text ? 'Fixed' : 'When it is run'} />}
      >
        <TextInput
          type="datetime-local"
          label="The agent sees this time"
          description={`In ${browser_zone}. If empty, the time at which the run began.`}
          value={values.now.text}
          error={errorAt(errors, 'now')}
          onChange={({ currentTarget }) => {
            const text = currentTarget.value
            onEdit((latest) => ({ ...latest, now: { ...latest.now, text } }))
          }}
        />
      </Disclosure>
    </>
  )
}

interface SummaryProps {
  name: string
  count?: number
  text?: string
}

export const Summary = ({ name, count = 0, text = count > 0 ? String(count) : 'None' }: SummaryProps) => (
  <>
    <strong>{name}</strong>
    <span className={styles.hint}>{text}</span>
  </>
)

interface ValueRowsProps {
  noun: string
  rows: CustomFieldValues[]
  errors: Errors
  is_read_only: boolean
  onEdit: (change: (rows: CustomFieldValues[]) => CustomFieldValues[]) => void
}

/** Edits names, each with a text, a number, or yes or no. */
function ValueRows({ noun, rows, errors, is_read_only, onEdit }: ValueRowsProps) {
  const set = (index: number, changed: Partial<CustomFieldValues>) =>
    onEdit((latest) => latest.map((row, at) => (at === index ? { ...row, ...changed } : row)))
  return (
    <>
      {rows.map(({ name, kind, value }, index) => {
        const label = `${noun} ${index + 1}`
        const error = errorAt(errors, `${index}.value`) ?? errorAt(errors, name)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no id, and its name is being edited
          <div key={index} className={styles.valueRow}>
            <TextInput
              aria-label={`Name of ${label}`}
              placeholder="name"
              value={name}
              error={errorAt(errors, `${index}.name`)}
              onChange={({ currentTarget }) => set(index, { name: currentTarget.value })}
            />
            <Select
              aria-label={`Type of ${label}`}
              data={kinds}
              value={kind}
              allowDeselect={false}
              disabled={is_read_only}
              onChange={(chosen) => {
                const found = kinds.find((each) => each.value === chosen)
                if (found) set(index, { kind: found.value, value: convert(value, found.value) })
              }}
            />
            {kind === 'text' && (
              <TextInput
                aria-label={`Value of ${label}`}
                placeholder="value"
                value={String(value)}
                error={error}
                onChange={({ currentTarget }) => set(index, { value: currentTarget.value })}
              />
            )}
            {kind === 'number' && (
              <NumberInput
                aria-label={`Value of ${label}`}
                hideControls
                value={typeof value === 'boolean' ? '' : value}
                error={error}
                onChange={(next) => set(index, { value: next })}
              />
            )}
            {kind === 'boolean' && (
              <Select
                aria-label={`Value of ${label}`}
                data={[
                  { value: 'true', label: 'Yes' },
                  { value: 'false', label: 'No' },
                ]}
                value={String(value)}
                allowDeselect={false}
                disabled={is_read_only}
                error={error}
                onChange={(chosen) => set(index, { value: chosen === 'true' })}
              />
            )}
            {!is_read_only && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size={32}
                aria-label={`Remove ${label}`}
                onClick={() => onEdit((latest) => latest.filter((_, at) => at !== index))}
              >
                <TrashIcon size={15} />
              </ActionIcon>
            )}
          </div>
        )
      })}
      {!is_read_only && (
        <Button
          className={styles.alone}
          variant="default"
          size="xs"
          leftSection={<PlusIcon size={15} />}
          disabled={rows.length >= rows_max}
          onClick={() => onEdit((latest) => [...latest, { name: '', kind: 'text', value: '' }])}
        >
          Add {noun}
        </Button>
      )}
    </>
  )
}
