import { NumberInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Dialog, FormButtons } from '../kit/Dialog.tsx'
import styles from './agent-tests.module.css'
import { toTested, useStartAndOpenRun } from './useStartRun.ts'
import { VersionChoice } from './VersionChoice.tsx'

const repeats_max = 20
const replayed_max = 200
const replayed_first = 50
const repeats_first = 5

interface RunDialogProps {
  agent_id: string
  /** The draft or version that is chosen on the page. */
  tested: string
  is_open: boolean
  onClose: () => void
}

/** Runs tests several times, because agents with a model answer differently each time. */
export const RepeatDialog = ({ is_open, ...props }: RunDialogProps) => (
  <Dialog is_open={is_open} title="Run several times" onClose={props.onClose}>
    <RepeatForm {...props} />
  </Dialog>
)

function RepeatForm({ agent_id, tested, onClose }: Omit<RunDialogProps, 'is_open'>) {
  const [version, setVersion] = useState(tested)
  const [repeat, setRepeat] = useState<number | string>(repeats_first)
  const [passes_min, setPassesMin] = useState<number | string>(repeats_first)
  const { start, is_starting } = useStartAndOpenRun(agent_id)
  const is_repeat_valid = isWithin(repeat, repeats_max)
  const is_min_valid = is_repeat_valid && isWithin(passes_min, repeat)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (is_repeat_valid && is_min_valid)
      start({ ...toTested(version), repeat, passes_min: Number(passes_min) }, onClose)
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <VersionChoice agent_id={agent_id} label="Run against" value={version} onChange={setVersion} />
      <NumberInput
        label="Times"
        description={`Up to ${repeats_max}. Tests that give the same result each time run once.`}
        clampBehavior="none"
        allowDecimal={false}
        value={repeat}
        error={!is_repeat_valid && `Must be 1 to ${repeats_max}`}
        onChange={(value) => {
          setRepeat(value)
          if (passes_min === repeat) setPassesMin(value)
        }}
      />
      <NumberInput
        label="Passes needed"
        description="A test passes if it has passed this often."
        clampBehavior="none"
        allowDecimal={false}
        value={passes_min}
        error={is_repeat_valid && !is_min_valid && `Must be 1 to ${repeat}`}
        onChange={setPassesMin}
      />
      <FormButtons label="Run" is_pending={is_starting} onCancel={onClose} />
    </form>
  )
}

export const ReplayDialog = ({ is_open, ...props }: RunDialogProps) => (
  <Dialog is_open={is_open} title="Replay conversations" onClose={props.onClose}>
    <ReplayForm {...props} />
  </Dialog>
)

function ReplayForm({ agent_id, tested, onClose }: Omit<RunDialogProps, 'is_open'>) {
  const [version, setVersion] = useState(tested)
  const [last, setLast] = useState<number | string>(replayed_first)
  const { start, is_starting } = useStartAndOpenRun(agent_id)
  const is_valid = isWithin(last, replayed_max)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (is_valid) start({ ...toTested(version), replay: { last } }, onClose)
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <p className={styles.explanation}>
        Says again what contacts said in past conversations, and shows where the agent answers differently. No tools are
        called and no one is contacted.
      </p>
      <VersionChoice agent_id={agent_id} label="Replay against" value={version} onChange={setVersion} />
      <NumberInput
        label="Conversations"
        description={`The last ones that were closed, up to ${replayed_max}.`}
        clampBehavior="none"
        allowDecimal={false}
        value={last}
        error={!is_valid && `Must be 1 to ${replayed_max}`}
        onChange={setLast}
      />
      <FormButtons label="Replay" is_pending={is_starting} onCancel={onClose} />
    </form>
  )
}

const isWithin = (value: number | string, max: number): value is number =>
  typeof value === 'number' && value >= 1 && value <= max
