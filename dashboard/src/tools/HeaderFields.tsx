import { ActionIcon, Button, TextInput } from '@mantine/core'
import { PlusIcon, TrashIcon } from '../kit/icons.tsx'
import type { HeaderValue } from './tool-values.ts'
import styles from './tools.module.css'

interface HeaderFieldsProps {
  headers: HeaderValue[]
  error: string | undefined
  hint: string
  onChange: (headers: HeaderValue[]) => void
}

export function HeaderFields({ headers, error, hint, onChange }: HeaderFieldsProps) {
  const change = (index: number, fields: Partial<HeaderValue>) =>
    onChange(headers.map((header, at) => (at === index ? { ...header, ...fields } : header)))
  return (
    <fieldset className={styles.headers}>
      <legend>Headers</legend>
      <p className={styles.hint}>{hint}</p>
      {headers.map(({ name, value, is_stored }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a name is edited and may be blank
        <div key={index} className={styles.header}>
          <TextInput
            aria-label={`Name of header ${index + 1}`}
            placeholder="x-api-key"
            required
            readOnly={is_stored}
            value={name}
            onChange={(event) => change(index, { name: event.currentTarget.value })}
          />
          <TextInput
            aria-label={`Value of header ${index + 1}`}
            placeholder={is_stored ? 'Stored' : 'Value'}
            required={!is_stored}
            autoComplete="off"
            value={value}
            onChange={(event) => change(index, { value: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={`Remove header ${index + 1}`}
            onClick={() => onChange(headers.filter((_, at) => at !== index))}
          >
            <TrashIcon size={17} />
          </ActionIcon>
        </div>
      ))}
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      <Button
        variant="default"
        size="xs"
        className={styles.submit}
        leftSection={<PlusIcon size={15} />}
        onClick={() => onChange([...headers, { name: '', value: '', is_stored: false }])}
      >
        Add header
      </Button>
    </fieldset>
  )
}
