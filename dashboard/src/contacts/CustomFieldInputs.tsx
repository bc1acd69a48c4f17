import { ActionIcon, Button, NumberInput, Select, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { PlusIcon, TrashIcon } from '../kit/icons.tsx'
import styles from './contacts.module.css'
import { type CustomFieldValues, convert, custom_fields_max, type Kind, kinds } from './custom-fields.ts'

const booleans = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

/** Adds, changes and removes custom fields. */
export function CustomFieldInputs<Values extends { custom_fields: CustomFieldValues[] }>({
  form,
}: {
  form: UseFormReturnType<Values>
}) {
  const fields = form.values.custom_fields
  // Mantine can't know that the path belongs to every form with custom fields.
  const list = form as unknown as UseFormReturnType<{ custom_fields: CustomFieldValues[] }>
  return (
    <fieldset className={styles.customFields}>
      <legend>Custom fields</legend>
      {fields.map(({ kind, value }, index) => {
        const path = `custom_fields.${index}` as const
        const label = `custom field ${index + 1}`
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a field has no id, and its name is being edited
          <div key={index} className={styles.customField}>
            <TextInput aria-label={`Name of ${label}`} placeholder="plan" {...list.getInputProps(`${path}.name`)} />
            <Select
              aria-label={`Type of ${label}`}
              data={kinds}
              value={kind}
              allowDeselect={false}
              onChange={(chosen) => {
                // The choices are the `kinds`.
                const changed = chosen as Kind
                list.setFieldValue(path, {
                  ...(fields[index] ?? { name: '' }),
                  kind: changed,
                  value: convert(value, changed),
                })
              }}
            />
            {kind === 'boolean' ? (
              <Select
                aria-label={`Value of ${label}`}
                data={booleans}
                value={String(value)}
                allowDeselect={false}
                onChange={(chosen) => list.setFieldValue(`${path}.value`, chosen === 'true')}
                error={list.errors[`${path}.value`]}
              />
            ) : kind === 'number' ? (
              <NumberInput
                aria-label={`Value of ${label}`}
                placeholder="12"
                hideControls
                {...list.getInputProps(`${path}.value`)}
              />
            ) : (
              <TextInput aria-label={`Value of ${label}`} placeholder="gold" {...list.getInputProps(`${path}.value`)} />
            )}
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={`Remove ${label}`}
              onClick={() => list.removeListItem('custom_fields', index)}
            >
              <TrashIcon size={16} />
            </ActionIcon>
          </div>
        )
      })}
      <Button
        variant="default"
        size="xs"
        leftSection={<PlusIcon size={15} />}
        disabled={fields.length >= custom_fields_max}
        onClick={() => list.insertListItem('custom_fields', { name: '', kind: 'text', value: '' })}
      >
        Add custom field
      </Button>
    </fieldset>
  )
}
