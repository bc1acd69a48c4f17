import { Button, Group, Modal, Text } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import { CodeBlock } from './CodeBlock.tsx'
import styles from './conflict.module.css'
import { toJsonText } from './json.ts'
import { labelOf } from './labels.ts'
import { type FieldConflict, findConflicts, isSame, withTheirs } from './merge.ts'
import { ParleyError } from './request.ts'
import { useCover } from './unsaved.tsx'

type Choice = 'mine' | 'theirs'

interface Edit<Values> {
  /** The values when the form was opened. */
  before: Values
  mine: Values
  /** The values that are stored now. */
  theirs: Values
}

interface ConflictOptions {
  /** The fields whose changes are merged, such as lists to which both add something. */
  merged?: readonly string[]
  /** Labels by the field's name. Other fields are named after it: `first_name` is "First name". */
  labels?: Record<string, string>
}

interface ConflictQuestion {
  conflicts: FieldConflict[]
  answer: (choice: Choice | undefined) => void
}

/**
 * Finds conflicts in a form that edits something stored. `choose` resolves to the values to save: what was typed,
 * unless someone else has changed the same field since the form was opened. Then the person sees both values and
 * chooses. Render `dialog` in the form.
 */
export function useConflicts({ merged = [], labels = {} }: ConflictOptions = {}) {
  const [asked, setAsked] = useState<ConflictQuestion>()
  const answered = useRef<{ conflicts: FieldConflict[]; choice: Choice }>(undefined)
  const ask = (conflicts: FieldConflict[]): Promise<Choice | undefined> => {
    // The same conflicts are not asked about again when an update starts over, because something else was changed in
    // between.
    if (answered.current && isSame(answered.current.conflicts, conflicts))
      return Promise.resolve(answered.current.choice)
    const { promise, resolve } = Promise.withResolvers<Choice | undefined>()
    setAsked({ conflicts, answer: resolve })
    return promise.finally(() => setAsked(undefined))
  }
  const choose = async <Values extends object>({ before, mine, theirs }: Edit<Values>): Promise<Values> => {
    const conflicts = findConflicts(before, mine, theirs).filter(({ path: [name] }) => !merged.includes(name ?? ''))
    if (conflicts.length === 0) return mine
    const choice = await ask(conflicts)
    if (!choice) throw notSaved()
    answered.current = { conflicts, choice }
    return choice === 'mine' ? mine : withTheirs(mine, conflicts)
  }
  const dialog: ReactNode = asked && (
    <ConflictDialog
      fields={asked.conflicts.map(({ path, mine, theirs }) => ({ label: labelOf(path, labels), mine, theirs }))}
      onChoose={asked.answer}
      onClose={() => asked.answer(undefined)}
    />
  )
  return { choose, dialog }
}

const notSaved = () =>
  new ParleyError({ code: 'PRECONDITION_FAILED', message: 'Not saved: someone else changed this too.', status: 412 })

interface ConflictDialogProps {
  title?: string
  fields: { label: string; mine: unknown; theirs: unknown }[]
  onChoose: (choice: Choice) => void
  /** Closes the dialog. Without it, the person must choose. */
  onClose?: () => void
}

/** Shows both values when someone else has changed the same fields. */
export function ConflictDialog({
  title = 'Someone else changed this too',
  fields,
  onChoose,
  onClose,
}: ConflictDialogProps) {
  useCover(true)
  return (
    <Modal
      opened
      onClose={() => onClose?.()}
      title={title}
      size="xl"
      zIndex={400}
      withCloseButton={onClose !== undefined}
      closeButtonProps={{ 'aria-label': 'Close' }}
      closeOnEscape={onClose !== undefined}
      closeOnClickOutside={false}
    >
      <Text mb="md">You both edited the same fields. Choose which version to keep.</Text>
      {fields.map(({ label, mine, theirs }) => (
        <div key={label} className={styles.sides}>
          <Side title={`${label}: yours`} value={mine} />
          <Side title={`${label}: theirs`} value={theirs} />
        </div>
      ))}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={() => onChoose('theirs')}>
          Use theirs
        </Button>
        <Button onClick={() => onChoose('mine')} data-autofocus>
          Keep mine
        </Button>
      </Group>
    </Modal>
  )
}

const Side = ({ title, value }: { title: string; value: unknown }) => (
  <div>
    <h3 className={styles.title}>{title}</h3>
    <CodeBlock label={title} text={toText(value)} />
  </div>
)

function toText(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'Not set'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return typeof value === 'string' ? value : toJsonText(value)
}
