import { Button, Group, Modal, Text } from '@mantine/core'
import { CodeBlock } from '../kit/CodeBlock.tsx'
import { toJsonText } from '../kit/json.ts'
import styles from './agents.module.css'
import { type DraftValues, draft_labels } from './draft.ts'
import type { Draft } from './useDraft.ts'

const nothing = () => {}

/** Someone else has changed the same fields: the person chooses. */
export function DraftConflict({ draft: { conflict, resolve } }: { draft: Draft }) {
  return (
    <Modal
      opened={conflict !== undefined}
      onClose={nothing}
      title="Someone else changed this draft"
      size="xl"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Text mb="md">You both edited the same fields. Choose which version to keep.</Text>
      {conflict?.fields.map((field) => (
        <div key={field} className={styles.sides}>
          <Side title={`${draft_labels[field]}: yours`} value={conflict.mine[field]} />
          <Side title={`${draft_labels[field]}: theirs`} value={conflict.theirs[field]} />
        </div>
      ))}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={() => resolve('theirs')}>
          Use theirs
        </Button>
        <Button onClick={() => resolve('mine')} data-autofocus>
          Keep mine
        </Button>
      </Group>
    </Modal>
  )
}

const Side = ({ title, value }: { title: string; value: DraftValues[keyof DraftValues] }) => (
  <div>
    <h3 className={styles.sideTitle}>{title}</h3>
    <CodeBlock label={title} text={typeof value === 'string' ? value : toJsonText(value)} />
  </div>
)
