import { ActionIcon, Button, TextInput } from '@mantine/core'
import { PlusIcon, TrashIcon } from '../kit/icons.tsx'
import { cleanPhoneNumber } from '../kit/phone-number.ts'
import styles from './agents.module.css'
import type { DraftValues } from './draft.ts'
import type { Draft } from './useDraft.ts'

type Transfer = DraftValues['transfers'][number]

const transfers_max = 10

/** Edits where the agent may transfer calls to. */
export function TransferFields({ draft: { values, change }, error }: { draft: Draft; error: string | undefined }) {
  const { transfers } = values
  const edit = (index: number, changed: Partial<Transfer>) =>
    change({ transfers: transfers.map((one, at) => (at === index ? { ...one, ...changed } : one)) })
  return (
    <fieldset className={styles.transfers}>
      <legend>Transfers</legend>
      <p className={styles.hint}>Numbers that the agent can transfer a call to.</p>
      {transfers.map(({ name, phone_number }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a transfer has no id, and its name is being edited
        <div key={index} className={styles.transfer}>
          <TextInput
            aria-label={`Name of transfer ${index + 1}`}
            placeholder="Support"
            value={name}
            onChange={({ currentTarget }) => edit(index, { name: currentTarget.value })}
          />
          <TextInput
            aria-label={`Number of transfer ${index + 1}`}
            placeholder="+14155550199"
            type="tel"
            value={phone_number}
            onChange={({ currentTarget }) => edit(index, { phone_number: cleanPhoneNumber(currentTarget.value) })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size={34}
            aria-label={`Remove transfer ${index + 1}`}
            onClick={() => change({ transfers: transfers.filter((_, at) => at !== index) })}
          >
            <TrashIcon size={16} />
          </ActionIcon>
        </div>
      ))}
      {error && (
        <p className={styles.transferError} role="alert">
          {error}
        </p>
      )}
      {transfers.length < transfers_max && (
        <Button
          variant="default"
          size="xs"
          leftSection={<PlusIcon size={15} />}
          onClick={() => change({ transfers: [...transfers, { name: '', phone_number: '' }] })}
        >
          Add transfer
        </Button>
      )}
    </fieldset>
  )
}
