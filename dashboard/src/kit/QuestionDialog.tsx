import { Button, Group, Modal } from '@mantine/core'

/** The question that is asked before something is lost. */
export interface Question {
  title: string
  text: string
  discard_label: string
}

export interface QuestionDialogProps {
  question: Question
  onStay: () => void
  onDiscard: () => void
}

export const QuestionDialog = ({
  question: { title, text, discard_label },
  onStay,
  onDiscard,
}: QuestionDialogProps) => (
  <Modal opened onClose={onStay} title={title} zIndex={400}>
    <p>{text}</p>
    <Group justify="flex-end">
      <Button variant="default" onClick={onStay} data-autofocus>
        Go back
      </Button>
      <Button color="red" onClick={onDiscard}>
        {discard_label}
      </Button>
    </Group>
  </Modal>
)
